package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/** What a port refused or left is counted: packets that its peer had sent when either of them was closed. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
final class MemifLossTest {
    @TempDir
    private Path folder;

    @Test
    void shouldCountWhatItLeavesInTheRing() {
        final MemifPort server = MemifRig.open(folder.resolve("m"), "server");
        try (MemifPort client = MemifRig.open(folder.resolve("m"), "client,buffer=256");
            Arena arena = Arena.ofShared()) {
            MemifRig.up(server, client);
            final PacketBurst burst = new PacketBurst(arena, 8, 2_048);
            for (int packet = 0; packet < 5; packet++) {
                // Longer ones lie in several buffers and are still one packet each.
                MemifRig.fill(burst, packet < 3 ? 64 : 700, packet);
            }
            assertEquals(5, client.txBurst(burst, 0));
            final PacketBurst two = new PacketBurst(arena, 2, 2_048);
            assertEquals(2, server.rxBurst(two));
            server.close();
            assertEquals(3, server.counts().get(PortCounter.RX_LEFT));
            assertEquals(2, server.counts().get(PortCounter.RX_PACKETS));
            assertEquals(0, client.counts().get(PortCounter.RX_LEFT));
        }
    }

    @Test
    void shouldCountWhatAPeerLeavesInTheRingWhenItGoes() {
        final Path path = folder.resolve("m");
        final MemifPort server = MemifRig.open(path, "server");
        try (Arena arena = Arena.ofShared()) {
            for (int peers = 1; peers <= 2; peers++) {
                try (MemifPort client = MemifRig.open(path, "client,buffer=256")) {
                    MemifRig.up(server, client);
                    final PacketBurst burst = new PacketBurst(arena, 8, 2_048);
                    for (int packet = 0; packet < 3; packet++) {
                        MemifRig.fill(burst, 64 + 300 * packet, packet);
                    }
                    assertEquals(3, client.txBurst(burst, 0));
                    assertEquals(1, server.rxBurst(new PacketBurst(arena, 1, 2_048)));
                }
                MemifRig.until(() -> !server.isUp(), server);
                assertEquals(2 * peers, server.counts().get(PortCounter.RX_LEFT));
            }
            assertEquals(2, server.counts().get(PortCounter.RX_PACKETS));
        } finally {
            server.close();
        }
        assertEquals(4, server.counts().get(PortCounter.RX_LEFT));
    }

    /** A client and a server each send five packets, of which the other end reads two. */
    @ParameterizedTest
    @CsvSource({"client, server", "server, client"})
    void shouldCountWhatThePeerHasNotRead(final String from, final String to) {
        final Path path = folder.resolve("m");
        final MemifPort sender = MemifRig.open(path, from + (from.equals("client") ? ",buffer=256" : ""));
        final MemifPort peer = MemifRig.open(path, to + (to.equals("client") ? ",buffer=256" : ""));
        try (peer; sender; Arena arena = Arena.ofShared()) {
            MemifRig.up(sender, peer);
            final PacketBurst burst = new PacketBurst(arena, 8, 2_048);
            for (int packet = 0; packet < 5; packet++) {
                MemifRig.fill(burst, packet < 3 ? 64 : 700, packet);
            }
            assertEquals(5, sender.txBurst(burst, 0));
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

    /** One that polls says so in the ring; one that does not would wait for ever. */
    @Test
    void shouldSayThatAPeerWaitsForInterrupts() {
        final Path path = folder.resolve("m");
        try (MemifPort server = MemifRig.open(path, "server")) {
            try (MemifPort client = MemifRig.open(path, "client")) {
                MemifRig.up(server, client);
                server.poll(System.nanoTime() + 2_000_000_000L);
                client.poll(System.nanoTime() + 2_000_000_000L);
                assertEquals("it has a peer", server.status());
                assertEquals("it has a peer", client.status());
            }
            MemifRig.until(() -> !server.isUp(), server);
            try (FakePeer peer = FakePeer.client(server)) {
                peer.connect();
                MemifRig.until(server::isUp, server);
                server.poll(System.nanoTime() + 4_000_000_000L);
                assertTrue(server.status().startsWith("its peer waits for interrupts"), server.status());
            }
        }
    }

    @Test
    void shouldCountWhatALoopStillHolds() {
        try (Arena arena = Arena.ofShared()) {
            final LoopPort loop = LoopPort.open(LoopSettings.parse("loop"));
            final PacketBurst burst = new PacketBurst(arena, 8, 2_048);
            MemifRig.fill(burst, 64, 1);
            MemifRig.fill(burst, 99, 2);
            assertEquals(2, loop.txBurst(burst, 0));
            loop.close();
            loop.close();
            assertEquals(2, loop.counts().get(PortCounter.RX_LEFT));
        }
    }
}
