package dev.skerry.tools.port;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifAddress.MemifRole;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
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
        if (!System.getProperty("os.name").equals("Linux") || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new InputException("memif", named.toString(), "memif ports need Linux on x86-64 or aarch64",
                "use another kind of port");
        }
        final MemifAddress address = named.withSecret();
        if (address.role() == MemifRole.CLIENT) {
            return new MemifPort(address, null, false);
        }
        final String key = (address.isAbstract() ? "@" : "") + address.path();
        MemifServer server = servers.get(key);
        if (server == null || server.isClosed()) {
            server = new MemifServer(address.path(), address.isAbstract());
            servers.put(key, server);
        }
        return server.openOwning(address);
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
}
