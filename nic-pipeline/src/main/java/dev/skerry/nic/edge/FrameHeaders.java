package dev.skerry.nic.edge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Finds the headers in an Ethernet frame: VLAN tags, and an IPv4 or IPv6 header behind up to two. Any thread. */
final class FrameHeaders {
    /** Instead of where an IP header is. */
    static final int NO_IP = -1;
    /** Where the fields of the first tag are, behind its type. */
    static final int FIRST_TAG_AT = 14;

    private static final ValueLayout.OfShort SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
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

    private FrameHeaders() {
    }

    /** The two bytes at an offset. */
    static int word(final MemorySegment bytes, final long offset) {
        return bytes.get(SHORT, offset) & WORD;
    }

    /** Sets the two bytes at an offset. */
    static void setWord(final MemorySegment bytes, final long offset, final int word) {
        bytes.set(SHORT, offset, (short) word);
    }

    /** Whether a frame has a VLAN tag. */
    static boolean isTagged(final MemorySegment bytes, final long offset, final int length) {
        return length >= FIRST_TAG_AT + 2 && isTag(word(bytes, offset + TYPE_AT));
    }

    /**
     * Offset of the IP header in a frame; {@link #NO_IP} unless its fixed part is complete and has the right version.
     */
    static int ipAt(final MemorySegment bytes, final long offset, final int length) {
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

    /** Whether the first word of an IP header is that of IPv4. */
    static boolean isV4(final int word) {
        return word >>> 12 == 4;
    }

    private static boolean isTag(final int type) {
        return type == VLAN || type == SERVICE_VLAN;
    }
}
