package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * The cells of a recorded fabric, a line each, slot by slot. Lines of a slot may stand among lines of the next. The
 * last slot is left out, as the record may end within it. One thread.
 */
final class CellTrace implements Closeable {
    private static final String WHAT = "trace";
    /** A line may stand this many slots before lines of earlier ones. */
    private static final int SKEW = 2;
    private static final int MOST_SILENCE = 1 << 20;
    private static final int MOST_ID = (1 << 20) - 1;

    private final TraceLines lines;
    private final int nodes;
    private final int kind;
    private final int slot;
    private final int node;
    private final int[] cell;
    private final int[] token;
    private final int dummy;
    /** Columns that need not be there, -1 if they are not. */
    private final int peer;
    private final int phase;
    private final ArrayDeque<TraceSlot> pending = new ArrayDeque<>();
    private boolean ended;

    CellTrace(final Path file, final int nodes) {
        this.lines = new TraceLines(WHAT, file);
        this.nodes = nodes;
        this.kind = lines.column("kind");
        this.slot = lines.column("slot");
        this.node = lines.column("node");
        this.cell = new int[] {lines.column("src"), lines.column("dst"), lines.column("seq"),
            lines.column("sprays")};
        this.token = new int[] {lines.column("tok1_dst"), lines.column("tok1_n"), lines.column("tok2_dst"),
            lines.column("tok2_n")};
        this.dummy = lines.column("dummy");
        this.peer = lines.columns().indexOf("dst_mac");
        this.phase = lines.columns().indexOf("phase");
        pending.add(new TraceSlot(0, nodes));
    }

    /** The next slot, null at the end. */
    TraceSlot next() {
        while (!ended && pending.size() <= SKEW) {
            ended = !lines.next();
            if (!ended) {
                read();
            }
        }
        return pending.size() > 1 ? pending.poll() : null;
    }

    private void read() {
        final int at = lines.number(slot, 0, Integer.MAX_VALUE);
        final long first = pending.getFirst().slot;
        if (at < first || at > first + MOST_SILENCE) {
            throw lines.refuse("slot " + at + " comes after slot " + pending.getLast().slot,
                "give the lines in the order of their slots, from slot 0 on");
        }
        while (pending.getLast().slot < at) {
            pending.add(new TraceSlot(pending.getLast().slot + 1, nodes));
        }
        final TraceSlot of = pending.stream().skip(at - first).findFirst().orElseThrow();
        final int id = lines.number(node, 0, nodes - 1);
        switch (lines.text(kind)) {
            case "T" -> readSent(of, id);
            case "R" -> words(of.received[id]);
            default -> throw lines.refuse("kind is not T or R", "write T for a cell sent, R for one received");
        }
    }

    private void readSent(final TraceSlot of, final int id) {
        if (of.sent[id].route(0) != InFlightCells.SILENCE) {
            of.second[id] = "a second one in the slot";
            return;
        }
        of.load[id] = words(of.sent[id]);
        of.peer[id] = peer < 0 ? TraceSlot.UNKNOWN : lines.number(peer, 0, MOST_ID);
        of.phase[id] = phase < 0 ? TraceSlot.UNKNOWN : lines.number(phase, 0, Route.MAX_SPRAYS);
    }

    /** Reads the words of a line; returns what a dummy carries, null for nothing. */
    private String words(final NodeCells into) {
        final int source = lines.number(cell[0], 0, MOST_ID);
        final int destination = lines.number(cell[1], 0, MOST_ID);
        final int sequence = lines.number(cell[2], 0, Integer.MAX_VALUE);
        final int sprays = lines.number(cell[3], 0, Route.MAX_SPRAYS);
        final long feedback = token(0) & 0xFFFF_FFFFL | (long) token(2) << Integer.SIZE;
        if (lines.number(dummy, 0, 1) == 1) {
            into.set(0, InFlightCells.NO_CELL, 0, feedback);
            return source == destination && sequence == 0 ? null
                : "one with cell " + source + ">" + destination + " seq " + sequence;
        }
        final int flow = source < nodes && destination < nodes ? source * nodes + destination : -1;
        into.set(0, Route.first(destination, sprays, 0), Cell.of(flow, sequence), feedback);
        return null;
    }

    private int token(final int first) {
        final int destination = lines.number(token[first], -1, MOST_ID);
        final int sprays = lines.number(token[first + 1], -1, Route.MAX_SPRAYS);
        return destination < 0 || sprays < 0 ? -1 : Route.bucket(destination, sprays);
    }

    @Override
    public void close() {
        lines.close();
    }
}
