package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.DevicePort.TapPort;
import dev.skerry.tools.port.DevicePort.TapPort.TapSettings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.zip.CRC32C;

/**
 * A port to a network interface of this machine over packet sockets (AF_PACKET): it receives the packets that the
 * interface receives, and sends packets that have crossed the fabric. Packets are received without a system call from a
 * ring in shared memory ({@link PacketRing}), and sent in batches through a second, send-only socket ({@link
 * PacketSender}). Packets that this machine sends through the interface are not received. Packets have the kernel's
 * time stamp of their receipt. Checksum and segmentation offloads that a sender left to the device are completed here
 * ({@link ReceivedFrame}). Not thread-safe.
 *
 * <p>The port is up while the interface is up and has a carrier. If the interface is removed, the port fails.
 */
public final class InterfacePort extends DevicePort {
    private static final int AF_PACKET = 17;
    private static final int SOCK_RAW = 3;
    private static final short ETH_P_ALL_BIG_ENDIAN = 0x0300;
    private static final int SOL_PACKET = 263;
    private static final int ADD_MEMBERSHIP = 1;
    private static final int RX_RING = 5;
    private static final int STATISTICS = 6;
    private static final int VERSION = 10;
    private static final int VNET_HDR = 15;
    private static final int IGNORE_OUTGOING = 23;
    private static final int TPACKET_V2 = 1;
    private static final short PROMISCUOUS = 1;
    private static final long SIOCGIFNAME = 0x8910;
    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCGIFHWADDR = 0x8927;
    private static final long SIOCGIFINDEX = 0x8933;
    private static final int UP_AND_RUNNING = 0x41;
    private static final int ETHERNET = 1;
    private static final int ADDRESS_BYTES = 20;
    private static final int MEMBERSHIP_BYTES = 16;

    private final InterfaceSettings settings;
    private final MemorySegment request = arena.allocate(Libc.REQUEST_BYTES, Long.BYTES);
    private final MemorySegment statistics = arena.allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment size = arena.allocate(Integer.BYTES, Integer.BYTES);
    private int rxFd = UnixSocket.NO_FD;
    private int txFd = UnixSocket.NO_FD;
    private int index;
    private PacketRing ring;
    private PacketSender sender;

    private InterfacePort(final InterfaceSettings settings) {
        super(InterfaceSettings.KIND, settings.name(), "the interface", "the interface is down or has no carrier");
        this.settings = settings;
    }

    /**
     * Opens the sockets.
     *
     * @throws InputException if there is no such interface, it is not Ethernet, or the system refuses.
     */
    public static InterfacePort open(final InterfaceSettings settings) {
        final InterfacePort port = new InterfacePort(settings);
        try {
            port.refuseIf(!Libc.IS_LINUX, "packet sockets need Linux", "use another kind of port");
            port.open();
            return port;
        } catch (final RuntimeException e) {
            port.close();
            throw e;
        }
    }

    private void open() {
        txFd = socket();
        rxFd = socket();
        index = index();
        try (Arena temporary = Arena.ofConfined()) {
            require("bind to it", bind(temporary, txFd, (short) 0));
            require("choose the ring's format", Libc.setOption(rxFd, SOL_PACKET, VERSION, TPACKET_V2));
            require("report offloads", Libc.setOption(rxFd, SOL_PACKET, VNET_HDR, 1));
            // Linux before 4.20 does not have this option; the ring skips outgoing packets as well.
            Libc.setOption(rxFd, SOL_PACKET, IGNORE_OUTGOING, 1);
            final int blocks = settings.ringMib() / (PacketRing.BLOCK_BYTES >> 20);
            require("allocate a ring of " + settings.ringMib() + " MiB", Libc.setOption(rxFd, SOL_PACKET,
                RX_RING, temporary.allocateFrom(JAVA_INT, PacketRing.BLOCK_BYTES, blocks, PacketRing.FRAME_BYTES,
                    blocks * PacketRing.FRAMES_PER_BLOCK)));
            final MemorySegment mapped = Libc.map(rxFd, (long) blocks * PacketRing.BLOCK_BYTES, arena);
            refuseIf(mapped == null, "the receive ring cannot be mapped", "give a smaller ring, ring=4");
            if (settings.promiscuous()) {
                final MemorySegment membership = temporary.allocate(MEMBERSHIP_BYTES, Long.BYTES);
                membership.set(JAVA_INT, 0, index);
                membership.set(JAVA_SHORT, Integer.BYTES, PROMISCUOUS);
                require("make it promiscuous", Libc.setOption(rxFd, SOL_PACKET, ADD_MEMBERSHIP, membership));
            }
            ring = new PacketRing(mapped, counts);
            sender = new PacketSender(arena, txFd, counts);
            require("bind to it", bind(temporary, rxFd, ETH_P_ALL_BIG_ENDIAN));
        }
    }

