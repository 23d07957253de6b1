package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.TapPort.TapSettings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A port to a network interface of this machine, over packet sockets (AF_PACKET): it takes what the interface receives
 * and sends what crosses the fabric. Packets come by a ring in shared memory without a system call ({@link
 * PacketRing}); they go in batches by another socket that receives nothing ({@link PacketSender}). What this machine
 * sends at the interface does not come in. Checksums and packets that a sender left to the device are finished here
 * ({@link PacketRing.ReceivedFrame}). One thread.
 *
 * <p>The port is up while the interface is and has a carrier. If the interface is removed, the port fails.
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
            if (!System.getProperty("os.name").equals("Linux")) {
                throw port.wrong("packet sockets need Linux", "use another kind of port");
            }
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
            require("tell about offloads", Libc.setOption(rxFd, SOL_PACKET, VNET_HDR, 1));
            // Before Linux 4.20 there is no such option; the ring leaves those packets out too.
            Libc.setOption(rxFd, SOL_PACKET, IGNORE_OUTGOING, 1);
            final int blocks = settings.ringMib() / (PacketRing.BLOCK_BYTES >> 20);
            require("give memory for a ring of " + settings.ringMib() + " MiB", Libc.setOption(rxFd, SOL_PACKET,
                RX_RING, temporary.allocateFrom(JAVA_INT, PacketRing.BLOCK_BYTES, blocks, PacketRing.FRAME_BYTES,
                    blocks * PacketRing.FRAMES_PER_BLOCK)));
            final MemorySegment mapped = Libc.map(rxFd, (long) blocks * PacketRing.BLOCK_BYTES, arena);
            if (mapped == null) {
                throw wrong("the receive ring cannot be mapped", "give a smaller ring, ring=4");
            }
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
        // Without a protocol it receives nothing before it is bound to one.
        final int fd = Libc.socket(AF_PACKET, SOCK_RAW, 0);
        if (fd < 0) {
            throw fd == -Libc.EPERM || fd == -Libc.EACCES
                ? wrong("you may not open packet sockets", "run it as root or with CAP_NET_RAW")
                : wrong("the system has no packet sockets: errno=" + -fd, "load the module with: modprobe af_packet");
        }
        return fd;
    }

    private int index() {
        MemorySegment.copy(Libc.request(arena, settings.name()), 0, request, 0, Libc.REQUEST_BYTES);
        final int found = Libc.ioctl(txFd, SIOCGIFINDEX, request);
        if (found < 0) {
            throw wrong(found == -Libc.ENODEV ? "there is no such interface" : "errno=" + -found,
                "see ip link for names");
        }
        final int number = request.get(JAVA_INT, Libc.REQUEST_UNION);
        require("tell its kind", Libc.ioctl(txFd, SIOCGIFHWADDR, request));
        if (request.get(JAVA_SHORT, Libc.REQUEST_UNION) != ETHERNET) {
            throw wrong("it is not an Ethernet interface", "choose another one");
        }
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
        if (result < 0) {
            throw wrong("the system refuses to " + what + ": errno=" + -result, "see what it says");
        }
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
            // The first packet that is left is the one refused.
            counts.add(error == Libc.EMSGSIZE ? PortCounter.TX_DROPPED_TOO_LONG
                : PortCounter.TX_DROPPED_REFUSED, 1);
            packet++;
        }
        return packet - first;
    }

    private InputException gone() {
        return wrong("somebody removed the interface", "the others go on without it");
    }

    /** Looks at the interface and at what its ring lost. */
    @Override
    boolean look() {
        if (Libc.getOption(rxFd, SOL_PACKET, STATISTICS, statistics, size) >= 0) {
            counts.add(PortCounter.RX_DROPPED_RING, statistics.get(JAVA_INT, Integer.BYTES) & 0xFFFF_FFFFL);
        }
        // The interface may have another name by now.
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
     * Sends bursts of packets over a packet socket, up to {@link #BATCH} with a system call (sendmmsg). One thread.
     * <pre>
     *    struct mmsghdr, 64 bytes a packet                      struct iovec, 16 bytes a packet
     *          16       24            56                              0         8
     *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
     *    |     | vector | 1    |      | sent |     |            |     | address | length |
     *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
     * </pre>
     */
    private static final class PacketSender {
        /** Most packets of a system call. */
        static final int BATCH = 64;

        private static final int MESSAGE_BYTES = 64;
        private static final int MESSAGE_VECTOR = 16;
        private static final int MESSAGE_VECTORS = 24;
        private static final int VECTOR_BYTES = 16;

        private final int fd;
        private final PortCounts counts;
        private final MemorySegment messages;
        private final MemorySegment vectors;
        /** Why the last call stopped, a negated errno; 0 if it did not. */
        private int error;

        /**
         * A sender.
         *
         * @param fd     socket, bound to an interface.
         * @param counts the port's counters.
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
         * Sends packets, as many as the system takes now.
         *
         * @return the first packet that it did not take; {@link #error} says why.
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
     * A network interface of the command line: {@code packet:IFACE[,promisc=on|off][,ring=MIB]}.
     *
     * @param name        name of the interface, see {@link TapPort.TapSettings#checkedName}.
     * @param promiscuous whether it receives packets to addresses of others too.
     * @param ringMib     size of the receive ring, in MiB, 4 to 1,024.
     */
    public record InterfaceSettings(String name, boolean promiscuous, int ringMib) {
        /** Kind of port on the command line. */
        public static final String KIND = "packet";

        private static final String ADVICE =
            "write packet:IFACE, for example packet:eth1, and after it promisc=off or ring=MIB as needed";
        private static final int RING_MIB = 16;
        private static final int MIN_MIB = 4;
        private static final int MAX_MIB = 1024;

        /**
         * Checks the bounds of the ring.
         *
         * @throws IllegalArgumentException if it is out of range.
         */
        public InterfaceSettings {
            Bounds.require("ring", ringMib, MIN_MIB, MAX_MIB);
        }

        /**
         * Parses settings.
         *
         * @throws InputException if they are wrong.
         */
        public static InterfaceSettings parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            if (!line.next()) {
                throw line.wrong("it names no interface");
            }
            final String name = TapSettings.checkedName(line);
            boolean promiscuous = true;
            int ring = RING_MIB;
            while (line.next()) {
                switch (line.key()) {
                    case "promisc" -> promiscuous = isOn(line);
                    case "ring" -> ring = (int) line.number(MIN_MIB, MAX_MIB);
                    default -> throw line.unknown();
                }
            }
            return new InterfaceSettings(name, promiscuous, ring);
        }

        private static boolean isOn(final PortText line) {
            return switch (line.value()) {
                case "on" -> true;
                case "off" -> false;
                default -> throw line.wrong("promisc must be on or off: " + line.part());
            };
        }
    }
}
