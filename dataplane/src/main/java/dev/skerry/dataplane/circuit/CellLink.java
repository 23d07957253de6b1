package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * What all nodes have put on the fabric and not yet taken off it: one cell of three words for each node and each slot
 * of a window of slots. The circuits themselves are the reader's arithmetic: who receives reads the cell of whoever the
 * schedule connects it to.
 *
 * <pre>
 *   slot s, node i: record (s mod window) * nodes + i
 *   0        8        16         24
 *   +--------+--------+----------+
 *   | route  | cell   | feedback |
 *   +--------+--------+----------+
 *     route     what the fabric's stages act on, NO_CELL when the slot is idle
 *     cell      which cell it is, opaque here; undefined when idle
 *     feedback  what rides with the cell, NO_FEEDBACK when nothing does
 * </pre>
 *
 * Where faults are played, three more words of the route field stand for what is no cell of a flow: SILENCE, when
 * nothing arrives, which an idle cell is not; DAMAGED, when all that can be read of a cell is its feedback, and that
 * perhaps wrongly; CONTROL, a message between NICs, which lies elsewhere under the same handle.
 *
 * A node's words of a slot are written by the thread of its sender and read, propagation later, by that of its
 * receiver; the {@link SlotBarrier} between the two orders them, so accesses are plain.
 */
public final class CellLink {
    /** An idle slot. */
    public static final long NO_CELL = -1;
    /** Not even an idle cell arrives. */
    public static final long SILENCE = -2;
    /** A cell that fails its check. */
    public static final long DAMAGED = -3;
    /** A cell that carries a message between NICs. */
    public static final long CONTROL = -4;
    /** Nothing rides along. */
    public static final long NO_FEEDBACK = -1;

    /** Bytes from the words of a node to those of the next one. */
    public static final int CELL_BYTES = 24;

    private static final int ROUTE = 0;
    private static final int CELL = 1;
    private static final int FEEDBACK = 2;

    private final int nodes;
    private final int window;
    private final Region region;

    /**
     * An idle fabric.
     *
     * @param arena  owner of the memory.
     * @param nodes  nodes of the schedule.
     * @param window slots kept, more than the propagation delay.
     */
    public CellLink(final Arena arena, final int nodes, final int window) {
        this.nodes = nodes;
        this.window = window;
        this.region = Region.allocate(arena, bytes(nodes, window));
        region.fill((byte) -1);
    }

    /** Memory of a link in bytes. */
    public static long bytes(final int nodes, final int window) {
        return (long) CELL_BYTES * nodes * window;
    }

    /** Where the words of a slot begin; add {@link #CELL_BYTES} for each node id. */
    public long offset(final long slot) {
        return slot % window * nodes * CELL_BYTES;
    }

    /** Where the words are that a handle names: node i in slot s has the handle (s mod window) * nodes + i. */
    public long place(final int handle) {
        return (long) handle * CELL_BYTES;
    }

    /** The handle that names the place of a node's words, see {@link #place}. */
    public int handle(final long at) {
        return (int) (at / CELL_BYTES);
    }

    /** Whether a route word is that of a cell, and no mark. */
    public static boolean isCell(final long routeWord) {
        return Long.compareUnsigned(routeWord, CONTROL) < 0;
    }

    /** Puts a cell on the fabric. */
    public void send(final long at, final long routeWord, final long cellWord, final long feedbackWord) {
        region.setLong(at, ROUTE, routeWord);
        region.setLong(at, CELL, cellWord);
        region.setLong(at, FEEDBACK, feedbackWord);
    }

    /** Puts a cell on the fabric but for its feedback. */
    public void send(final long at, final long routeWord, final long cellWord) {
        region.setLong(at, ROUTE, routeWord);
        region.setLong(at, CELL, cellWord);
    }

    /** What arrives at some nodes: route and feedback; returns whether there is anything among it. */
    public boolean read(final long[] places, final int count, final long[] routes, final long[] feedback) {
        final Region memory = region;
        long all = NO_CELL & NO_FEEDBACK;
        for (int i = 0; i < count; i++) {
            routes[i] = memory.getLong(places[i], ROUTE);
            feedback[i] = memory.getLong(places[i], FEEDBACK);
            all &= routes[i] & feedback[i];
        }
        return all != (NO_CELL & NO_FEEDBACK);
    }

    /** All that arrives at some nodes; the cell word is undefined where there is no cell. */
    public void read(final long[] places, final int count, final long[] routes, final long[] cells,
        final long[] feedback) {
        final Region memory = region;
        for (int i = 0; i < count; i++) {
            routes[i] = memory.getLong(places[i], ROUTE);
            cells[i] = memory.getLong(places[i], CELL);
            feedback[i] = memory.getLong(places[i], FEEDBACK);
        }
    }

    /** The same of nodes that follow each other, from the one at a place on; into the columns between two places. */
    public void read(final long place, final int from, final int end, final long[] routes, final long[] cells,
        final long[] feedback) {
        final Region memory = region;
        for (int i = from; i < end; i++) {
            final long at = place + Region.offset(i - from, CELL_BYTES);
            routes[i] = memory.getLong(at, ROUTE);
            cells[i] = memory.getLong(at, CELL);
            feedback[i] = memory.getLong(at, FEEDBACK);
        }
    }

    /** Leaves a slot idle, feedback to follow. */
    public void sendIdle(final long at) {
        region.setLong(at, ROUTE, NO_CELL);
    }

    /** Leaves a slot idle for nodes that follow each other, feedback to follow. */
    public void leaveIdle(final long at, final int count) {
        final Region memory = region;
        for (int i = 0; i < count; i++) {
            memory.setLong(at + Region.offset(i, CELL_BYTES), ROUTE, NO_CELL);
        }
    }

    /** The feedback that rides along with the cells of nodes that follow each other. */
    public void setFeedback(final long at, final int count, final long[] feedback) {
        final Region memory = region;
        for (int i = 0; i < count; i++) {
            memory.setLong(at + Region.offset(i, CELL_BYTES), FEEDBACK, feedback[i]);
        }
    }

    /** Leaves a slot idle but for the feedback. */
    public void sendIdle(final long at, final long feedbackWord) {
        region.setLong(at, ROUTE, NO_CELL);
        region.setLong(at, FEEDBACK, feedbackWord);
    }

    /** Sends a message between NICs; feedback rides along as with any cell. */
    public void sendControl(final long at, final long feedbackWord) {
        region.setLong(at, ROUTE, CONTROL);
        region.setLong(at, FEEDBACK, feedbackWord);
    }

    /** Nothing is sent, or nothing of it arrives. */
    public void silence(final long at) {
        region.setLong(at, ROUTE, SILENCE);
        region.setLong(at, FEEDBACK, NO_FEEDBACK);
    }

    /** What was sent is damaged on its way; {@code wrongBits} are the bits of the feedback word that are flipped. */
    public void damage(final long at, final long wrongBits) {
        region.setLong(at, ROUTE, DAMAGED);
        region.setLong(at, FEEDBACK, region.getLong(at, FEEDBACK) ^ wrongBits);
    }

    /** The route word of a cell, {@link #NO_CELL}, or one of the other marks. */
    public long route(final long at) {
        return region.getLong(at, ROUTE);
    }

    /** Which cell it is. */
    public long cell(final long at) {
        return region.getLong(at, CELL);
    }

    /** The feedback word, or {@link #NO_FEEDBACK}. */
    public long feedback(final long at) {
        return region.getLong(at, FEEDBACK);
    }
}
