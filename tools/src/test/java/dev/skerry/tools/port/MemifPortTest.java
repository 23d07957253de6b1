package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.port.MemifRig.NothingLeft;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Two ports, and ports of another process, as peers: packets, roles, sockets, and what is left when a peer goes. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifPortTest {
    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path folder;
    private Path socket;
    @RegisterExtension
    private final NothingLeft nothingLeft = new NothingLeft();

    @BeforeEach
    void open() {
        socket = folder.resolve("m.sock");
    }

    @AfterEach
    void shouldLeaveNothingBehind() {
        arena.close();
        assertFalse(Files.exists(socket), "socket file");
    }

    @ParameterizedTest
    @CsvSource({"64B, 64", "64-700B, 701", "imix, 1600"})
    void shouldBeGeneratedInto(final String sizes, final int buffer) {
        final PacketBurst in = new PacketBurst(arena, 24, 2048);
        final PacketBurst kept;
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,ring=6,buffer=" + buffer);
            GeneratorPort generator = GeneratorPort.open(
                GeneratorSettings.parse("gen:" + sizes + ",max,to=1-5,count=20000", 0));
            GeneratorPort meter = GeneratorPort.open(GeneratorSettings.parse("gen:64B,1pps", 1))) {
            assertNull(client.txLend(32), "no peer yet");
            MemifRig.up(server, client);
            assertNull(server.txLend(32), "the client's memory");
            MemifRig.until(() -> {
                final PacketBurst lent = client.txLend(32);
                if (lent != null && generator.rxBurst(lent) > 0) {
                    client.txBurst(lent, 0);
                }
                in.clear();
                server.rxBurst(in);
                meter.txBurst(in, 0);
                return server.counts().get(PortCounter.RX_PACKETS) == 20_000;
            }, server, client);
            final GeneratorReport report = meter.report();
            assertEquals(5, report.flows().size());
            assertEquals(20_000, report.total().received());
            assertEquals(0, report.total().lost() + report.total().reordered() + report.total().damaged());
            assertEquals(0, report.foreign() + generator.counts().get(PortCounter.RX_DROPPED_TOO_LONG));
            kept = client.txLend(32);
            assertEquals(32, kept.room());
        }
        assertEquals(0, kept.room(), "nothing can be written where no memory is any more");
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 512, 2048, 16_384})
    void shouldCarryAllSizesBothWays(final int buffer) {
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,ring=8,buffer=" + buffer)) {
            MemifRig.up(server, client);
            final PacketBurst out = new PacketBurst(arena, 32, 9000);
            final PacketBurst in = new PacketBurst(arena, 32, 9000);
            for (int length = 64; length <= 9000; length += 447) {
                for (final MemifPort[] way : new MemifPort[][] {{client, server}, {server, client}}) {
                    out.clear();
                    for (int i = 0; i < 32; i++) {
                        MemifRig.fill(out, length, i);
                    }
                    int received = 0;
                    for (int sent = 0; received < 32;) {
                        sent += way[0].txBurst(out, sent);
                        in.clear();
                        way[1].rxBurst(in);
                        for (int i = 0; i < in.size(); i++) {
                            MemifRig.verify(in, i, length, received++);
                        }
                    }
                }
            }
            assertEquals(client.counts().get(PortCounter.TX_BYTES), server.counts().get(PortCounter.RX_BYTES));
            assertEquals(server.counts().get(PortCounter.TX_PACKETS), client.counts().get(PortCounter.RX_PACKETS));
        }
    }

    @Test
    void shouldDoNothingWhileDown() {
        try (MemifPort client = MemifRig.open(socket, "client")) {
            final PacketBurst burst = new PacketBurst(arena, 1, 64);
            MemifRig.fill(burst, 64, 0);
            assertEquals(0, client.rxBurst(burst));
            assertEquals(0, client.txBurst(burst, 0));
            assertEquals(1, client.counts().get(PortCounter.TX_DOWN));
            client.poll(System.nanoTime());
            assertEquals(MemifFault.SOCKET, client.lastFault());
            assertFalse(client.isUp());
        }
    }

    @Test
    void shouldServeAPeerThatComesAgain() {
        try (MemifPort server = MemifRig.open(socket, "server")) {
            final PacketBurst burst = new PacketBurst(arena, 4, 64);
            for (int time = 1; time <= 20; time++) {
                try (MemifPort client = MemifRig.open(socket, "client,ring=4")) {
                    MemifRig.up(server, client);
                    burst.clear();
                    MemifRig.fill(burst, 64, time);
                    assertEquals(1, client.txBurst(burst, 0));
                    burst.clear();
                    assertEquals(1, server.rxBurst(burst));
                    MemifRig.verify(burst, 0, 64, time);
                }
                MemifRig.until(() -> !server.isUp(), server);
                assertEquals(MemifFault.PEER_DISCONNECT, server.lastFault());
                assertEquals("PEER_DISCONNECT: the peer disconnected: the port was closed", server.lastReason());
                assertEquals(time, server.counts().get(PortCounter.LINKS_DOWN));
            }
        }
    }

    @Test
    void shouldFindAServerThatComesLaterAndAgain() {
        try (MemifPort client = MemifRig.open(socket, "client")) {
            client.poll(System.nanoTime());
            for (int time = 1; time <= 3; time++) {
                try (MemifPort server = MemifRig.open(socket, "server")) {
                    MemifRig.up(server, client);
                }
                MemifRig.until(() -> !client.isUp(), client);
                assertEquals(time, client.counts().get(PortCounter.LINKS_UP));
            }
        }
    }

    @Test
    void shouldServeSeveralPortsOnOneSocket() {
        final MemifSockets sockets = new MemifSockets();
        try (MemifPort one = sockets.open(MemifRig.address(socket, "server,id=1"));
            MemifPort two = sockets.open(MemifRig.address(socket, "server,id=2,ring=5"));
            MemifPort toOne = MemifRig.open(socket, "client,id=1,ring=3")) {
            final MemifPort toTwo = MemifRig.open(socket, "client,id=2");
            MemifRig.up(one, toOne);
            MemifRig.until(() -> two.isUp() && toTwo.isUp(), one, two, toTwo);
            final PacketBurst burst = new PacketBurst(arena, 4, 64);
            MemifRig.fill(burst, 60, 7);
            toTwo.txBurst(burst, 0);
            final PacketBurst in = new PacketBurst(arena, 4, 64);
            assertEquals(0, one.rxBurst(in));
            assertEquals(1, two.rxBurst(in));
            toTwo.close();
            MemifRig.until(() -> !two.isUp(), two);
            assertEquals(0, two.rxBurst(in));
            assertTrue(one.isUp());
            final String again = assertThrows(InputException.class,
                () -> sockets.open(MemifRig.address(socket, "server,id=1"))).getMessage();
            assertTrue(again.contains("the socket already has a port with this id"), again);
        }
    }

    @Test
    void shouldReplaceOnlyASocketThatNobodyHasOpen() throws IOException {
        try (MemifPort server = MemifRig.open(socket, "server")) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
            final String message = assertThrows(InputException.class, () -> MemifRig.open(socket, "server"))
                .getMessage();
            assertTrue(message.startsWith("skerry: memif: " + socket + ": the path is in use"), message);
            assertFalse(server.isUp());
        }
        Libc.close(UnixSocket.listen(socket.toString(), false));
        assertTrue(Files.exists(socket), "what a killed process leaves");
        MemifRig.open(socket, "server").close();
        Files.writeString(socket, "precious");
        assertThrows(InputException.class, () -> MemifRig.open(socket, "server"));
        assertEquals("precious", Files.readString(socket));
        Files.delete(socket);
    }

    /** Two servers on threads of their own, and clients that come and go: each gets its own peer and no other's. */
    @Test
    void shouldServePortsOfOneSocketOnThreadsOfTheirOwn() throws InterruptedException {
        final MemifSockets sockets = new MemifSockets();
        try (MemifPort two = sockets.open(MemifRig.address(socket, "server,id=2"))) {
            try (MemifPort one = sockets.open(MemifRig.address(socket, "server,id=1"))) {
                serve(sockets, one, two);
            }
            assertTrue(Files.exists(socket), "the other port is open");
        }
        assertFalse(Files.exists(socket));
    }

    private void serve(final MemifSockets sockets, final MemifPort one, final MemifPort two)
        throws InterruptedException {
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
    void shouldSpeakInTheAbstractSpaceAndSayWhereAPeerListensInstead() {
        final String name = "skerry-here-" + ProcessHandle.current().pid();
        try (MemifPort server = MemifPort.open(MemifRig.address(name, "server,abstract"));
            MemifPort client = MemifPort.open(MemifRig.address(name, "client"));
            MemifPort right = MemifPort.open(MemifRig.address(name, "client,abstract"))) {
            client.poll(System.nanoTime());
            assertEquals("SOCKET: cannot connect: there is no such file or folder, but a process listens at an "
                + "abstract socket of this name; add ,abstract, trying again", client.status());
            assertFalse(server.isUp());
            MemifRig.up(server, right);
        }
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,abstract")) {
            client.poll(System.nanoTime());
            assertTrue(client.status().contains("a file of this name exists; leave out abstract"),
                client.status());
            assertFalse(server.isUp());
        }
    }

    /** The other process: echoes until it is killed. */
    public static void main(final String[] address) {
        final MemifPort port = MemifPort.open(MemifAddress.parse(address[0]));
        final PacketBurst burst = new PacketBurst(Arena.global(), 32, 2048);
        int sent = 0;
        while (true) {
            if (sent == burst.size()) {
                burst.clear();
                sent = 0;
                port.rxBurst(burst);
            }
            sent += port.txBurst(burst, sent);
            port.poll(System.nanoTime());
        }
    }

    /** A peer in a process of its own is killed under traffic; the port serves or finds the next. */
    @ParameterizedTest
    @CsvSource({"server, client", "client, server"})
    void shouldSurviveAKilledPeer(final String ours, final String theirs) throws IOException, InterruptedException {
        try (MemifPort port = MemifRig.open(socket, ours)) {
            for (int time = 1; time <= 2; time++) {
                killUnderTraffic(port, "memif:" + socket + "," + theirs);
                assertEquals(time, port.counts().get(PortCounter.LINKS_DOWN));
            }
        }
        Files.deleteIfExists(socket);
    }

    /** Test classes are a patch of a module, which its path does not name. */
    private static String classPath() {
        return LiveProcess.classPath() + ":" + MemifPortTest.class.getProtectionDomain().getCodeSource().getLocation()
            .getPath().replace("/classes/", "/test-classes/");
    }

    private static void killUnderTraffic(final MemifPort port, final String address)
        throws IOException, InterruptedException {
        final Process peer = new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
            MemifPortTest.class.getName(), address))
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
        try (Arena arena = Arena.ofShared()) {
            final PacketBurst out = new PacketBurst(arena, 32, 64);
            final PacketBurst in = new PacketBurst(arena, 32, 64);
            for (int i = 0; i < 32; i++) {
                MemifRig.fill(out, 60, 3);
            }
            final long[] received = new long[1];
            MemifRig.until(() -> {
                port.txBurst(out, 0);
                in.clear();
                received[0] += port.rxBurst(in);
                for (int i = 0; i < in.size(); i++) {
                    MemifRig.verify(in, i, 60, 3);
                }
                return received[0] > 1000;
            }, port);
            peer.destroyForcibly();
            MemifRig.until(() -> {
                port.txBurst(out, 0);
                in.clear();
                port.rxBurst(in);
                return !port.isUp();
            }, port);
            assertEquals(MemifFault.PEER_GONE, port.lastFault());
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
    }

    @Test
    void shouldCountWhatItLeavesInTheRing() {
        final MemifPort server = MemifRig.open(socket, "server");
        try (MemifPort client = MemifRig.open(socket, "client,buffer=256")) {
            MemifRig.up(server, client);
            // Longer ones lie in several buffers and are still one packet each.
            assertEquals(5, client.txBurst(MemifRig.burst(arena, 64, 64, 64, 700, 700), 0));
            assertEquals(2, server.rxBurst(new PacketBurst(arena, 2, 2_048)));
            server.close();
            assertEquals(3, server.counts().get(PortCounter.RX_LEFT));
            assertEquals(2, server.counts().get(PortCounter.RX_PACKETS));
            assertEquals(0, client.counts().get(PortCounter.RX_LEFT));
        }
    }

    @Test
    void shouldCountWhatAPeerLeavesInTheRingWhenItGoes() {
        final MemifPort server = MemifRig.open(socket, "server");
        try (server) {
            for (int peers = 1; peers <= 2; peers++) {
                try (MemifPort client = MemifRig.open(socket, "client,buffer=256")) {
                    MemifRig.up(server, client);
                    assertEquals(3, client.txBurst(MemifRig.burst(arena, 64, 364, 664), 0));
                    assertEquals(1, server.rxBurst(new PacketBurst(arena, 1, 2_048)));
                }
                MemifRig.until(() -> !server.isUp(), server);
                assertEquals(2 * peers, server.counts().get(PortCounter.RX_LEFT));
            }
            assertEquals(2, server.counts().get(PortCounter.RX_PACKETS));
        }
        assertEquals(4, server.counts().get(PortCounter.RX_LEFT));
    }

    /** A client and a server each send five packets, of which the other end reads two. */
    @ParameterizedTest
    @CsvSource({"client, server", "server, client"})
    void shouldCountWhatThePeerHasNotRead(final String from, final String to) {
        final MemifPort sender = MemifRig.open(socket, from + (from.equals("client") ? ",buffer=256" : ""));
        final MemifPort peer = MemifRig.open(socket, to + (to.equals("client") ? ",buffer=256" : ""));
        try (peer; sender) {
            MemifRig.up(sender, peer);
            assertEquals(5, sender.txBurst(MemifRig.burst(arena, 64, 64, 64, 700, 700), 0));
            MemifRig.until(() -> sender.unread() == 5, sender);
            assertEquals(2, peer.rxBurst(new PacketBurst(arena, 2, 2_048)));
            MemifRig.until(() -> sender.unread() == 3, sender);
            sender.close();
            assertEquals(3, sender.counts().get(PortCounter.TX_LEFT));
            assertEquals(2, sender.counts().get(PortCounter.TX_PACKETS));
            assertEquals(128, sender.counts().get(PortCounter.TX_BYTES));
            assertEquals(0, sender.unread());
        }
    }

    /** One that polls says so in the ring; one that does not is woken, or named if it has not said how. */
    @Test
    void shouldWakeAPeerThatWaitsForInterrupts() {
        final int wake = Libc.eventfd();
        final int none = Libc.memfdCreate("no event", 0);
        try (MemifPort server = MemifRig.open(socket, "server")) {
            try (MemifPort client = MemifRig.open(socket, "client")) {
                MemifRig.up(server, client);
                server.poll(System.nanoTime() + 2_000_000_000L);
                client.poll(System.nanoTime() + 2_000_000_000L);
                assertEquals("it has a peer", server.status());
                assertEquals("it has a peer", client.status());
            }
            MemifRig.until(() -> !server.isUp(), server);
            try (FakePeer peer = FakePeer.client(server)) {
                peer.connect(wake);
                MemifRig.until(server::isUp, server);
                peer.post();
                assertEquals(-Libc.EAGAIN, Libc.read(wake, arena.allocate(8)));
                server.txBurst(MemifRig.burst(arena, 64, 64), 0);
                MemifRig.until(() -> Libc.read(wake, arena.allocate(8)) == 8, server);
                server.txBurst(MemifRig.burst(arena, 64), 0);
                assertEquals(8, Libc.read(wake, arena.allocate(8)), "at once, as the peer is known to wait");
                server.poll(System.nanoTime() + 4_000_000_000L);
                assertEquals("it has a peer", server.status());
            }
            MemifRig.until(() -> !server.isUp(), server);
            try (FakePeer peer = FakePeer.client(server)) {
                peer.connect(none);
                MemifRig.until(server::isUp, server);
                server.poll(System.nanoTime() + 8_000_000_000L);
                assertTrue(server.status().startsWith("its peer waits for interrupts"), server.status());
            }
        } finally {
            Libc.close(wake);
            Libc.close(none);
        }
    }
}
