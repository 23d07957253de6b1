package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.skerry.nic.packet.ReorderWindow.WindowPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/** The pool against one bit per unit: blocks never overlap, and every free aligned block can be allocated. */
final class WindowPoolModelTest {
    private static final int ROUNDS = 20_000;

    private final BitSet used = new BitSet();
    private final List<int[]> held = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"64, 1", "128, 2", "4096, 3", "65536, 4", "65536, 5"})
    void shouldHandOutWhateverIsFree(final int cells, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int units = cells / WindowPool.UNIT_CELLS;
        final int lastOrder = Integer.numberOfTrailingZeros(units);
        try (Arena arena = Arena.ofConfined()) {
            final WindowPool pool = new WindowPool(arena, cells);
            for (int round = 0; round < ROUNDS; round++) {
                final String at = "seed=" + seed + " round=" + round;
                // Alternates between nearly empty and nearly full.
                final boolean growing = round / 500 % 2 == 0;
                if (held.isEmpty() || random.nextInt(10) < (growing ? 8 : 3)) {
                    final int order = Math.min(lastOrder, random.nextInt(random.nextInt(1, lastOrder + 3)));
                    final int unit = pool.alloc(order);
                    assertEquals(fits(units, order), unit != WindowPool.NONE, at);
                    if (unit != WindowPool.NONE) {
                        assertEquals(0, unit & (1 << order) - 1, at);
                        assertEquals(-1, firstUsed(unit, order), at);
                        used.set(unit, unit + (1 << order));
                        held.add(new int[] {unit, order});
                    }
                } else {
                    final int[] block = held.remove(random.nextInt(held.size()));
                    pool.free(block[0], block[1]);
                    used.clear(block[0], block[0] + (1 << block[1]));
                }
                assertEquals((long) (units - used.cardinality()) * WindowPool.UNIT_CELLS, pool.freeCells(), at);
            }
            held.forEach(block -> pool.free(block[0], block[1]));
            assertEquals(0, pool.alloc(lastOrder), "all blocks must become one again: seed=" + seed);
            assertEquals(WindowPool.NONE, pool.alloc(0));
        }
    }

    @Test
    void shouldRoundUpToABlock() {
        for (int cells = 1; cells < 5_000; cells++) {
            final int order = WindowPool.orderFor(cells);
            assertEquals(true, cells <= WindowPool.cells(order), "cells=" + cells);
            assertEquals(true, order == 0 || cells > WindowPool.cells(order - 1), "cells=" + cells);
        }
        assertEquals(15, WindowPool.orderFor(1 << 21));
    }

    @Test
    void shouldRefuseWhatIsLargerThanItself() {
        try (Arena arena = Arena.ofConfined()) {
            final WindowPool pool = new WindowPool(arena, 256);
            assertEquals(WindowPool.NONE, pool.alloc(3));
            assertNotEquals(WindowPool.NONE, pool.alloc(2));
        }
    }

    private boolean fits(final int units, final int order) {
        for (int unit = 0; unit < units; unit += 1 << order) {
            if (firstUsed(unit, order) < 0) {
                return true;
            }
        }
        return false;
    }

    private int firstUsed(final int unit, final int order) {
        final int first = used.nextSetBit(unit);
        return first >= 0 && first < unit + (1 << order) ? first : -1;
    }
}
