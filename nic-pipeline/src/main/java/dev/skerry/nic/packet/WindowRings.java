package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.Region;

/**
 * The rings of the streams of a {@link ReorderWindow}, taken from one pool. A ring has a power of two of places; the
 * place of a count is the count modulo the ring's size. Streams are named by the offset of their record. One thread.
 */
final class WindowRings {
    private final Region state;
    private final WindowPool pool;
    private final Region words;

    WindowRings(final Region state, final WindowPool pool) {
        this.state = state;
        this.pool = pool;
        this.words = pool.words();
    }

    /** The places of all rings. */
    Region words() {
        return words;
    }

    /** Places that no ring has. */
    long freeCells() {
        return pool.freeCells();
    }

    /** A stream begins without a ring. */
    void clear(final long at) {
        state.setInt(at + WindowLayout.UNIT, WindowPool.NONE);
    }

    /** Offset of the place of a count. */
    long place(final long at, final long count) {
        final int mask = WindowPool.cells(state.getInt(at + WindowLayout.ORDER)) - 1;
        return ((long) state.getInt(at + WindowLayout.UNIT) * WindowPool.UNIT_CELLS + (count & mask)) * Long.BYTES;
    }

    /** Gives a stream a ring with room for some places from the expected one on; false if the pool has none. */
    boolean reserve(final long at, final int places) {
        final int unit = state.getInt(at + WindowLayout.UNIT);
        final int order = state.getInt(at + WindowLayout.ORDER);
        if (unit != WindowPool.NONE && places <= WindowPool.cells(order)) {
            return true;
        }
        final int newOrder = WindowPool.orderFor(places);
        final int newUnit = pool.alloc(newOrder);
        if (newUnit == WindowPool.NONE) {
            return false;
        }
        if (unit != WindowPool.NONE) {
            final long newBase = (long) newUnit * WindowPool.UNIT_CELLS;
            final int newMask = WindowPool.cells(newOrder) - 1;
            final long end = state.getLong(at + WindowLayout.END);
            for (long count = state.getLong(at + WindowLayout.EXPECTED); count < end; count++) {
                words.setLong((newBase + (count & newMask)) * Long.BYTES, words.getLong(place(at, count)));
            }
            pool.free(unit, order);
        }
        state.setInt(at + WindowLayout.UNIT, newUnit);
        state.setInt(at + WindowLayout.ORDER, newOrder);
        return true;
    }

    /** Gives the ring of a stream back, if it has one. */
    void release(final long at) {
        final int unit = state.getInt(at + WindowLayout.UNIT);
        if (unit != WindowPool.NONE) {
            pool.free(unit, state.getInt(at + WindowLayout.ORDER));
            state.setInt(at + WindowLayout.UNIT, WindowPool.NONE);
        }
    }
}
