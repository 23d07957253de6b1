package dev.skerry.nic.edge;

import java.lang.foreign.MemorySegment;

/**
 * Marks packets whose hosts understand it (RFC 3168): an IPv4 or IPv6 packet in an Ethernet frame, behind up to two
 * VLAN tags, whose ECN field is ECT(0) or ECT(1), becomes CE. IPv4's checksum is updated as in RFC 1624, so one that
 * was wrong stays wrong. Stateless; any thread.
 */
final class EcnMark {
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
        final int at = FrameHeaders.ipAt(bytes, offset, length);
        if (at == FrameHeaders.NO_IP) {
            return false;
        }
        final int before = FrameHeaders.word(bytes, offset + at);
        final boolean isV4 = FrameHeaders.isV4(before);
        final int field = isV4 ? CE_V4 : CE_V6;
        if ((before & field) == 0 || (before & field) == field) {
            return false;
        }
        FrameHeaders.setWord(bytes, offset + at, before | field);
        if (isV4) {
            final int old = FrameHeaders.word(bytes, offset + at + CHECKSUM_AT);
            FrameHeaders.setWord(bytes, offset + at + CHECKSUM_AT, updated(old, before, before | field));
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
