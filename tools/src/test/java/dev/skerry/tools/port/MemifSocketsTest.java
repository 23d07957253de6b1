package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class MemifSocketsTest {
    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path folder;
    private Path socket;

    @BeforeEach
    void choose() {
        socket = folder.resolve("m.sock");
    }

    @AfterEach
    void close() {
        arena.close();
    }

    /** Two servers on threads of their own, and clients that come and go: each gets its own peer and no other's. */
    @Test
    void shouldServePortsOfOneSocketOnThreadsOfTheirOwn() throws InterruptedException {
        final MemifSockets sockets = new MemifSockets();
        try (MemifPort two = sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=2"))) {
            try (MemifPort one = sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=1"))) {
                serve(sockets, one, two);
            }
            assertTrue(Files.exists(socket), "the other port is open");
        }
        assertFalse(Files.exists(socket));
    }

    private void serve(final MemifSockets sockets, final MemifPort one, final MemifPort two)
        throws InterruptedException {
        final String again = assertThrows(InputException.class,
            () -> sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=2"))).getMessage();
        assertTrue(again.contains("the socket has a port of this id"), again);
        final AtomicBoolean over = new AtomicBoolean();
        final List<Throwable> failures = new CopyOnWriteArrayList<>();
        final List<Thread> threads = Stream.of(one, two).map(port -> new Thread(() -> echo(port, over))).toList();
        threads.forEach(thread -> thread.setUncaughtExceptionHandler((where, why) -> failures.add(why)));
        threads.forEach(Thread::start);
        for (int time = 0; time < 20; time++) {
            final int id = time % 2 + 1;
            try (MemifPort client = MemifRig.open(socket, "client,id=" + id)) {
                MemifRig.up(client);
                final PacketBurst burst = new PacketBurst(arena, 1, 64);
                MemifRig.fill(burst, 60, time);
                assertEquals(1, client.txBurst(burst, 0));
                final PacketBurst in = new PacketBurst(arena, 1, 64);
                MemifRig.until(() -> client.rxBurst(in) > 0, client);
                MemifRig.verify(in, 0, 60, time);
            }
        }
        over.set(true);
        for (final Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
        assertEquals(10, one.counts().get(PortCounter.RX_PACKETS));
        assertEquals(10, two.counts().get(PortCounter.RX_PACKETS));
    }

    private void echo(final MemifPort port, final AtomicBoolean over) {
        final PacketBurst burst = new PacketBurst(arena, 4, 64);
        while (!over.get()) {
            port.poll(System.nanoTime());
            burst.clear();
            if (port.rxBurst(burst) > 0) {
                port.txBurst(burst, 0);
            }
            Thread.yield();
        }
    }

    @Test
    void shouldSayWhereAPeerListensInstead() {
        final String name = "skerry-here-" + ProcessHandle.current().pid();
        try (MemifPort server = MemifPort.open(MemifAddress.parse("memif:" + name + ",server,abstract"));
            MemifPort client = MemifPort.open(MemifAddress.parse("memif:" + name + ",client"))) {
            client.poll(System.nanoTime());
            assertEquals("SOCKET: cannot connect: there is no such file or folder, but a process listens at an "
                + "abstract socket of this name, so add ,abstract, trying again", client.status());
            assertFalse(server.isUp());
        }
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,abstract")) {
            client.poll(System.nanoTime());
            assertTrue(client.status().contains("there is a file of this name, so leave out abstract"),
                client.status());
            assertFalse(server.isUp());
        }
    }
}
