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
 * A listening socket and the server ports on it; peers choose a port by its id. One thread owns the server and its
 * ports. Only processes of the same user or of root may connect.
 */
public final class MemifServer implements AutoCloseable {
    /** Maximum number of peers within their handshake. */
    static final int MAX_WAITING = 8;

    private final String path;
    private final boolean isAbstract;
    private final int fd;
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
        restrict();
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
        if (port(address.id()) != null) {
            throw new InputException("memif", address.toString(), "the socket has a port of this id",
                "give each port an id of its own");
        }
        return add(new MemifPort(address, this, false));
    }

    /** Opens the only port, which closes the server with it. */
    MemifPort openAlone(final MemifAddress address) {
        return add(new MemifPort(address, this, true));
    }

    private MemifPort add(final MemifPort port) {
        ports.add(port);
        return port;
    }

    /**
     * Polls all connections, accepts peers, and updates the ports. Loops by index because an iterator
     * allocates.
     */
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

    /** Records at every port the fault of a peer that had not chosen one. */
    private void noteIfNobodys(final MemifConnection connection) {
        for (final MemifPort port : ports) {
            if (port.has(connection)) {
                return;
            }
        }
        ports.forEach(port -> port.refused(connection));
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

    /** Removes a closed port. */
    void remove(final MemifPort port) {
        ports.remove(port);
    }

    /** Ends all connections, closes the socket and removes its file. Idempotent. */
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
