package dev.skerry.tools.port;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PcapPort.PcapSettings;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the packets of a capture in pcap or pcapng format, plain or compressed with gzip. The format is detected from
 * the contents, not from the file name. All packets before the first damage are delivered. Not thread-safe; does not
 * allocate per packet.
 */
final class CaptureReader implements AutoCloseable {
    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int LZ4_MAGIC = 0x184D2204;
    private static final int XZ_MAGIC = 0x587A37FD;
    private static final int BZIP2_MAGIC = 0x685A42;

    private final Path file;
    private final CaptureBytes bytes;
    private final CapturedPacket packet = new CapturedPacket();
    private CaptureRecords records;
    private String failure = "";
    private boolean hasPackets;
    private boolean hasEthernet;

    /**
     * Opens a file and reads its header; the header of a FIFO is read when it arrives.
     *
     * @param file file to read.
     * @param once whether the file is read only once.
     * @throws InputException if the file cannot be read, or is not a capture of Ethernet frames.
     */
    CaptureReader(final Path file, final boolean once) {
        this.file = file;
        Choices.refuseIf(Files.isDirectory(file), PcapSettings.KIND, file, "is not a regular file",
            "give a saved capture or a FIFO");
        Choices.refuseIf(!once && Files.exists(file) && !Files.isRegularFile(file), PcapSettings.KIND, file,
            "can be read only once", "leave loops out");
        try {
            this.bytes = new CaptureBytes(file);
        } catch (final NoSuchFileException e) {
            throw wrong("there is no such file", "give an existing one, or pcap:out=FILE to write one");
        } catch (final AccessDeniedException e) {
            throw wrong("may not be read", "change its permissions");
        } catch (final IOException e) {
            throw wrong("cannot be read (" + e.getMessage() + ")", "check the file and its disk");
        }
        try {
            if (!bytes.isPending()) {
                records = open();
            }
        } catch (final InputException e) {
            bytes.close();
            throw e;
        }
    }

    private CaptureRecords open() {
        final long there = bytes.ready(Integer.BYTES);
        if (there < Integer.BYTES) {
            throw cut("its header", there, PcapRecords.FILE_HEADER);
        }
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        final int magic = (int) bytes.u32(0);
        if (PcapRecords.isMagic(magic) || PcapRecords.isMagic(Integer.reverseBytes(magic))) {
            final PcapRecords classic = new PcapRecords();
            if (classic.linkType != CapturedPacket.ETHERNET) {
                throw notEthernet(classic.linkType);
            }
            return classic;
        }
        if (magic == PcapngBlocks.SECTION) {
            return new PcapngBlocks();
        }
        final String packer = switch (magic) {
            case ZSTD_MAGIC -> "zstd";
            case LZ4_MAGIC -> "lz4";
            case XZ_MAGIC -> "xz";
            default -> (magic & 0xFF_FFFF) == BZIP2_MAGIC ? "bzip2" : "";
        };
        if (!packer.isEmpty()) {
            throw wrong("is packed with " + packer, "unpack it or pack it with gzip");
        }
        throw wrong(String.format("is neither pcap nor pcapng: it begins with %08x", Integer.reverseBytes(magic)),
            "convert it with editcap -F pcapng");
    }

    /**
     * Moves to the next packet. Returns false at the end, at damage, which {@link #failure} describes, or if the next
     * packet of a FIFO has not arrived, which {@link #isPending} indicates.
     */
    boolean next() {
        if (!failure.isEmpty()) {
            return false;
        }
        try {
            if (records == null) {
                if (bytes.ready(PcapRecords.FILE_HEADER) < PcapRecords.FILE_HEADER && bytes.isPending()) {
                    return false;
                }
                records = open();
            }
            if (records.next()) {
                hasEthernet |= packet.linkType == CapturedPacket.ETHERNET;
                hasPackets = true;
                return true;
            }
            if (hasPackets && !hasEthernet && !bytes.isPending()) {
                throw notEthernet(packet.linkType);
            }
        } catch (final InputException e) {
            failure = e.getMessage();
        }
        return false;
    }

