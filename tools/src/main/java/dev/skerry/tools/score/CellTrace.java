package dev.skerry.tools.score;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.SlotState;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The cells of a recorded fabric, a line each, slot by slot. Lines of a slot may stand among lines of the next. The
 * last slot is left out, as the record may end within it. One thread.
 */
final class CellTrace implements Closeable {
    private static final String WHAT = "trace";
    /** A line may stand this many slots before lines of earlier ones. */
    private static final int SKEW = 2;
    private static final int MOST_SILENCE = 1 << 20;

    private final TraceLines lines;
    private final TraceWords words;
    private final int nodes;
    private final int channels;
    private final int kind;
    private final int slot;
    private final int node;
    /** Need not be there, then -1. */
    private final int channel;
    private final CellColumns columns;
    /** Slots that something was read of, by number; the slots between them are empty. */
    private final Map<Long, TraceSlot> pending = new HashMap<>();
    private long turn;
    private long newest;
    private boolean ended;

    /** A trace of Shale with a column for each number of a cell. */
    CellTrace(final Path file, final int nodes) {
        this(file, TraceWords.SHALE, nodes, 1, CellColumns::ofShale);
    }

    /** @param reader reads the cells, from the names of the columns. */
    CellTrace(final Path file, final TraceWords words, final int nodes, final int channels,
        final Function<TraceLines, CellColumns> reader) {
        this(new TraceLines(WHAT, file), words, nodes, channels, reader);
    }

    CellTrace(final TraceLines lines, final TraceWords words, final int nodes, final int channels,
        final Function<TraceLines, CellColumns> reader) {
        this.lines = lines;
        this.words = words;
        this.nodes = nodes;
        this.channels = channels;
        this.kind = lines.column("kind");
        this.slot = lines.column("slot");
        this.node = lines.column("node");
        this.channel = channels == 1 ? lines.columns().indexOf("channel") : lines.column("channel");
        this.columns = reader.apply(lines);
    }

    /** The next slot, null at the end. */
    TraceSlot next() {
        while (!ended && newest - turn < SKEW) {
            ended = !lines.next();
            if (!ended) {
                read();
            }
        }
        if (newest <= turn) {
            return null;
        }
        final TraceSlot next = pending.remove(turn);
        turn++;
        return next == null ? new TraceSlot(turn - 1, nodes, channels) : next;
    }

    private void read() {
        final int at = lines.number(slot, 0, Integer.MAX_VALUE);
        if (at < turn || at > turn + MOST_SILENCE) {
            throw lines.refuse("slot " + at + " comes after slot " + newest,
                "give the lines in the order of their slots, from slot 0 on");
        }
        newest = Math.max(newest, at);
        final TraceSlot of = pending.computeIfAbsent((long) at, number -> new TraceSlot(number, nodes, channels));
        final int id = lines.number(node, 0, nodes - 1);
        final int by = channel < 0 ? 0 : lines.number(channel, 0, channels - 1);
        switch (lines.text(kind)) {
            case "T" -> readSent(of, id, by);
            case "R" -> {
                words.put(columns, columns.read(), nodes, of.received[id], by);
                of.faults(of.at(id, by), "received", columns.faults());
            }
            default -> throw lines.refuse("kind is not T or R", "write T for a cell sent, R for one received");
        }
    }

    private void readSent(final TraceSlot of, final int id, final int by) {
        final DescribedCell cell = columns.read();
        if (cell.state() == SlotState.NOTHING) {
            return;
        }
        final int at = of.at(id, by);
        if (of.sent[id].state(by) != SlotState.NOTHING) {
            of.second[at] = "a second one in the slot";
            return;
        }
        of.load[at] = words.put(columns, cell, nodes, of.sent[id], by);
        of.peer[at] = cell.destinationMac();
        of.phase[at] = cell.phase();
        of.faults(at, "sent", columns.faults());
        if (cell.sourceMac() != DescribedCell.UNKNOWN && cell.sourceMac() != id) {
            of.faults(at, "sent", List.of("source-mac " + cell.sourceMac() + " instead of " + id));
        }
    }

    @Override
    public void close() {
        lines.close();
    }
}
