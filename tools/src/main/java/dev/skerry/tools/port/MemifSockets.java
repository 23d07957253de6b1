package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifConnection.MemifServerSession;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Opens memif ports. Servers of the same path share a socket, on which a peer chooses by id, as with VPP's interfaces.
 * The socket is closed with its last port. One thread.
 */
public final class MemifSockets {
    private static final Path OPEN_SOCKETS = Path.of("/proc/net/unix");

    private final Map<String, MemifServer> servers = new HashMap<>();

    /** No socket is open. */
    public MemifSockets() {
    }

    /**
     * Opens a port. A server listens at once; a client connects in {@code poll} and retries until it succeeds.
     *
     * @throws InputException if the secret cannot be read, the socket cannot be created or has a port of this id, or
     *     the system does not support memif.
     */
    public MemifPort open(final MemifAddress named) {
        if (!Libc.IS_LINUX || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new InputException("memif", named.toString(), "memif ports need Linux on x86-64 or aarch64",
                "use another kind of port");
        }
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
     * What to change about the address of a client that cannot connect: whether somebody listens at a socket of the
     * other kind, file or abstract, with the same name. Empty if nobody does, or it cannot be seen.
     */
    static String advice(final MemifAddress client) {
        if (client.isAbstract()) {
            return Files.exists(Path.of(client.path()))
                ? ", but there is a file of this name, so leave out abstract" : "";
        }
        try (Stream<String> lines = Files.lines(OPEN_SOCKETS)) {
            // DPDK's default; some programs fill the name up with zeros, which are shown as @.
            return lines.anyMatch(line -> line.replaceAll("@+$", "").endsWith(" @" + client.path()))
                ? ", but a process listens at an abstract socket of this name, so add ,abstract" : "";
        } catch (final IOException | java.io.UncheckedIOException e) {
            return "";
        }
    }

    /**
     * A listening socket and the server ports on it; peers choose a port by its id. Each port belongs to a thread. The
     * thread that polls its port first lets peers in, and no other waits for it. A peer that has chosen a port is
     * handed over to it. Only processes of the same user or of root may connect.
     */
    static final class MemifServer {
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
        MemifServer(final String path, final boolean isAbstract) {
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

        /** Polls peers that have not chosen a port, and accepts others, unless another thread does. */
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

        /** Records at every port the fault of a peer that had not chosen one. */
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
                    // Nothing was allocated, and the next one waits for the next look: others may connect as often as
                    // they like to abstract sockets.
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

        /** Port of an id, or null. */
        MemifPort port(final int id) {
            return ports.stream().filter(port -> port.address().id() == id).findFirst().orElse(null);
        }

        /** Maximum log2 of ring slots over all ports. */
        int maxRingLog2() {
            return ports.stream().mapToInt(port -> port.address().ringLog2()).max().orElse(1);
        }

        /** Removes a closed port, after which no peer can choose it. Closes the socket with its last port. */
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
                return probe == -Libc.ECONNREFUSED && Files.readAttributes(Path.of(path), BasicFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS).isOther() && Files.deleteIfExists(Path.of(path));
            } catch (final IOException e) {
                return false;
            }
        }
    }
}
