package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Puts the cells of every stream back in order (docs/spec/shoal.md §3.3). A cell that is expected next passes straight
 * through. An early cell waits in its stream's ring, at its number modulo the size of the ring. A stream has a ring
 * only while cells wait. Rings come from a pool that all streams share; they double as cells come further ahead, up to
 * W, and return to the pool when the last cell has left.
 *
 * <pre>
 *   counts   ... e-1 | e          e+1     e+2     e+3        | end
 *            gone    | missing    waits   missing waits      | not heard of
 *                      since t1           since t2
 *
 *   a place in a ring         63 62        32 31          0
 *   a waiting cell           +--+------------+-------------+
 *                            | 1|   flags    |    cell     |
 *   a missing cell           +--+------------+-------------+
 *                            | 0|  slot in which a later cell was first seen
 *                            +--+--------------------------+
 * </pre>
 *
 * <p>The record of a stream:
 *
 * <pre>
 *   0          8     16          24         32     36      40        44
 *   +----------+-----+-----------+----------+------+-------+---------+---+
 *   | expected | end | far count | far slot | unit | order | waiting |   |   64 bytes
 *   +----------+-----+-----------+----------+------+-------+---------+---+
 *                                             unit and order: the ring, a block of the pool
 * </pre>
 *
 * <p>Each missing cell has its own time-out. A cell further on that is missing for a shorter time is still waited for,
 * because it may start a packet that arrives whole. A cell that is W or more ahead, or for which the pool has no
 * memory, is dropped, but the stream records the arrival ("far"): when the time-out has passed since then, every
 * missing cell before it is given up. So, as long as cells come, no stream waits longer than the time-out plus the time
 * to the next {@link #sweep}.
 *
 * <p>Sequence numbers are compared by serial-number arithmetic and kept as 64-bit counts. A sender that paused for more
 * than half the number circle, or that starts again, needs a {@link #reset}. One thread; the path allocates nothing.
 */
public final class ReorderWindow {
    private static final long NEVER = Long.MAX_VALUE;
    private static final int EXPECTED = 0;
    private static final int END = 8;
    private static final int FAR_COUNT = 16;
    private static final int FAR_SLOT = 24;
    private static final int UNIT = 32;
    private static final int ORDER = 36;
    private static final int WAITING = 40;
    private static final int STREAM_SHIFT = 6;

    private final int streams;
    private final int window;
    private final int unusedBits;
    private final long timeoutSlots;
    private final Region state;
    private final WindowPool pool;
    private final Region words;
    private final CellHome home;
    private final CellHandler next;
    private final PacketCounts counts;
    private int swept;
    private long held;
    private int maxWaiting;

    /**
     * Creates windows in which every stream expects number 0.
     *
     * @param arena  owner of the memory.
     * @param config sizes.
     * @param home   frees the cells that are dropped.
     * @param next   receives the cells in order.
     * @param counts counters to update.
     */
    public ReorderWindow(final Arena arena, final WindowConfig config, final CellHome home, final CellHandler next,
        final PacketCounts counts) {
        this.streams = config.streams();
        this.window = config.windowCells();
        this.unusedBits = Long.SIZE - config.sequenceBits();
        this.timeoutSlots = config.timeoutSlots();
        this.state = Region.allocate(arena, (long) streams << STREAM_SHIFT);
        this.pool = new WindowPool(arena, config.poolCells());
        this.words = pool.words();
        this.home = home;
        this.next = next;
        this.counts = counts;
        for (int stream = 0; stream < streams; stream++) {
            start(at(stream), 0);
        }
    }

    /** Off-heap bytes of the windows. */
    public static long bytes(final WindowConfig config) {
        return ((long) config.streams() << STREAM_SHIFT) + WindowPool.bytes(config.poolCells());
    }

    /**
     * Takes a cell off the fabric and hands on every cell that is now in order.
     *
     * @param stream   the cell's stream, one per source and class.
     * @param sequence the number in its header.
     * @param cell     its index in the slab, at least 0; the caller no longer owns it.
     * @param flags    passed to the handler, at least 0.
     * @param slot     the current slot, at least 0; never decreases.
     * @return false if the cell was dropped; it is counted and freed.
     */
    public boolean accept(final int stream, final int sequence, final int cell, final int flags, final long slot) {
        assert cell >= 0 && flags >= 0 : "cell=" + cell + " flags=" + flags;
        final long at = at(stream);
        final long expected = state.getLong(at + EXPECTED);
        final long end = state.getLong(at + END);
        final long ahead = sequence - expected << unusedBits >> unusedBits;
        counts.increment(PacketCounter.CELLS_RECEIVED);
        final PacketCounter refusal;
        if (ahead == 0 && end == expected) {
            state.setLong(at + EXPECTED, expected + 1);
            state.setLong(at + END, expected + 1);
            next.onCell(stream, cell, flags);
            refusal = null;
        } else {
            refusal = ahead < 0 ? PacketCounter.DROPPED_BEHIND : park(at, expected + ahead, cell, flags, slot);
        }
        if (refusal != null) {
            counts.increment(refusal);
            home.free(cell);
        }
        advance(stream, at, slot);
        return refusal == null;
    }

    /**
     * Gives up the cells of a stream whose time-out has passed. Every call of {@link #accept} for the stream does the
     * same.
     */
    public void expire(final int stream, final long slot) {
        advance(stream, at(stream), slot);
    }

    /**
     * Gives up the missing cells of a stream whose count is below one, and hands on what waits behind them.
     *
     * @param count above every cell of the stream that has come.
     */
    public void giveUp(final int stream, final long count, final long slot) {
        final long at = at(stream);
        state.setLong(at + FAR_SLOT, slot - timeoutSlots);
        state.setLong(at + FAR_COUNT, count - 1);
        advance(stream, at, slot);
    }

    /**
     * Gives up overdue cells of the next {@code number} streams, in turn. Called once per slot, it visits every stream
     * once in streams / {@code number} slots, so a missing cell is given up at most that much too late.
     *
     * @param slot   the current slot.
     * @param number streams to visit.
     */
    public void sweep(final long slot, final int number) {
        for (int i = 0; i < number; i++) {
            expire(swept, slot);
            swept = swept + 1 == streams ? 0 : swept + 1;
        }
    }

    /**
     * Resets a stream: cells that wait are dropped and counted.
     *
     * @param stream   the stream.
     * @param sequence the number expected next.
     */
    public void reset(final int stream, final int sequence) {
        final long at = at(stream);
        final long end = state.getLong(at + END);
        for (long count = state.getLong(at + EXPECTED); count < end; count++) {
            final long entry = words.getLong(place(at, count));
            if (entry < 0) {
                counts.increment(PacketCounter.DROPPED_RESET);
                home.free((int) entry);
                held--;
            }
        }
        release(at);
        start(at, sequence & -1L >>> unusedBits);
        next.onReset(stream);
    }

    /** The number that a stream expects next, as a 64-bit count that does not wrap. */
    public long expected(final int stream) {
        return state.getLong(at(stream) + EXPECTED);
    }

    /** Cells of one stream that wait. */
    public int waiting(final int stream) {
        return state.getInt(at(stream) + WAITING);
    }

    /** Cells of all streams that wait. */
    public long held() {
        return held;
    }

    /** Most cells of one stream that ever waited: the reordering of docs/spec/shoal.md §9.1. */
    public int maxWaiting() {
        return maxWaiting;
    }

    /** Places in the pool that no window has taken. */
    public long freeCells() {
        return pool.freeCells();
    }

    private long at(final int stream) {
        assert stream >= 0 && stream < streams : "stream=" + stream + " streams=" + streams;
        return (long) stream << STREAM_SHIFT;
    }

    private void start(final long at, final long count) {
        state.setLong(at + EXPECTED, count);
        state.setLong(at + END, count);
        state.setLong(at + FAR_SLOT, NEVER);
        state.setInt(at + UNIT, WindowPool.NONE);
        state.setInt(at + WAITING, 0);
    }

    /** Lets an early cell wait. Returns the drop counter if it cannot, else null. */
    private PacketCounter park(final long at, final long count, final int cell, final int flags, final long slot) {
        final long end = state.getLong(at + END);
        if (count >= end) {
            final long span = count + 1 - state.getLong(at + EXPECTED);
            final boolean inWindow = span <= window;
            if (!inWindow || !reserve(at, (int) span)) {
                hearOf(at, count, slot);
                return inWindow ? PacketCounter.DROPPED_NO_WINDOW : PacketCounter.DROPPED_FAR_AHEAD;
            }
            for (long missing = end; missing < count; missing++) {
                words.setLong(place(at, missing), slot);
            }
            state.setLong(at + END, count + 1);
        } else if (words.getLong(place(at, count)) < 0) {
            return PacketCounter.DROPPED_DUPLICATE;
        }
        words.setLong(place(at, count), Long.MIN_VALUE | (long) flags << Integer.SIZE | cell);
        final int waiting = state.getInt(at + WAITING) + 1;
        state.setInt(at + WAITING, waiting);
        held++;
        if (count != state.getLong(at + EXPECTED)) {
            maxWaiting = Math.max(maxWaiting, waiting);
        }
        return null;
    }

    /** Records a cell that was dropped from beyond the ring: missing cells before it will be given up. */
    private void hearOf(final long at, final long count, final long slot) {
        if (state.getLong(at + FAR_SLOT) == NEVER) {
            state.setLong(at + FAR_SLOT, slot);
            state.setLong(at + FAR_COUNT, count);
        }
    }

    /** Hands on the cells that are in order and gives up those whose time-out has passed. */
    private void advance(final int stream, final long at, final long slot) {
        final long since = slot - timeoutSlots;
        final long far = state.getLong(at + FAR_SLOT) <= since
            ? state.getLong(at + FAR_COUNT) : -1;
        final long end = state.getLong(at + END);
        final long first = state.getLong(at + EXPECTED);
        long expected = first;
        long lost = 0;
        while (expected < end) {
            final long entry = words.getLong(place(at, expected));
            if (entry < 0) {
                gap(stream, lost);
                lost = 0;
                handOn(stream, at, entry);
            } else if (entry <= since || expected <= far) {
                lost++;
            } else {
                break;
            }
            expected++;
        }
        if (expected == end && expected <= far) {
            lost += far + 1 - expected;
            expected = far + 1;
        }
        gap(stream, lost);
        if (expected != first) {
            state.setLong(at + EXPECTED, expected);
            state.setLong(at + END, Math.max(end, expected));
        }
        if (expected >= end) {
            release(at);
        }
        if (state.getLong(at + FAR_COUNT) < expected) {
            state.setLong(at + FAR_SLOT, NEVER);
        }
    }

    private void handOn(final int stream, final long at, final long entry) {
        state.setInt(at + WAITING, state.getInt(at + WAITING) - 1);
        held--;
        next.onCell(stream, (int) entry, (int) (entry >>> Integer.SIZE) & Integer.MAX_VALUE);
    }

    private void gap(final int stream, final long cells) {
        if (cells > 0) {
            counts.increment(PacketCounter.GAPS);
            counts.add(PacketCounter.CELLS_LOST, cells);
            next.onGap(stream, cells);
        }
    }

    /**
     * Offset of the place of a count in the ring of a stream: a power of two of places from the pool, of which a count
     * has the one modulo their number.
     */
    private long place(final long at, final long count) {
        final int mask = WindowPool.cells(state.getInt(at + ORDER)) - 1;
        return ((long) state.getInt(at + UNIT) * WindowPool.UNIT_CELLS + (count & mask)) * Long.BYTES;
    }

    /** Gives a stream a ring with room for some places from the expected one on; false if the pool has none. */
    private boolean reserve(final long at, final int places) {
        final int unit = state.getInt(at + UNIT);
        final int order = state.getInt(at + ORDER);
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
            final long end = state.getLong(at + END);
            for (long count = state.getLong(at + EXPECTED); count < end; count++) {
                words.setLong((newBase + (count & newMask)) * Long.BYTES, words.getLong(place(at, count)));
            }
            pool.free(unit, order);
        }
        state.setInt(at + UNIT, newUnit);
        state.setInt(at + ORDER, newOrder);
        return true;
    }

    /** Gives the ring of a stream back, if it has one. */
    private void release(final long at) {
        final int unit = state.getInt(at + UNIT);
        if (unit != WindowPool.NONE) {
            pool.free(unit, state.getInt(at + ORDER));
            state.setInt(at + UNIT, WindowPool.NONE);
        }
    }
}
