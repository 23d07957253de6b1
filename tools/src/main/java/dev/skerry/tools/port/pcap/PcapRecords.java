package dev.skerry.tools.port.pcap;

import java.nio.ByteOrder;

/**
 * Reads classic pcap files, pcap-savefile(5), in either byte order.
 * <pre>
 *    file header, 24 bytes                             record header, 16 bytes (24 in Kuznetzov's variant), then bytes
 *     0  magic        4  version  2 + 2                 0  seconds            4  micro- or nanoseconds
 *     8  time zone   12  accuracy                       8  bytes captured    12  bytes on the wire
 *    16  longest     20  link type (low 16 bits),      16  (variant: interface, protocol, type)
 *                        bit 26: length of the check
 *                        sequence in bits 28 to 31
 * </pre>
 * Files before version 2.4 may swap the two lengths.
 */
final class PcapRecords implements CaptureRecords {
    static final int MICROSECONDS = 0xA1B2C3D4;
    static final int NANOSECONDS = 0xA1B23C4D;
    static final int VARIANT = 0xA1B2CD34;
    static final int FILE_HEADER = 24;
    static final int RECORD_HEADER = 16;

    private static final int VARIANT_HEADER = 24;
    private static final int MAJOR = 2;
    private static final int MINOR = 4;
    private static final int LINK_MASK = 0xFFFF;
    private static final int HAS_FCS = 1 << 26;
    private static final int FCS_SHIFT = 28;
    private static final long SECOND_NS = 1_000_000_000;

    private final CaptureBytes bytes;
    private final int header;
    private final long tickNs;
    private final int linkType;
    private final int fcs;
    private final boolean old;

    /**
     * Starts before the first record. The caller has checked the magic number.
     *
     * @throws CaptureDamage if the header is damaged.
     */
    PcapRecords(final CaptureBytes bytes) throws CaptureDamage {
        this.bytes = bytes;
        final long there = bytes.ready(FILE_HEADER);
        if (there < FILE_HEADER) {
            throw CaptureRecords.cut(bytes, "its header", there, FILE_HEADER);
        }
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        if (!isMagic((int) bytes.u32(0))) {
            bytes.order(ByteOrder.BIG_ENDIAN);
        }
        final int magic = (int) bytes.u32(0);
        if (bytes.u16(4) != MAJOR || bytes.u16(6) > MINOR) {
            throw CaptureRecords.impossible(bytes, "its version is " + bytes.u16(4) + "." + bytes.u16(6)
                + " and the last known one 2.4");
        }
        this.old = bytes.u16(6) < MINOR;
        this.header = magic == VARIANT ? VARIANT_HEADER : RECORD_HEADER;
        this.tickNs = magic == NANOSECONDS ? 1 : 1_000;
        final int link = (int) bytes.u32(20);
        this.linkType = link & LINK_MASK;
        this.fcs = (link & HAS_FCS) == 0 ? 0 : (link >>> FCS_SHIFT) * Short.BYTES;
        bytes.skip(FILE_HEADER);
    }

    /** Whether a number, read in the right byte order, is the magic number of such a file. */
    static boolean isMagic(final int number) {
        return number == MICROSECONDS || number == NANOSECONDS || number == VARIANT;
    }

    /** Link type of all packets. */
    int linkType() {
        return linkType;
    }

    @Override
    public boolean next(final CapturedPacket packet) throws CaptureDamage {
        final long there = bytes.ready(header);
        if (there < header) {
            if (bytes.isPending()) {
                return false;
            }
            if (there == 0 && bytes.breakage().isEmpty()) {
                return false;
            }
            throw CaptureRecords.cut(bytes, "the header of a packet", there, header);
        }
        final long captured = bytes.u32(8);
        final long wire = bytes.u32(12);
        final long length = old && captured > wire ? wire : captured;
        if (length > CapturedPacket.MAX_BYTES) {
            throw CaptureRecords.impossible(bytes, "a packet has " + length + " bytes, more than "
                + CapturedPacket.MAX_BYTES);
        }
        final long whole = bytes.ready(header + length);
        if (whole < header + length) {
            if (bytes.isPending()) {
                return false;
            }
            throw CaptureRecords.cut(bytes, "a packet", whole, header + length);
        }
        packet.set(bytes.position() + header, (int) length, old && captured > wire ? captured : wire, fcs,
            bytes.u32(0) * SECOND_NS + bytes.u32(4) * tickNs, linkType);
        bytes.skip(header + length);
        return true;
    }
}
