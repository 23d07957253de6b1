package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.tools.input.InputException;

import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port to a memif 2.0 peer, in either role. One thread owns it, moves packets and calls {@link #poll}. Between open
 * and close only {@code poll} makes system calls: it accepts or connects a peer, and notices its end. While a peer is
 * connected, {@code poll} makes one non-blocking system call at most every {@link #LOOK_NS}, so every round may call
 * it.
 *
 * <p>A peer that breaks a rule, dies or leaves is disconnected with a {@link MemifFault}: its memory is unmapped and
 * its descriptors are closed. {@link #lastFault} keeps the reason. The port stays open: a server accepts the next peer,
 * a client reconnects. Both sides have to poll: a peer that waits for interrupts is not woken (docs/spec/memif.md §8).
 */
public final class MemifPort implements PeeredPort {
    /** Interval between checks of the sockets. */
    public static final long LOOK_NS = 100_000;

    /** Interval between a client's attempts to connect. */
    public static final long RETRY_NS = 100_000_000;

    /** Name sent to peers. */
    static final String NAME = "skerry";

    private final MemifAddress address;
    private final MemifServer server;
    private final boolean ownsServer;
    private final PortCounts counts = new PortCounts();
    private final AtomicReference<String> news = new AtomicReference<>("");
    private MemifConnection connection;
    private MemifLink link;
    private MemifFault lastFault;
    private String lastReason = "";
    private long nextLookNs;
    private boolean looked;
    private boolean closed;

    /** Creates a port of a server, or of a client if {@code server} is null. */
    MemifPort(final MemifAddress address, final MemifServer server, final boolean ownsServer) {
        this.address = address;
        this.server = server;
        this.ownsServer = ownsServer;
    }

    /**
     * Opens a port. A server listens at once, with this port alone on its socket. A client connects in {@code poll} and
     * retries until it succeeds.
     *
     * @throws InputException if the socket cannot be created, or the system does not support memif.
     */
    public static MemifPort open(final MemifAddress address) {
        if (!System.getProperty("os.name").equals("Linux") || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new InputException("memif", address.toString(), "memif ports need Linux on x86-64 or aarch64",
                "use another kind of port");
        }
        return address.role() == MemifRole.SERVER
            ? new MemifServer(address.path(), address.isAbstract()).openAlone(address)
            : new MemifPort(address, null, false);
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
        final int work = server != null ? server.poll(nowNs)
            : connection != null ? connection.poll(nowNs) : connect(nowNs);
        settle();
        return work;
    }

    private int connect(final long nowNs) {
        final int fd = UnixSocket.connect(address.path(), address.isAbstract());
        if (fd < 0) {
            lastFault = MemifFault.SOCKET;
            lastReason = "SOCKET: cannot connect: " + UnixSocket.reason(fd);
            news.set(lastReason + ", trying again");
            nextLookNs = nowNs + RETRY_NS;
            return 0;
        }
        connection = new MemifConnection(fd, own -> new MemifClientSession(own, address, counts), nowNs);
        return 1;
    }

    /** Updates the port's state from its connection. */
    void settle() {
        if (connection == null) {
            return;
        }
        if (connection.isEnded()) {
            counts.add(link == null ? PortCounter.PEERS_REFUSED : PortCounter.LINKS_DOWN, 1);
            note(connection);
            if (link != null) {
                link.takeBack();
                link = null;
            }
            connection = null;
            if (server == null) {
                nextLookNs += RETRY_NS;
            }
        } else if (link == null && connection.link() != null) {
            link = connection.link();
            counts.add(PortCounter.LINKS_UP, 1);
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
        if (connection != null) {
            connection.end(MemifFault.CLOSED, "");
            settle();
        }
        if (server != null) {
            server.remove(this);
            if (ownsServer) {
                server.close();
            }
        }
    }

    /** Gives the port a peer that requested it. Returns false if it has one. */
    boolean attach(final MemifConnection peer) {
        if (connection != null) {
            return false;
        }
        connection = peer;
        return true;
    }

    /** Whether a connection belongs to this port. */
    boolean has(final MemifConnection peer) {
        return connection == peer;
    }

    /** Records a peer that was refused before it became this port's. */
    void refused(final MemifConnection peer) {
        counts.add(PortCounter.PEERS_REFUSED, 1);
        note(peer);
    }

    private void note(final MemifConnection peer) {
        lastFault = peer.fault();
        lastReason = peer.reason();
        news.set("the peer is gone or was turned away: " + lastReason);
    }
}