    private int socket() {
        // Without a protocol, the socket receives nothing until it is bound to one.
        final int fd = Libc.socket(AF_PACKET, SOCK_RAW, 0);
        refuseIf(fd == -Libc.EPERM || fd == -Libc.EACCES, "you may not open packet sockets",
            "run it as root or with CAP_NET_RAW");
        refuseIf(fd < 0, "the system has no packet sockets: errno=" + -fd, "load the module with: modprobe af_packet");
        return fd;
    }

    private int index() {
        MemorySegment.copy(Libc.request(arena, settings.name()), 0, request, 0, Libc.REQUEST_BYTES);
        final int found = Libc.ioctl(txFd, SIOCGIFINDEX, request);
        refuseIf(found < 0, found == -Libc.ENODEV ? "there is no such interface" : "errno=" + -found,
            "see ip link for names");
        final int number = request.get(JAVA_INT, Libc.REQUEST_UNION);
        require("report its type", Libc.ioctl(txFd, SIOCGIFHWADDR, request));
        refuseIf(request.get(JAVA_SHORT, Libc.REQUEST_UNION) != ETHERNET, "it is not an Ethernet interface",
            "choose another one");
        return number;
    }

    private int bind(final Arena temporary, final int fd, final short protocol) {
        final MemorySegment address = temporary.allocate(ADDRESS_BYTES, Long.BYTES);
        address.set(JAVA_SHORT, 0, (short) AF_PACKET);
        address.set(JAVA_SHORT, Short.BYTES, protocol);
        address.set(JAVA_INT, Integer.BYTES, index);
        return Libc.bind(fd, address, ADDRESS_BYTES);
    }

    private void require(final String what, final int result) {
        refuseIf(result < 0, "the system refuses to " + what + ": errno=" + -result, "look up the error number");
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        return isClosed() ? 0 : ring.receive(into);
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        if (!isUp()) {
            counts.add(PortCounter.TX_DOWN, 1);
            return 0;
        }
        int packet = first;
        while (packet < from.size()) {
            packet = sender.send(from, packet);
            final int error = -sender.error;
            if (error == 0) {
                break;
            }
            if (error == Libc.EAGAIN || error == Libc.ENOBUFS) {
                counts.add(PortCounter.TX_FULL, 1);
                break;
            }
            if (error == Libc.ENETDOWN) {
                up(false);
                break;
            }
            if (error == Libc.ENXIO || error == Libc.ENODEV) {
                throw gone();
            }
            // The first packet that is left was refused.
            counts.add(error == Libc.EMSGSIZE ? PortCounter.TX_DROPPED_TOO_LONG
                : PortCounter.TX_DROPPED_REFUSED, 1);
            packet++;
        }
        return packet - first;
    }

    private InputException gone() {
        return wrong("the interface was removed", "the other ports continue");
    }

    /** Checks the interface, and counts the packets that its ring has lost. */
    @Override
    boolean look() {
        ring.setClock();
        if (Libc.getOption(rxFd, SOL_PACKET, STATISTICS, statistics, size) >= 0) {
            counts.add(PortCounter.RX_DROPPED_RING, statistics.get(JAVA_INT, Integer.BYTES) & 0xFFFF_FFFFL);
        }
        // The interface may have been renamed.
        request.set(JAVA_INT, Libc.REQUEST_UNION, index);
        if (Libc.ioctl(txFd, SIOCGIFNAME, request) < 0) {
            throw gone();
        }
        return Libc.ioctl(txFd, SIOCGIFFLAGS, request) >= 0
            && (request.get(JAVA_SHORT, Libc.REQUEST_UNION) & UP_AND_RUNNING) == UP_AND_RUNNING;
    }

    @Override
    void release() {
        for (final int fd : new int[] {rxFd, txFd}) {
            if (fd >= 0) {
                Libc.close(fd);
            }
        }
    }

    /**
     * Sends bursts of packets over a packet socket, up to {@link #BATCH} per system call (sendmmsg). Not thread-safe.
     * <pre>
     *    struct mmsghdr, 64 bytes a packet                      struct iovec, 16 bytes a packet
     *          16       24            56                              0         8
     *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
     *    |     | vector | 1    |      | sent |     |            |     | address | length |
     *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
     * </pre>
     */
    private static final class PacketSender {
        /** Maximum number of packets per system call. */
        static final int BATCH = 64;

