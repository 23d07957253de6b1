package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifVerdict;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The control channel to one peer. It owns everything that belongs to the peer: the socket, and the arena that maps its
 * memory. Every way out is {@link #end}: it stops access to the rings, unmaps memory, closes descriptors and records
 * one fault. Never blocks. One thread at a time: a server's until {@link #handOver}, then that of the peer's port.
 */
final class MemifConnection {
    /** Time limit of the whole handshake in ns, long enough for a peer on a busy machine. */
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
    private boolean ended;
    private int left;

    /**
     * Creates a connection and sends its first message if the role speaks first.
     *
     * @param fd      connected socket, owned by the connection from now on.
     * @param session creates the state machine of the role.
     * @param nowNs   current time in ns.
     */
    MemifConnection(final int fd, final Function<MemifConnection, MemifSession> session, final long nowNs) {
        this.socket = UnixSocket.of(fd);
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
        if (!ended && session.link() == null && nowNs - deadlineNs >= 0) {
            end(MemifFault.TIMEOUT, "");
        }
        return count;
    }

    /** Hands the connection to the thread of its port; the server leaves it alone from now on. */
    void handOver() {
        handedOver.set(true);
    }

    /** Whether the connection is its port's; any thread may call. */
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
            // Report the loss, but read on: the peer's last message may still state its reason.
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

    /** Sends a message with a descriptor, which stays the caller's, or {@link UnixSocket#NO_FD}. */
    void send(final MemifMessage message, final int fd) {
        // Other errors mean that the peer is gone. The next receive reports that, after the peer's last messages.
        if (socket.send(message, fd) == -Libc.EAGAIN) {
            end(MemifFault.PEER_DEAF, "");
        }
    }

    /** Takes the descriptor that came with the message; the caller closes it. Records a fault if there is none. */
    int takeFd() {
        final int fd = socket.takeFd();
        if (fd == UnixSocket.NO_FD) {
            verdict.raise(MemifFault.FD_MISSING, 0, 1);
        }
        return fd;
    }

    /** Whether a user's processes may be peers, server or client: this one's, or root's. */
    static boolean isTrusted(final int user) {
        return user == 0 || user == Libc.user();
    }

    /** The fault of a peer of another user, in one line. */
    static String foreign(final int user) {
        return MemifFault.PEER_USER.name() + ": " + MemifFault.PEER_USER.sentence() + ": its user id is " + user;
    }

    MemifVerdict verdict() {
        return verdict;
    }

    /** Arena that maps the peer's memory; closed at the end. */
    Arena arena() {
        return arena;
    }

    /** The rings while the connection carries packets, else null. */
    MemifLink link() {
        return ended ? null : session.link();
    }

    /** Whether the connection has ended; {@link #fault} then has the reason. */
    boolean isEnded() {
        return ended;
    }

    /** Why the connection ended or is about to end; null if there is no fault. */
    MemifFault fault() {
        return verdict.fault();
    }

    /** The fault in one line. */
    String reason() {
        return verdict.fault().name() + ": " + (detail == null ? verdict
            : verdict.fault().sentence() + (detail.isEmpty() ? "" : ": " + detail));
    }

    /** Packets that the peer had sent and that were not taken when the connection ended; 0 after its fault. */
    int left() {
        return left;
    }

    /** Ends the connection. Keeps an earlier fault. */
    void end(final MemifFault fault, final String why) {
        if (!ended && session.link() != null) {
            left = session.link().left();
            session.link().countUnread();
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
    }

    private void endIfFaulty() {
        if (!ended && verdict.fault() != null) {
            end(verdict.fault(), "");
        }
    }

    private static String printable(final String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
