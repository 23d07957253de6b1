package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Restores the order of the cells of every stream (docs/spec/shoal.md §3.3). The next expected cell is passed on
 * directly. An early cell waits in its stream's ring, at its number modulo the size of the ring. A stream has a ring
 * only while cells wait. A ring doubles as cells arrive further ahead, up to W; when its last cell has left, another
 * stream may use it.
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
 *   0          8     16          24         32        36
 *   +----------+-----+-----------+----------+---------+---+
 *   | expected | end | far count | far slot | waiting |   |   64 bytes
 *   +----------+-----+-----------+----------+---------+---+
 * </pre>
 *
 * <p>Each missing cell has a separate time-out. A later cell that has been missing for a shorter time is still awaited,
 * because it may start a packet that arrives completely. A cell that is W or more ahead is dropped, but the stream
 * records the arrival ("far"): when the time-out has passed since then, every missing cell before it is declared lost.
 * As long as cells arrive, no stream therefore waits longer than the time-out plus the time to the next {@link #sweep}.
 *
 * <p>Sequence numbers are compared by serial-number arithmetic and kept as 64-bit counts. One thread; the data path
 * allocates only rings, when more are needed at the same time than before.
 */
public final class ReorderWindow {
    private static final long NEVER = Long.MAX_VALUE;
    private static final int EXPECTED = 0;
    private static final int END = 8;
    private static final int FAR_COUNT = 16;
    private static final int FAR_SLOT = 24;
    private static final int WAITING = 32;
    private static final int STREAM_SHIFT = 6;
    private static final int LEAST_PLACES = 64;

    private final Arena arena;
    private final int streams;
    private final int window;
    private final int unusedBits;
    private final long timeoutSlots;
    private final Region state;
    /** Ring of each stream, with a power of two of places; null while it has none. */
    private final Region[] rings;
    /** Unused rings by the logarithm of their size, in the first {@code spares} entries of each row. */
    private final Region[][] spare = new Region[Long.SIZE][1];
    private final int[] spares = new int[Long.SIZE];
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
        this.arena = arena;
        this.streams = config.streams();
        this.window = config.windowCells();
        this.unusedBits = Long.SIZE - config.sequenceBits();
        this.timeoutSlots = config.timeoutSlots();
        this.state = Region.allocate(arena, bytes(streams));
        this.rings = new Region[streams];
        this.freeCell = freeCell;
        this.next = next;
        this.counts = counts;
        for (int stream = 0; stream < streams; stream++) {
            state.setLong(at(stream) + FAR_SLOT, NEVER);
        }
    }

    /** Off-heap memory of the windows of a number of streams, without rings, in bytes. */
    public static long bytes(final int streams) {
        return (long) streams << STREAM_SHIFT;
    }

    /**
     * Accepts a cell from the fabric and passes on every cell that is now in order.
     *
     * @param stream   the cell's stream, one per source and class.
     * @param sequence the number in its header.
     * @param cell     its index in the slab, at least 0; ownership passes to the window.
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
            refusal = ahead < 0 ? PacketCounter.DROPPED_BEHIND : park(stream, expected + ahead, cell, flags, slot);
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
     * Gives up the missing cells of a stream whose count is below {@code count}, and passes on those that wait after
     * them.
     *
     * @param count above every cell of the stream that has arrived.
     */
    public void giveUp(final int stream, final long count, final long slot) {
        final long at = at(stream);
        state.setLong(at + FAR_SLOT, slot - timeoutSlots);
        state.setLong(at + FAR_COUNT, count - 1);
        advance(stream, at, slot);
    }

    /**
     * Gives up overdue cells of the next {@code number} streams, round robin. Called once per slot, it visits every
     * stream once in streams / {@code number} slots, so a missing cell times out at most that much too late.
     *
     * @param slot   the current slot.
     * @param number number of streams to visit.
     */
    public void sweep(final long slot, final int number) {
        for (int i = 0; i < number; i++) {
            expire(swept, slot);
            swept = swept + 1 == streams ? 0 : swept + 1;
        }
    }

    /** The number that a stream expects next, as a 64-bit count that does not wrap. */
    public long expected(final int stream) {
        return state.getLong(at(stream) + EXPECTED);
    }

    /** Number of waiting cells of one stream. */
    public int waiting(final int stream) {
        return state.getInt(at(stream) + WAITING);
    }

    /** Number of waiting cells of all streams. */
    public long held() {
        return held;
    }

    /** Maximum number of waiting cells of one stream: the reordering of docs/spec/shoal.md §9.1. */
    public int maxWaiting() {
        return maxWaiting;
    }

    private long at(final int stream) {
        assert stream >= 0 && stream < streams : "stream=" + stream + " streams=" + streams;
        return (long) stream << STREAM_SHIFT;
    }

    /** Stores an early cell. Returns the drop counter if this is not possible, else null. */
    private PacketCounter park(final int stream, final long count, final int cell, final int flags, final long slot) {
        final long at = at(stream);
        final long end = state.getLong(at + END);
        if (count >= end) {
            final long span = count + 1 - state.getLong(at + EXPECTED);
            if (span > window) {
                hearOf(at, count, slot);
                return PacketCounter.DROPPED_FAR_AHEAD;
            }
            reserve(stream, span);
            for (long missing = end; missing < count; missing++) {
                rings[stream].setLong(place(rings[stream], missing), slot);
            }
            state.setLong(at + END, count + 1);
        } else if (rings[stream].getLong(place(rings[stream], count)) < 0) {
            return PacketCounter.DROPPED_DUPLICATE;
        }
        rings[stream].setLong(place(rings[stream], count), Long.MIN_VALUE | (long) flags << Integer.SIZE | cell);
        final int waiting = state.getInt(at + WAITING) + 1;
        state.setInt(at + WAITING, waiting);
        held++;
        if (count != state.getLong(at + EXPECTED)) {
            maxWaiting = Math.max(maxWaiting, waiting);
        }
        return null;
    }

    /** Records a cell that was dropped from beyond the ring: missing cells before it will time out. */
    private void hearOf(final long at, final long count, final long slot) {
        if (state.getLong(at + FAR_SLOT) == NEVER) {
            state.setLong(at + FAR_SLOT, slot);
            state.setLong(at + FAR_COUNT, count);
        }
    }

    /** Passes on the cells that are in order and gives up those whose time-out has passed. */
    private void advance(final int stream, final long at, final long slot) {
        final long since = slot - timeoutSlots;
        final long far = state.getLong(at + FAR_SLOT) <= since
            ? state.getLong(at + FAR_COUNT) : -1;
        final long end = state.getLong(at + END);
        final long first = state.getLong(at + EXPECTED);
        final Region ring = rings[stream];
        long expected = first;
        long lost = 0;
        while (expected < end) {
            final long entry = ring.getLong(place(ring, expected));
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
            release(stream);
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

    /** Offset of a count's place in a ring: the count modulo its number of places. */
    private static long place(final Region ring, final long count) {
        return count * Long.BYTES & ring.bytes() - Long.BYTES;
    }

    /** Gives a stream a ring with room for {@code places} places from the expected one on. */
    private void reserve(final int stream, final long places) {
        final Region ring = rings[stream];
        if (ring != null && places * Long.BYTES <= ring.bytes()) {
            return;
        }
        final Region larger = spareOrNew(Math.max(LEAST_PLACES, Long.highestOneBit(2 * places - 1)) * Long.BYTES);
        final long end = state.getLong(at(stream) + END);
        for (long count = state.getLong(at(stream) + EXPECTED); count < end; count++) {
            larger.setLong(place(larger, count), ring.getLong(place(ring, count)));
        }
        release(stream);
        rings[stream] = larger;
    }

    private Region spareOrNew(final long bytes) {
        final int order = Long.numberOfTrailingZeros(bytes);
        if (spares[order] == 0) {
            return Region.allocate(arena, bytes);
        }
        final Region ring = spare[order][--spares[order]];
        spare[order][spares[order]] = null;
        return ring;
    }

    /** Releases the ring of a stream, if it has one, for reuse by another stream. */
    private void release(final int stream) {
        final Region ring = rings[stream];
        if (ring != null) {
            final int order = Long.numberOfTrailingZeros(ring.bytes());
            if (spares[order] == spare[order].length) {
                spare[order] = Arrays.copyOf(spare[order], 2 * spares[order]);
            }
            spare[order][spares[order]++] = ring;
            rings[stream] = null;
        }
    }

    /**
     * Receives the cells of each stream from a {@link ReorderWindow}, in order. Called by the receiver's thread. A
     * handler must not call the window.
     */
    public interface CellHandler {
        /**
         * Receives the next cell of a stream.
         *
         * @param stream the stream.
         * @param cell   index in the slab; the handler must free it.
         * @param flags  the flags given with the cell, for packets {@link PacketFormat#SOP} and
         *               {@link PacketFormat#EOP}.
         */
        void onCell(int stream, int cell, int flags);

        /**
         * Reports that the next cells of a stream are lost: they did not arrive before their time-out.
         *
         * @param stream the stream.
         * @param cells  number of cells, at least 1.
         */
        void onGap(int stream, long cells);
    }

    /**
     * Sizes of a {@link ReorderWindow}. Immutable.
     *
     * @param streams      number of streams, one per source and class (and per node, for a bank), at least 1.
     * @param sequenceBits width of the sequence number, 2 to 32: 22 for Shoal, 20 with traffic classes.
     * @param windowCells  W, the maximum span of a stream's window in cells: a power of two up to 2^(sequenceBits - 1).
     *                     Beyond that, numbers ahead and behind could not be distinguished.
     * @param timeoutSlots slots for which a missing cell is awaited after a later one arrived, at least 1.
     */
    public record WindowConfig(int streams, int sequenceBits, int windowCells, long timeoutSlots) {
        /** Checks every bound. */
        public WindowConfig {
            Bounds.atLeast("streams", streams, 1);
            Bounds.require("sequenceBits", sequenceBits, 2, Integer.SIZE);
            Bounds.refuseIf(Integer.bitCount(windowCells) != 1 || windowCells < 1
                || windowCells > 1L << sequenceBits - 1,
                "windowCells must be a power of two up to 2^(sequenceBits - 1): windowCells=", windowCells,
                " sequenceBits=", sequenceBits);
            Bounds.atLeast("timeoutSlots", timeoutSlots, 1);
        }
    }
}
