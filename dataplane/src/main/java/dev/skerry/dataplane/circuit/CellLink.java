package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * What all nodes have put on the fabric and not yet taken off it: one cell of three words for each node and each slot
 * of a window of slots. The circuits themselves are the reader's arithmetic: who receives reads the cell of whoever the
 * schedule connects it to.
 *
 * <pre>
 *   slot s, node i: word (s mod window) * nodes + i of each of three arrays
 *     route     what the fabric's stages act on, NO_CELL when the slot is idle
 *     cell      which cell it is, opaque here; undefined when idle
 *     feedback  what rides with the cell, NO_FEEDBACK when nothing does
 * </pre>
 *
 * A node's words of a slot are written by the thread of its sender and read, propagation later, by that of its
 * receiver; the {@link SlotBarrier} between the two orders them, so accesses are plain.
 */
public final class CellLink {
    /** An idle slot. */
    public static final long NO_CELL = -1;
    /** Nothing rides along. */
    public static final long NO_FEEDBACK = -1;

    private final int nodes;
    private final int window;
    private final Region route;
    private final Region cell;
    private final Region feedback;

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
        this.route = Region.allocate(arena, bytes(nodes, window) / 3);
        this.cell = Region.allocate(arena, bytes(nodes, window) / 3);
        this.feedback = Region.allocate(arena, bytes(nodes, window) / 3);
        route.fill((byte) -1);
        feedback.fill((byte) -1);
    }

    /** Memory of a link in bytes. */
    public static long bytes(final int nodes, final int window) {
        return 3L * Long.BYTES * nodes * window;
    }

    /** Where the words of a slot begin; add 8 for each node id. */
    public long offset(final long slot) {
        return slot % window * nodes * Long.BYTES;
    }

    /** Puts a cell on the fabric. */
    public void send(final long at, final long routeWord, final long cellWord, final long feedbackWord) {
        route.setLong(at, routeWord);
        cell.setLong(at, cellWord);
        feedback.setLong(at, feedbackWord);
    }

    /** Leaves a slot idle but for the feedback. */
    public void sendIdle(final long at, final long feedbackWord) {
        route.setLong(at, NO_CELL);
        feedback.setLong(at, feedbackWord);
    }

    /** The route word of a cell, or {@link #NO_CELL}. */
    public long route(final long at) {
        return route.getLong(at);
    }

    /** Which cell it is. */
    public long cell(final long at) {
        return cell.getLong(at);
    }

    /** The feedback word, or {@link #NO_FEEDBACK}. */
    public long feedback(final long at) {
        return feedback.getLong(at);
    }
}
