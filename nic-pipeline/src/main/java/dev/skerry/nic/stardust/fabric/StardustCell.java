package dev.skerry.nic.stardust.fabric;

import dev.skerry.dataplane.random.CounterRandom;

/**
 * A cell in flight as two words: all that an engine without payload needs of the header of docs/spec/stardust.md §3.5,
 * and the slot in which it was born. Elements read only the first word and change only its FCI level.
 *
 * <pre>
 *   first word    63        48 47        32  31   30    29 28  27  26        18 17              0
 *                +------------+------------+-----+-----+-----+-----+------------+----------------+
 *                | to adapter |from adapter|valid|order| FCI | EOC | length - 1 | slot born mod  |
 *                +------------+------------+-----+-----+-----+-----+------------+ 2^18 ----------+
 *
 *   second word   63            52 51                 32 31                                      0
 *                +----------------+---------------------+----------------------------------------+
 *                | queue number   | number in stream    | place of the first byte in the stream  |
 *                +----------------+---------------------+----------------------------------------+
 * </pre>
 *
 * <p>The order is the fabric priority: 0 leaves a link before 1. A first word of 0 is not a cell. The place, modulo
 * 2^32, represents the bytes: with the packets of a stream known, it gives what a parser of length prefixes would find.
 */
public final class StardustCell {
    /** Bounds of the fields of the words. */
    public static final int MAX_ADAPTERS = 1 << 16;
    public static final int MAX_QUEUES = 1 << 12;
    static final int MAX_BYTES = 512;
    /** Bits of the number in the stream. */
    public static final int NUMBER_BITS = 20;
    static final int BORN_BITS = 18;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int TO = 48;
    private static final int FROM = 32;
    private static final long VALID = 1L << 31;
    private static final int ORDER = 30;
    private static final int FCI = 28;
    private static final int EOC = 27;
    private static final int LENGTH = 18;
    private static final int QUEUE = 52;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final long BORN_MASK = (1 << BORN_BITS) - 1;

    private StardustCell() {
    }

    /** Returns the part of the first word that the cells of a queue share. */
    public static long route(final int to, final int from, final int order) {
        return (long) to << TO | (long) from << FROM | VALID | (long) order << ORDER;
    }

    /** Returns the first word. */
    public static long first(final long route, final int bytes, final boolean last, final long slot) {
        return route | (last ? 1L << EOC : 0) | (long) (bytes - 1) << LENGTH | slot & BORN_MASK;
    }

    /** Returns the second word. */
    public static long second(final int queue, final int number, final int place) {
        return (long) queue << QUEUE | (long) (number & NUMBER_MASK) << FROM | place & 0xFFFF_FFFFL;
    }

    /** Returns the adapter to which a cell goes. */
    public static int to(final long first) {
        return (int) (first >>> TO);
    }

    /** Returns the adapter from which a cell comes. */
    public static int from(final long first) {
        return (int) (first >>> FROM) & MAX_ADAPTERS - 1;
    }

    /** Tells whether a first word is that of a cell. */
    public static boolean isCell(final long first) {
        return (first & VALID) != 0;
    }

    /** Returns which of a link's queues a cell joins, 0 or 1. */
    public static int order(final long first) {
        return (int) (first >>> ORDER) & 1;
    }

    /** Tells whether it is the last cell of its burst or, if packets do not share cells, of its packet. */
    static boolean isEnd(final long first) {
        return (first >>> EOC & 1) != 0;
    }

    /** Returns the level of congestion that it met, 0 to 3. */
    public static int fci(final long first) {
        return (int) (first >>> FCI) & 3;
    }

    /** Returns the same cell after congestion of some level. */
    public static long marked(final long first, final int level) {
        return fci(first) >= level ? first : first & ~(3L << FCI) | (long) level << FCI;
    }

    /** Returns the payload bytes, 1 to 512. */
    public static int bytes(final long first) {
        return ((int) (first >>> LENGTH) & MAX_BYTES - 1) + 1;
    }

    /**
     * Returns the first word with the number of a frame in place of the slot in which it was born, see
     * {@link CellFrames}.
     */
    public static long framed(final long first, final int frame) {
        return first & ~BORN_MASK | frame;
    }

    /** Returns the number of its frame. */
    public static int frame(final long first) {
        return (int) (first & BORN_MASK);
    }

    /** Returns the slots since it was born, modulo 2^18. */
    public static int age(final long first, final long slot) {
        return (int) (slot - first & BORN_MASK);
    }

    /** Returns the number of its queue between the two adapters. */
    public static int queue(final long second) {
        return (int) (second >>> QUEUE);
    }

    /** Returns the same 64 random bits for all cells of a stream. */
    public static long streamHash(final long first, final long second) {
        return CounterRandom.mix((first >>> FROM) * GOLDEN + queue(second));
    }

    /** Returns its number in the stream. */
    public static int number(final long second) {
        return (int) (second >>> FROM) & NUMBER_MASK;
    }

    /** Returns the place of its first byte in the stream, modulo 2^32. */
    public static int place(final long second) {
        return (int) second;
    }
}
