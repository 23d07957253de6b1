package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * What all nodes have put on the fabric and not yet taken off it: one cell of three words for each node and each slot
 * of a window of slots. The circuits themselves are the reader's arithmetic: who receives reads the cell of whoever the
 * schedule connects it to.
 *
 * <pre>
 *   three columns, by place: slot s, node i is at (s mod window) * nodes + i
 *   +-------+-------+-------+--
 *   | route | route | route | ..      what the fabric's stages act on, NO_CELL when the slot is idle
 *   +-------+-------+-------+--
 *   | cell  | cell  | cell  | ..      which cell it is, opaque here; undefined when idle
 *   +-------+-------+-------+--
 *   | feed- | feed- | feed- | ..      what rides with the cell, NO_FEEDBACK when nothing does
 *   | back  | back  | back  |
 *   +-------+-------+-------+--
 * </pre>
 *
 * So what nodes that follow each other send is three copies, and so is what they receive where the circuits shift all
 * of them by as much.
 *
 * <p>Where faults are played, three more words of the route column stand for what is no cell of a flow: SILENCE, when
 * nothing arrives, which an idle cell is not; DAMAGED, when all that can be read of a cell is its feedback, and that
 * perhaps wrongly; CONTROL, a message between NICs, which lies elsewhere under the same handle.
 *
 * <p>A node's words of a slot are written by the thread of its sender and read, propagation later, by that of its
 * receiver; the {@link SlotBarrier} between the two orders them, so accesses are plain.
 */
public final class InFlightCells {
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

    /** From the place of a node to that of the next one. */
    public static final int PLACE_BYTES = Long.BYTES;

    private static final int COLUMNS = 3;

    private final int nodes;
    private final int window;
    private final Region routes;
    private final Region cells;
    private final Region feedback;

    /**
     * An idle fabric.
     *
     * @param arena  owner of the memory.
     * @param nodes  nodes of the schedule.
     * @param window slots kept, more than the propagation delay.
     */
    public InFlightCells(final Arena arena, final int nodes, final int window) {
        this.nodes = nodes;
        this.window = window;
        this.routes = column(arena, nodes, window);
        this.cells = column(arena, nodes, window);
        this.feedback = column(arena, nodes, window);
    }

    /** Memory of a link in bytes. */
    public static long bytes(final int nodes, final int window) {
        return (long) COLUMNS * PLACE_BYTES * nodes * window;
    }

    private static Region column(final Arena arena, final int nodes, final int window) {
        final Region column = Region.allocate(arena, (long) PLACE_BYTES * nodes * window);
        column.fill((byte) -1);
        return column;
    }

    /** The place of node 0 in a slot; add {@link #PLACE_BYTES} for each node id. */
    public long offset(final long slot) {
        return slot % window * nodes * PLACE_BYTES;
    }

    /** Where the words are that a handle names: node i in slot s has the handle (s mod window) * nodes + i. */
    public long place(final int handle) {
        return (long) handle * PLACE_BYTES;
    }

    /** The handle that names the place of a node's words, see {@link #place}. */
    public int handle(final long at) {
        return (int) (at / PLACE_BYTES);
    }

    /** Whether a route word is that of a cell, and no mark. */
    public static boolean isCell(final long routeWord) {
        return Long.compareUnsigned(routeWord, CONTROL) < 0;
    }

    /** Puts a cell on the fabric. */
    public void send(final long at, final long routeWord, final long cellWord, final long feedbackWord) {
        routes.setLong(at, routeWord);
        cells.setLong(at, cellWord);
        feedback.setLong(at, feedbackWord);
    }

    /**
     * Puts on the fabric what nodes that follow each other send.
     *
     * @param at        the place of the first.
     * @param from      where the first stands in the columns.
     * @param count     how many.
     * @param ofRoutes  their route words.
     * @param ofCells   their cell words, whatever they be where there is no cell.
     * @param ridesWith their feedback words.
     */
    public void send(final long at, final int from, final int count, final long[] ofRoutes, final long[] ofCells,
        final long[] ridesWith) {
        routes.setLongs(at, ofRoutes, from, count);
        cells.setLongs(at, ofCells, from, count);
        feedback.setLongs(at, ridesWith, from, count);
    }

    /** What arrives at some nodes: route and feedback; returns whether there is anything among it. */
    public boolean read(final long[] places, final int count, final long[] intoRoutes, final long[] intoFeedback) {
        final Region ofRoutes = routes;
        final Region ridesWith = feedback;
        long all = NO_CELL & NO_FEEDBACK;
        for (int i = 0; i < count; i++) {
            intoRoutes[i] = ofRoutes.getLong(places[i]);
            intoFeedback[i] = ridesWith.getLong(places[i]);
            all &= intoRoutes[i] & intoFeedback[i];
        }
        return all != (NO_CELL & NO_FEEDBACK);
    }

    /** All that arrives at some nodes; the cell word is undefined where there is no cell. */
    public void read(final long[] places, final int count, final long[] intoRoutes, final long[] intoCells,
        final long[] intoFeedback) {
        final Region ofCells = cells;
        read(places, count, intoRoutes, intoFeedback);
        for (int i = 0; i < count; i++) {
            intoCells[i] = ofCells.getLong(places[i]);
        }
    }

    /** The same of nodes that follow each other, from the one at a place on; into the columns between two places. */
    public void read(final long at, final int from, final int end, final long[] intoRoutes, final long[] intoCells,
        final long[] intoFeedback) {
        routes.getLongs(at, intoRoutes, from, end - from);
        cells.getLongs(at, intoCells, from, end - from);
        feedback.getLongs(at, intoFeedback, from, end - from);
    }

    /** Leaves a slot idle but for the feedback. */
    public void sendIdle(final long at, final long feedbackWord) {
        routes.setLong(at, NO_CELL);
        feedback.setLong(at, feedbackWord);
    }

    /** Leaves a slot idle for nodes that follow each other, with the same feedback for all. */
    public void leaveIdle(final long at, final int count, final long feedbackWord) {
        final Region ofRoutes = routes;
        final Region ridesWith = feedback;
        for (int i = 0; i < count; i++) {
            ofRoutes.setLong(at + Region.offset(i, PLACE_BYTES), NO_CELL);
            ridesWith.setLong(at + Region.offset(i, PLACE_BYTES), feedbackWord);
        }
    }

    /** Sends a message between NICs; feedback rides along as with any cell. */
    public void sendControl(final long at, final long feedbackWord) {
        routes.setLong(at, CONTROL);
        feedback.setLong(at, feedbackWord);
    }

    /** Nothing is sent, or nothing of it arrives. */
    public void silence(final long at) {
        routes.setLong(at, SILENCE);
        feedback.setLong(at, NO_FEEDBACK);
    }

    /** What was sent is damaged on its way; {@code wrongBits} are the bits of the feedback word that are flipped. */
    public void damage(final long at, final long wrongBits) {
        routes.setLong(at, DAMAGED);
        feedback.setLong(at, feedback.getLong(at) ^ wrongBits);
    }

    /** The route word of a cell, {@link #NO_CELL}, or one of the other marks. */
    public long route(final long at) {
        return routes.getLong(at);
    }

    /** Which cell it is. */
    public long cell(final long at) {
        return cells.getLong(at);
    }

    /** The feedback word, or {@link #NO_FEEDBACK}. */
    public long feedback(final long at) {
        return feedback.getLong(at);
    }
}
