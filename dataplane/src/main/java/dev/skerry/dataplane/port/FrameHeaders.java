package dev.skerry.dataplane.port;

import dev.skerry.dataplane.random.CounterRandom;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Finds the headers in an Ethernet frame: VLAN tags, and an IPv4 or IPv6 header after up to two of them. Any thread may
 * call.
 */
public final class FrameHeaders {
    /** Returned if there is no IP header. */
    public static final int NO_IP = -1;
    /** Offset of the first tag's fields, after its type. */
    public static final int FIRST_TAG_AT = 14;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TYPE_AT = 12;
    private static final int TAG_BYTES = 4;
    private static final int MOST_TAGS = 2;
    private static final int VLAN = 0x8100;
    private static final int SERVICE_VLAN = 0x88A8;
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int WORD = 0xFFFF;
    private static final int FRAGMENT = 0x3FFF;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int SCTP = 132;
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private FrameHeaders() {
    }

    /** Returns the 16-bit word at an offset. */
    public static int word(final MemorySegment bytes, final long offset) {
        return bytes.get(SHORT, offset) & WORD;
    }

    /** Sets the 16-bit word at an offset. */
    public static void setWord(final MemorySegment bytes, final long offset, final int word) {
        bytes.set(SHORT, offset, (short) word);
    }

    /** Tells whether a frame has a VLAN tag. */
    public static boolean isTagged(final MemorySegment bytes, final long offset, final int length) {
        return length >= FIRST_TAG_AT + 2 && isTag(word(bytes, offset + TYPE_AT));
    }

    /**
     * Returns the offset of the IP header in a frame; {@link #NO_IP} unless its fixed part is complete and has the
     * right version.
     */
    public static int ipAt(final MemorySegment bytes, final long offset, final int length) {
        int at = TYPE_AT;
        for (int tags = 0; tags < MOST_TAGS && length >= at + 2 && isTag(word(bytes, offset + at)); tags++) {
            at += TAG_BYTES;
        }
        if (length < at + 2) {
            return NO_IP;
        }
        final int type = word(bytes, offset + at);
        at += 2;
        final boolean isV4 = type == IPV4 && length >= at + IPV4_BYTES;
        if (!isV4 && (type != IPV6 || length < at + IPV6_BYTES)) {
            return NO_IP;
        }
        return word(bytes, offset + at) >>> 12 == (isV4 ? 4 : 6) ? at : NO_IP;
    }

    /** Tells whether the first word of an IP header indicates IPv4. */
    public static boolean isV4(final int word) {
        return word >>> 12 == 4;
    }

    private static boolean isTag(final int type) {
        return type == VLAN || type == SERVICE_VLAN;
    }

    /**
     * Returns a hash with one value for all packets of a flow. It covers IP addresses, the protocol and, unless the
     * packet is a fragment, the ports of UDP, TCP and SCTP; for other frames, the first 14 bytes.
     *
     * @return 64 bits, evenly distributed.
     */
    static long flowHash(final MemorySegment bytes, final long offset, final int length) {
        final int ip = ipAt(bytes, offset, length);
        if (ip == NO_IP) {
            return hash(bytes, offset, Math.min(length, FIRST_TAG_AT) & -Short.BYTES, 0);
        }
        final long at = offset + ip;
        final boolean isV4 = isV4(word(bytes, at));
        final int header = isV4 ? (word(bytes, at) >>> Byte.SIZE & 0xF) * Integer.BYTES : IPV6_BYTES;
        final int protocol = word(bytes, at + (isV4 ? 8 : 6)) >>> (isV4 ? 0 : Byte.SIZE) & 0xFF;
        final boolean hasPorts = (protocol == TCP || protocol == UDP || protocol == SCTP)
            && length >= ip + header + Integer.BYTES && (!isV4 || (word(bytes, at + 6) & FRAGMENT) == 0);
        return hash(bytes, at + (isV4 ? 12 : 8), isV4 ? 8 : 32,
            hasPorts ? (long) bytes.get(INT, at + header) << Byte.SIZE | protocol : protocol);
    }

    private static long hash(final MemorySegment bytes, final long offset, final int count, final long seed) {
        long hash = CounterRandom.mix(seed + STEP);
        for (int at = 0; at < count; at += Short.BYTES) {
            hash = CounterRandom.mix(hash ^ word(bytes, offset + at));
        }
        return hash;
    }
}