        private static final int MESSAGE_BYTES = 64;
        private static final int MESSAGE_VECTOR = 16;
        private static final int MESSAGE_VECTORS = 24;
        private static final int VECTOR_BYTES = 16;

        private final int fd;
        private final PortCounts counts;
        private final MemorySegment messages;
        private final MemorySegment vectors;
        /** Negated errno that stopped the last call; 0 if it did not stop. */
        private int error;

        /**
         * Creates a sender.
         *
         * @param arena  arena for the message headers.
         * @param fd     socket that is bound to an interface.
         * @param counts counters of the port.
         */
        PacketSender(final Arena arena, final int fd, final PortCounts counts) {
            this.fd = fd;
            this.counts = counts;
            this.messages = arena.allocate((long) BATCH * MESSAGE_BYTES, Long.BYTES);
            this.vectors = arena.allocate((long) BATCH * VECTOR_BYTES, Long.BYTES);
            for (int i = 0; i < BATCH; i++) {
                final long message = (long) i * MESSAGE_BYTES;
                messages.set(JAVA_LONG, message + MESSAGE_VECTOR, vectors.address() + (long) i * VECTOR_BYTES);
                messages.set(JAVA_LONG, message + MESSAGE_VECTORS, 1);
            }
        }

        /**
         * Sends as many packets as the system accepts now.
         *
         * @return the first packet that was not sent; {@link #error} has the reason.
         */
        int send(final PacketBurst from, final int first) {
            int packet = first;
            error = 0;
            while (packet < from.size() && error == 0) {
                final int some = Math.min(BATCH, from.size() - packet);
                fill(from, packet, some);
                final int sent = Libc.sendMany(fd, messages, some, Libc.MSG_DONTWAIT);
                if (sent < 0) {
                    error = sent;
                } else {
                    count(sent);
                    packet += sent;
                }
            }
            return packet;
        }

        private void fill(final PacketBurst from, final int first, final int some) {
            final long start = from.bytes().address();
            for (int i = 0; i < some; i++) {
                vectors.set(JAVA_LONG, (long) i * VECTOR_BYTES, start + from.offset(first + i));
                vectors.set(JAVA_LONG, (long) i * VECTOR_BYTES + Long.BYTES, from.length(first + i));
            }
        }

        private void count(final int sent) {
            long bytes = 0;
            for (int i = 0; i < sent; i++) {
                bytes += messages.get(JAVA_INT, (long) i * MESSAGE_BYTES + MESSAGE_BYTES - Long.BYTES);
            }
            counts.addSent(sent, bytes);
        }
    }

    /**
     * A network interface on the command line: {@code packet:IFACE[,promisc=on|off][,ring=MIB][,filter=EXPRESSION]}.
     *
     * @param name        name of the interface, see {@link TapPort.TapSettings#checkedName}.
     * @param promiscuous whether to also receive packets to other addresses.
     * @param ringMib     size of the receive ring in MiB, 4 to 1,024.
     */
    public record InterfaceSettings(String name, boolean promiscuous, int ringMib) {
        /** Kind of port on the command line. */
        public static final String KIND = "packet";

        private static final String ADVICE =
            "write packet:IFACE, for example packet:eth1, followed by promisc=off or ring=MIB if needed";
        private static final int RING_MIB = 16;
        private static final int MIN_MIB = 4;
        private static final int MAX_MIB = 1024;

        /**
         * Checks the size of the ring.
         *
         * @throws IllegalArgumentException if it is out of range.
         */
        public InterfaceSettings {
            Bounds.require("ring", ringMib, MIN_MIB, MAX_MIB);
        }

