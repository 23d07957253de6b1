package dev.skerry.dataplane.port;

import dev.skerry.dataplane.random.CounterRandom;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A hash with one value for all packets of a flow. It covers IP addresses, the protocol and, unless the packet is a
 * fragment, the ports of UDP, TCP and SCTP, behind up to {@link #MAX_TAGS} VLAN tags; for other frames, the MAC
 * addresses and the type.
 */
final class FlowHash {
    private static final int MAX_TAGS = 3;
    private static final int MACS = 12;
    private static final int TAG_BYTES = 4;
    private static final int IPV4 = 0x0800;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6 = 0x86DD;
    private static final int IPV6_BYTES = 40;
    private static final int FRAGMENT = 0x3FFF;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int SCTP = 132;
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private FlowHash() {
    }

    /**
     * Returns the hash of a packet.
     *
     * @param bytes memory of the packet.
     * @param at offset of its first byte.
     * @param length length of the packet, bytes.
     * @return 64 bits, evenly distributed.
     */
    static long of(final MemorySegment bytes, final long at, final int length) {
        int type = MACS;
        if (length < type + Short.BYTES) {
            return 0;
        }
        for (int tags = 0; isTag(u16(bytes, at + type)) && tags < MAX_TAGS
            && type + TAG_BYTES + Short.BYTES <= length; tags++) {
            type += TAG_BYTES;
        }
        final long ip = at + type + Short.BYTES;
        final int left = length - type - Short.BYTES;
        final int kind = u16(bytes, at + type);
        if (kind == IPV4 && left >= IPV4_BYTES) {
            final int header = (bytes.get(ValueLayout.JAVA_BYTE, ip) & 0xF) * Integer.BYTES;
            final int protocol = bytes.get(ValueLayout.JAVA_BYTE, ip + 9) & 0xFF;
            final boolean isFragment = (u16(bytes, ip + 6) & FRAGMENT) != 0;
            return next(next(0, bytes.get(LONG, ip + 12)),
                ports(bytes, ip + header, isFragment ? 0 : left - header, protocol));
        }
        if (kind == IPV6 && left >= IPV6_BYTES) {
            long hash = 0;
            for (int word = 8; word < IPV6_BYTES; word += Long.BYTES) {
                hash = next(hash, bytes.get(LONG, ip + word));
            }
            final int protocol = bytes.get(ValueLayout.JAVA_BYTE, ip + 6) & 0xFF;
            return next(hash, ports(bytes, ip + IPV6_BYTES, left - IPV6_BYTES, protocol));
        }
        return next(next(0, bytes.get(LONG, at)), bytes.get(INT, at + Long.BYTES) ^ kind);
    }

    private static boolean isTag(final int type) {
        return type == 0x8100 || type == 0x88A8 || type == 0x9100;
    }

    /** Combines ports and protocol; only the protocol if it has no ports or the packet ends before them. */
    private static long ports(final MemorySegment bytes, final long at, final int left, final int protocol) {
        return (left >= Integer.BYTES && (protocol == TCP || protocol == UDP || protocol == SCTP)
            ? (long) bytes.get(INT, at) << Byte.SIZE : 0) | protocol;
    }

    private static int u16(final MemorySegment bytes, final long at) {
        return bytes.get(SHORT, at) & 0xFFFF;
    }

    private static long next(final long hash, final long value) {
        return CounterRandom.mix(hash + STEP ^ value);
    }
}
