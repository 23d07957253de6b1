package dev.skerry.tools.port.pcap;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads blocks of pcapng; each section may have its own byte order. Enhanced, simple and obsolete packet blocks deliver
 * packets, section and interface blocks are interpreted, and all other blocks are skipped.
 * <pre>
 *    any block                     section header              interface               enhanced packet
 *     0  type                       8  byte order, magic        8  link type (2)        8  interface
 *     4  length of the block, L    12  version 2 + 2           12  longest packet      12  stamp, high
 *     8  content                   16  length of the section   16  options             16  stamp, low
 *   L-4  length again              24  options                                         20  bytes captured
 *                                                                                      24  bytes on the wire
 *    obsolete packet: as enhanced, but 8  interface (2), 10  drops (2)                 28  packet, options
 *    simple packet:   8  bytes on the wire, 12  packet, of the section's first interface
 * </pre>
 */
final class PcapngBlocks implements CaptureRecords {
    static final int SECTION = 0x0A0D0D0A;
    static final int INTERFACE = 1;
    static final int OBSOLETE = 2;
    static final int SIMPLE = 3;
    static final int ENHANCED = 6;
    static final int BYTE_ORDER = 0x1A2B3C4D;
    static final int TSRESOL = 9;

    private static final int FLAGS = 2;
    private static final int FCS_SHIFT = 5;
    private static final int FCS_MASK = 0xF;
    private static final int FCSLEN = 13;
    private static final int TSOFFSET = 14;
    private static final int MIN_BLOCK = 12;
    private static final int MAX_BLOCK = 1 << 24;
    private static final int MIN_SECTION = 28;
    private static final int MIN_INTERFACE = 20;
    private static final int PACKET_HEADER = 28;
    private static final int SIMPLE_HEADER = 12;
    private static final int MAX_INTERFACES = 1 << 16;
    private static final int TRAILER = 4;

    private final CaptureBytes bytes;
    private final List<Interface> interfaces = new ArrayList<>();

    /** What an interface block says: the most that is kept of a packet, and how its stamps are read. */
    private record Interface(int linkType, long longest, StampScale scale, int fcs) {
    }

    /** Starts before the first block. */
    PcapngBlocks(final CaptureBytes bytes) {
        this.bytes = bytes;
    }

    @Override
    public boolean next(final CapturedPacket packet) throws CaptureDamage {
        while (true) {
            final long there = bytes.ready(MIN_BLOCK);
            if (there < MIN_BLOCK) {
                if (bytes.isPending()) {
                    return false;
                }
                if (there == 0 && bytes.breakage().isEmpty()) {
                    return false;
                }
                throw CaptureRecords.cut(bytes, "the header of a block", there, MIN_BLOCK);
            }
            // This type reads the same in both byte orders, and its block may change the order.
            if ((int) bytes.u32(0) == SECTION) {
                turn();
            }
            final long length = length();
            if (length == 0) {
                return false;
            }
            final boolean found = block((int) bytes.u32(0), length, packet);
            bytes.skip(length);
            if (found) {
                return true;
            }
        }
    }

    private void turn() throws CaptureDamage {
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        if ((int) bytes.u32(8) != BYTE_ORDER) {
            bytes.order(ByteOrder.BIG_ENDIAN);
            if ((int) bytes.u32(8) != BYTE_ORDER) {
                throw CaptureRecords.impossible(bytes, "a section has no byte order");
            }
        }
    }

    /** Length of the block; 0 if it has not come yet. */
    private long length() throws CaptureDamage {
        final long length = bytes.u32(4);
        if (length < MIN_BLOCK || length > MAX_BLOCK || (length & 3) != 0) {
            throw CaptureRecords.impossible(bytes,
                "a block has " + length + " bytes, and must have a multiple of 4 from 12 to " + MAX_BLOCK);
        }
        final long there = bytes.ready(length);
        if (there < length) {
            if (bytes.isPending()) {
                return 0;
            }
            throw CaptureRecords.cut(bytes, "a block", there, length);
        }
        if (bytes.u32(length - TRAILER) != length) {
            throw CaptureRecords.impossible(bytes,
                "a block begins with length " + length + " and ends with length " + bytes.u32(length - TRAILER));
        }
        return length;
    }

