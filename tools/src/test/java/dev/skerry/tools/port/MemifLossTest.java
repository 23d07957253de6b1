package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

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