    /** Tells whether a FIFO may deliver more packets. */
    boolean isPending() {
        return failure.isEmpty() && bytes.isPending();
    }

    private InputException notEthernet(final int linkType) {
        return wrong("its packets are of link type " + linkType + " instead of Ethernet", "capture at an Ethernet "
            + "interface, or convert it: for some types tcprewrite --dlt=enet can");
    }

    private InputException wrong(final String why, final String advice) {
        return new InputException(PcapSettings.KIND, file.toString(), why, advice);
    }

    /**
     * Returns the error for a capture that cannot be read further.
     *
     * @param offset offset in the file; in the decompressed data if the file is compressed.
     */
    private InputException damage(final long offset, final String why, final String advice) {
        return new InputException(PcapSettings.KIND, file + " at byte " + offset, why, advice);
    }

    /** Returns the error for a truncated file. */
    private InputException cut(final String within, final long there, final long needed) {
        if (!bytes.breakage().isEmpty()) {
            return damage(bytes.offset(), bytes.breakage(),
                "copy or compress the file again; all packets before this point were delivered");
        }
        return damage(bytes.offset(), "the file ends within " + within + ", " + there + " of " + needed
            + " bytes are present", "copy the file again or repeat the capture; all packets before this point were "
            + "delivered");
    }

    /**
     * Tells whether a number of bytes is readable. Returns false if they may still arrive, or at the end of the file.
     *
     * @param mayEnd whether the file may end here.
     * @throws InputException if the file ends within these bytes.
     */
    private boolean isThere(final long needed, final String within, final boolean mayEnd) {
        final long there = bytes.ready(needed);
        if (there < needed && !bytes.isPending() && !(mayEnd && there == 0 && bytes.breakage().isEmpty())) {
            throw cut(within, there, needed);
        }
        return there >= needed;
    }

    /** Returns the error for an impossible value. */
    private InputException impossible(final String why) {
        return damage(bytes.offset(), why,
            "copy the file again or repair it with pcapfix; all packets before this point were delivered");
    }

    /**
     * Moves before the first packet. Returns false if the file cannot be reopened; {@link #failure} then has the cause.
     */
    boolean rewind() {
        try {
            bytes.rewind();
            records = open();
            return true;
        } catch (final IOException e) {
            failure = damage(0, "cannot be opened again (" + e.getMessage() + ")",
                "do not move the file while it is read").getMessage();
        } catch (final InputException e) {
            failure = e.getMessage();
        }
        return false;
    }

    /** Returns the current packet; valid after {@link #next} has returned true. */
    CapturedPacket packet() {
        return packet;
    }

    /** Returns the bytes of the file, which contain those of the packet. */
    CaptureBytes bytes() {
        return bytes;
    }

    /** Returns the reason why the file cannot be read further, in one line; empty if there is no error. */
    String failure() {
        return failure;
    }

    @Override
    public void close() {
        bytes.close();
    }

    /** Current packet of a reader. Its bytes are in {@link CaptureBytes#window} until the reader moves. */
    static final class CapturedPacket {
        /** Link type of Ethernet. */
        static final int ETHERNET = 1;

        /** Maximum packet length in bytes, the same as in libpcap and Wireshark. */
        static final int MAX_BYTES = 262_144;

        /** Offset of the first byte in the window. */
        long place;
        /** Captured bytes, excluding a frame check sequence, 0 to {@link #MAX_BYTES}. */
        int length;
        /** Length on the wire in bytes, excluding a frame check sequence. */
        long wire;
        /** Time stamp in ns since 1970. */
        long stampNs;
        /** Link type: {@link #ETHERNET}, or another type, which a port cannot carry. */
        int linkType;

