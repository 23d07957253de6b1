package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.edge.EdgeMemory.CellQueue;
import dev.skerry.nic.packet.PacketFormat;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;

final class CellQueueTest {
    private static final long SEED = 20261122;

    /** Two queues over the same cells, against two lists. Each cell is in at most one queue. */
    @Test
    void shouldKeepCellsInOrderWithTheirFlags() {
        try (Arena arena = Arena.ofConfined()) {
            final EdgeMemory memory = new EdgeMemory(arena,
                new EdgeConfig(new PacketFormat(CellFormat.SHOAL, 1500), 1 << 8, 0, 0), new int[] {0, 0}, 1);
            final CellQueue[] queues = {new CellQueue(memory), new CellQueue(memory)};
            final List<ArrayDeque<int[]>> models = List.of(new ArrayDeque<>(), new ArrayDeque<>());
            final ArrayDeque<Integer> free = new ArrayDeque<>();
            for (int cell = 0; cell < 40; cell++) {
                free.add(cell);
            }
            final Random random = new Random(SEED);
            for (int step = 0; step < 10_000; step++) {
                final int which = random.nextInt(2);
                final String where = "seed=" + SEED + " step=" + step;
                if (random.nextBoolean() && !free.isEmpty()) {
                    final int[] cell = {free.poll(), random.nextBoolean() ? PacketFormat.EOP : EdgeMemory.GAP};
                    queues[which].add(cell[0], cell[1]);
                    models.get(which).add(cell);
                } else if (models.get(which).isEmpty()) {
                    assertTrue(queues[which].isEmpty(), where);
                    assertEquals(EdgeMemory.NONE, queues[which].poll(), where);
                } else {
                    final int[] expected = models.get(which).poll();
                    final int cell = queues[which].poll();
                    assertEquals(expected[0], cell, where);
                    assertEquals(expected[1], memory.flags(cell), where);
                    free.add(cell);
                }
                assertEquals(models.get(which).size(), queues[which].size(), where);
                assertEquals(models.get(which).size(), queues[which].count(), where);
            }
        }
    }
}
