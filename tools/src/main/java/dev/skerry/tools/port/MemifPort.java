package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.tools.port.MemifConnection.MemifClientSession;

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
public final class MemifPort implements PeeredPort {
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
    private final boolean ownsServer;
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
    MemifPort(final MemifAddress address, final MemifServer server, final boolean ownsServer) {
        this.address = address;
        this.server = server;
        this.ownsServer = ownsServer;
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
        final boolean isLast = server != null && server.remove(this);
        dropPeer();
        if (isLast && ownsServer) {
            server.close();
        }
    }

    /** Ends the connection, if there is one. No other thread may use the port. */
    void dropPeer() {
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
}