    private boolean block(final int type, final long length, final CapturedPacket packet) throws CaptureDamage {
        switch (type) {
            case ENHANCED:
                captured(bytes.u32(8), length, packet);
                return true;
            case OBSOLETE:
                captured(bytes.u16(8), length, packet);
                return true;
            case SIMPLE:
                simple(length, packet);
                return true;
            case SECTION:
                section(length);
                return false;
            case INTERFACE:
                interfaceBlock(length);
                return false;
            default:
                return false;
        }
    }

    private void section(final long length) throws CaptureDamage {
        if (length < MIN_SECTION) {
            throw CaptureRecords.impossible(bytes, "the header of a section has only " + length + " bytes");
        }
        if (bytes.u16(12) != 1) {
            throw CaptureRecords.impossible(bytes, "its version is " + bytes.u16(12) + "." + bytes.u16(14)
                + " and the one known is 1.0");
        }
        interfaces.clear();
    }

    private void interfaceBlock(final long length) throws CaptureDamage {
        if (length < MIN_INTERFACE) {
            throw CaptureRecords.impossible(bytes, "an interface has only " + length + " bytes");
        }
        if (interfaces.size() == MAX_INTERFACES) {
            throw CaptureRecords.impossible(bytes, "there are more than " + MAX_INTERFACES + " interfaces");
        }
        final long longest = bytes.u32(12);
        interfaces.add(options(length, bytes.u16(8), longest));
    }

    private Interface options(final long length, final int linkType, final long longest) throws CaptureDamage {
        int resolution = 6;
        int fcs = 0;
        long offset = 0;
        long at = 16;
        while (at + TRAILER <= length - TRAILER) {
            final int code = bytes.u16(at);
            final int size = bytes.u16(at + 2);
            if (code == 0) {
                break;
            }
            if (at + TRAILER + size > length - TRAILER) {
                throw CaptureRecords.impossible(bytes, "option " + code + " of an interface is longer than its block");
            }
            if (code == FCSLEN && size == 1) {
                // The format says bits, and means 4 for Ethernet.
                fcs = bytes.u8(at + TRAILER);
                fcs = fcs >= Byte.SIZE ? fcs / Byte.SIZE : fcs;
            } else if (code == TSRESOL && size == 1) {
                resolution = bytes.u8(at + TRAILER);
            } else if (code == TSOFFSET && size == Long.BYTES) {
                offset = bytes.i64(at + TRAILER);
            }
            at += TRAILER + (size + 3 & ~3);
        }
        return new Interface(linkType, longest, resolution == 6 && offset == 0 ? StampScale.MICROSECONDS
            : StampScale.of(resolution, offset), fcs);
    }

    private void captured(final long index, final long length, final CapturedPacket packet) throws CaptureDamage {
        if (length < PACKET_HEADER + TRAILER) {
            throw CaptureRecords.impossible(bytes, "the block of a packet has only " + length + " bytes");
        }
        if (index >= interfaces.size()) {
            throw CaptureRecords.impossible(bytes,
                "a packet is of interface " + index + ", and there are " + interfaces.size());
        }
        final Interface of = interfaces.get((int) index);
        final long captured = bytes.u32(20);
        check(captured, length - PACKET_HEADER - TRAILER);
        final long options = PACKET_HEADER + (captured + 3 & ~3);
        final int fcs = options + TRAILER < length - TRAILER ? fcs(options, length - TRAILER) : 0;
        final long ticks = bytes.u32(12) << Integer.SIZE | bytes.u32(16);
        packet.set(bytes.position() + PACKET_HEADER, (int) captured, bytes.u32(24), fcs > 0 ? fcs : of.fcs,
            of.scale.ns(ticks), of.linkType);
    }

    /** Length of the check sequence by the flags among a packet's options; 0 if they do not say it. */
    private int fcs(final long first, final long end) throws CaptureDamage {
        long at = first;
        while (at + TRAILER <= end && bytes.u16(at) != 0) {
            final int size = bytes.u16(at + 2);
            if (at + TRAILER + size > end) {
                throw CaptureRecords.impossible(bytes, "option " + bytes.u16(at) + " of a packet is longer than its "
                    + "block");
            }
            if (bytes.u16(at) == FLAGS && size == Integer.BYTES) {
                return (int) (bytes.u32(at + TRAILER) >>> FCS_SHIFT) & FCS_MASK;
            }
            at += TRAILER + (size + 3 & ~3);
        }
        return 0;
    }

