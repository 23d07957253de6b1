package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

final class SlabTest {
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
        assertEquals(64, Slab.stackOffset(1));
        assertEquals(64, Slab.stackOffset(512));
        assertEquals(128, Slab.stackOffset(513));
        assertEquals(128 + 4 * 513, Slab.freeListBytes(513));
    }

    @Test
    void shouldKeepCellsApart() {
        try (Arena arena = Arena.ofConfined()) {
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
    }

    @ParameterizedTest
    @ValueSource(ints = {Slab.NONE, 4, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldCatchACellItDoesNotHave(final int cell) {
        try (Arena arena = Arena.ofConfined()) {
            final Slab slab = new Slab(arena, 4, 64);
            assertThrows(AssertionError.class, () -> slab.offset(cell));
        }
    }
}
