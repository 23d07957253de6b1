package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Shared by all formats: words in network byte order, bounds, serial numbers, bitmaps. Any thread may call. */
final class Wire {
    /** Two bytes, most significant first, at any alignment. */
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** Four bytes, most significant first, at any alignment. */
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** Eight bytes, most significant first, at any alignment. */
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Wire() {
    }

    /** Whether a value is at least 0 and below a limit. */
    static boolean isBelow(final int value, final int limit) {
        return value >= 0 && value < limit;
    }

    /** Whether {@code bytes} bytes, 0 or more, from any {@code offset} on lie in the segment. */
    static boolean isInside(final MemorySegment segment, final long offset, final int bytes) {
        return offset >= 0 && offset <= segment.byteSize() - bytes;
    }

    /**
     * Restores a count from a serial number: the count closest to the expected one that has these low bits.
     *
     * @param expected the count that the receiver expects.
     * @param number   low bits of the count.
     * @param bits     width of the number, 1 to 32.
     * @return the count, in [{@code expected} - 2^(bits - 1), {@code expected} + 2^(bits - 1)).
     */
    static long countOf(final long expected, final int number, final int bits) {
        final int unused = Long.SIZE - bits;
        return expected + (number - expected << unused >> unused);
    }

    /** A word with its lowest {@code count} bits set: none if the count is negative, all if it exceeds 64. */
    static long lowBits(final int count) {
        return count <= 0 ? 0 : count >= Long.SIZE ? -1 : (1L << count) - 1;
    }
}