        /**
         * Sets the packet.
         *
         * @param place    offset of its first byte in the window.
         * @param captured captured bytes.
         * @param onWire   length on the wire in bytes.
         * @param fcs      length of the frame check sequence at its end, which a port does not carry.
         * @param stampNs  time stamp in ns since 1970.
         * @param linkType link type of its interface.
         */
        void set(final long place, final int captured, final long onWire, final int fcs, final long stampNs,
            final int linkType) {
            this.place = place;
            // If a packet was truncated, the frame check sequence is the first part that is missing.
            this.length = (int) Math.max(0, captured - Math.max(0, fcs - Math.max(0, onWire - captured)));
            this.wire = Math.max(0, onWire - fcs);
            this.stampNs = stampNs;
            this.linkType = linkType;
        }
    }

    /** Reads the packets of a format in the order of the file. */
    sealed interface CaptureRecords {
        /**
         * Moves to the next packet and sets it in the reader.
         *
         * @return false at the end of the file.
         * @throws InputException if the file cannot be read further.
         */
        boolean next();
    }

    /**
     * Reads classic pcap files, pcap-savefile(5), in either byte order.
     * <pre>
     *    file header, 24 bytes                             record header, 16 bytes (24 in Kuznetzov's variant), then
     *    bytes
     *     0  magic        4  version  2 + 2                 0  seconds            4  micro- or nanoseconds
     *     8  time zone   12  accuracy                       8  bytes captured    12  bytes on the wire
     *    16  longest     20  link type (low 16 bits),      16  (variant: interface, protocol, type)
     *                        bit 26: length of the check
     *                        sequence in bits 28 to 31
     * </pre>
     * In files of versions before 2.4, the two lengths may be swapped.
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

        private final int header;
        private final long tickNs;
        private final int linkType;
        private final int fcs;
        private final boolean old;

        /**
         * Creates a reader before the first record. The caller has checked the magic number.
         *
         * @throws InputException if the header is damaged.
         */
        PcapRecords() {
            final long there = bytes.ready(FILE_HEADER);
            if (there < FILE_HEADER) {
                throw cut("its header", there, FILE_HEADER);
            }
            bytes.order(ByteOrder.LITTLE_ENDIAN);
            if (!isMagic((int) bytes.u32(0))) {
                bytes.order(ByteOrder.BIG_ENDIAN);
            }
            final int magic = (int) bytes.u32(0);
            if (bytes.u16(4) != MAJOR || bytes.u16(6) > MINOR) {
                throw impossible("its version is " + bytes.u16(4) + "." + bytes.u16(6)
                    + ", the latest known one is 2.4");
            }
            this.old = bytes.u16(6) < MINOR;
            this.header = magic == VARIANT ? VARIANT_HEADER : RECORD_HEADER;
            this.tickNs = magic == NANOSECONDS ? 1 : 1_000;
            final int link = (int) bytes.u32(20);
            this.linkType = link & LINK_MASK;
            this.fcs = (link & HAS_FCS) == 0 ? 0 : (link >>> FCS_SHIFT) * Short.BYTES;
            bytes.skip(FILE_HEADER);
        }

        /** Tells whether a number, read in the right byte order, is the magic number of a pcap file. */
        static boolean isMagic(final int number) {
            return number == MICROSECONDS || number == NANOSECONDS || number == VARIANT;
        }

