package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;

final class LoopPortTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldDropWhatFitsNowhere() {
        final PacketBurst out = new PacketBurst(arena, 3, 2048);
        final PacketBurst in = new PacketBurst(arena, 3, 100);
        try (LoopPort port = LoopPort.open(LoopSettings.parse("loop:bytes=255"))) {
            MemifRig.fill(out, 193, 0);
            MemifRig.fill(out, 101, 1);
            MemifRig.fill(out, 64, 2);
            assertEquals(3, port.txBurst(out, 0));
            assertEquals(1, port.rxBurst(in));
            MemifRig.verify(in, 0, 64, 2);
            assertEquals(
                "RX_PACKETS=1 RX_BYTES=64 RX_DROPPED_TOO_LONG=1 RX_TOO_LONG_BYTES=101 TX_PACKETS=2 "
                + "TX_BYTES=165 TX_DROPPED_TOO_LONG=1",
                port.counts().toString());
        }
    }

    @Test
    void shouldTakeNothingOnceClosed() {
        final PacketBurst out = new PacketBurst(arena, 1, 64);
        final LoopPort port = LoopPort.open(LoopSettings.parse("loop"));
        MemifRig.fill(out, 64, 0);
        port.txBurst(out, 0);
        port.close();
        port.close();
        assertFalse(port.isUp());
        assertEquals(0, port.txBurst(out, 0));
        assertEquals(1, port.counts().get(PortCounter.TX_DOWN));
        assertEquals(1, port.counts().get(PortCounter.RX_LEFT));
        assertEquals(0, port.rxBurst(new PacketBurst(arena, 1, 64)));
    }

    /** Compares with a queue of copies, with packets that wrap around the end of the ring. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldBeABoundedQueue(final long seed) {
        final Random random = new Random(seed);
        final int packets = 1 + random.nextInt(40);
        final int bytes = 64 * (1 + random.nextInt(400));
        final Queue<byte[]> model = new ArrayDeque<>();
        final PacketBurst out = new PacketBurst(arena, 8, 9216);
        final PacketBurst in = new PacketBurst(arena, 8, 9216);
        int modelBytes = 0;
        long full = 0;
        try (LoopPort port = LoopPort.open(new LoopSettings(packets, bytes))) {
            for (int round = 0; round < 5_000; round++) {
                out.clear();
                final int offered = random.nextInt(9);
                for (int i = 0; i < offered; i++) {
                    MemifRig.fill(out, 1 + random.nextInt(1 << random.nextInt(14)), random.nextLong());
                }
                final int taken = port.txBurst(out, 0);
                int expected = 0;
                for (; expected < offered; expected++) {
                    final int lines = out.length(expected) + 63 & -64;
                    if (lines <= bytes) {
                        if (model.size() == packets || modelBytes + lines > bytes) {
                            break;
                        }
                        model.add(MemifRig.bytes(out, expected));
                        modelBytes += lines;
                    }
                }
                full += expected < offered ? 1 : 0;
                assertEquals(expected, taken, "seed=" + seed + " round=" + round);
                assertEquals(full, port.counts().get(PortCounter.TX_FULL), "seed=" + seed + " round=" + round);
                assertEquals(model.size(), port.held(), "seed=" + seed + " round=" + round);
                in.clear();
                assertEquals(Math.min(8, model.size()), port.rxBurst(in), "seed=" + seed + " round=" + round);
                for (int i = 0; i < in.size(); i++) {
                    modelBytes -= in.length(i) + 63 & -64;
                    assertArrayEquals(model.remove(), MemifRig.bytes(in, i), "seed=" + seed + " round=" + round);
                }
            }
        }
    }
}
