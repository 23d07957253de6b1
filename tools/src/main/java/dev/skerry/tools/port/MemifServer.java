package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifAddress.MemifRole;
import dev.skerry.tools.port.MemifConnection.MemifServerSession;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A listening socket and the server ports on it; peers choose a port by its id. Each port belongs to a thread. The
 * thread that polls its port first lets peers in, and no other waits for it. A peer that has chosen a port is handed
 * over to it. Only processes of the same user or of root may connect.
 */
public final class MemifServer implements AutoCloseable {
    /** Maximum number of peers within their handshake. */
    static final int MAX_WAITING = 8;

    private final String path;
    private final boolean isAbstract;
    private final int fd;
    /** Held by the thread that lets peers in, or adds or removes ports. */
    private final ReentrantLock lock = new ReentrantLock();
    private final List<MemifPort> ports = new ArrayList<>();
    private final List<MemifConnection> connections = new ArrayList<>();
    private boolean closed;

    /**
     * Listens. Only the user can access the socket's file. A file left by a killed process is replaced.
     *
     * @param path       path of the socket, or its name if abstract.
     * @param isAbstract whether the name is in Linux's abstract namespace.
     * @throws InputException if the socket cannot be created.
     */
    public MemifServer(final String path, final boolean isAbstract) {
        this.path = path;
        this.isAbstract = isAbstract;
        int opened = UnixSocket.listen(path, isAbstract);
        if (opened == -Libc.EADDRINUSE && removeStale()) {
            opened = UnixSocket.listen(path, isAbstract);
        }
        if (opened < 0) {
            throw new InputException("memif", path, opened == -Libc.EADDRINUSE ? "the path is in use"
                : "the system refuses to listen there: " + UnixSocket.reason(opened),
                "choose a path that is free, in a folder you may write to");
        }
        this.fd = opened;
    }

    /**
     * Opens a port on this socket.
     *
     * @param address server's address with this path and an unused id.
     */
    public MemifPort open(final MemifAddress address) {
        if (address.role() != MemifRole.SERVER || !address.path().equals(path) || address.isAbstract() != isAbstract) {
            throw new IllegalArgumentException("not an address of this server: path=" + path + " address=" + address);
        }
        return add(new MemifPort(address.withSecret(), this, false));
    }

    /**
     * Opens a port that closes the server when it is closed as the last one.
     *
     * @param address with its secret.
     * @throws InputException if the socket has a port of this id.
     */
    MemifPort openOwning(final MemifAddress address) {
        return add(new MemifPort(address, this, true));
    }

    private MemifPort add(final MemifPort port) {
        lock.lock();
        try {
            if (port(port.address().id()) != null) {
                throw new InputException("memif", port.address().toString(), "the socket has a port of this id",
                    "give each port an id of its own");
            }
            ports.add(port);
        } finally {
            lock.unlock();
        }
        return port;
    }

    /**
     * Polls peers that have not chosen a port, and accepts others, unless another thread does.
     */
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

    /** Loops by index because an iterator allocates. */
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
                refuse(connection);
                connections.remove(at);
            } else {
                at++;
            }
        }
        return work + accept(connections.size(), nowNs);
    }

    private boolean hasChosen(final MemifConnection connection) {
        for (int port = 0; port < ports.size(); port++) {
            if (ports.get(port).has(connection)) {
                return true;
            }
        }
        return false;
    }

    /** Records at every port the fault of a peer that had not chosen one. */
    private void refuse(final MemifConnection connection) {
        refuse(connection.fault(), connection.reason());
    }

    private void refuse(final MemifFault fault, final String reason) {
        ports.forEach(port -> port.refused(fault, reason));
    }

    private int accept(final int before, final long nowNs) {
        int waiting = before;
        int accepted = 0;
        while (!closed && accepted < MAX_WAITING) {
            final int peer = Libc.accept(fd);
            if (peer < 0) {
                break;
            }
            accepted++;
            final int user = Libc.peerUser(peer);
            if (!MemifConnection.isTrusted(user)) {
                // Nothing was allocated, and the next one waits for the next look: others may connect as often as they
                // like to abstract sockets.
                Libc.close(peer);
                refuse(MemifFault.PEER_USER, MemifConnection.foreign(user));
                break;
            }
            final MemifConnection connection =
                new MemifConnection(peer, own -> own.new MemifServerSession(this), nowNs);
            if (waiting == MAX_WAITING) {
                connection.end(MemifFault.PEER_CROWD, "");
            }
            if (connection.isEnded()) {
                refuse(connection);
            } else {
                connections.add(connection);
                waiting++;
            }
        }
        return accepted;
    }

    /** Port of an id, or null. */
    MemifPort port(final int id) {
        for (final MemifPort port : ports) {
            if (port.address().id() == id) {
                return port;
            }
        }
        return null;
    }

    /** Maximum log2 of ring slots over all ports. */
    int maxRingLog2() {
        return ports.stream().mapToInt(port -> port.address().ringLog2()).max().orElse(1);
    }

    /** Removes a closed port, after which no peer can choose it; returns whether it was the last. */
    boolean remove(final MemifPort port) {
        lock.lock();
        try {
            ports.remove(port);
            return ports.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the socket is closed. */
    boolean isClosed() {
        return closed;
    }

    /** Ends all connections, closes the socket and removes its file. No thread may use a port of it. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        connections.forEach(connection -> connection.end(MemifFault.CLOSED, ""));
        connections.clear();
        ports.forEach(MemifPort::dropPeer);
        Libc.close(fd);
        if (!isAbstract) {
            try {
                Files.deleteIfExists(Path.of(path));
            } catch (final IOException e) {
                // The file belongs to another process by now, or its folder is gone. Nothing of ours is left.
                assert e != null;
            }
        }
    }

    /** Removes the file of a socket without a listener. */
    private boolean removeStale() {
        if (isAbstract) {
            return false;
        }
        final int probe = UnixSocket.connect(path, false);
        if (probe >= 0) {
            Libc.close(probe);
        }
        try {
            return probe == -Libc.ECONNREFUSED
                && Files.readAttributes(Path.of(path), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()
                && Files.deleteIfExists(Path.of(path));
        } catch (final IOException e) {
            return false;
        }
    }
}
