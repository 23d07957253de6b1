package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.Route;

/**
 * The word of a message of end-to-end congestion control (docs/spec/shale.md §7). Its second word names a flow and, if
 * the message is about a cell, the cell's sequence number, as {@code Cell} does.
 *
 * <pre>
 *   bit 63            25 24  23 22                 3 2    0
 *      +----------------+------+--------------------+------+
 *      |        0       | kind |    destination     |  n   |   n: spraying hops left after the next arrival
 *      +----------------+------+--------------------+------+
 * </pre>
 */
final class ControlMessage {
    /** The receiver of a flow grants its source more cells. */
    static final int PULL = 0;
    /** The header of a cell that was cut, on its way to the cell's destination. */
    static final int DROP = 1;
    /** The receiver of a flow asks its source for a cell that was cut. */
    static final int NACK = 2;

    private static final int KIND_SHIFT = 23;

    private ControlMessage() {
    }

    /** The word of a message. */
    static long of(final int kind, final int destination, final int sprays) {
        return (long) kind << KIND_SHIFT | Route.bucket(destination, sprays);
    }

    /** What the message says. */
    static int kind(final long word) {
        return (int) (word >>> KIND_SHIFT);
    }

    /** The same message with another number of spraying hops left. */
    static long withSprays(final long word, final int sprays) {
        return word & ~(long) Route.MAX_SPRAYS | sprays;
    }
}
