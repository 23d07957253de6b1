package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Which cells of each flow a bank's nodes have taken off the fabric, so that a cell that was sent twice is delivered
 * once (docs/spec/shoal.md §3.3, §5.2).
 *
 * <pre>
 *   one flow                                  its bits, from the first cell on: sequence modulo their number
 *   0        4        8                       0                     63
 *   +--------+--------+                       +----+----+-- .. --+----+
 *   | bits   | seen   |                       |    |    |        |    |
 *   +--------+--------+                       +----+----+-- .. --+----+
 *   bits: place of its first word plus 1, 0: none came yet; seen: highest sequence number that came plus 1
 * </pre>
 *
 * A flow has as many bits as it has cells, at most {@link #WINDOW_CELLS}; of a longer one, only what comes no further
 * behind its highest cell can be told from a duplicate. Bits are taken when the first cell comes. One thread.
 */
public final class DeliveredCells {
    /** Cells of a flow that are told apart. */
    public static final int WINDOW_CELLS = 1 << 18;

    /** It came for the first time. */
    public static final int NEW = 0;
    /** It came before. */
    public static final int DUPLICATE = 1;
    /** It came too far behind to know. */
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

    /** Nothing delivered yet. */
    public DeliveredCells(final Arena arena, final int flows) {
        this.arena = arena;
        this.flow = Region.allocate(arena, bytes(flows));
    }

    /** Memory in bytes, that of the bits not counted. */
    public static long bytes(final int flows) {
        return (long) flows * FLOW_BYTES;
    }

    /**
     * A cell arrives.
     *
     * @param index    its flow.
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

    /** Words that lie in one chunk. */
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