    private void simple(final long length, final CapturedPacket packet) throws CaptureDamage {
        if (length < SIMPLE_HEADER + TRAILER) {
            throw CaptureRecords.impossible(bytes, "the block of a packet has only " + length + " bytes");
        }
        if (interfaces.isEmpty()) {
            throw CaptureRecords.impossible(bytes, "a packet comes before any interface");
        }
        final long wire = bytes.u32(8);
        final Interface first = interfaces.getFirst();
        final long captured = first.longest == 0 ? wire : Math.min(wire, first.longest);
        check(captured, length - SIMPLE_HEADER - TRAILER);
        packet.set(bytes.position() + SIMPLE_HEADER, (int) captured, wire, first.fcs, 0, first.linkType);
    }

    private void check(final long captured, final long room) throws CaptureDamage {
        if (captured > room || captured > CapturedPacket.MAX_BYTES) {
            throw CaptureRecords.impossible(bytes, "a packet of " + captured + " bytes is longer than its block or "
                + CapturedPacket.MAX_BYTES);
        }
    }

    /**
     * Converts an interface's time stamps to nanoseconds by pcapng's if_tsresol and if_tsoffset. Results saturate at
     * the bounds of 64 bits.
     *
     * @param factor        nanoseconds per tick, or 0 if below one.
     * @param divisor       ticks per nanosecond if factor is 0.
     * @param shift         log2 of the ticks per second, 0 to 63; -1 if they are a power of ten.
     * @param offsetSeconds offset to add.
     */
    record StampScale(long factor, long divisor, int shift, long offsetSeconds) {
        private static final long SECOND_NS = 1_000_000_000;
        private static final int NS_POWER = 9;
        private static final int MAX_POWER = 18;
        private static final int BINARY = 0x80;

        /** Microseconds, the default of the format. */
        static final StampScale MICROSECONDS = new StampScale(1_000, 1, -1, 0);

        /**
         * Creates the scale of the two options.
         *
         * @param resolution    if_tsresol: ticks per second are 10^resolution, or 2^(resolution - 128) from 128 on.
         * @param offsetSeconds if_tsoffset.
         */
        static StampScale of(final int resolution, final long offsetSeconds) {
            if ((resolution & BINARY) != 0) {
                return new StampScale(0, 1, Math.min(resolution & ~BINARY, Long.SIZE - 1), offsetSeconds);
            }
            return resolution <= NS_POWER
                ? new StampScale(power(NS_POWER - resolution), 1, -1, offsetSeconds)
                : new StampScale(0, power(Math.min(resolution - NS_POWER, MAX_POWER)), -1, offsetSeconds);
        }

        private static long power(final int exponent) {
            long power = 1;
            for (int i = 0; i < exponent; i++) {
                power *= 10;
            }
            return power;
        }

        /** Nanoseconds since 1970 of a stamp, an unsigned number of ticks. */
        long ns(final long ticks) {
            final long ns;
            if (shift >= 0) {
                final long seconds = ticks >>> shift;
                ns = seconds < 0 ? Long.MAX_VALUE
                    : saturatingAdd(product(seconds, SECOND_NS), fraction(ticks & (1L << shift) - 1));
            } else if (factor != 0) {
                // As an unsigned number it exceeds the largest time in ns.
                ns = ticks < 0 ? Long.MAX_VALUE : product(ticks, factor);
            } else {
                ns = Long.divideUnsigned(ticks, divisor);
            }
            return offsetSeconds == 0 ? ns : saturatingAdd(ns, product(offsetSeconds, SECOND_NS));
        }

        private long fraction(final long fraction) {
            final long high = Math.multiplyHigh(fraction, SECOND_NS);
            final long low = fraction * SECOND_NS;
            return shift == 0 ? 0 : high << Long.SIZE - shift | low >>> shift;
        }

        private static long product(final long number, final long by) {
            final long high = Math.multiplyHigh(number, by);
            final long low = number * by;
            return high == low >> Long.SIZE - 1 ? low : high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }

        private static long saturatingAdd(final long left, final long right) {
            final long sum = left + right;
            return ((left ^ sum) & (right ^ sum)) >= 0 ? sum : left < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
