package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/** Packets cost no heap memory: the bytes a thread allocates do not grow with the packets it moves. */
@Timeout(300)
final class PortAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WINDOWS = 50;
    private static final int WARM_UP = 100_000;
    private static final int PACKETS = 300_000;
    private static final long MOST_BYTES = PACKETS / 20;

    private final Arena arena = Arena.ofShared();
    private final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldNotAllocateWhereItGeneratesAndMeasures() {
        try (GeneratorPort port = generator("gen:64-200B,max,to=0-5")) {
            check(port, port);
            assertEquals(0, port.report().total().lost());
        }
    }

    @Test
    void shouldNotAllocateWhereItLoops() {
        try (GeneratorPort source = generator("gen:max"); LoopPort loop = LoopPort.open(LoopSettings.parse("loop"))) {
            check(source, loop);
            check(loop, loop);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.pcap", "a.pcapng", "a.pcap.gz"})
    void shouldNotAllocateWhereItWritesAndReads(final String name) {
        final Path file = folder.resolve(name);
        final PcapPort writer = PcapPort.open(PcapSettings.writing(file));
        try (GeneratorPort source = generator("gen:64-99B,max"); writer) {
            check(source, writer);
        }
        assertEquals("", writer.failure());
        if (!name.endsWith(".gz")) {
            try (GeneratorPort sink = generator("gen:max"); PcapPort port = PcapPort.open(
                PcapSettings.parse("pcap:in=" + file + ",loops=forever"))) {
                check(port, sink);
            }
        }
    }

    @Test
    void shouldNotAllocateWhereItHasAPeer() {
        final Path socket = folder.resolve("m.sock");
        try (MemifPort server = MemifRig.open(socket, "server");
            MemifPort client = MemifRig.open(socket, "client,ring=6,buffer=256")) {
            MemifRig.up(server, client);
            assertLeast(20_000, () -> look(server, client, 20_000));
            final PacketBurst out = MemifRig.burst(arena, 60, 140, 220, 300, 380, 460, 540, 620);
            assertLeast(20_000, () -> echo(server, client, out, 20_000));
            assertEquals(client.counts().get(PortCounter.TX_PACKETS), client.counts().get(PortCounter.RX_PACKETS));
        }
    }

    private void echo(final MemifPort server, final MemifPort client, final PacketBurst out, final int times) {
        final long nowNs = System.nanoTime();
        for (int i = 0; i < times; i++) {
            burst.clear();
            client.txBurst(out, 0);
            server.rxBurst(burst);
            server.txBurst(burst, 0);
            burst.clear();
            assertEquals(out.size(), client.rxBurst(burst));
            server.poll(nowNs);
        }
    }

    private static void look(final MemifPort server, final MemifPort client, final int times) {
        for (int i = 0; i < times; i++) {
            final long nowNs = System.nanoTime() + i * MemifPort.LOOK_NS;
            server.poll(nowNs);
            client.poll(nowNs);
        }
        assertTrue(server.isUp() && client.isUp());
    }

    private static GeneratorPort generator(final String text) {
        return GeneratorPort.open(GeneratorSettings.parse(text, 0));
    }

    private void check(final PacketPort from, final PacketPort to) {
        move(from, to, WARM_UP);
        assertLeast(MOST_BYTES, () -> move(from, to, PACKETS));
    }

    /** Some window allocates less: code that is not compiled yet may allocate, and nobody knows when it is. */
    private static void assertLeast(final long bytes, final Runnable window) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < WINDOWS && least >= bytes; i++) {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            window.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least < bytes, "least=" + least);
    }

    private void move(final PacketPort from, final PacketPort to, final int packets) {
        int moved = 0;
        while (moved < packets) {
            burst.clear();
            final int found = from.rxBurst(burst);
            assertTrue(found > 0 || to == from, "no more packets");
            // A capture has no room while its disk is behind.
            int sent = to.txBurst(burst, 0);
            while (sent < found) {
                Thread.onSpinWait();
                sent += to.txBurst(burst, sent);
            }
            if (to instanceof LoopPort && from != to) {
                burst.clear();
                to.rxBurst(burst);
            }
            moved += from == to && found == 0 ? 32 : found;
        }
    }
}
