package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifVerdict;

import java.lang.foreign.Arena;
import java.util.function.Function;

/**
 * The control channel to one peer, from the first message to the end. It owns everything that belongs to the peer: the
 * socket, and the arena in which its memory is mapped. Every way out is {@link #end}: rings are not touched any more,
 * memory is unmapped, descriptors are closed, and one fault says why. One thread at a time; never waits.
 */
final class MemifConnection {
    /** From the first message to the last of the handshake; for a peer on a busy machine. */
    static final long HANDSHAKE_NS = 5_000_000_000L;

    private static final int MESSAGES_PER_POLL = 64;
    private static final int DISCONNECT_CODE = 0;

    private final UnixSocket socket;
    private final Arena arena = Arena.ofShared();
    private final MemifVerdict verdict = new MemifVerdict();
    private final MemifSession session;
    private final long deadlineNs;
    private String detail = "";
    private boolean ended;

    /**
     * A connection that has said its first word.
     *
     * @param fd      a connected socket; its own from now on.
     * @param session makes the state machine.
     * @param nowNs   the time.
     */
    MemifConnection(final int fd, final Function<MemifConnection, MemifSession> session, final long nowNs) {
        this.socket = UnixSocket.of(fd);
        this.deadlineNs = nowNs + HANDSHAKE_NS;
        this.session = session.apply(this);
        this.session.start();
        endIfFaulty();
    }

    /**
     * Takes in what the peer has said, and notices faults of the rings.
     *
     * @return how many messages there were.
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

    /** One message; false if there is none. */
    private boolean receive() {
        final int size = socket.receive();
        if (size == -Libc.EAGAIN) {
            return false;
        }
        if (size == -Libc.ECONNRESET) {
            // Said once, before what the peer sent last: its reason may still be there to be read.
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

    /** Sends a message, with a descriptor that stays the caller's, or {@link UnixSocket#NO_FD}. */
    void send(final MemifMessage message, final int fd) {
        // Other errors mean that the peer is gone; the next receive says so, after its last words.
        if (socket.send(message, fd) == -Libc.EAGAIN) {
            end(MemifFault.PEER_DEAF, "");
        }
    }

    /** The descriptor that came with the message, the caller's to close; without one, notes the fault. */
    int takeFd() {
        final int fd = socket.takeFd();
        if (fd == UnixSocket.NO_FD) {
            verdict.raise(MemifFault.FD_MISSING, 0, 1);
        }
        return fd;
    }

    /** User id of the peer, or a negative error. */
    int peerUser() {
        return socket.peerUser();
    }

    /** Where faults go. */
    MemifVerdict verdict() {
        return verdict;
    }

    /** In which the peer's memory is mapped; closed at the end. */
    Arena arena() {
        return arena;
    }

    /** The rings while packets can travel, or null. */
    MemifLink link() {
        return ended ? null : session.link();
    }

    /** Whether it is over; then {@link #fault} says why. */
    boolean isEnded() {
        return ended;
    }

    /** Why it ended, or is about to; null while all is well. */
    MemifFault fault() {
        return verdict.fault();
    }

    /** Why it ended, in one line. */
    String reason() {
        return verdict.fault().name() + ": " + (detail == null ? verdict
            : verdict.fault().sentence() + (detail.isEmpty() ? "" : ": " + detail));
    }

    /** Ends it for a reason of its own, unless it has one. */
    void end(final MemifFault fault, final String why) {
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
