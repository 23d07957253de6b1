package dev.skerry.dataplane.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

final class PacketBurstTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldHoldPacketsInOrder() {
        final PacketBurst burst = new PacketBurst(arena, 3, 100);
        final MemorySegment source = arena.allocate(100);
        for (int packet = 0; packet < 3; packet++) {
            source.fill((byte) (packet + 1));
            assertEquals(3 - packet, burst.room());
            assertTrue(burst.append(source, 0, 100 - packet));
        }
        assertFalse(burst.append(source, 0, 1));
        assertEquals(3, burst.size());
        assertEquals(0, burst.room());
        for (int packet = 0; packet < 3; packet++) {
            assertEquals(100 - packet, burst.length(packet));
            for (int i = 0; i < burst.length(packet); i++) {
                assertEquals(packet + 1, burst.bytes().get(ValueLayout.JAVA_BYTE, burst.offset(packet) + i));
            }
        }
        burst.clear();
        assertEquals(0, burst.size());
        assertEquals(3, burst.room());
        assertTrue(burst.append(source, 0, 1));
        assertEquals(0, burst.offset(0));
    }

    @Test
    void shouldKeepShortPacketsTogetherAndOnLinesOfTheirOwn() {
        final PacketBurst burst = new PacketBurst(arena, 4, 9216);
        final MemorySegment source = arena.allocate(9216);
        burst.append(source, 0, 64);
        burst.append(source, 0, 65);
        burst.append(source, 0, 9216);
        burst.append(source, 0, 1);
        assertEquals(64, burst.offset(1));
        assertEquals(64 + 128, burst.offset(2));
        assertEquals(64 + 128 + 9216, burst.offset(3));
    }

    @Test
    void shouldRefuseWhatItCannotHold() {
        final PacketBurst burst = new PacketBurst(arena, 2, 64);
        final MemorySegment source = arena.allocate(65);
        assertFalse(burst.append(source, 0, 0));
        assertFalse(burst.append(source, 0, 65));
        assertThrows(IndexOutOfBoundsException.class, () -> burst.append(source, 2, 64));
        assertEquals(0, burst.size());
    }

    @Test
    void shouldRefuseImpossibleSizes() {
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 0, 64));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 65_537, 64));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 65_536, 1 << 20));
    }
}
