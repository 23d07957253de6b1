package dev.skerry.nic.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Delivered cells against sets of sequence numbers. */
final class DeliveredCellsModelTest {
    @Test
    void shouldKnowEveryCellOfShortFlows() {
        for (long seed = 1; seed <= 5; seed++) {
            final Random random = new Random(seed);
            final int flows = 200;
            final int[] cells = random.ints(flows, 1, 400).toArray();
            cells[7] = DeliveredCells.WINDOW_CELLS;
            cells[8] = DeliveredCells.WINDOW_CELLS + 5;
            final Map<Integer, Set<Integer>> model = new HashMap<>();
            try (Arena arena = Arena.ofConfined()) {
                final DeliveredCells delivered = new DeliveredCells(arena, flows);
                for (int i = 0; i < 60_000; i++) {
                    final int flow = random.nextInt(flows);
                    final int sequence = random.nextInt(Math.min(cells[flow], 400));
                    final boolean fresh = model.computeIfAbsent(flow, f -> new HashSet<>()).add(sequence);
                    assertEquals(fresh ? DeliveredCells.NEW : DeliveredCells.DUPLICATE,
                        delivered.add(flow, cells[flow], sequence), "seed=" + seed + " flow=" + flow);
                }
            }
        }
    }

    @Test
    void shouldKnowTheLastCellsOfAnEndlessFlow() {
        final Random random = new Random(4);
        final Set<Integer> model = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            final DeliveredCells delivered = new DeliveredCells(arena, 1);
            int highest = 0;
            int stale = 0;
            for (int i = 0; i < 300_000; i++) {
                final int sequence = random.nextInt(20) == 0
                    ? Math.max(0, highest - random.nextInt(DeliveredCells.WINDOW_CELLS * 2))
                    : Math.max(0, highest + random.nextInt(i % 1000 == 0 ? 50_000 : 8) - 2);
                final int expected = sequence <= highest - DeliveredCells.WINDOW_CELLS ? DeliveredCells.STALE
                    : model.add(sequence) ? DeliveredCells.NEW : DeliveredCells.DUPLICATE;
                assertEquals(expected, delivered.add(0, FlowSet.ENDLESS, sequence), "i=" + i);
                stale += expected == DeliveredCells.STALE ? 1 : 0;
                highest = Math.max(highest, sequence);
            }
            assertEquals(true, stale > 100 && highest > 10 * DeliveredCells.WINDOW_CELLS, "stale=" + stale);
        }
    }
}
