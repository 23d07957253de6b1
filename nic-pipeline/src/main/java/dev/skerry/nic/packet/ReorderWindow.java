package dev.skerry.nic.packet;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntConsumer;

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
 * than half the number circle, or that starts again, needs a {@link #reset}. One thread; the path allocates only where
 * the pool grows.
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
    /** Of the pool; others once it has grown. */
    private Region words;
    private final IntConsumer freeCell;
    private final CellHandler next;
    private final PacketCounts counts;
    private int swept;
    private long held;
    private int maxWaiting;

    /**
     * Creates windows in which every stream expects number 0.
     *
     * @param arena    owner of the memory.
     * @param config   sizes.
     * @param freeCell frees the cells that are dropped.
     * @param next     receives the cells in order.
     * @param counts   counters to update.
     */
    public ReorderWindow(final Arena arena, final WindowConfig config, final IntConsumer freeCell,
        final CellHandler next, final PacketCounts counts) {
        this.streams = config.streams();
        this.window = config.windowCells();
        this.unusedBits = Long.SIZE - config.sequenceBits();
        this.timeoutSlots = config.timeoutSlots();
        this.state = Region.allocate(arena, (long) streams << STREAM_SHIFT);
        this.pool = new WindowPool(arena, config.poolCells(), config.mostPoolCells());
        this.words = pool.words();
        this.freeCell = freeCell;
        this.next = next;
        this.counts = counts;
        for (int stream = 0; stream < streams; stream++) {
            start(at(stream), 0);
        }
    }

    /** Off-heap bytes of the windows before their pool grows. */
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
            freeCell.accept(cell);
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
                freeCell.accept((int) entry);
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
        words = pool.words();
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

    /** Frees the ring of a stream, if it has one. */
    private void release(final long at) {
        final int unit = state.getInt(at + UNIT);
        if (unit != WindowPool.NONE) {
            pool.free(unit, state.getInt(at + ORDER));
            state.setInt(at + UNIT, WindowPool.NONE);
        }
    }

    /**
     * Receives the cells of each stream from a {@link ReorderWindow}, in order. The receiver's thread calls. A handler
     * must not call the window.
     */
    public interface CellHandler {
        /**
         * The next cell of a stream.
         *
         * @param stream the stream.
         * @param cell   index in the slab; the handler now has to free it.
         * @param flags  the flags given with the cell, for packets {@link PacketFormat#SOP} and
         *               {@link PacketFormat#EOP}.
         */
        void onCell(int stream, int cell, int flags);

        /**
         * The next cells of a stream are lost: they did not come before their time-out.
         *
         * @param stream the stream.
         * @param cells  how many, at least 1.
         */
        void onGap(int stream, long cells);

        /**
         * The stream was reset. Cells before and after this call are unrelated.
         *
         * @param stream the stream.
         */
        void onReset(int stream);
    }

    /**
     * Sizes of a {@link ReorderWindow}. Immutable.
     *
     * @param streams      number of streams, one per source and class (and per node, for a bank), at least 1.
     * @param sequenceBits width of the sequence number, 2 to 32: 22 for Shoal, 20 with traffic classes.
     * @param windowCells  W, the most cells that the window of a stream spans: a power of two up to 2^(sequenceBits -
     *                     1). Beyond that, numbers ahead and behind could not be distinguished.
     * @param poolCells    places for cells that all windows share: a power of two, at least 64 and at least 2 W,
     *                     because a window that grows holds its old and its new ring.
     * @param mostPoolCells places to which the pool doubles where it is full, at least poolCells. The old memory is
     *                     kept until the arena closes.
     * @param timeoutSlots how long a missing cell is waited for after a later one arrived, in slots, at least 1.
     */
    public record WindowConfig(int streams, int sequenceBits, int windowCells, int poolCells, int mostPoolCells,
        long timeoutSlots) {

        /** The most places of any pool. */
        public static final int MOST_POOL_CELLS = 1 << 30;

        /** A pool that never grows. */
        public WindowConfig(final int streams, final int sequenceBits, final int windowCells, final int poolCells,
            final long timeoutSlots) {
            this(streams, sequenceBits, windowCells, poolCells, poolCells, timeoutSlots);
        }

        /** Checks every bound. */
        public WindowConfig {
            Bounds.atLeast("streams", streams, 1);
            Bounds.require("sequenceBits", sequenceBits, 2, Integer.SIZE);
            if (Integer.bitCount(windowCells) != 1 || windowCells < 1 || windowCells > 1L << sequenceBits - 1) {
                throw new IllegalArgumentException("windowCells must be a power of two up to 2^(sequenceBits - 1): "
                    + "windowCells=" + windowCells + " sequenceBits=" + sequenceBits);
            }
            if (Integer.bitCount(poolCells) != 1 || poolCells < Math.max(2L * windowCells, WindowPool.UNIT_CELLS)) {
                throw new IllegalArgumentException("poolCells must be a power of two, at least 64 and 2 * windowCells: "
                    + "poolCells=" + poolCells + " windowCells=" + windowCells);
            }
            Bounds.require("mostPoolCells", mostPoolCells, poolCells, MOST_POOL_CELLS);
            Bounds.atLeast("timeoutSlots", timeoutSlots, 1);
        }
    }

    /**
     * The memory of the windows' rings: a buddy system over one region, with blocks of 64 words times a power of two.
     * Two free buddies merge at once, so no later compaction is needed and every free aligned block can be allocated.
     *
     * <pre>
     *   block of order k: words 64 * unit to 64 * (unit + 2^k) - 1, unit a multiple of 2^k
     *   its buddy: unit ^ 2^k
     *
     *   one unit          0      4          8            12
     *                     +------+----------+------------+----+
     *                     | next | previous | free order |    |  free order: 1 + k where a free block of order k
     *                     +------+----------+------------+----+  starts, else 0; next, previous: its list, unit + 1
     * </pre>
     *
     * {@link #alloc} and {@link #free} take at most a number of steps logarithmic in the size, but where the pool
     * doubles. One thread.
     */
    static final class WindowPool {
        static final int UNIT_CELLS = 64;

        static final int NONE = -1;

        private static final int UNIT_SHIFT = 6;
        private static final int NEXT = 0;
        private static final int PREVIOUS = 4;
        private static final int FREE_ORDER = 8;
        private static final int LINK_SHIFT = 4;

        private final Arena arena;
        private final int mostCells;
        private Region words;
        private Region links;
        private int lastOrder;
        /** By order: first free block as unit + 1; 0 if none. */
        private int[] heads;
        /** Bit k is set if a block of order k is free. */
        private int orders;
        private int freeUnits;

        /**
         * Creates a pool that is all free.
         *
         * @param cells     words in all, a power of two, at least 64.
         * @param mostCells to which it doubles where it is full.
         */
        WindowPool(final Arena arena, final int cells, final int mostCells) {
            assert cells >= UNIT_CELLS && Integer.bitCount(cells) == 1 : "cells=" + cells;
            this.arena = arena;
            this.mostCells = mostCells;
            final int units = cells >> UNIT_SHIFT;
            this.words = Region.allocate(arena, (long) cells * Long.BYTES);
            this.links = Region.allocate(arena, (long) units << LINK_SHIFT);
            this.lastOrder = Integer.numberOfTrailingZeros(units);
            this.heads = new int[lastOrder + 1];
            this.freeUnits = units;
            push(0, lastOrder);
        }

        /** Off-heap bytes of a pool. */
        static long bytes(final int cells) {
            return (long) cells * Long.BYTES + ((long) cells >> UNIT_SHIFT << LINK_SHIFT);
        }

        /** Order of the smallest block with room for this many words. */
        static int orderFor(final int cells) {
            return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(cells - 1) - UNIT_SHIFT);
        }

        static int cells(final int order) {
            return UNIT_CELLS << order;
        }

        /**
         * The words of all blocks; a block starts at word 64 * unit. A block keeps its old content when it is
         * allocated. They are others once {@link #alloc} has doubled the pool.
         */
        Region words() {
            return words;
        }

        /** Allocates a block; returns its first unit, or {@link #NONE} if no block of this order is free. */
        int alloc(final int order) {
            int fitting = orders >>> order << order;
            while (fitting == 0 && cells(lastOrder) < mostCells) {
                grow();
                fitting = orders >>> order << order;
            }
            if (fitting == 0) {
                return NONE;
            }
            int found = Integer.numberOfTrailingZeros(fitting);
            final int unit = heads[found] - 1;
            remove(unit, found);
            while (found > order) {
                found--;
                push(unit + (1 << found), found);
            }
            freeUnits -= 1 << order;
            return unit;
        }

        void free(final int unit, final int order) {
            assert (unit & (1 << order) - 1) == 0 && at(unit, FREE_ORDER) == 0 : "unit=" + unit + " order=" + order;
            int first = unit;
            int merged = order;
            while (merged < lastOrder && at(first ^ 1 << merged, FREE_ORDER) == merged + 1) {
                remove(first ^ 1 << merged, merged);
                first &= ~(1 << merged);
                merged++;
            }
            push(first, merged);
            freeUnits += 1 << order;
        }

        /** Words of free blocks. */
        long freeCells() {
            return (long) freeUnits << UNIT_SHIFT;
        }

        private void grow() {
            words = twice(words);
            links = twice(links);
            lastOrder++;
            heads = Arrays.copyOf(heads, lastOrder + 1);
            free(1 << lastOrder - 1, lastOrder - 1);
        }

        private Region twice(final Region region) {
            final Region larger = Region.allocate(arena, 2 * region.bytes());
            for (long at = 0; at < region.bytes(); at += Long.BYTES) {
                larger.setLong(at, region.getLong(at));
            }
            return larger;
        }

        private void push(final int unit, final int order) {
            final int next = heads[order];
            set(unit, NEXT, next);
            set(unit, PREVIOUS, 0);
            set(unit, FREE_ORDER, order + 1);
            if (next != 0) {
                set(next - 1, PREVIOUS, unit + 1);
            }
            heads[order] = unit + 1;
            orders |= 1 << order;
        }

        private void remove(final int unit, final int order) {
            final int next = at(unit, NEXT);
            final int previous = at(unit, PREVIOUS);
            if (next != 0) {
                set(next - 1, PREVIOUS, previous);
            }
            if (previous != 0) {
                set(previous - 1, NEXT, next);
            } else {
                heads[order] = next;
                orders &= next == 0 ? ~(1 << order) : -1;
            }
            set(unit, FREE_ORDER, 0);
        }

        private int at(final int unit, final int field) {
            return links.getInt(((long) unit << LINK_SHIFT) + field);
        }

        private void set(final int unit, final int field, final int value) {
            links.setInt(((long) unit << LINK_SHIFT) + field, value);
        }
    }
}
