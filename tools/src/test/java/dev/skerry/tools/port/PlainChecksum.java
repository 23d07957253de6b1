package dev.skerry.tools.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Checksums of IP packets, byte by byte as RFC 1071 writes them. A right packet has 0xFFFF. */
final class PlainChecksum {
    private PlainChecksum() {
    }

    /** Sum of bytes. */
    static int of(final MemorySegment bytes, final long offset, final long length) {
        int sum = 0;
        for (long at = 0; at < length; at++) {
            final int value = bytes.get(ValueLayout.JAVA_BYTE, offset + at) & 0xFF;
            sum = add(sum, at % 2 == 0 ? value << 8 : value);
        }
        return sum;
    }

    /** Sum over a TCP or UDP packet and its pseudo header, from where the IP header begins. */
    static int ofTransport(final MemorySegment bytes, final long offset, final int length) {
        final boolean isFour = bytes.get(ValueLayout.JAVA_BYTE, offset) >>> 4 == 4;
        final int header = isFour ? (bytes.get(ValueLayout.JAVA_BYTE, offset) & 0xF) * 4 : 40;
        int sum = of(bytes, offset + (isFour ? 12 : 8), isFour ? 8 : 32);
        sum = add(sum, bytes.get(ValueLayout.JAVA_BYTE, offset + (isFour ? 9 : 6)) & 0xFF);
        sum = add(sum, length - header);
        return add(sum, of(bytes, offset + header, length - header));
    }

    static int add(final int one, final int other) {
        final int sum = one + other;
        return (sum & 0xFFFF) + (sum >>> 16);
    }
}
