package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * In-flight cells: one cell of three words for each node and each slot of a window of slots. The circuits are the
 * receiver's arithmetic: it reads the place of the sender to which the schedule connects it.
 *
 * <pre>
 *   three columns, by place: slot s of node i is at (s mod window) * nodes + i
 *   +-------+-------+-------+--
 *   | route | route | route | ..      read by the fabric's stages; NO_CELL when the slot is idle
 *   +-------+-------+-------+--
 *   | cell  | cell  | cell  | ..      which cell it is, opaque here; undefined when idle
 *   +-------+-------+-------+--
 *   | feed- | feed- | feed- | ..      rides with the cell, NO_FEEDBACK when there is none
 *   | back  | back  | back  |
 *   +-------+-------+-------+--
 * </pre>
 *
 * If the nodes are consecutive, sending takes three copies; receiving takes three copies where the circuits shift all
 * of them by the same distance.
 *
 * <p>With faults, three more route words mark places without a flow's cell. SILENCE: nothing arrives, not even an idle
 * cell. DAMAGED: only the feedback of a cell can be read, and it may be wrong. CONTROL: a message between NICs, stored
 * elsewhere under the same handle.
 *
 * <p>The sender's thread writes a place, and the receiver's thread reads it one propagation delay later. The
 * {@link SlotBarrier} or {@link SlotCounts} between the two orders the accesses, so they are plain.
 */
public final class InFlightCells {
    /** An idle slot. */
    public static final long NO_CELL = -1;
    /** Nothing arrives, not even an idle cell. */
    public static final long SILENCE = -2;
    /** A cell that fails its check. */
    public static final long DAMAGED = -3;
    /** A cell that carries a message between NICs. */
    public static final long CONTROL = -4;
    /** No feedback. */
    public static final long NO_FEEDBACK = -1;

    /** Distance in bytes from a node's place to the next node's. */
    public static final int PLACE_BYTES = Long.BYTES;

    private static final int COLUMNS = 3;
    /** Number of places below which individual reads are faster than a bulk copy. */
    private static final int FEW = 16;

    private final int nodes;
    private final int window;
    private final Region routes;
    private final Region cells;
    private final Region feedback;

    /**
     * Creates a window of idle slots.
     *
     * @param arena  owner of the memory.
     * @param nodes  nodes of the schedule, at least 1.
     * @param window slots kept, more than the propagation delay.
     */
    public InFlightCells(final Arena arena, final int nodes, final int window) {
        this.nodes = nodes;
        this.window = window;
        this.routes = column(arena, nodes, window);
        this.cells = column(arena, nodes, window);
        this.feedback = column(arena, nodes, window);
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int window) {
        return (long) COLUMNS * PLACE_BYTES * nodes * window;
    }

    private static Region column(final Arena arena, final int nodes, final int window) {
        final Region column = Region.allocate(arena, (long) PLACE_BYTES * nodes * window);
        column.fill((byte) -1);
        return column;
    }

    /** Slots kept. */
    public int window() {
        return window;
    }

    /** The place of node 0 in a slot; add {@link #PLACE_BYTES} times the node. */
    public long offset(final long slot) {
        final long row = (window & window - 1) == 0 ? slot & window - 1 : slot % window;
        return row * nodes * PLACE_BYTES;
    }

    /** The place of a handle: node i in slot s has the handle (s mod window) * nodes + i. */
    public long place(final int handle) {
        return (long) handle * PLACE_BYTES;
    }

    /** The handle of a place, see {@link #place}. */
    public int handle(final long at) {
        return (int) (at / PLACE_BYTES);
    }

    /** Whether a route word belongs to a cell, rather than being a mark. */
    public static boolean isCell(final long routeWord) {
        return Long.compareUnsigned(routeWord, CONTROL) < 0;
    }

    /** Sends a cell from a place. */
    public void send(final long at, final long routeWord, final long cellWord, final long feedbackWord) {
        routes.setLong(at, routeWord);
        cells.setLong(at, cellWord);
        feedback.setLong(at, feedbackWord);
    }

