package dev.skerry.tools.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The checksum of IP, TCP and UDP (RFC 1071): the complement of the one's complement sum of 16-bit words. Sums have the
 * byte order of the packet's words, big-endian. Any thread.
 */
final class InternetChecksum {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private InternetChecksum() {
    }

    /** One's complement sum, 0 to 0xFFFF, of bytes; an odd number of them is filled up with a zero. */
    static int sum(final MemorySegment bytes, final long offset, final long length) {
        // The sum of swapped words is the swapped sum, so words are read four bytes at a time in the machine's order.
        long sum = 0;
        long at = 0;
        for (; at + Integer.BYTES <= length; at += Integer.BYTES) {
            sum += bytes.get(INT, offset + at) & 0xFFFF_FFFFL;
        }
        if (at + Short.BYTES <= length) {
            sum += bytes.get(SHORT, offset + at) & 0xFFFFL;
            at += Short.BYTES;
        }
        if (at < length) {
            sum += bytes.get(ValueLayout.JAVA_BYTE, offset + at) & 0xFFL;
        }
        final int folded = fold(sum);
        return (folded & 0xFF) << Byte.SIZE | folded >>> Byte.SIZE;
    }

    /** The same sum in 16 bits. */
    static int fold(final long sum) {
        long rest = sum;
        while (rest >>> Short.SIZE != 0) {
            rest = (rest & 0xFFFF) + (rest >>> Short.SIZE);
        }
        return (int) rest;
    }
}
