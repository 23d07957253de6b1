package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

final class FreeListTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldHandOutFromTheFirstCellUpwards() {
        final FreeList list = new FreeList(arena, 10, 3);
        assertEquals(10, list.alloc());
        assertEquals(11, list.alloc());
        assertEquals(12, list.alloc());
        assertEquals(Slab.NONE, list.alloc());
    }

    @Test
    void shouldHandOutTheCellFreedLast() {
        final FreeList list = new FreeList(arena, 0, 3);
        list.alloc();
        list.alloc();
        list.free(0);
        list.free(1);
        assertEquals(1, list.alloc());
        assertEquals(0, list.alloc());
        assertEquals(2, list.alloc());
    }

    @Test
    void shouldCountWhatItLends() {
        final FreeList list = new FreeList(arena, 0, 2);
        list.alloc();
        list.alloc();
        list.alloc();
        list.free(1);
        assertEquals(1, list.held());
        assertEquals(2, list.cells());
        list.verify();
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 12, Slab.NONE, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldCatchAForeignCell(final int cell) {
        final FreeList list = new FreeList(arena, 8, 4);
        list.alloc();
        assertFalse(list.contains(cell));
        assertThrows(AssertionError.class, () -> list.free(cell));
        assertEquals(1, list.held());
    }

    @Test
    void shouldCatchACellFreedTwice() {
        final FreeList list = new FreeList(arena, 0, 200);
        for (int i = 0; i < 200; i++) {
            list.alloc();
        }
        list.free(130);
        assertThrows(AssertionError.class, () -> list.free(130));
        assertEquals(199, list.held());
        list.verify();
    }

    @Test
    void shouldCatchACellNeverHandedOut() {
        final FreeList list = new FreeList(arena, 0, 4);
        assertThrows(AssertionError.class, () -> list.free(3));
    }

    @ParameterizedTest
    @CsvSource({"-1, 4", "0, 0", "0, -1", "1, 2147483647"})
    void shouldRefuseRangesThatAreNone(final int first, final int cells) {
        assertThrows(IllegalArgumentException.class, () -> new FreeList(arena, first, cells));
    }

    @ParameterizedTest
    @CsvSource({"1, freed twice: cell=1", "3, foreign cell: cell=3 first=0 cells=3"})
    void shouldFindAnOverwrittenStack(final int planted, final String message) {
        final MemorySegment memory = arena.allocate(Slab.freeListBytes(3), Slab.ALIGNMENT_BYTES);
        final FreeList list = new FreeList(SegmentAllocator.prefixAllocator(memory), 0, 3);
        list.verify();
        memory.set(ValueLayout.JAVA_INT, Slab.stackOffset(3), planted);
        final IllegalStateException e = assertThrows(IllegalStateException.class, list::verify);
        assertEquals(message, e.getMessage());
        assertEquals(0, list.alloc());
        assertEquals(1, list.alloc());
        assertThrows(AssertionError.class, list::alloc);
    }

    @Test
    void shouldStartFreeInUsedMemory() {
        final MemorySegment used = arena.allocate(1024, 64).fill((byte) -1);
        final FreeList list = new FreeList(SegmentAllocator.slicingAllocator(used), 0, 5);
        list.verify();
        for (int i = 0; i < 5; i++) {
            assertTrue(list.contains(list.alloc()));
        }
    }
}
