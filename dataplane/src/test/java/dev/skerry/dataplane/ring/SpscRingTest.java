package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

final class SpscRingTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldHandOutTheSameEndpoints() {
        final SpscRing ring = new SpscRing(arena, 4);
        assertSame(ring.producer(), ring.producer());
        assertSame(ring.consumer(), ring.consumer());
    }

    @Test
    void shouldWorkWithOneSlot() {
        final SpscRing ring = new SpscRing(arena, 1);
        for (int handle = 0; handle < 5; handle++) {
            assertTrue(ring.producer().offer(handle));
            assertFalse(ring.producer().offer(99));
            assertEquals(handle, ring.consumer().poll());
            assertEquals(SpscRing.NONE, ring.consumer().poll());
        }
    }

    @Test
    void shouldCarryNoHandleInBulk() {
        final SpscRing ring = new SpscRing(arena, 2);
        final int[] into = new int[2];
        assertTrue(ring.producer().offerBulk(new int[] {SpscRing.NONE, 3}, 0, 2));
        assertTrue(ring.consumer().pollBulk(into, 0, 2));
        assertArrayEquals(new int[] {SpscRing.NONE, 3}, into);
    }

    @Test
    void shouldCatchNoHandleInOffer() {
        final SpscRing ring = new SpscRing(arena, 2);
        assertThrows(AssertionError.class, () -> ring.producer().offer(SpscRing.NONE));
        assertEquals(0, ring.size());
    }

    @Test
    void shouldLeaveTheRingAloneWhenTheArrayIsTooShort() {
        final SpscRing ring = new SpscRing(arena, 4);
        final int[] handles = new int[3];
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBulk(handles, 0, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBurst(handles, 2, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBurst(handles, 0, -1));
        assertEquals(0, ring.size());
        assertTrue(ring.producer().offerBulk(handles, 0, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.consumer().pollBulk(handles, 1, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.consumer().pollBurst(handles, 4, 0));
        assertEquals(3, ring.size());
    }

    @Test
    void shouldStartEmptyInUsedMemory() {
        final MemorySegment used = arena.allocate(1024, 128).fill((byte) 0x5A);
        final SpscRing ring = new SpscRing(SegmentAllocator.slicingAllocator(used), 4);
        assertEquals(SpscRing.NONE, ring.consumer().poll());
        assertTrue(ring.producer().offer(1));
        assertEquals(1, ring.consumer().poll());
    }
}
