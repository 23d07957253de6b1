package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The receive ring of a packet socket, TPACKET_V2 (linux/if_packet.h), mapped from the kernel. A frame belongs to the
 * kernel until it sets the status to USER, and to us until we set it back. One thread.
 * <pre>
 *    a block of 4 MiB: 63 frames                    a frame
 *    +---------+---------+-- --+---------+---+      0        20     24      28         32          mac - 10  mac
 *    | frame 0 | frame 1 |     | frame 62|   |      +--------+------+-------+----------+-------------+-------+-------+
 *    +---------+---------+-- --+---------+---+      | status | nsec | tci   | tpid     | sockaddr_ll | vnet  | bytes |
 *                                                   | length | ...  |       |          |             |       |       |
 *                                                   +--------+------+-------+----------+-------------+-------+-------+
 * </pre>
 * A frame holds the largest packet that a sender leaves to a device to cut, 64 KiB.
 */
final class PacketRing {
    static final int BLOCK_BYTES = 1 << 22;
    static final int FRAME_BYTES = 66_560;
    static final int FRAMES_PER_BLOCK = BLOCK_BYTES / FRAME_BYTES;

    private static final VarHandle STATUS = JAVA_INT.varHandle();
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final int USER = 1;
    private static final int VLAN_VALID = 0x10;
    private static final int VLAN_TPID_VALID = 0x40;
    private static final int LENGTH = 4;
    private static final int KEPT_LENGTH = 8;
    private static final int MAC = 12;
    private static final int NETWORK = 14;
    private static final int TCI = 24;
    private static final int TPID = 26;
    private static final int ADDRESS_KIND = 32 + 10;
    private static final int OUTGOING = 4;
    private static final int VNET_BYTES = 10;
    private static final int DOT1Q = 0x8100;

    private final MemorySegment ring;
    private final PortCounts counts;
    private final int frames;
    private final ReceivedFrame frame = new ReceivedFrame();
    private int at;
    private long place;

    /**
     * A ring of which no frame has been read.
     *
     * @param ring   whole blocks.
     * @param counts the port's counters.
     */
    PacketRing(final MemorySegment ring, final PortCounts counts) {
        this.ring = ring;
        this.counts = counts;
        this.frames = Math.toIntExact(ring.byteSize() / BLOCK_BYTES) * FRAMES_PER_BLOCK;
    }

    /** Takes packets, as many as fit; those of other senders only. */
    int receive(final PacketBurst into) {
        final int before = into.size();
        while (into.room() > 0 && (!frame.done || begin())) {
            final PortCounter what = frame.give(into);
            if (what == PortCounter.RX_DROPPED_TOO_LONG) {
                counts.addTooLong(frame.longest());
            } else if (what != PortCounter.RX_PACKETS) {
                counts.add(what, 1);
            }
            if (frame.done) {
                release();
            }
        }
        counts.addReceived(into, before);
        return into.size() - before;
    }

    /** Begins the next frame that holds a packet for us; false if there is none. */
    private boolean begin() {
        while (true) {
            place = (long) (at / FRAMES_PER_BLOCK) * BLOCK_BYTES + (long) (at % FRAMES_PER_BLOCK) * FRAME_BYTES;
            final int status = (int) STATUS.getAcquire(ring, place); // the kernel wrote the frame before
            if ((status & USER) == 0) {
                return false;
            }
            final PortCounter wrong = read(status);
            if (wrong == PortCounter.RX_PACKETS) {
                return true;
            }
            if (wrong == PortCounter.RX_DROPPED_TOO_LONG) {
                counts.addTooLong(ring.get(JAVA_INT, place + LENGTH));
            } else if (wrong != null) {
                counts.add(wrong, 1);
            }
            release();
        }
    }

