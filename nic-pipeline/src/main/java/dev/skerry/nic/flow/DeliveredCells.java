package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Records the cells of each flow that a bank's nodes have delivered, so that a cell sent twice is delivered once
 * (docs/spec/shoal.md §3.3, §5.2).
 *
 * <pre>
 *   one flow                                  its bits, at sequence modulo the number of bits
 *   0        4        8                       0                     63
 *   +--------+--------+                       +----+----+-- .. --+----+
 *   | bits   | seen   |                       |    |    |        |    |
 *   +--------+--------+                       +----+----+-- .. --+----+
 *   bits: place of its first word plus 1, 0 before the first cell; seen: highest sequence number delivered plus 1
 * </pre>
 *
 * A flow has one bit per cell, at most {@link #WINDOW_CELLS}. In a longer flow, a cell further than that behind the
 * highest one cannot be distinguished from a duplicate. Bits are allocated when the first cell of the flow arrives. One
 * thread.
 */
public final class DeliveredCells {
    /** Width of the window, in cells, within which duplicates are recognised. */
    public static final int WINDOW_CELLS = 1 << 18;

    /** The cell arrives for the first time. */
    public static final int NEW = 0;
    /** The cell was delivered before. */
    public static final int DUPLICATE = 1;
    /** The cell is too far behind the highest one to determine whether it was delivered before. */
    static final int STALE = 2;

    private static final int BITS = 0;
    private static final int SEEN = 4;
    private static final int FLOW_BYTES = 8;
    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    private final Arena arena;
    private final Region flow;
    private Region[] chunks = new Region[1];
    private int words;

    /** Creates the record for a number of flows, with no deliveries. */
    public DeliveredCells(final Arena arena, final int flows) {
        this.arena = arena;
        this.flow = Region.allocate(arena, bytes(flows));
    }

    /** Off-heap memory for a number of flows, without their bits, in bytes. */
    public static long bytes(final int flows) {
        return (long) flows * FLOW_BYTES;
    }

    /**
     * Records the arrival of a cell.
     *
     * @param index    its flow, an index of the {@link FlowSet}.
     * @param cells    cells of the flow.
     * @param sequence its number in the flow.
     * @return {@link #NEW}, {@link #DUPLICATE} or {@link #STALE}.
     */
    public int add(final int index, final int cells, final int sequence) {
        final long at = (long) index * FLOW_BYTES;
        final int bits = cells >= WINDOW_CELLS ? WINDOW_CELLS : Math.max(Integer.highestOneBit(2 * cells - 1), 64);
        int first = flow.getInt(at + BITS) - 1;
        if (first < 0) {
            first = take(bits >>> 6);
            flow.setInt(at + BITS, first + 1);
        }
        final int seen = flow.getInt(at + SEEN);
        if (sequence < seen - bits) {
            return STALE;
        }
        if (sequence >= seen) {
            for (int passed = Math.max(seen, sequence - bits + 1); passed <= sequence; passed++) {
                write(first, passed & bits - 1, false);
            }
            flow.setInt(at + SEEN, sequence + 1);
        }
        final int bit = sequence & bits - 1;
        if ((chunk(first).getLong(word(first, bit)) >>> bit & 1) != 0) {
            return DUPLICATE;
        }
        write(first, bit, true);
        return NEW;
    }

    private void write(final int first, final int bit, final boolean value) {
        final long at = word(first, bit);
        final long word = chunk(first).getLong(at);
        chunk(first).setLong(at, value ? word | 1L << bit : word & ~(1L << bit));
    }

    private Region chunk(final int first) {
        return chunks[first >>> CHUNK_SHIFT];
    }

    private static long word(final int first, final int bit) {
        return (long) ((first & CHUNK_MASK) + (bit >>> 6)) * Long.BYTES;
    }

    /** Allocates {@code count} words in one chunk; returns the first. */
    private int take(final int count) {
        if ((words & CHUNK_MASK) == 0 || (words & CHUNK_MASK) + count > CHUNK_MASK + 1) {
            final int chunk = words + CHUNK_MASK >>> CHUNK_SHIFT;
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunk);
            }
            chunks[chunk] = Region.allocate(arena, (long) (CHUNK_MASK + 1) * Long.BYTES);
            words = chunk << CHUNK_SHIFT;
        }
        final int first = words;
        words += count;
        return first;
    }
}
