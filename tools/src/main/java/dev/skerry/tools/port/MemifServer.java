package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * A listening socket and the server ports on it, which peers tell apart by their id. Server and ports belong to one
 * thread. Only processes of the same user, or of root, are let in.
 */
public final class MemifServer implements AutoCloseable {
    /** Peers that have not finished their handshake. */
    static final int MAX_WAITING = 8;

    private final String path;
    private final boolean isAbstract;
    private final int fd;
    private final List<MemifPort> ports = new ArrayList<>();
    private final List<MemifConnection> connections = new ArrayList<>();
    private boolean closed;

    /**
     * Listens. The socket's file is the user's alone; one that a killed process has left is replaced.
     *
     * @param path       of the socket, or its name if abstract.
     * @param isAbstract whether the name is in Linux's abstract space.
     * @throws InputException if that cannot be.
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
        restrict();
    }

    /**
     * A port on this socket.
     *
     * @param address a server's with this path; its id must be free.
     */
    public MemifPort open(final MemifAddress address) {
        if (address.role() != MemifRole.SERVER || !address.path().equals(path) || address.isAbstract() != isAbstract) {
            throw new IllegalArgumentException("not an address of this server: path=" + path + " address=" + address);
        }
        if (port(address.id()) != null) {
            throw new InputException("memif", address.toString(), "the socket has a port of this id",
                "give each port an id of its own");
        }
        return add(new MemifPort(address, this, false));
    }

    /** A port that is the only one, and closes the server with it. */
    MemifPort openAlone(final MemifAddress address) {
        return add(new MemifPort(address, this, true));
    }

    private MemifPort add(final MemifPort port) {
        ports.add(port);
        return port;
    }

    /** Lets peers in, listens to the peers present, and tells the ports. By index: an iterator would be garbage. */
    int poll(final long nowNs) {
        int work = 0;
        int waiting = 0;
        int at = 0;
        while (at < connections.size()) {
            final MemifConnection connection = connections.get(at);
            work += connection.poll(nowNs);
            if (connection.isEnded()) {
                noteIfNobodys(connection);
                connections.remove(at);
            } else {
                waiting += connection.link() == null ? 1 : 0;
                at++;
            }
        }
        work += accept(waiting, nowNs);
        for (int port = 0; port < ports.size(); port++) {
            ports.get(port).settle();
        }
        return work;
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
            final MemifConnection connection =
                new MemifConnection(peer, own -> new MemifServerSession(own, this), nowNs);
            if (waiting == MAX_WAITING) {
                connection.end(MemifFault.PEER_CROWD, "");
            }
            if (connection.isEnded()) {
                noteIfNobodys(connection);
            } else {
                connections.add(connection);
                waiting++;
            }
        }
        return accepted;
    }

    /** A peer that had not said whom it wants is every port's. */
    private void noteIfNobodys(final MemifConnection connection) {
        for (final MemifPort port : ports) {
            if (port.has(connection)) {
                return;
            }
        }
        ports.forEach(port -> port.refused(connection));
    }

    /** The port of an id, or null. */
    MemifPort port(final int id) {
        for (final MemifPort port : ports) {
            if (port.address().id() == id) {
                return port;
            }
        }
        return null;
    }

    /** Log2 of the most slots that any port accepts. */
    int maxRingLog2() {
        return ports.stream().mapToInt(port -> port.address().ringLog2()).max().orElse(1);
    }

    /** Forgets a port that has been closed. */
    void remove(final MemifPort port) {
        ports.remove(port);
    }

    /** Ends all connections, closes the socket and removes its file. May be called again. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        connections.forEach(connection -> connection.end(MemifFault.CLOSED, ""));
        connections.clear();
        ports.forEach(MemifPort::settle);
        Libc.close(fd);
        if (!isAbstract) {
            try {
                Files.deleteIfExists(Path.of(path));
            } catch (final IOException e) {
                // Somebody else's by now, or the folder is gone: nothing of ours is left either way.
                assert e != null;
            }
        }
    }

    /** Removes the file of a socket on which nobody listens. */
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

    private void restrict() {
        if (isAbstract) {
            return;
        }
        try {
            Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("rw-------"));
        } catch (final IOException e) {
            close();
            throw new InputException("memif", path, "its permissions cannot be set: " + e.getMessage(),
                "choose a path in a folder of yours");
        }
    }
}
