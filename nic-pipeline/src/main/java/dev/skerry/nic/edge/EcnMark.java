package dev.skerry.nic.edge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Marks packets whose hosts understand it (RFC 3168): an IPv4 or IPv6 packet in an Ethernet frame, behind up to two
 * VLAN tags, whose ECN field is ECT(0) or ECT(1), becomes CE. IPv4's checksum is updated as in RFC 1624, so one that
 * was wrong stays wrong. Stateless; any thread.
 */
final class EcnMark {
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
    private static final int CHECKSUM_AT = 10;
    private static final int WORD = 0xFFFF;
    /** The ECN field in the first two bytes of a header. */
    private static final int CE_V4 = 3;
    private static final int CE_V6 = 3 << 4;

    private EcnMark() {
    }

    /**
     * Marks a packet.
     *
     * @param bytes  has the packet.
     * @param offset of its first byte.
     * @param length in bytes.
     * @return whether it was marked; false if it may not be, or is already.
     */
    static boolean mark(final MemorySegment bytes, final long offset, final int length) {
        int at = TYPE_AT;
        int type = 0;
        for (int tags = 0; tags <= MOST_TAGS; tags++) {
            if (length < at + 2) {
                return false;
            }
            type = bytes.get(SHORT, offset + at) & WORD;
            at += type == VLAN || type == SERVICE_VLAN ? TAG_BYTES : 2;
            if (type != VLAN && type != SERVICE_VLAN) {
                break;
            }
        }
        final boolean isV4 = type == IPV4 && length >= at + IPV4_BYTES;
        if (!isV4 && (type != IPV6 || length < at + IPV6_BYTES)) {
            return false;
        }
        final int before = bytes.get(SHORT, offset + at) & WORD;
        final int field = isV4 ? CE_V4 : CE_V6;
        if (before >>> 12 != (isV4 ? 4 : 6) || (before & field) == 0 || (before & field) == field) {
            return false;
        }
        bytes.set(SHORT, offset + at, (short) (before | field));
        if (isV4) {
            final int old = bytes.get(SHORT, offset + at + CHECKSUM_AT) & WORD;
            bytes.set(SHORT, offset + at + CHECKSUM_AT, (short) updated(old, before, before | field));
        }
        return true;
    }

    /** HC' = ~(~HC + ~m + m'), in ones' complement (RFC 1624, equation 3). */
    private static int updated(final int checksum, final int before, final int now) {
        int sum = (~checksum & WORD) + (~before & WORD) + now;
        sum = (sum & WORD) + (sum >>> 16);
        sum = (sum & WORD) + (sum >>> 16);
        return ~sum & WORD;
    }
}
