package dev.skerry.tools.port;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SecretFile;
import dev.skerry.tools.port.MemifConnection.MemfdRegion;
import dev.skerry.tools.port.MemifConnection.MemifClientSession;
import dev.skerry.tools.port.MemifSockets.MemifServer;
import dev.skerry.tools.port.UnixSocket.MemifMessage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port to a memif 2.0 peer, in either role. One thread owns it, moves packets and calls {@link #poll}. Between open
 * and close only {@code poll} makes system calls: it accepts or connects a peer, and notices its end. While a peer is
 * connected, {@code poll} makes one non-blocking system call at most every {@link #LOOK_NS}, so every round may call
 * it.
 *
 * <p>A peer that breaks a rule, dies or leaves is disconnected with a {@link MemifFault}: its memory is unmapped and
 * its descriptors are closed. {@link #lastFault} keeps the reason. The port stays open: a server accepts the next peer,
 * a client reconnects. Both sides have to poll: a peer that waits for interrupts is not woken (docs/spec/memif.md §8),
 * and {@link #news} says so.
 *
 * <p>Ports on one socket may belong to different threads. The one that polls first lets peers in, and hands each to the
 * thread of the port that it has chosen.
 */
public final class MemifPort implements LivePort {
    /** Interval between checks of the sockets. */
    public static final long LOOK_NS = 100_000;

    /** Interval between a client's attempts to connect. */
    public static final long RETRY_NS = 100_000_000;

    /** By then a peer that polls has said so. */
    private static final long WAKE_NS = 1_000_000_000;

    /** Attempts to connect for one look whether a socket of the other kind has the name. */
    private static final int ATTEMPTS_PER_SEARCH = 16;

    /** Name sent to peers. */
    static final String NAME = "skerry";

    private final MemifAddress address;
    private final MemifServer server;
    private final PortCounts counts = new PortCounts();
    private final AtomicReference<String> news = new AtomicReference<>("");
    /** The peer that has chosen this port, set by the thread that polls the server, cleared by the port's. */
    private final AtomicReference<MemifConnection> chosen = new AtomicReference<>();
    /** Peers that the server turned away before they chose a port. */
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
    private boolean isWakeLooked;
    private String advice = "";

    /** Why a peer was disconnected. */
    private record Refusal(MemifFault fault, String reason) {
    }

    /** Creates a port of a server, or of a client if {@code server} is null. The address has its secret. */
    MemifPort(final MemifAddress address, final MemifServer server) {
        this.address = address;
        this.server = server;
    }

    /**
     * Opens a port. A server listens at once, with this port alone on its socket, see {@link MemifSockets} for several.
     * A client connects in {@code poll} and retries until it succeeds.
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
        if (link != null && !isWakeLooked && nowNs - upNs > WAKE_NS) {
            isWakeLooked = true;
            if (!link.isPolled()) {
                news.set("its peer waits for interrupts, which are not sent: let it poll, for example with VPP's set "
                    + "interface rx-mode NAME polling");
            }
        }
        return work;
    }

    @Override
    public long unread() {
        return unread.getAcquire();
    }

    /** Takes over what the thread that polled the server has left for this port. */
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
            news.set(lastReason + advice + ", trying again");
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
            isWakeLooked = false;
            upNs = nextLookNs;
            news.set("it has a peer");
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

    /** Address of this port. */
    public MemifAddress address() {
        return address;
    }

    /** Why the last peer was disconnected, refused or unreachable; null if none was. */
    public MemifFault lastFault() {
        return lastFault;
    }

    /** The last fault in one line with its numbers; empty if there was none. */
    public String lastReason() {
        return lastReason;
    }

    @Override
    public String news() {
        return news.get();
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

    /** Gives the port a peer that requested it. Returns false if it has one. The thread that polls the server calls. */
    boolean attach(final MemifConnection peer) {
        return chosen.compareAndSet(null, peer);
    }

    /** Whether a connection belongs to this port; any thread may call. */
    boolean has(final MemifConnection peer) {
        return chosen.get() == peer;
    }

    /** Takes note of a peer that was refused before it chose a port. The thread that polls the server calls. */
    void refused(final MemifFault fault, final String reason) {
        refusals.add(new Refusal(fault, reason));
    }

    private void note(final Refusal peer, final boolean wasUp) {
        lastFault = peer.fault();
        lastReason = peer.reason();
        news.set((wasUp ? "the peer is gone: " : "a peer was turned away: ") + lastReason);
    }

    /**
     * A memif port of the command line: {@code
     * memif:PATH,server|client[,id=N][,ring=LOG2][,buffer=BYTES][,secret=@FILE|env:NAME|TEXT][,line=64|128]
     * [,abstract]}, for example {@code memif:/run/x.sock,server,id=0,ring=10,buffer=2048}.
     *
     * @param path        path of the socket, or its name if abstract.
     * @param isAbstract  whether the name is in Linux's abstract namespace, testpmd's default.
     * @param role        server or client.
     * @param id          interface id on that socket, unsigned.
     * @param ringLog2    log2 of the slots of a ring, 1 to 14. A server offers it as the maximum; since its HELLO
     *                    precedes the peer's choice of a port, the largest of all its ports counts.
     * @param bufferBytes size of the buffers that a client allocates, 64 to 65,536.
     * @param secret      secret that both sides share, at most 23 bytes, or where it is, see {@link #withSecret}; empty
     *                    for none.
     * @param lineBytes   cache line of the peer's build, 64 or 128 (docs/spec/memif.md §5); for a server.
     */
    public record MemifAddress(String path, boolean isAbstract, MemifRole role, int id, int ringLog2, int bufferBytes,
        String secret, int lineBytes) {
        /** Kind of port on the command line. */
        public static final String KIND = "memif";

        private static final String ADVICE = "write memif:PATH,server or memif:PATH,client and after it id=N, "
            + "ring=LOG2, buffer=BYTES, secret=@FILE, secret=env:NAME, line=64|128 or abstract as needed";
        private static final int RING_LOG2 = 10;
        private static final int BUFFER_BYTES = 2048;
        private static final long MAX_UNSIGNED = 0xFFFF_FFFFL;

        /** Checks the bounds of every component. */
        public MemifAddress {
            final int room = UnixSocket.MAX_PATH - (isAbstract ? 1 : 0);
            if (path.isEmpty() || path.getBytes(StandardCharsets.UTF_8).length > room || path.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("path must be 1 to " + room + " bytes: path=" + path);
            }
            if (path.startsWith("@")) {
                throw new IllegalArgumentException("'" + path + "' looks like an abstract socket, which is written "
                    + KIND + ":" + path.substring(1) + "," + role + ",abstract");
            }
            Bounds.require("ring", ringLog2, 1, MemifRing.MAX_LOG2_SLOTS);
            Bounds.require("buffer", bufferBytes, 64, 1 << 16);
            if (MemifRing.regionBytes(ringLog2, bufferBytes) > MemfdRegion.MAX_BYTES) {
                throw new IllegalArgumentException("ring and buffer make a region of more than 1 GiB: ring=" + ringLog2
                    + " buffer=" + bufferBytes);
            }
            if (!SecretFile.isElsewhere(secret)) {
                checkSecret(secret);
            }
            if (lineBytes != 64 && lineBytes != 128) {
                throw new IllegalArgumentException("line must be 64 or 128: line=" + lineBytes);
            }
        }

        private static void checkSecret(final String secret) {
            if (secret.length() >= MemifMessage.SECRET_BYTES
                || !StandardCharsets.ISO_8859_1.newEncoder().canEncode(secret)) {
                throw new IllegalArgumentException("secret must be at most 23 bytes: secret.length="
                    + secret.length());
            }
        }

        /**
         * Parses an address. Its secret is looked at, unless it can be read only once, and stays where it is.
         *
         * @throws InputException if it is wrong.
         */
        public static MemifAddress parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            final String path = line.first();
            MemifRole role = null;
            boolean isAbstract = false;
            int id = 0;
            int ring = RING_LOG2;
            int buffer = BUFFER_BYTES;
            String secret = null;
            int cacheLine = MemifRing.LINE_BYTES;
            while (line.next()) {
                switch (line.key()) {
                    case "server", "client" -> {
                        role = line.word() && line.key().equals("server") ? MemifRole.SERVER : MemifRole.CLIENT;
                        line.once("role");
                    }
                    case "abstract" -> isAbstract = line.word();
                    case "id" -> id = (int) line.number(0, MAX_UNSIGNED);
                    case "ring" -> ring = (int) line.number(0, MAX_UNSIGNED);
                    case "buffer" -> buffer = (int) line.number(0, MAX_UNSIGNED);
                    case "line" -> cacheLine = (int) line.number(0, MAX_UNSIGNED);
                    case "secret" -> secret = line.value();
                    default -> throw line.unknown();
                }
            }
            if (role == null) {
                throw line.wrong("it says neither server nor client");
            }
            try {
                if (secret != null && !SecretFile.isReadOnce(secret)) {
                    read(secret);
                }
                return new MemifAddress(path, isAbstract, role, id, ring, buffer, secret == null ? "" : secret,
                    cacheLine);
            } catch (final IllegalArgumentException e) {
                throw line.wrong(e.getMessage());
            }
        }

        /**
         * The address with the secret itself, read from where it is. Call it once, for the port that is opened.
         *
         * @throws InputException if it cannot be read.
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

        /** Text that {@link #parse} accepts, without the secret. */
        @Override
        public String toString() {
            return KIND + ":" + path + "," + role + ",id=" + Integer.toUnsignedString(id) + ",ring=" + ringLog2
                + ",buffer=" + bufferBytes + (isAbstract ? ",abstract" : "");
        }

        /** Which side allocates the shared memory; independent of the direction of packets. */
        public enum MemifRole {
            /** Listens, and maps the client's memory. */
            SERVER,
            /** Connects, and allocates the memory. */
            CLIENT;

            /** As it is written. */
            @Override
            public String toString() {
                return this == SERVER ? "server" : "client";
            }
        }
    }
}