    /**
     * Sends from consecutive nodes, whose words are in [from, from + count) of each column.
     *
     * @param at        place of the first node.
     * @param from      index of the first node in the columns.
     * @param count     number of nodes.
     * @param ofRoutes  route words.
     * @param ofCells   cell words; any value where there is no cell.
     * @param ridesWith feedback words.
     */
    public void send(final long at, final int from, final int count, final long[] ofRoutes, final long[] ofCells,
        final long[] ridesWith) {
        routes.setLongs(at, ofRoutes, from, count);
        cells.setLongs(at, ofCells, from, count);
        feedback.setLongs(at, ridesWith, from, count);
    }

    /** Reads route and feedback at places [0, count); returns whether any of them is not idle. */
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

    /** Reads all words at places [0, count); the cell word is undefined where there is no cell. */
    public void read(final long[] places, final int count, final long[] intoRoutes, final long[] intoCells,
        final long[] intoFeedback) {
        final Region ofCells = cells;
        read(places, count, intoRoutes, intoFeedback);
        for (int i = 0; i < count; i++) {
            intoCells[i] = ofCells.getLong(places[i]);
        }
    }

    /** Reads consecutive places from {@code at} on into columns [from, end). */
    public void read(final long at, final int from, final int end, final long[] intoRoutes, final long[] intoCells,
        final long[] intoFeedback) {
        if (end - from <= FEW) {
            readEach(at, from, end, intoRoutes, intoCells, intoFeedback);
            return;
        }
        routes.getLongs(at, intoRoutes, from, end - from);
        cells.getLongs(at, intoCells, from, end - from);
        feedback.getLongs(at, intoFeedback, from, end - from);
    }

    private void readEach(final long at, final int from, final int end, final long[] intoRoutes, final long[] intoCells,
        final long[] intoFeedback) {
        long place = at;
        for (int i = from; i < end; i++) {
            intoRoutes[i] = routes.getLong(place);
            intoCells[i] = cells.getLong(place);
            intoFeedback[i] = feedback.getLong(place);
            place += PLACE_BYTES;
        }
    }

    /** Sends an idle cell with feedback. */
    public void sendIdle(final long at, final long feedbackWord) {
        routes.setLong(at, NO_CELL);
        feedback.setLong(at, feedbackWord);
    }

    /** Sends idle cells from {@code count} consecutive nodes, with the same feedback for all. */
    public void leaveIdle(final long at, final int count, final long feedbackWord) {
        final Region ofRoutes = routes;
        final Region ridesWith = feedback;
        for (int i = 0; i < count; i++) {
            ofRoutes.setLong(at + Region.offset(i, PLACE_BYTES), NO_CELL);
            ridesWith.setLong(at + Region.offset(i, PLACE_BYTES), feedbackWord);
        }
    }

    /** Sends a message between NICs, with feedback as for any cell. */
    public void sendControl(final long at, final long feedbackWord) {
        routes.setLong(at, CONTROL);
        feedback.setLong(at, feedbackWord);
    }

    /** Marks a place as silent: nothing arrives from it. */
    public void silence(final long at) {
        routes.setLong(at, SILENCE);
        feedback.setLong(at, NO_FEEDBACK);
    }

    /** Damages what was sent; {@code wrongBits} are the flipped bits of the feedback word. */
    public void damage(final long at, final long wrongBits) {
        routes.setLong(at, DAMAGED);
        feedback.setLong(at, feedback.getLong(at) ^ wrongBits);
    }

    /** The route word of a cell, {@link #NO_CELL} or another mark. */
    public long route(final long at) {
        return routes.getLong(at);
    }

    /** The cell word. */
    public long cell(final long at) {
        return cells.getLong(at);
    }

    /** The feedback word, or {@link #NO_FEEDBACK}. */
    public long feedback(final long at) {
        return feedback.getLong(at);
    }
}
