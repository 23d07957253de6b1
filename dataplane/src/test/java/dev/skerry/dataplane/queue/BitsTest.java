package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

final class BitsTest {
    private static final long SEED = 11;

    @Test
    void shouldListTheSetBitsInAscendingOrder() {
        final Random random = new Random(SEED);
        final int[] into = new int[CellBatch.CELLS];
        for (int round = 0; round < 2_000; round++) {
            final long word = round == 0 ? 0 : round == 1 ? -1 : random.nextLong() & random.nextLong() >> round % 64;
            final int[] expected = BitSet.valueOf(new long[] {word}).stream().toArray();
            assertEquals(expected.length, Bits.list(word, into), "seed=" + SEED + " round=" + round);
            assertArrayEquals(expected, Arrays.copyOf(into, expected.length), "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldGoOnFromAPlace() {
        final int[] into = {9, 9, 9, 9};
        assertEquals(3, Bits.list(0x8000_0000_0000_0001L, into, 1));
        assertArrayEquals(new int[] {9, 0, 63, 9}, into);
    }
}
