package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;

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
    private final int nodes;
    private final int kind;
    private final int slot;
    private final int node;
    private final CellColumns columns;
    /** Slots that something was read of, by number; the slots between them are empty. */
    private final Map<Long, TraceSlot> pending = new HashMap<>();
    private long turn;
    private long newest;
    private boolean ended;

    /** A trace with a column for each number of a cell. */
    CellTrace(final Path file, final int nodes) {
        this(new TraceLines(WHAT, file), nodes, lines -> new CellColumns(lines, true));
    }

    /** A trace in which a column has the bits of each cell's header, in hex. */
    CellTrace(final Path file, final int nodes, final HeaderDescription header, final String column) {
        this(new TraceLines(WHAT, file), nodes, lines -> new HeaderColumn(lines, header, column));
    }

    CellTrace(final TraceLines lines, final int nodes, final Function<TraceLines, CellColumns> reader) {
        this.lines = lines;
        this.nodes = nodes;
        this.kind = lines.column("kind");
        this.slot = lines.column("slot");
        this.node = lines.column("node");
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
        return next == null ? new TraceSlot(turn - 1, nodes) : next;
    }

    private void read() {
        final int at = lines.number(slot, 0, Integer.MAX_VALUE);
        if (at < turn || at > turn + MOST_SILENCE) {
            throw lines.refuse("slot " + at + " comes after slot " + newest,
                "give the lines in the order of their slots, from slot 0 on");
        }
        newest = Math.max(newest, at);
        final TraceSlot of = pending.computeIfAbsent((long) at, number -> new TraceSlot(number, nodes));
        final int id = lines.number(node, 0, nodes - 1);
        switch (lines.text(kind)) {
            case "T" -> readSent(of, id);
            case "R" -> {
                final DescribedCell cell = columns.read();
                put(cell, of.received[id]);
                of.faults(id, "received", columns.faults());
            }
            default -> throw lines.refuse("kind is not T or R", "write T for a cell sent, R for one received");
        }
    }

    private void readSent(final TraceSlot of, final int id) {
        final DescribedCell cell = columns.read();
        if (cell.state() == SlotState.NOTHING) {
            return;
        }
        if (of.sent[id].route(0) != InFlightCells.SILENCE) {
            of.second[id] = "a second one in the slot";
            return;
        }
        of.load[id] = put(cell, of.sent[id]);
        of.peer[id] = cell.destinationMac();
        of.phase[id] = cell.phase();
        of.faults(id, "sent", columns.faults());
        if (cell.sourceMac() != DescribedCell.UNKNOWN && cell.sourceMac() != id) {
            of.faults(id, "sent", List.of("source-mac " + cell.sourceMac() + " instead of " + id));
        }
    }

    /** Puts the words of a cell or dummy; returns what a dummy carries, null for nothing. */
    private String put(final DescribedCell cell, final NodeCells into) {
        if (cell.state() == SlotState.NOTHING) {
            return null;
        }
        final long feedback = bucket(cell.token1()) & 0xFFFF_FFFFL | (long) bucket(cell.token2()) << Integer.SIZE;
        final int source = cell.source();
        final int destination = cell.destination();
        if (cell.state() == SlotState.DUMMY) {
            into.set(0, InFlightCells.NO_CELL, 0, feedback);
            return source == destination && cell.sequence() == 0 ? null
                : "one with cell " + source + ">" + destination + " seq " + cell.sequence();
        }
        final int flow = source < nodes && destination < nodes ? source * nodes + destination : -1;
        into.set(0, Route.first(destination, cell.sprays(), 0), Cell.of(flow, cell.sequence()), feedback);
        return null;
    }

    /** The bucket of a token, -1 for none; what is no ordinary token is one of no fabric. */
    private static int bucket(final int token) {
        if (token == ShaleToken.NONE) {
            return -1;
        }
        return ShaleToken.kind(token) == ShaleToken.KIND_TOKEN
            ? Route.bucket(ShaleToken.destination(token), ShaleToken.index(token))
            : Route.bucket(CellColumns.MOST_ID, Route.MAX_SPRAYS);
    }

    @Override
    public void close() {
        lines.close();
    }
}