        @Override
        public boolean next() {
            if (!isThere(header, "the header of a packet", true)) {
                return false;
            }
            final long captured = bytes.u32(8);
            final long wire = bytes.u32(12);
            final long length = old && captured > wire ? wire : captured;
            if (length > CapturedPacket.MAX_BYTES) {
                throw impossible("a packet has " + length + " bytes, more than "
                    + CapturedPacket.MAX_BYTES);
            }
            if (!isThere(header + length, "a packet", false)) {
                return false;
            }
            packet.set(bytes.position() + header, (int) length, old && captured > wire ? captured : wire, fcs,
                bytes.u32(0) * SECOND_NS + bytes.u32(4) * tickNs, linkType);
            bytes.skip(header + length);
            return true;
        }
    }

    /**
     * Reads blocks of pcapng; each section may have its own byte order. Enhanced, simple and obsolete packet blocks
     * deliver packets, section and interface blocks are interpreted, and all other blocks are skipped.
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
        /** Default resolution: 10^-6 s. */
        private static final int MICROSECONDS = 6;

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

        private final List<Interface> interfaces = new ArrayList<>();

        /**
         * Contents of an interface block: the maximum captured length of a packet, and the scale of its time stamps.
         */
        private record Interface(int linkType, long longest, StampScale scale, int fcs) {
        }

        @Override
        public boolean next() {
            while (true) {
                if (!isThere(MIN_BLOCK, "the header of a block", true)) {
                    return false;
                }
                // A section type is the same in both byte orders, and its block may change the byte order.
                if ((int) bytes.u32(0) == SECTION) {
                    turn();
                }
                final long length = length();
                if (length == 0) {
                    return false;
                }
                final boolean found = block((int) bytes.u32(0), length);
                bytes.skip(length);
                if (found) {
                    return true;
                }
            }
        }

        private void turn() {
            bytes.order(ByteOrder.LITTLE_ENDIAN);
            if ((int) bytes.u32(8) != BYTE_ORDER) {
                bytes.order(ByteOrder.BIG_ENDIAN);
                if ((int) bytes.u32(8) != BYTE_ORDER) {
                    throw impossible("a section does not give its byte order");
                }
            }
        }

        /** Returns the length of the block; 0 if it has not arrived completely. */
        private long length() {
            final long length = bytes.u32(4);
            if (length < MIN_BLOCK || length > MAX_BLOCK || (length & 3) != 0) {
                throw impossible("a block has " + length + " bytes, and must have a multiple of 4 from 12 to "
                    + MAX_BLOCK);
            }
            if (!isThere(length, "a block", false)) {
                return 0;
            }
            if (bytes.u32(length - TRAILER) != length) {
                throw impossible("a block has length " + length + " at its start but "
                    + bytes.u32(length - TRAILER) + " at its end");
            }
            return length;
        }

        /** Reads a block; returns whether it contains a packet. */
        private boolean block(final int type, final long length) {
            switch (type) {
                case ENHANCED -> captured(bytes.u32(8), length);
                case OBSOLETE -> captured(bytes.u16(8), length);
                case SIMPLE -> simple(length);
                case SECTION -> section(length);
                case INTERFACE -> interfaceBlock(length);
                default -> {
                    return false;
                }
            }
            return type != SECTION && type != INTERFACE;
        }

        private void section(final long length) {
            if (length < MIN_SECTION) {
                throw impossible("the header of a section has only " + length + " bytes");
            }
            if (bytes.u16(12) != 1) {
                throw impossible("its version is " + bytes.u16(12) + "." + bytes.u16(14)
                    + ", the only known one is 1.0");
            }
            interfaces.clear();
        }

        private void interfaceBlock(final long length) {
            if (length < MIN_INTERFACE) {
                throw impossible("an interface has only " + length + " bytes");
            }
            if (interfaces.size() == MAX_INTERFACES) {
                throw impossible("there are more than " + MAX_INTERFACES + " interfaces");
            }
            final long longest = bytes.u32(12);
            interfaces.add(options(length, bytes.u16(8), longest));
        }

        private Interface options(final long length, final int linkType, final long longest) {
            int resolution = MICROSECONDS;
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
                    throw impossible("option " + code
                        + " of an interface is longer than its block");
                }
                if (code == FCSLEN && size == 1) {
                    // The specification counts bits but gives 4 as the value for Ethernet, so small values are taken as
                    // bytes.
                    fcs = bytes.u8(at + TRAILER);
                    fcs = fcs >= Byte.SIZE ? fcs / Byte.SIZE : fcs;
                } else if (code == TSRESOL && size == 1) {
                    resolution = bytes.u8(at + TRAILER);
                } else if (code == TSOFFSET && size == Long.BYTES) {
                    offset = bytes.i64(at + TRAILER);
                }
                at += TRAILER + (size + 3 & ~3);
            }
            return new Interface(linkType, longest, StampScale.of(resolution, offset), fcs);
        }

        private void captured(final long index, final long length) {
            if (length < PACKET_HEADER + TRAILER) {
                throw impossible("the block of a packet has only " + length + " bytes");
            }
            if (index >= interfaces.size()) {
                throw impossible("a packet refers to interface " + index + ", but the number of interfaces "
                    + "is " + interfaces.size());
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

        /**
         * Returns the length of the check sequence according to the flags option of a packet; 0 if there is no such
         * option.
         */
        private int fcs(final long first, final long end) {
            long at = first;
            while (at + TRAILER <= end && bytes.u16(at) != 0) {
                final int size = bytes.u16(at + 2);
                if (at + TRAILER + size > end) {
                    throw impossible("option " + bytes.u16(at)
                        + " of a packet is longer than its "
                        + "block");
                }
                if (bytes.u16(at) == FLAGS && size == Integer.BYTES) {
                    return (int) (bytes.u32(at + TRAILER) >>> FCS_SHIFT) & FCS_MASK;
                }
                at += TRAILER + (size + 3 & ~3);
            }
            return 0;
        }

        private void simple(final long length) {
            if (length < SIMPLE_HEADER + TRAILER) {
                throw impossible("the block of a packet has only " + length + " bytes");
            }
            if (interfaces.isEmpty()) {
                throw impossible("a packet comes before any interface");
            }
            final long wire = bytes.u32(8);
            final Interface first = interfaces.getFirst();
            final long captured = first.longest == 0 ? wire : Math.min(wire, first.longest);
            check(captured, length - SIMPLE_HEADER - TRAILER);
            packet.set(bytes.position() + SIMPLE_HEADER, (int) captured, wire, first.fcs, 0, first.linkType);
        }

        private void check(final long captured, final long room) {
            if (captured > room || captured > CapturedPacket.MAX_BYTES) {
                throw impossible("a packet of " + captured + " bytes is longer than its block or "
                    + CapturedPacket.MAX_BYTES);
            }
        }

        /**
         * Converts the time stamps of an interface to nanoseconds, according to if_tsresol and if_tsoffset of pcapng.
         * Results saturate at the bounds of 64 bits.
         *
         * @param factor        nanoseconds per tick; 0 if there is more than one tick per nanosecond.
         * @param divisor       ticks per nanosecond if {@code factor} is 0.
         * @param shift         log2 of the ticks per second, 0 to 63; -1 if they are a power of ten.
         * @param offsetSeconds offset to add.
         */
        record StampScale(long factor, long divisor, int shift, long offsetSeconds) {
            private static final long SECOND_NS = 1_000_000_000;
            private static final int NS_POWER = 9;
            private static final int MAX_POWER = 18;
            private static final int BINARY = 0x80;

            /**
             * Creates the scale for two options.
             *
             * @param resolution    if_tsresol: there are 10^resolution ticks per second, or 2^(resolution - 128) for
             *     values from 128 on.
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

            /** Returns the nanoseconds since 1970 for a time stamp, an unsigned number of ticks. */
            long ns(final long ticks) {
                final long ns;
                if (shift >= 0) {
                    final long seconds = ticks >>> shift;
                    ns = seconds < 0 ? Long.MAX_VALUE
                        : saturatingAdd(product(seconds, SECOND_NS), fraction(ticks & (1L << shift) - 1));
                } else if (factor != 0) {
                    // As an unsigned number, it exceeds the maximum time in ns.
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
}
