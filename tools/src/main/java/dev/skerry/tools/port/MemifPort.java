package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SecretFile;
import dev.skerry.tools.port.MemifConnection.MemfdRegion;
import dev.skerry.tools.port.MemifConnection.MemifClientSession;
import dev.skerry.tools.port.MemifConnection.MemifServerSession;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;
import dev.skerry.tools.port.MemifPort.MemifSockets.MemifServer;
import dev.skerry.tools.port.UnixSocket.MemifMessage;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A port to a memif 2.0 peer, in either role. The thread that owns it moves packets and calls {@link #poll}. Between
 * open and close, only {@code poll} makes system calls: it accepts or connects a peer and detects its end. While a peer
 * is connected, {@code poll} makes at most one non-blocking system call every {@link #LOOK_NS}, so it can be called in
 * every iteration.
 *
 * <p>A peer that violates the protocol, dies or leaves is disconnected with a {@link MemifFault}: its memory is
 * unmapped and its descriptors are closed. {@link #lastFault} keeps the reason. The port stays open: a server accepts
 * the next peer, a client reconnects. A peer that waits for interrupts is woken (docs/spec/memif.md §8); Skerry itself
 * polls.
 *
 * <p>Ports on one socket may belong to different threads. The thread that polls first accepts peers, and hands each one
 * to the thread of the port that the peer has chosen.
 */
public final class MemifPort implements LivePort {
    /** Interval between checks of the sockets. */
    public static final long LOOK_NS = 100_000;

    /** Interval between a client's attempts to connect. */
    public static final long RETRY_NS = 100_000_000;

    /** Time after which a polling peer has announced that it polls. */
    private static final long WAKE_NS = 1_000_000_000;

    /** Connection attempts between two searches for a socket of the other kind with the same name. */
    private static final int ATTEMPTS_PER_SEARCH = 16;

    /** Name sent to peers. */
    static final String NAME = "skerry";

    private final MemifAddress address;
    private final MemifServer server;
    private final PortCounts counts = new PortCounts();
    private final AtomicReference<String> status = new AtomicReference<>("");
    /** The peer that has chosen this port; set by the thread that polls the server, cleared by the port's thread. */
    private final AtomicReference<MemifConnection> chosen = new AtomicReference<>();
    /** Peers that the server refused before they had chosen a port. */
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();
    private final AtomicLong unread = new AtomicLong();
    private MemifConnection connection;
    private MemifLink link;
    private MemifFault lastFault;
    private String lastReason = "";
    private long nextLookNs;
    private boolean looked;
    private boolean closed;
    private int attempts;
    private long upNs;
    private boolean isDeaf;
    private String advice = "";

    /** A disconnected or refused peer with the reason. */
    private record Refusal(MemifFault fault, String reason) {
    }

    /** Creates a port of a server, or of a client if {@code server} is null. The address contains the secret itself. */
    MemifPort(final MemifAddress address, final MemifServer server) {
        this.address = address;
        this.server = server;
    }

    /**
     * Opens a port. A server listens immediately, with this port alone on its socket; use {@link MemifSockets} for
     * several. A client connects in {@code poll} and retries until it succeeds.
     *
     * @throws dev.skerry.tools.input.InputException if the socket cannot be created, or the system does not support
     *     memif.
     */
    public static MemifPort open(final MemifAddress address) {
        return new MemifSockets().open(address);
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        final MemifLink peer = link;
        return peer == null ? 0 : peer.receive(into);
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        final MemifLink peer = link;
        if (peer == null) {
            counts.add(PortCounter.TX_DOWN, 1);
            return 0;
        }
        return peer.send(from, first);
    }

    @Override
    public PacketBurst txLend(final int packets) {
        final MemifLink peer = link;
        return peer == null ? null : peer.lend(packets);
    }

    @Override
    public int poll(final long nowNs) {
        if (closed || looked && nowNs - nextLookNs < 0) {
            return 0;
        }
        looked = true;
        nextLookNs = nowNs + LOOK_NS;
        int work = 0;
        if (server != null) {
            work = server.poll(nowNs);
            adopt();
        }
        if (connection != null) {
            work += connection.poll(nowNs);
        } else if (server == null) {
            work += connect(nowNs);
        }
        settle();
        unread.setRelease(link == null ? 0 : link.unread());
        if (link != null && link.wakePeer() && !isDeaf && nowNs - upNs > WAKE_NS) {
            isDeaf = true;
            status.set("its peer waits for interrupts but has sent no eventfd: configure it to poll, for example with "
                + "VPP's set interface rx-mode NAME polling");
        }
        return work;
    }

    @Override
    public long unread() {
        return unread.getAcquire();
    }

    /** Takes over the peer and the refusals that the thread that polled the server has left for this port. */
    private void adopt() {
        if (connection == null) {
            final MemifConnection peer = chosen.get();
            connection = peer != null && peer.isHandedOver() ? peer : null;
        }
        Refusal refused = refusals.poll();
        while (refused != null) {
            counts.add(PortCounter.PEERS_REFUSED, 1);
            note(refused, false);
            refused = refusals.poll();
        }
    }

    private int connect(final long nowNs) {
        final int fd = UnixSocket.connect(address.path(), address.isAbstract());
        if (fd < 0) {
            lastFault = MemifFault.SOCKET;
            lastReason = "SOCKET: cannot connect: " + UnixSocket.reason(fd);
            if (attempts++ % ATTEMPTS_PER_SEARCH == 0) {
                advice = MemifSockets.advice(address);
            }
            status.set(lastReason + advice + ", trying again");
            nextLookNs = nowNs + RETRY_NS;
            return 0;
        }
        connection = new MemifConnection(fd, own -> own.new MemifClientSession(address, counts), nowNs);
        return 1;
    }

    /** Updates the port's state from its connection. */
    private void settle() {
        if (connection == null) {
            return;
        }
        if (connection.isEnded()) {
            counts.add(link == null ? PortCounter.PEERS_REFUSED : PortCounter.LINKS_DOWN, 1);
            counts.add(PortCounter.RX_LEFT, connection.left());
            note(new Refusal(connection.fault(), connection.reason()), link != null);
            if (link != null) {
                link.takeBack();
                link = null;
            }
            connection = null;
            chosen.set(null);
            if (server == null) {
                nextLookNs += RETRY_NS;
            }
        } else if (link == null && connection.link() != null) {
            link = connection.link();
            counts.add(PortCounter.LINKS_UP, 1);
            isDeaf = false;
            upNs = nextLookNs;
            status.set("it has a peer");
        }
    }

    @Override
    public boolean isUp() {
        return link != null && link.verdict().fault() == null;
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    /** Returns the address of this port. */
    public MemifAddress address() {
        return address;
    }

    /** Returns why the last peer was disconnected, refused or unreachable; null if there was no fault. */
    public MemifFault lastFault() {
        return lastFault;
    }

    /** Returns the last fault in one line with its numbers; empty if there was none. */
    public String lastReason() {
        return lastReason;
    }

    @Override
    public String status() {
        return status.get();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (server != null) {
            server.remove(this);
        }
        adopt();
        if (connection != null) {
            connection.end(MemifFault.CLOSED, "");
            settle();
            unread.set(0);
        }
    }

    /**
     * Attaches a peer that has requested this port; returns false if it has one. Called by the thread that polls the
     * server.
     */
    boolean attach(final MemifConnection peer) {
        return chosen.compareAndSet(null, peer);
    }

    /** Tells whether a connection belongs to this port. Any thread may call this. */
    boolean has(final MemifConnection peer) {
        return chosen.get() == peer;
    }

    /** Records a peer that was refused before it had chosen a port. Called by the thread that polls the server. */
    void refused(final MemifFault fault, final String reason) {
        refusals.add(new Refusal(fault, reason));
    }

    private void note(final Refusal peer, final boolean wasUp) {
        lastFault = peer.fault();
        lastReason = peer.reason();
        status.set((wasUp ? "the peer is gone: " : "a peer was rejected: ") + lastReason);
    }

    /**
     * A memif port on the command line: {@code
     * memif:PATH,server|client[,id=N][,ring=LOG2][,buffer=BYTES][,secret=@FILE|env:NAME|TEXT][,line=64|128]
     * [,abstract][,filter=EXPRESSION]}, for example {@code memif:/run/x.sock,server,id=0,ring=10,buffer=2048}.
     *
     * @param path        path of the socket, or its name if it is abstract.
     * @param isAbstract  whether the name is in Linux's abstract namespace, the default of testpmd.
     * @param role        server or client.
     * @param id          interface id on that socket, unsigned.
     * @param ringLog2    log2 of the slots of a ring, 1 to 14. A server offers it as the maximum. Its HELLO is sent
     *     before the peer chooses a port, so the maximum of all its ports applies.
     * @param bufferBytes size of the buffers that a client allocates, 64 to 65,536.
     * @param secret      secret shared with the peer, at most 23 bytes, or its source, see {@link #withSecret}; empty
     *     for none.
     * @param lineBytes   cache line size of the peer's build, 64 or 128 (docs/spec/memif.md §5); for a server.
     */
    public record MemifAddress(String path, boolean isAbstract, MemifRole role, int id, int ringLog2, int bufferBytes,
        String secret, int lineBytes) {
        /** Kind of port on the command line. */
        public static final String KIND = "memif";

        private static final String ADVICE = "write memif:PATH,server or memif:PATH,client followed by id=N, "
            + "ring=LOG2, buffer=BYTES, secret=@FILE, secret=env:NAME, line=64|128 or abstract if needed";
        private static final int RING_LOG2 = 10;
        private static final int BUFFER_BYTES = 2048;
        private static final long MAX_UNSIGNED = 0xFFFF_FFFFL;

        /** Checks the bounds of every component. */
        public MemifAddress {
            final int room = UnixSocket.MAX_PATH - (isAbstract ? 1 : 0);
            PortText.checkNot(path.isEmpty() || path.getBytes(StandardCharsets.UTF_8).length > room
                || path.indexOf('\0') >= 0, "path must be 1 to " + room + " bytes: path=" + path);
            PortText.checkNot(path.startsWith("@"), "'" + path + "' looks like an abstract socket, which is written "
                + KIND + ":" + path.substring(1) + "," + role + ",abstract");
            Bounds.require("ring", ringLog2, 1, MemifRing.MAX_LOG2_SLOTS);
            Bounds.require("buffer", bufferBytes, 64, 1 << 16);
            PortText.checkNot(MemifRing.regionBytes(ringLog2, bufferBytes) > MemfdRegion.MAX_BYTES,
                "the region for ring and buffer would exceed 1 GiB: ring=" + ringLog2 + " buffer=" + bufferBytes);
            if (!SecretFile.isElsewhere(secret)) {
                checkSecret(secret);
            }
            PortText.checkNot(lineBytes != 64 && lineBytes != 128, "line must be 64 or 128: line=" + lineBytes);
        }

        private static void checkSecret(final String secret) {
            PortText.checkNot(secret.length() >= MemifMessage.SECRET_BYTES
                || !StandardCharsets.ISO_8859_1.newEncoder().canEncode(secret),
                "secret must be at most 23 bytes: secret.length=" + secret.length());
        }

        /**
         * Parses an address. A secret in a file or variable is checked, unless it can be read only once, but not
         * stored.
         *
         * @throws InputException if the address is invalid.
         */
        public static MemifAddress parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            return line.read(() -> {
                final String path = line.first();
                line.value(PacketFilter.KEY);
                final boolean server = line.has("server");
                line.refuseIf(line.has("client") == server, server ? PortText.repeats("client")
                    : "neither server nor client is given");
                final String secret = line.value("secret");
                if (secret != null && !SecretFile.isReadOnce(secret)) {
                    read(secret);
                }
                return new MemifAddress(path, line.has("abstract"), server ? MemifRole.SERVER : MemifRole.CLIENT,
                    (int) line.number("id", 0, 0, MAX_UNSIGNED), (int) line.number("ring", RING_LOG2, 0, MAX_UNSIGNED),
                    (int) line.number("buffer", BUFFER_BYTES, 0, MAX_UNSIGNED), secret == null ? "" : secret,
                    (int) line.number("line", MemifRing.LINE_BYTES, 0, MAX_UNSIGNED));
            });
        }

        /**
         * Returns the address with the secret itself, read from its source. Call it once, for the port that is opened.
         *
         * @throws InputException if the secret cannot be read.
         */
        MemifAddress withSecret() {
            try {
                return secret.isEmpty() ? this
                    : new MemifAddress(path, isAbstract, role, id, ringLog2, bufferBytes, read(secret), lineBytes);
            } catch (final IllegalArgumentException e) {
                throw new PortText(KIND, toString(), ADVICE).wrong(e.getMessage());
            }
        }

        private static String read(final String option) {
            try {
                final String secret = SecretFile.text(option);
                checkSecret(secret);
                return secret;
            } catch (final IOException e) {
                throw new IllegalArgumentException("its secret can't be read: " + e.getMessage(), e);
            }
        }

        /** Returns a text that {@link #parse} accepts, without the secret. */
        @Override
        public String toString() {
            return KIND + ":" + path + "," + role + ",id=" + Integer.toUnsignedString(id) + ",ring=" + ringLog2
                + ",buffer=" + bufferBytes + (isAbstract ? ",abstract" : "");
        }

        /** The side that allocates the shared memory; independent of the direction of packets. */
        public enum MemifRole {
            /** Listens, and maps the client's memory. */
            SERVER,
            /** Connects, and allocates the memory. */
            CLIENT;

            /** Returns the role as it is typed. */
            @Override
            public String toString() {
                return this == SERVER ? "server" : "client";
            }
        }
    }

    /**
     * Opens memif ports. Servers with the same path share a socket, on which a peer chooses by id, as in VPP. The
     * socket is closed with its last port. Not thread-safe.
     */
    public static final class MemifSockets {
        private static final Path OPEN_SOCKETS = Path.of("/proc/net/unix");

        private final Map<String, MemifServer> servers = new HashMap<>();

        /** Creates an object without open sockets. */
        public MemifSockets() {
        }

        /**
         * Opens a port. A server listens immediately; a client connects in {@code poll} and retries until it succeeds.
         *
         * @throws InputException if the secret cannot be read, the socket cannot be created or has a port with this id,
         *     or the system does not support memif.
         */
        public MemifPort open(final MemifAddress named) {
            Choices.refuseIf(!Libc.IS_LINUX || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN, MemifAddress.KIND,
                named, "memif ports need Linux on x86-64 or aarch64", "use another kind of port");
            final MemifAddress address = named.withSecret();
            if (address.role() == MemifRole.CLIENT) {
                return new MemifPort(address, null);
            }
            final String key = (address.isAbstract() ? "@" : "") + address.path();
            MemifServer server = servers.get(key);
            if (server == null || server.closed) {
                server = new MemifServer(address.path(), address.isAbstract());
                servers.put(key, server);
            }
            return server.add(new MemifPort(address, server));
        }

        /**
         * Returns advice for a client that cannot connect: whether a process listens on a socket of the other kind,
         * file or abstract, with the same name. Empty if there is none, or it is not visible.
         */
        static String advice(final MemifAddress client) {
            if (client.isAbstract()) {
                return Files.exists(Path.of(client.path()))
                    ? ", but a file of this name exists; leave out abstract" : "";
            }
            try (Stream<String> lines = Files.lines(OPEN_SOCKETS)) {
                // DPDK's default. Some programs pad the name with zeros, which are shown as @.
                return lines.anyMatch(line -> line.replaceAll("@+$", "").endsWith(" @" + client.path()))
                    ? ", but a process listens at an abstract socket of this name; add ,abstract" : "";
            } catch (final IOException | java.io.UncheckedIOException e) {
                return "";
            }
        }

        /**
         * A listening socket and the server ports on it; peers choose a port by its id. Each port belongs to a thread.
         * The thread that polls its port first accepts peers, and the others do not wait for it. A peer that has chosen
         * a port is handed to the thread of the port. Only processes of the same user or of root may connect.
         */
        static final class MemifServer {
            /** Maximum number of peers that have not completed their handshake. */
            static final int MAX_WAITING = 8;

            private final String path;
            private final boolean isAbstract;
            private final int fd;
            /** Held by a thread that accepts peers, or adds or removes ports. */
            private final ReentrantLock lock = new ReentrantLock();
            private final List<MemifPort> ports = new ArrayList<>();
            private final List<MemifConnection> connections = new ArrayList<>();
            private boolean closed;

            /**
             * Starts to listen. Only the user can access the socket's file. A file left by a killed process is
             * replaced.
             *
             * @param path       path of the socket, or its name if it is abstract.
             * @param isAbstract whether the name is in Linux's abstract namespace.
             * @throws InputException if the socket cannot be created.
             */
            MemifServer(final String path, final boolean isAbstract) {
                this.path = path;
                this.isAbstract = isAbstract;
                int opened = UnixSocket.listen(path, isAbstract);
                if (opened == -Libc.EADDRINUSE && removeStale()) {
                    opened = UnixSocket.listen(path, isAbstract);
                }
                Choices.refuseIf(opened < 0, MemifAddress.KIND, path, opened == -Libc.EADDRINUSE
                    ? "the path is in use" : "the system refuses to listen there: " + UnixSocket.reason(opened),
                    "choose an unused path in a folder that you may write to");
                this.fd = opened;
            }

            private MemifPort add(final MemifPort port) {
                lock.lock();
                try {
                    Choices.refuseIf(port(port.address().id()) != null, MemifAddress.KIND, port.address(),
                        "the socket already has a port with this id", "give each port an id of its own");
                    ports.add(port);
                } finally {
                    lock.unlock();
                }
                return port;
            }

            /** Polls peers that have not chosen a port, and accepts new ones, unless another thread is doing so. */
            int poll(final long nowNs) {
                if (!lock.tryLock()) {
                    return 0;
                }
                try {
                    return closed ? 0 : letIn(nowNs);
                } finally {
                    lock.unlock();
                }
            }

            /** Iterates by index, because an iterator allocates. */
            private int letIn(final long nowNs) {
                int work = 0;
                int at = 0;
                while (at < connections.size()) {
                    final MemifConnection connection = connections.get(at);
                    work += connection.poll(nowNs);
                    if (hasChosen(connection)) {
                        connections.remove(at);
                        connection.handOver();
                    } else if (connection.isEnded()) {
                        refuse(connection.fault(), connection.reason());
                        connections.remove(at);
                    } else {
                        at++;
                    }
                }
                return work + accept(nowNs);
            }

            private boolean hasChosen(final MemifConnection connection) {
                for (int port = 0; port < ports.size(); port++) {
                    if (ports.get(port).has(connection)) {
                        return true;
                    }
                }
                return false;
            }

            /** Records the fault of a peer that had not chosen a port at every port. */
            private void refuse(final MemifFault fault, final String reason) {
                ports.forEach(port -> port.refused(fault, reason));
            }

            private int accept(final long nowNs) {
                int accepted = 0;
                while (accepted < MAX_WAITING) {
                    final int peer = Libc.accept(fd);
                    if (peer < 0) {
                        break;
                    }
                    accepted++;
                    final int user = Libc.peerUser(peer);
                    if (!MemifConnection.isTrusted(user)) {
                        // Nothing was allocated. The next peer waits for the next poll, because other users may connect
                        // to abstract sockets as often as they like.
                        Libc.close(peer);
                        refuse(MemifFault.PEER_USER, MemifConnection.foreign(user));
                        break;
                    }
                    final MemifConnection connection =
                        new MemifConnection(peer, own -> own.new MemifServerSession(this), nowNs);
                    if (connections.size() == MAX_WAITING) {
                        connection.end(MemifFault.PEER_CROWD, "");
                    }
                    if (connection.isEnded()) {
                        refuse(connection.fault(), connection.reason());
                    } else {
                        connections.add(connection);
                    }
                }
                return accepted;
            }

            /** Returns the port with an id, or null. */
            MemifPort port(final int id) {
                return ports.stream().filter(port -> port.address().id() == id).findFirst().orElse(null);
            }

            /** Returns the maximum of log2 of the ring slots over all ports. */
            int maxRingLog2() {
                return ports.stream().mapToInt(port -> port.address().ringLog2()).max().orElse(1);
            }

            /** Removes a closed port, which peers can then no longer choose. Closes the socket with its last port. */
            void remove(final MemifPort port) {
                lock.lock();
                try {
                    ports.remove(port);
                    if (ports.isEmpty() && !closed) {
                        close();
                    }
                } finally {
                    lock.unlock();
                }
            }

            /** Ends all connections, closes the socket and removes its file. */
            private void close() {
                closed = true;
                connections.forEach(connection -> connection.end(MemifFault.CLOSED, ""));
                connections.clear();
                Libc.close(fd);
                if (!isAbstract) {
                    try {
                        Files.deleteIfExists(Path.of(path));
                    } catch (final IOException e) {
                        // The file belongs to another process now, or its folder is gone. There is nothing left to
                        // remove.
                        assert e != null;
                    }
                }
            }

            /** Removes the file of a socket on which no process listens. */
            private boolean removeStale() {
                if (isAbstract) {
                    return false;
                }
                final int probe = UnixSocket.connect(path, false);
                if (probe >= 0) {
                    Libc.close(probe);
                }
                try {
                    return probe == -Libc.ECONNREFUSED && Files.readAttributes(Path.of(path), BasicFileAttributes.class,
                        LinkOption.NOFOLLOW_LINKS).isOther() && Files.deleteIfExists(Path.of(path));
                } catch (final IOException e) {
                    return false;
                }
            }
        }
    }
}