        /**
         * Parses the settings.
         *
         * @throws InputException if they are invalid.
         */
        public static InterfaceSettings parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            return line.read(() -> {
                line.value(PacketFilter.KEY);
                return new InterfaceSettings(TapSettings.checkedName(line, "interface"),
                    line.choice("promisc", "on", "off") <= 0, (int) line.number("ring", RING_MIB, MIN_MIB, MAX_MIB));
            });
        }
    }

    /**
     * The receive ring of a packet socket, TPACKET_V2 (linux/if_packet.h), mapped from the kernel. A frame belongs to
     * the kernel until the kernel sets its status to USER, and to this process until it resets the status. Not
     * thread-safe.
     * <pre>
     *    a block of 4 MiB: 63 frames                 a frame
     *    +---------+---------+-- --+---------+---+   0        16    20     24    28     32            mac - 10  mac
     *    | frame 0 | frame 1 |     | frame 62|   |   +--------+-----+------+-----+------+-------------+-------+-------+
     *    +---------+---------+-- --+---------+---+   | status | sec | nsec | tci | tpid | sockaddr_ll | vnet  | bytes |
     *                                                | length |     |      |     |      |             |       |       |
     *                                                +--------+-----+------+-----+------+-------------+-------+-------+
     * </pre>
     * A frame has room for the largest packet that a sender leaves to a device to segment, 64 KiB.
     */
    static final class PacketRing {
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
        private static final int SECONDS = 16;
        private static final int NANOS = 20;
        private static final int TCI = 24;
        private static final int TPID = 26;
        private static final int ADDRESS_KIND = 32 + 10;
        private static final int OUTGOING = 4;
        private static final int VNET_BYTES = 10;
        private static final int DOT1Q = 0x8100;
        private static final long SECOND_NS = 1_000_000_000;

        private final MemorySegment ring;
        private final PortCounts counts;
        private final int frames;
        private final ReceivedFrame frame = new ReceivedFrame();
        /** Offset from the kernel's time stamps, in ns since 1970, to {@link System#nanoTime()}. */
        private long clockNs;
        private int at;
        private long place;

        /**
         * Creates a ring before its first frame.
         *
         * @param ring   whole blocks.
         * @param counts counters of the port.
         */
        PacketRing(final MemorySegment ring, final PortCounts counts) {
            this.ring = ring;
            this.counts = counts;
            setClock();
            this.frames = Math.toIntExact(ring.byteSize() / BLOCK_BYTES) * FRAMES_PER_BLOCK;
        }

        /** Compares both clocks. Call this every few milliseconds, because the clock of the time stamps is adjusted. */
        void setClock() {
            final long beforeNs = System.nanoTime();
            final Instant now = Instant.now();
            clockNs = beforeNs + (System.nanoTime() - beforeNs) / 2 - now.getEpochSecond() * SECOND_NS - now.getNano();
        }

        /** Receives as many packets as fit; packets sent by this machine are skipped. */
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

        /** Moves to the next frame with a packet to receive; returns false if there is none. */
        private boolean begin() {
            while (true) {
                place = (long) (at / FRAMES_PER_BLOCK) * BLOCK_BYTES + (long) (at % FRAMES_PER_BLOCK) * FRAME_BYTES;
                final int status = (int) STATUS.getAcquire(ring, place); // the kernel wrote the frame before the status
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

        /** Reads the header of a frame. Returns the counter of its packet, or null if this machine sent the packet. */
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
            frame.stampNs = Math.min(System.nanoTime(), clockNs + ring.get(JAVA_INT, place + NANOS)
                + (ring.get(JAVA_INT, place + SECONDS) & 0xFFFF_FFFFL) * SECOND_NS);
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

        /** Returns the frame to the kernel. */
        private void release() {
            STATUS.setRelease(ring, place, 0); // all reads come before
            at = at + 1 == frames ? 0 : at + 1;
        }
    }

    /**
     * A frame as a packet socket delivers it. To turn it into a packet that can cross a wire, this class inserts its
     * VLAN tag, completes its checksum, and segments a large TCP or UDP packet as its sender intended (docs/live.md;
     * struct virtio_net_hdr). The bytes are untrusted, so every length in them is checked. Not thread-safe.
     * <pre>
     *    0        6        12     14          network       transport            header            length
     *    +--------+--------+------+-----------+-------------+--------------------+-----------------+
     *    | to     | from   | type | more tags | IP header   | TCP or UDP header  | payload         |
     *    +--------+--------+------+-----------+-------------+--------------------+-----------------+
     *                      ^ the tag goes here
     * </pre>
     */
    static final class ReceivedFrame {
        /** Flag: the checksum is incomplete. */
        static final int NEEDS_CHECKSUM = 1;
        /** Types of large packets; an additional bit indicates that congestion marks are in use. */
        static final int GSO_NONE = 0;
        static final int GSO_TCP4 = 1;
        static final int GSO_TCP6 = 4;
        static final int GSO_UDP = 5;
        static final int GSO_ECN = 0x80;
        /** Value for no VLAN tag. */
        static final int NO_TAG = -1;

        private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final ValueLayout.OfLong SWAPPED_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        private static final ValueLayout.OfInt SWAPPED_INT = INT.withOrder(ByteOrder.LITTLE_ENDIAN);
        private static final ValueLayout.OfShort SWAPPED_SHORT = SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
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
        /** FIN and PSH belong to the last packet, CWR to the first one. */
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
        /** Header bytes that every packet repeats; 0 if the frame is one packet. */
        private int header;
        private int part;
        private int next;
        /** Whether all packets of the frame have been delivered. */
        boolean done = true;
        /** Time at which the kernel received the frame, by {@link System#nanoTime()}. */
        long stampNs;

        /** Starts a frame without offloads. */
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
         * Sets the offloads to complete for the current frame.
         *
         * @param networkAt offset of the IP header in the frame.
         * @param flags     flags of struct virtio_net_hdr.
         * @param kind      its gso_type.
         * @param partBytes its gso_size.
         * @param start     its csum_start.
         * @param at        its csum_offset.
         * @return false if they cannot be completed; the frame is then finished.
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
         * Adds as many packets of the frame to a burst as it has room for; further calls add the remaining ones.
         *
         * @return {@link PortCounter#RX_PACKETS}, or the reason why the frame is dropped.
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

        /** Returns the length of the longest packet of the frame in bytes. */
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
            into.stampLast(stampNs);
        }

        /** Copies the first bytes of the frame, with the tag after the addresses. */
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
            // The field contains the sum of the addresses and of the length of the large packet.
            final int begun = bytes.get(SHORT, offset + checksum) & 0xFFFF;
            finish(to, start, size,
                (int) ProbeLayout.folded((long) begun + (~(length - transport) & 0xFFFF) + (size - transport)));
            into.add(size + shift);
            into.stampLast(stampNs);
        }

        private void setNetwork(final MemorySegment to, final long at, final int size) {
            if ((to.get(BYTE, at) >>> 4 & 0xF) == 6) {
                to.set(SHORT, at + Integer.BYTES, (short) (size - IP6_HEADER));
                return;
            }
            to.set(SHORT, at + Short.BYTES, (short) size);
            to.set(SHORT, at + Integer.BYTES, (short) (to.get(SHORT, at + Integer.BYTES) + next));
            to.set(SHORT, at + 10, (short) 0);
            to.set(SHORT, at + 10, (short) ~sum(to, at, ip4Header()));
        }

        private boolean isSctp(final MemorySegment to, final long start) {
            if (network < ETHERNET || network + IP4_LEAST > transport) {
                return false;
            }
            final long at = start + network;
            return (to.get(BYTE, at + ((to.get(BYTE, at) >>> 4 & 0xF) == 6 ? 6 : 9)) & 0xFF) == SCTP;
        }

        /** SCTP uses CRC32c (RFC 9260, appendix A) instead of the internet checksum. */
        private void finishSctp(final MemorySegment to, final long start, final int size) {
            to.set(INT, start + checksum, 0);
            final CRC32C crc = new CRC32C();
            crc.update(to.asSlice(start + transport, size - transport).asByteBuffer());
            to.set(INT, start + checksum, Integer.reverseBytes((int) crc.getValue()));
        }

        /** Writes the checksum of a packet, starting from the partial sum in its field. */
        private void finish(final MemorySegment to, final long start, final int size, final int begun) {
            if (checksum - transport == SCTP_CHECKSUM && isSctp(to, start)) {
                finishSctp(to, start, size);
                return;
            }
            to.set(SHORT, start + checksum, (short) begun);
            final int sum = ~sum(to, start + transport, size - transport) & 0xFFFF;
            // In UDP, a checksum of 0 means no checksum.
            to.set(SHORT, start + checksum, (short) (sum == 0 && checksum - transport == UDP_CHECKSUM ? 0xFFFF : sum));
        }

        /**
         * Returns the internet checksum of IP, TCP and UDP (RFC 1071) before inversion: the one's complement sum, 0 to
         * 0xFFFF, of 16-bit words in network byte order. An odd number of bytes is padded with a zero.
         */
        private static int sum(final MemorySegment bytes, final long offset, final int length) {
            // The sum of byte-swapped words is the byte-swapped sum, so eight bytes are read at a time in the machine's
            // byte order.
            long sum = 0;
            int at = 0;
            for (; at + 2 * Long.BYTES <= length; at += 2 * Long.BYTES) {
                sum += ProbeLayout.halves(bytes.get(SWAPPED_LONG, offset + at))
                    + ProbeLayout.halves(bytes.get(SWAPPED_LONG, offset + at + Long.BYTES));
            }
            for (; at + Integer.BYTES <= length; at += Integer.BYTES) {
                sum += bytes.get(SWAPPED_INT, offset + at) & 0xFFFF_FFFFL;
            }
            if (at + Short.BYTES <= length) {
                sum += bytes.get(SWAPPED_SHORT, offset + at) & 0xFFFFL;
                at += Short.BYTES;
            }
            if (at < length) {
                sum += bytes.get(BYTE, offset + at) & 0xFFL;
            }
            return (int) ProbeLayout.turned(sum);
        }
    }
}
