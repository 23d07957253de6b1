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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifPortTest {
    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path folder;
    private Path socket;
    private Set<String> descriptors;
    private long mappings;

    @BeforeEach
    void open() {
        socket = folder.resolve("m.sock");
        descriptors = MemifRig.descriptors();
        mappings = MemifRig.mappings();
    }

    @AfterEach
    void shouldLeaveNothingBehind() {
        arena.close();
        MemifRig.assertSameDescriptors(descriptors);
        assertEquals(mappings, MemifRig.mappings(), "mappings");
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
        try (MemifPort one = sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=1"));
            MemifPort two = sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=2,ring=5"));
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
            assertThrows(InputException.class,
                () -> sockets.open(MemifAddress.parse("memif:" + socket + ",server,id=1")));
        }
    }

    @Test
    void shouldSpeakInTheAbstractSpace() {
        final String name = "skerry-test-" + ProcessHandle.current().pid();
        try (MemifPort server = MemifPort.open(MemifAddress.parse("memif:" + name + ",server,abstract"));
            MemifPort client = MemifPort.open(MemifAddress.parse("memif:" + name + ",client,abstract"))) {
            MemifRig.up(server, client);
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

    @Test
    void shouldNotAllocate() {
        final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,ring=6,buffer=256")) {
            MemifRig.up(server, client);
            final PacketBurst out = new PacketBurst(arena, 8, 700);
            final PacketBurst in = new PacketBurst(arena, 8, 700);
            for (int i = 0; i < 8; i++) {
                MemifRig.fill(out, 80 * i + 60, i);
            }
            long least = Long.MAX_VALUE;
            final long now = System.nanoTime();
            for (int round = 0; round < 5; round++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20_000; i++) {
                    in.clear();
                    client.txBurst(out, 0);
                    server.rxBurst(in);
                    server.txBurst(in, 0);
                    in.clear();
                    client.rxBurst(in);
                    server.poll(now);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least < 20_000, "bytes allocated in 20,000 rounds: " + least);
            assertEquals(100_000 * 8, client.counts().get(PortCounter.RX_PACKETS));
        }
    }
}
