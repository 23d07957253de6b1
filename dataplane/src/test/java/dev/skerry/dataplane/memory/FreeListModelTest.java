package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A slab's cells allocated and freed at random, against a {@link HashSet} of the held ones. */
final class FreeListModelTest {
    private static final int STEPS = 20_000;

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
        try (Arena arena = Arena.ofConfined()) {
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
    }
}
