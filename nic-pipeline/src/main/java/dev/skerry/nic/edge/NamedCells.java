package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.Cell;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Finds cells by their names, flow and sequence number, where a cell may be under way twice: a ring of handles for
 * each flow, made when its first cell is sent. No two cells that are on their way share a place: each keeps its memory
 * until the ones before it have ended, and a port has no more cells than places. The thread of a flow's source adds;
 * what travels orders that before the thread of its destination reads.
 */
final class NamedCells {
    private final Arena arena;
    private final int places;
    private final Region[] rings;
    private final AtomicLongArray sent;

    /**
     * No cell has been sent.
     *
     * @param flows  number of flows.
     * @param places cells of a port, a power of two.
     */
    NamedCells(final Arena arena, final int flows, final int places) {
        this.arena = arena;
        this.places = places;
        this.rings = new Region[flows];
        this.sent = new AtomicLongArray(flows);
    }

    /** Whether a name is the next of its flow; if not, its cell has come back to be sent again. */
    boolean isNext(final long identity) {
        return Cell.sequence(identity) == (int) sent.getPlain(Cell.flow(identity));
    }

    /** The next cell of a flow is sent. */
    void add(final int flow, final int cell) {
        final long count = sent.getPlain(flow);
        if (rings[flow] == null) {
            rings[flow] = Region.allocate(arena, (long) places * Integer.BYTES);
        }
        rings[flow].setInt(at(count), cell);
        sent.setRelease(flow, count + 1);
    }

    /** Cells of a flow that have been sent, lost ones included; any thread. */
    long sent(final int flow) {
        return sent.getAcquire(flow);
    }

    /** The handle of a cell of a flow that was sent and has not ended. */
    int find(final int flow, final long count) {
        return rings[flow].getInt(at(count));
    }

    private long at(final long count) {
        return (count & places - 1) * Integer.BYTES;
    }
}
