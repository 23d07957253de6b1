package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

final class FreeListTest {
    private static final int STEPS = 20_000;

    private final Arena arena = Arena.ofAuto();

    @Test
    void shouldHandOutFromTheFirstCellUpwards() {
        final FreeList list = new FreeList(arena, 10, 3);
        assertArrayEquals(new int[] {10, 11, 12, Slab.NONE},
            new int[] {list.alloc(), list.alloc(), list.alloc(), list.alloc()});
    }

    @Test
    void shouldHandOutTheCellFreedLast() {
        final FreeList list = new FreeList(arena, 0, 3);
        list.alloc();
        list.alloc();
        list.free(0);
        list.free(1);
        assertArrayEquals(new int[] {1, 0, 2}, new int[] {list.alloc(), list.alloc(), list.alloc()});
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

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldLendEveryCellOnceAtATime(final long seed) {
        final Random random = new Random(seed);
        final int first = random.nextInt(1000);
        final int cells = 1 + random.nextInt(300);
        final Set<Integer> held = new HashSet<>();
        final List<Integer> order = new ArrayList<>();
        long freed = 0;
        long refused = 0;
        final FreeList list = new FreeList(arena, first, cells);
        for (int step = 0; step < STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step + " cells=" + cells;
            final boolean growing = (step / (2 * cells) & 1) == 0;
            if (random.nextInt(4) == 0 ? !growing : growing) {
                final int cell = list.alloc();
                if (held.size() == cells) {
                    assertEquals(Slab.NONE, cell, where);
                    refused++;
                } else {
                    assertTrue(cell >= first && cell < first + cells, where);
                    assertTrue(held.add(cell), where);
                    order.add(cell);
                }
            } else if (order.isEmpty()) {
                assertThrows(AssertionError.class, () -> list.free(first), where);
            } else {
                final int cell = order.remove(random.nextInt(order.size()));
                held.remove(cell);
                list.free(cell);
                freed++;
            }
            assertEquals(held.size(), list.held(), where);
        }
        list.verify();
        assertTrue(refused > 0 && freed > 0, "both ends reached: seed=" + seed);
    }

    @ParameterizedTest
    @CsvSource({"1, 64", "63, 64", "64, 64", "65, 128", "244, 256", "256, 256", "1073741824, 1073741824"})
    void shouldPutEveryCellOnALineOfItsOwn(final int cellBytes, final int strideBytes) {
        assertEquals(strideBytes, Slab.strideBytes(cellBytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, (1 << 30) + 1, Integer.MAX_VALUE})
    void shouldRefuseCellsOfNoSize(final int cellBytes) {
        assertThrows(IllegalArgumentException.class, () -> Slab.strideBytes(cellBytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldRefuseNoCells(final int cells) {
        assertThrows(IllegalArgumentException.class, () -> Slab.slabBytes(cells, 64));
        assertThrows(IllegalArgumentException.class, () -> Slab.freeListBytes(cells));
    }

    @Test
    void shouldCountBytesBeyondAnInt() {
        assertEquals((1L << 31) * 256 - 256, Slab.slabBytes(Integer.MAX_VALUE, 256));
        assertEquals((1L << 28) + 4L * Integer.MAX_VALUE, Slab.freeListBytes(Integer.MAX_VALUE));
    }

    @Test
    void shouldAlignTheStackBehindTheBits() {
        assertArrayEquals(new long[] {64, 64, 128, 128 + 4 * 513}, new long[] {Slab.stackOffset(1),
            Slab.stackOffset(512), Slab.stackOffset(513), Slab.freeListBytes(513)});
    }

    @Test
    void shouldKeepCellsApart() {
        final Slab slab = new Slab(arena, 100, 100);
        assertEquals(100, slab.cells());
        assertEquals(100, slab.cellBytes());
        assertEquals(0, slab.segment().address() % 64);
        for (int cell = 0; cell < slab.cells(); cell++) {
            assertEquals(0, slab.offset(cell) % 64);
            slab.segment().asSlice(slab.offset(cell), slab.cellBytes()).fill((byte) cell);
        }
        for (int cell = 0; cell < slab.cells(); cell++) {
            for (int i = 0; i < slab.cellBytes(); i++) {
                assertEquals((byte) cell, slab.segment().get(ValueLayout.JAVA_BYTE, slab.offset(cell) + i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Slab.NONE, 4, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldCatchACellItDoesNotHave(final int cell) {
        final Slab slab = new Slab(arena, 4, 64);
        assertThrows(AssertionError.class, () -> slab.offset(cell));
    }
}