    /** Reads a frame's head: what becomes of it, or null if it is one that this machine has sent. */
    private PortCounter read(final int status) {
        final int length = ring.get(JAVA_INT, place + LENGTH);
        final int kept = ring.get(JAVA_INT, place + KEPT_LENGTH);
        final int mac = ring.get(SHORT, place + MAC) & 0xFFFF;
        if ((ring.get(ValueLayout.JAVA_BYTE, place + ADDRESS_KIND) & 0xFF) == OUTGOING) {
            return null;
        }
        if (kept != length || mac + kept > FRAME_BYTES) {
            return PortCounter.RX_DROPPED_TOO_LONG;
        }
        frame.begin(ring, place + mac, kept, tag(status));
        final long vnet = place + mac - VNET_BYTES;
        final boolean isGood = frame.offload((ring.get(SHORT, place + NETWORK) & 0xFFFF) - mac,
            ring.get(ValueLayout.JAVA_BYTE, vnet), ring.get(ValueLayout.JAVA_BYTE, vnet + 1) & 0xFF,
            number(vnet + 4), number(vnet + 6), number(vnet + 8));
        return isGood ? PortCounter.RX_PACKETS : PortCounter.RX_DROPPED_OFFLOAD;
    }

    private int number(final long offset) {
        return ring.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) & 0xFFFF;
    }

    private int tag(final int status) {
        if ((status & VLAN_VALID) == 0) {
            return ReceivedFrame.NO_TAG;
        }
        final int tpid = (status & VLAN_TPID_VALID) == 0 ? DOT1Q : ring.get(SHORT, place + TPID) & 0xFFFF;
        return tpid << Short.SIZE | ring.get(SHORT, place + TCI) & 0xFFFF;
    }

    /** Gives the frame back to the kernel. */
    private void release() {
        STATUS.setRelease(ring, place, 0); // our reads came before
        at = at + 1 == frames ? 0 : at + 1;
    }

    /**
     * A frame as a packet socket hands it over, and what is still to be done so that it is one that crosses a wire: put
     * its VLAN tag back, finish its checksum, cut a large TCP or UDP packet into the packets that its sender meant
     * (docs/live.md; struct virtio_net_hdr). The bytes are anybody's, so every length in them is checked. One thread.
     * <pre>
     *    0        6        12     14          network       transport            header            length
     *    +--------+--------+------+-----------+-------------+--------------------+-----------------+
     *    | to     | from   | type | more tags | IP header   | TCP or UDP header  | payload         |
     *    +--------+--------+------+-----------+-------------+--------------------+-----------------+
     *                      ^ the tag goes here
     * </pre>
     */
    static final class ReceivedFrame {
        /** Bits of the flags: the checksum is not finished. */
        static final int NEEDS_CHECKSUM = 1;
        /** Kinds of large packets; a bit more says that congestion marks are in use. */
        static final int GSO_NONE = 0;
        static final int GSO_TCP4 = 1;
        static final int GSO_TCP6 = 4;
        static final int GSO_UDP = 5;
        static final int GSO_ECN = 0x80;
        /** There is no VLAN tag to put back. */
        static final int NO_TAG = -1;

        private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
        private static final int ADDRESSES = 12;
        private static final int TAG_BYTES = 4;
        private static final int ETHERNET = 14;
        private static final int IP4_LEAST = 20;
        private static final int IP6_HEADER = 40;
        private static final int TCP_LEAST = 20;
        private static final int TCP_FLAGS = 13;
        private static final int TCP_CHECKSUM = 16;
        private static final int UDP_HEADER = 8;
        private static final int UDP_CHECKSUM = 6;
        private static final int SCTP = 132;
        private static final int SCTP_CHECKSUM = 8;
        /** FIN and PSH are the last packet's, CWR the first's. */
        private static final int LAST_ONLY = 0x09;
        private static final int FIRST_ONLY = 0x80;

        private MemorySegment bytes;
        private long offset;
        private int length;
        private int tag;
        private int network;
        private boolean needsChecksum;
        private int transport;
        private int checksum;
        private boolean isTcp;
        /** Bytes before the payload that every packet has; 0: the frame is one packet. */
        private int header;
        private int part;
        private int next;
        /** Whether all packets of the frame have been given. */
        boolean done = true;

        /** Begins a frame without offload. */
        void begin(final MemorySegment source, final long at, final int frameBytes, final int vlanTag) {
            bytes = source;
            offset = at;
            length = frameBytes;
            tag = vlanTag;
            needsChecksum = false;
            header = 0;
            next = 0;
            done = false;
        }

        /**
         * Says what is left to do with the frame that has begun.
         *
         * @param networkAt  where the IP header begins, from the frame's start.
         * @param flags      of struct virtio_net_hdr.
         * @param kind       its gso_type.
         * @param partBytes  its gso_size.
         * @param start      its csum_start.
         * @param at         its csum_offset.
         * @return false if this cannot be done; the frame is over.
         */
        boolean offload(final int networkAt, final int flags, final int kind, final int partBytes, final int start,
            final int at) {
            network = networkAt;
            transport = start;
            checksum = start + at;
            needsChecksum = (flags & NEEDS_CHECKSUM) != 0;
            final boolean fits = !needsChecksum || start >= ETHERNET && checksum + Short.BYTES <= length;
            final boolean isPlain = (kind & ~GSO_ECN) == GSO_NONE;
            done = !fits || !isPlain && !canBeCut(kind & ~GSO_ECN, partBytes, at);
            return !done;
        }

        private boolean canBeCut(final int kind, final int partBytes, final int at) {
            isTcp = kind == GSO_TCP4 || kind == GSO_TCP6;
            if (!needsChecksum || !isTcp && kind != GSO_UDP || partBytes < 1
                || at != (isTcp ? TCP_CHECKSUM : UDP_CHECKSUM)
                || network < ETHERNET || transport < network + IP4_LEAST
                || transport + (isTcp ? TCP_LEAST : UDP_HEADER) > length) {
                return false;
            }
            final int version = bytes.get(BYTE, offset + network) >>> 4 & 0xF;
            final boolean hasNetwork = version == 4 && ip4Header() >= IP4_LEAST && network + ip4Header() <= transport
                || version == 6 && transport >= network + IP6_HEADER;
            final int own = isTcp ? (bytes.get(BYTE, offset + transport + TCP_FLAGS - 1) >>> 4 & 0xF) * Integer.BYTES
                : UDP_HEADER;
            header = transport + own;
            part = partBytes;
            return hasNetwork && own >= (isTcp ? TCP_LEAST : UDP_HEADER) && header < length;
        }

        private int ip4Header() {
            return (bytes.get(BYTE, offset + network) & 0xF) * Integer.BYTES;
        }

        /**
         * Adds the frame's packets to a burst, as many as there is room for; those without room come with the next
         * call.
         *
         * @return what becomes of the frame: {@link PortCounter#RX_PACKETS}, or why it is dropped.
         */
        PortCounter give(final PacketBurst into) {
            final int shift = shift();
            if (length == 0 || longest() > into.maxBytes()) {
                done = true;
                return length == 0 ? PortCounter.RX_DROPPED_EMPTY : PortCounter.RX_DROPPED_TOO_LONG;
            }
            while (!done && into.room() > 0) {
                if (header == 0) {
                    giveWhole(into, shift);
                    done = true;
                } else {
                    givePart(into, shift);
                    next++;
                    done = header + (long) next * part >= length;
                }
            }
            return PortCounter.RX_PACKETS;
        }

        /** Bytes of the longest of the frame's packets. */
        int longest() {
            return (header == 0 ? length : Math.min(length, header + part)) + shift();
        }

        private int shift() {
            return tag == NO_TAG || length < ADDRESSES ? 0 : TAG_BYTES;
        }

        private void giveWhole(final PacketBurst into, final int shift) {
            final MemorySegment to = into.bytes();
            final long place = into.place();
            copyHead(to, place, length, shift);
            if (needsChecksum) {
                finish(to, place + shift, length, to.get(SHORT, place + shift + checksum) & 0xFFFF);
            }
            into.add(length + shift);
        }

        /** Copies the first bytes of the frame, with the tag behind the addresses. */
        private void copyHead(final MemorySegment to, final long place, final int count, final int shift) {
            if (shift == 0) {
                MemorySegment.copy(bytes, offset, to, place, count);
            } else {
                MemorySegment.copy(bytes, offset, to, place, ADDRESSES);
                to.set(INT, place + ADDRESSES, tag);
                MemorySegment.copy(bytes, offset + ADDRESSES, to, place + ADDRESSES + TAG_BYTES, count - ADDRESSES);
            }
        }

        private void givePart(final PacketBurst into, final int shift) {
            final MemorySegment to = into.bytes();
            final long place = into.place();
            final int from = header + next * part;
            final int payload = Math.min(part, length - from);
            final int size = header + payload;
            copyHead(to, place, header, shift);
            MemorySegment.copy(bytes, offset + from, to, place + shift + header, payload);
            final long start = place + shift;
            setNetwork(to, start + network, size - network);
            final long own = start + transport;
            if (isTcp) {
                to.set(INT, own + Integer.BYTES, to.get(INT, own + Integer.BYTES) + next * part);
                final int kept = (from + payload < length ? ~LAST_ONLY : -1) & (next > 0 ? ~FIRST_ONLY : -1);
                to.set(BYTE, own + TCP_FLAGS, (byte) (to.get(BYTE, own + TCP_FLAGS) & kept));
            } else {
                to.set(SHORT, own + Integer.BYTES, (short) (size - transport));
            }
            // The field holds the sum of the addresses and of the large packet's length.
            final int begun = bytes.get(SHORT, offset + checksum) & 0xFFFF;
            finish(to, start, size, InternetChecksum.fold(
                (long) begun + (~(length - transport) & 0xFFFF) + (size - transport)));
            into.add(size + shift);
        }

        private void setNetwork(final MemorySegment to, final long at, final int size) {
            if ((to.get(BYTE, at) >>> 4 & 0xF) == 6) {
                to.set(SHORT, at + Integer.BYTES, (short) (size - IP6_HEADER));
                return;
            }
            to.set(SHORT, at + Short.BYTES, (short) size);
            to.set(SHORT, at + Integer.BYTES, (short) (to.get(SHORT, at + Integer.BYTES) + next));
            to.set(SHORT, at + 10, (short) 0);
            to.set(SHORT, at + 10, (short) ~InternetChecksum.sum(to, at, ip4Header()));
        }

        private boolean isSctp(final MemorySegment to, final long start) {
            if (network < ETHERNET || network + IP4_LEAST > transport) {
                return false;
            }
            final long at = start + network;
            return (to.get(BYTE, at + ((to.get(BYTE, at) >>> 4 & 0xF) == 6 ? 6 : 9)) & 0xFF) == SCTP;
        }

        /** SCTP has a CRC32c (RFC 9260, appendix A), which is not that of other protocols. */
        private void finishSctp(final MemorySegment to, final long start, final int size) {
            to.set(INT, start + checksum, 0);
            final CRC32C crc = new CRC32C();
            crc.update(to.asSlice(start + transport, size - transport).asByteBuffer());
            to.set(INT, start + checksum, Integer.reverseBytes((int) crc.getValue()));
        }

        /** Writes the checksum of a packet, from what its field held before. */
        private void finish(final MemorySegment to, final long start, final int size, final int begun) {
            if (checksum - transport == SCTP_CHECKSUM && isSctp(to, start)) {
                finishSctp(to, start, size);
                return;
            }
            to.set(SHORT, start + checksum, (short) begun);
            final int sum = ~InternetChecksum.sum(to, start + transport, size - transport) & 0xFFFF;
            // UDP: 0 would say that there is no checksum.
            to.set(SHORT, start + checksum, (short) (sum == 0 && checksum - transport == UDP_CHECKSUM ? 0xFFFF : sum));
        }

        /**
         * The checksum of IP, TCP and UDP (RFC 1071): the complement of the one's complement sum of 16-bit words. Sums
         * have the byte order of the packet's words, big-endian. Any thread.
         */
        private static final class InternetChecksum {
            private static final ValueLayout.OfInt INT =
                ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
            private static final ValueLayout.OfShort SHORT =
                ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

            private InternetChecksum() {
            }

            /** One's complement sum, 0 to 0xFFFF, of bytes; an odd number of them is filled up with a zero. */
            static int sum(final MemorySegment bytes, final long offset, final long length) {
                // The sum of swapped words is the swapped sum, so words are read four bytes at a time in the machine's
                // order.
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
    }
}
