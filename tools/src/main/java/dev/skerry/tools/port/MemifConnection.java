package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifEnd.MemifBuffers;
import dev.skerry.dataplane.port.MemifEnd.MemifRegions;
import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifReceiver;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.MemifSender;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifSockets.MemifServer;
import dev.skerry.tools.port.UnixSocket.MemifMessage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The control connection to one peer. It owns all resources of the peer: the socket, and the arena that maps its
 * memory. Every connection ends with {@link #end}, which stops access to the rings, unmaps memory, closes descriptors
 * and records one fault. Never blocks. Used by one thread at a time: by a server's until {@link #handOver}, then by the
 * thread of the port.
 */
final class MemifConnection {
    /** Time limit of the handshake in ns, long enough for a peer on a loaded machine. */
    static final long HANDSHAKE_NS = 5_000_000_000L;

    private static final int MESSAGES_PER_POLL = 64;
    private static final int DISCONNECT_CODE = 0;

    private final UnixSocket socket;
    private final Arena arena = Arena.ofShared();
    private final MemifVerdict verdict = new MemifVerdict();
    private final MemifSession session;
    private final long deadlineNs;
    private final AtomicBoolean handedOver = new AtomicBoolean();
    private String detail = "";
    private final List<Integer> eventFds = new ArrayList<>();
    private boolean ended;
    private int left;

    /**
     * Creates a connection. If its role sends the first message, sends it.
     *
     * @param fd      connected socket, which the connection closes.
     * @param session creates the state machine of the role.
     * @param nowNs   current time in ns.
     */
    MemifConnection(final int fd, final Function<MemifConnection, MemifSession> session, final long nowNs) {
        this.socket = new UnixSocket(fd);
        this.deadlineNs = nowNs + HANDSHAKE_NS;
        this.session = session.apply(this);
        final int user = socket.peerUser();
        if (isTrusted(user)) {
            this.session.start();
            endIfFaulty();
        } else {
            end(MemifFault.PEER_USER, "its user id is " + user);
        }
    }

    /**
     * Receives the peer's messages and checks the rings for faults.
     *
     * @return number of messages received.
     */
    int poll(final long nowNs) {
        endIfFaulty();
        int count = 0;
        while (!ended && count < MESSAGES_PER_POLL && receive()) {
            count++;
            endIfFaulty();
        }
        if (!ended && session.link == null && nowNs - deadlineNs >= 0) {
            end(MemifFault.TIMEOUT, "");
        }
        return count;
    }

    /** Hands the connection to the thread of its port. The server does not use it afterwards. */
    void handOver() {
        handedOver.set(true);
    }

    /** Tells whether the connection has been handed to its port. Any thread may call this. */
    boolean isHandedOver() {
        return handedOver.get();
    }

    /** Receives one message. Returns false if there is none. */
    private boolean receive() {
        final int size = socket.receive();
        if (size == -Libc.EAGAIN) {
            return false;
        }
        if (size == -Libc.ECONNRESET) {
            // The connection is lost, but keep reading: the peer's last message may contain its reason.
            return true;
        }
        if (size <= 0) {
            end(MemifFault.PEER_GONE, size < 0 ? "errno=" + -size : "");
        } else if (size != MemifMessage.BYTES || socket.isTruncated()) {
            verdict.raise(MemifFault.MESSAGE_SIZE, size, MemifMessage.BYTES);
        } else {
            final MemifMessage message = MemifMessage.decode(socket.message());
            if (message == null) {
                end(MemifFault.MESSAGE_UNKNOWN, "");
            } else if (message instanceof final MemifMessage.Disconnect disconnect) {
                end(MemifFault.PEER_DISCONNECT, disconnect.reason());
            } else {
                dispatch(message);
            }
        }
        return true;
    }

    private void dispatch(final MemifMessage message) {
        session.on(message);
        if (!ended && verdict.fault() == null && socket.fdCount() > 0) {
            verdict.raise(MemifFault.FD_SUPERFLUOUS, socket.fdCount(), 0);
        }
    }

    /** Sends a message with a descriptor, which the caller still owns, or {@link UnixSocket#NO_FD}. */
    void send(final MemifMessage message, final int fd) {
        // Other errors mean that the peer is gone. The next receive reports this, after the peer's last messages.
        if (socket.send(message, fd) == -Libc.EAGAIN) {
            end(MemifFault.PEER_DEAF, "");
        }
    }

    /** Returns the descriptor of the current message, which the caller closes. Records a fault if there is none. */
    int takeFd() {
        final int fd = socket.takeFd();
        if (fd == UnixSocket.NO_FD) {
            verdict.raise(MemifFault.FD_MISSING, 0, 1);
        }
        return fd;
    }

    /** Tells whether processes of a user may be peers: those of this user and of root may. */
    static boolean isTrusted(final int user) {
        return user == 0 || user == Libc.user();
    }

    /** Returns the fault for a peer of another user, in one line. */
    static String foreign(final int user) {
        return MemifFault.PEER_USER.name() + ": " + MemifFault.PEER_USER.sentence() + ": its user id is " + user;
    }

    /** Returns the rings while the connection carries packets, otherwise null. */
    MemifLink link() {
        return ended ? null : session.link;
    }

    /** Tells whether the connection has ended; {@link #fault} then has the reason. */
    boolean isEnded() {
        return ended;
    }

    /** Returns the fault because of which the connection has ended or is about to end; null if there is none. */
    MemifFault fault() {
        return verdict.fault();
    }

    /** Returns the fault in one line. */
    String reason() {
        return verdict.fault().name() + ": " + (detail == null ? verdict
            : verdict.fault().sentence() + (detail.isEmpty() ? "" : ": " + detail));
    }

    /**
     * Returns the packets from the peer that had not been received when the connection ended; 0 after a fault of the
     * peer.
     */
    int left() {
        return left;
    }

    /** Ends the connection. An earlier fault is kept. */
    void end(final MemifFault fault, final String why) {
        if (!ended && session.link != null) {
            left = session.link.left();
            session.link.countUnread();
        }
        if (verdict.fault() == null) {
            verdict.raise(fault, 0, 0);
            detail = printable(why);
        } else if (!ended) {
            detail = null;
        }
        if (ended) {
            return;
        }
        ended = true;
        if (verdict.fault() != MemifFault.PEER_GONE && verdict.fault() != MemifFault.PEER_DEAF) {
            socket.send(new MemifMessage.Disconnect(DISCONNECT_CODE, verdict.fault().sentence()), UnixSocket.NO_FD);
        }
        arena.close();
        socket.close();
        eventFds.forEach(Libc::close);
    }

    /**
     * Keeps a descriptor that wakes the peer until the connection ends.
     *
     * @return action that wakes the peer; null if the descriptor is not an eventfd. It is then closed.
     */
    private Runnable waking(final int fd) {
        if (!Libc.isEventFd(fd)) {
            Libc.close(fd);
            return null;
        }
        eventFds.add(fd);
        final MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
        final MemorySegment question = arena.allocate(Long.BYTES, Long.BYTES);
        return () -> {
            // A full eventfd already wakes its reader, and a write would block.
            if ((Libc.poll(fd, question) & Libc.POLLOUT) != 0) {
                Libc.write(fd, one.address(), Long.BYTES);
            }
        };
    }

    private void endIfFaulty() {
        if (!ended && verdict.fault() != null) {
            end(verdict.fault(), "");
        }
    }

    private static String printable(final String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }

    /** The state machine of a role, driven by the peer's messages. Reports faults to its connection. */
    abstract sealed class MemifSession {
        /** The rings when both sides are connected, otherwise null. */
        MemifLink link;

        /** Sends the first message if the role sends it. */
        void start() {
        }

        /** Handles a message; gets its descriptors from the connection. */
        abstract void on(MemifMessage message);
    }

    /**
     * The client side of the handshake. Each message waits for the server's answer (docs/spec/memif.md §3):
     * <pre>
     *   HELLO -> INIT | ACK -> ADD_REGION | ACK -> ADD_RING C2S | ACK -> ADD_RING S2C | ACK -> CONNECT | CONNECTED
     * </pre>
     * Any other message ends the connection. The client shares one region with one ring per direction (see {@link
     * MemifRing}).
     */
    final class MemifClientSession extends MemifSession {
        /** Last message sent, in the order of the handshake. */
        private enum Step { NOTHING, INIT, REGION, C2S_RING, S2C_RING, CONNECT, CONNECTED }

        private static final int ETHERNET = 0;

        private final MemifAddress address;
        private final PortCounts counts;
        private Step step = Step.NOTHING;
        private int ringLog2;
        private MemorySegment region;
        private MemifRing c2s;
        private MemifRing s2c;
        private Runnable wake;

        /**
         * Creates a session that waits for the server's HELLO.
         *
         * @param address requested interface.
         * @param counts  counters of the port.
         */
        MemifClientSession(final MemifAddress address, final PortCounts counts) {
            this.address = address;
            this.counts = counts;
        }

        @Override
        void on(final MemifMessage message) {
            final boolean expected = switch (message) {
                case final MemifMessage.Hello hello -> step == Step.NOTHING;
                case final MemifMessage.Ack ack -> step != Step.NOTHING && step.compareTo(Step.CONNECT) < 0;
                case final MemifMessage.Connected connected -> step == Step.CONNECT;
                default -> false;
            };
            if (!expected) {
                end(MemifFault.MESSAGE_ORDER, message.toString());
            } else if (message instanceof final MemifMessage.Hello hello) {
                onHello(hello);
            } else if (message instanceof MemifMessage.Connected) {
                onConnected();
            } else {
                onAck();
            }
        }

        private void onHello(final MemifMessage.Hello hello) {
            if (hello.minVersion() > MemifMessage.VERSION || hello.maxVersion() < MemifMessage.VERSION) {
                verdict.raise(MemifFault.VERSION, hello.minVersion(), MemifMessage.VERSION);
            } else if (hello.maxLog2() < 1) {
                verdict.raise(MemifFault.LIMITS, hello.maxLog2(), 1);
            } else {
                ringLog2 = Math.min(hello.maxLog2(), address.ringLog2());
                say(Step.INIT, new MemifMessage.Init(
                    MemifMessage.VERSION, address.id(), ETHERNET, address.secret(), MemifPort.NAME), UnixSocket.NO_FD);
            }
        }

        private void onAck() {
            switch (step) {
                case INIT -> addRegion();
                case REGION -> addRing(Step.C2S_RING, true, 0);
                case C2S_RING -> addRing(Step.S2C_RING, false, ringBytes());
                default -> say(Step.CONNECT, new MemifMessage.Connect(MemifPort.NAME), UnixSocket.NO_FD);
            }
        }

        private void addRegion() {
            final long bytes = MemifRing.regionBytes(ringLog2, address.bufferBytes());
            final int fd = MemfdRegion.create(bytes);
            if (fd < 0) {
                end(MemifFault.REGION_UNMAPPABLE, "errno=" + -fd);
                return;
            }
            region = Libc.map(fd, bytes, arena);
            if (region == null) {
                verdict.raise(MemifFault.REGION_UNMAPPABLE, bytes, MemfdRegion.MAX_BYTES);
            } else {
                c2s = new MemifRing(region, 0, ringLog2, MemifRing.LINE_BYTES);
                s2c = new MemifRing(region, ringBytes(), ringLog2, MemifRing.LINE_BYTES);
                c2s.format();
                s2c.format();
                say(Step.REGION, new MemifMessage.AddRegion(0, bytes), fd);
            }
            Libc.close(fd);
        }

        private void addRing(final Step next, final boolean isC2s, final long offset) {
            // The server may wait for the eventfd of C2S. The one of S2C is never used, because this client polls.
            final int fd = Libc.eventfd();
            if (fd < 0) {
                end(MemifFault.SOCKET, "eventfd: errno=" + -fd);
                return;
            }
            say(next, new MemifMessage.AddRing(isC2s, 0, 0, offset, ringLog2, 0), fd);
            if (isC2s && !ended) {
                wake = waking(fd);
            } else {
                Libc.close(fd);
            }
        }

        private void onConnected() {
            c2s.reset();
            s2c.reset();
            s2c.maskInterrupts();
            step = Step.CONNECTED;
            link = new MemifLink(
                new MemifReceiver[] {MemifReceiver.ofClient(s2c, buffers(1), verdict, counts)},
                new MemifSender[] {MemifSender.ofClient(c2s, buffers(0), verdict, counts).wakenBy(wake)}, verdict);
        }

        private MemifBuffers buffers(final int ring) {
            return new MemifBuffers(0, region,
                MemifRing.buffersOffset(ring, ringLog2, address.bufferBytes()), address.bufferBytes(), 1 << ringLog2);
        }

        private long ringBytes() {
            return MemifRing.ringBytes(ringLog2, MemifRing.LINE_BYTES);
        }

        private void say(final Step next, final MemifMessage message, final int fd) {
            step = next;
            send(message, fd);
        }
    }

    /**
     * The server side of the handshake (docs/spec/memif.md §3):
     * <pre>
     *   HELLO -> | INIT -> ACK | ADD_REGION -> ACK, one or more | ADD_RING -> ACK, two or more | CONNECT -> CONNECTED
     * </pre>
     * Any other message ends the connection.
     */
    final class MemifServerSession extends MemifSession {
        /** Maximum index of a region, and of a ring in each direction. */
        static final int MAX_INDEX = 15;

        private static final int ETHERNET = 0;

        private final MemifServer server;
        private final List<MemorySegment> regions = new ArrayList<>();
        private final List<MemifRing> c2s = new ArrayList<>();
        private final List<MemifRing> s2c = new ArrayList<>();
        /** For each S2C ring, the action that wakes the peer. */
        private final List<Runnable> wakes = new ArrayList<>();
        private final int maxRingLog2;
        private long bytes;
        private MemifPort port;

        /**
         * Creates a session.
         *
         * @param server     server whose ports the peer may choose.
         */
        MemifServerSession(final MemifServer server) {
            this.server = server;
            this.maxRingLog2 = server.maxRingLog2();
        }

        @Override
        void start() {
            say(new MemifMessage.Hello(MemifPort.NAME, MemifMessage.VERSION, MemifMessage.VERSION,
                MAX_INDEX, MAX_INDEX, MAX_INDEX, maxRingLog2));
        }

        @Override
        void on(final MemifMessage message) {
            if (link != null || (port == null) != (message instanceof MemifMessage.Init)) {
                end(MemifFault.MESSAGE_ORDER, message.toString());
                return;
            }
            switch (message) {
                case final MemifMessage.Init init -> onInit(init);
                case final MemifMessage.AddRegion region -> onRegion(region);
                case final MemifMessage.AddRing ring -> onRing(ring);
                case final MemifMessage.Connect connect -> onConnect();
                default -> end(MemifFault.MESSAGE_ORDER, message.toString());
            }
        }

        private void onInit(final MemifMessage.Init init) {
            final MemifPort wanted = server.port(init.id());
            if (init.version() != MemifMessage.VERSION) {
                verdict.raise(MemifFault.VERSION, init.version(), MemifMessage.VERSION);
            } else if (init.mode() != ETHERNET) {
                verdict.raise(MemifFault.MODE, init.mode(), ETHERNET);
            } else if (wanted == null) {
                end(MemifFault.ID_UNKNOWN, "id=" + Integer.toUnsignedString(init.id()));
            } else if (!same(init.secret(), wanted.address().secret())) {
                end(MemifFault.SECRET, "");
            } else if (!wanted.attach(MemifConnection.this)) {
                end(MemifFault.ID_TAKEN, "id=" + Integer.toUnsignedString(init.id()));
            } else {
                port = wanted;
                say(new MemifMessage.Ack());
            }
        }

        private void onRegion(final MemifMessage.AddRegion region) {
            if (region.index() != regions.size() || region.index() > MAX_INDEX) {
                verdict.raise(MemifFault.REGION_INDEX, region.index(), Math.min(regions.size(), MAX_INDEX));
                return;
            }
            if (region.size() < 1 || region.size() > MemfdRegion.MAX_BYTES - bytes) {
                verdict.raise(MemifFault.REGION_SIZE, region.size(), MemfdRegion.MAX_BYTES - bytes);
                return;
            }
            final int fd = takeFd();
            if (fd == UnixSocket.NO_FD) {
                return;
            }
            final MemorySegment segment =
                MemfdRegion.adopt(fd, region.size(), arena, verdict);
            Libc.close(fd);
            if (segment != null) {
                regions.add(segment);
                bytes += region.size();
                say(new MemifMessage.Ack());
            }
        }

        private void onRing(final MemifMessage.AddRing ring) {
            final List<MemifRing> rings = ring.c2s() ? c2s : s2c;
            final int line = port.address().lineBytes();
            if (ring.index() != rings.size() || ring.index() > MAX_INDEX) {
                verdict.raise(MemifFault.RING_INDEX, ring.index(), Math.min(rings.size(), MAX_INDEX));
            } else if (ring.log2Size() < 1 || ring.log2Size() > maxRingLog2) {
                verdict.raise(MemifFault.RING_SIZE, ring.log2Size(), maxRingLog2);
            } else if (ring.privateBytes() != 0) {
                verdict.raise(MemifFault.RING_PRIVATE, ring.privateBytes(), 0);
            } else if (ring.region() >= regions.size()) {
                verdict.raise(MemifFault.REGION_INDEX, ring.region(), regions.size());
            } else if (!MemifRing.fits(regions.get(ring.region()).byteSize(), ring.offset(), ring.log2Size(), line)) {
                verdict.raise(MemifFault.RING_PLACE, ring.offset(), regions.get(ring.region()).byteSize());
            } else {
                final int fd = takeFd();
                if (fd != UnixSocket.NO_FD) {
                    if (ring.c2s()) {
                        // The eventfd would wake this server. It polls, so the type of the descriptor does not matter.
                        Libc.close(fd);
                    } else {
                        wakes.add(waking(fd));
                    }
                    rings.add(new MemifRing(regions.get(ring.region()), ring.offset(), ring.log2Size(), line));
                    say(new MemifMessage.Ack());
                }
            }
        }

        private void onConnect() {
            if (c2s.isEmpty() || s2c.isEmpty()) {
                verdict.raise(MemifFault.RING_NONE, Math.min(c2s.size(), s2c.size()), 1);
                return;
            }
            if (hasCookies(c2s) && hasCookies(s2c)) {
                c2s.forEach(MemifRing::reset);
                s2c.forEach(MemifRing::reset);
                c2s.forEach(MemifRing::maskInterrupts);
                final MemifRegions all = new MemifRegions(regions.toArray(MemorySegment[]::new));
                final PortCounts counts = port.counts();
                link = new MemifLink(
                    c2s.stream().map(ring -> MemifReceiver.ofServer(ring, all, verdict, counts))
                        .toArray(MemifReceiver[]::new),
                    IntStream.range(0, s2c.size()).mapToObj(ring -> MemifSender.ofServer(s2c.get(ring), all, verdict,
                        counts).wakenBy(wakes.get(ring))).toArray(MemifSender[]::new), verdict);
                say(new MemifMessage.Connected(MemifPort.NAME));
            }
        }

        private boolean hasCookies(final List<MemifRing> rings) {
            for (final MemifRing ring : rings) {
                final int cookie = ring.cookie();
                if (cookie != MemifRing.COOKIE) {
                    verdict.raise(MemifFault.COOKIE, cookie, MemifRing.COOKIE);
                    return false;
                }
            }
            return true;
        }

        /** Compares in constant time, so that timing does not reveal how much matches. */
        private static boolean same(final String said, final String secret) {
            return MessageDigest.isEqual(
                said.getBytes(StandardCharsets.ISO_8859_1), secret.getBytes(StandardCharsets.ISO_8859_1));
        }

        private void say(final MemifMessage message) {
            send(message, UnixSocket.NO_FD);
        }

    }

    /**
     * Shared memory that cannot shrink: a memfd with the seal F_SEAL_SHRINK. Without the seal, the peer could truncate
     * the file, and the next access would raise SIGBUS (docs/spec/memif.md §10).
     */
    static final class MemfdRegion {
        /** Maximum total size of all regions of a peer in bytes. */
        static final long MAX_BYTES = 1L << 30;

        private MemfdRegion() {
        }

        /**
         * Creates a zeroed, sealed memory file.
         *
         * @param bytes size of the file.
         * @return its descriptor, which the caller closes, or a negated errno.
         */
        static int create(final long bytes) {
            final int fd = Libc.memfdCreate("skerry-memif", Libc.MFD_CLOEXEC | Libc.MFD_ALLOW_SEALING);
            if (fd < 0) {
                return fd;
            }
            int result = Libc.ftruncate(fd, bytes);
            if (result >= 0) {
                result = Libc.fcntl(fd, Libc.F_ADD_SEALS, Libc.F_SEAL_SHRINK);
            }
            if (result < 0) {
                Libc.close(fd);
                return result;
            }
            return fd;
        }

        /**
         * Maps a peer's memory file. The file is sealed before its size is read, so that the peer cannot shrink it in
         * between.
         *
         * @param fd      descriptor from the peer, which may refer to anything; the caller still owns it.
         * @param bytes   size that the peer claims, 1 to {@link #MAX_BYTES}.
         * @param arena   arena that unmaps it when it is closed.
         * @param verdict receives the fault.
         * @return the region, or null if it is refused.
         */
        static MemorySegment adopt(final int fd, final long bytes, final Arena arena, final MemifVerdict verdict) {
            int seals = Libc.fcntl(fd, Libc.F_GET_SEALS, 0);
            if (seals >= 0 && (seals & Libc.F_SEAL_SHRINK) == 0) {
                final int added = Libc.fcntl(fd, Libc.F_ADD_SEALS, Libc.F_SEAL_SHRINK);
                seals = added < 0 ? added : Libc.fcntl(fd, Libc.F_GET_SEALS, 0);
            }
            if (seals < 0 || (seals & Libc.F_SEAL_SHRINK) == 0) {
                verdict.raise(MemifFault.REGION_UNSEALED, seals, Libc.F_SEAL_SHRINK);
                return null;
            }
            final long size = Libc.fileBytes(fd);
            if (size < bytes) {
                verdict.raise(MemifFault.REGION_SHORT, size, bytes);
                return null;
            }
            final MemorySegment region = Libc.map(fd, bytes, arena);
            if (region == null) {
                verdict.raise(MemifFault.REGION_UNMAPPABLE, bytes, MAX_BYTES);
            }
            return region;
        }
    }
}
