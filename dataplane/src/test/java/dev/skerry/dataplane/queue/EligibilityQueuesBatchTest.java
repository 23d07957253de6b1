package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Steps over a batch, against the same done to each queue by itself; {@link EligibilityQueuesModelTest} tests that. */
final class EligibilityQueuesBatchTest {
    private static final int STEPS = 1_500;
    private static final int NODES = 37;
    private static final int LINKS = 3;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldDoWhatEachQueueDoesAlone(final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 16);
            final EligibilityQueues batched = new EligibilityQueues(arena, LINKS * NODES, pool);
            final EligibilityQueues alone = new EligibilityQueues(arena, LINKS * NODES, pool);
            int longest = 0;
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final boolean growing = step / 100 % 2 == 0;
                if (random.nextInt(4) == 0 ? !growing : growing) {
                    longest = Math.max(longest, enqueue(batched, alone, random, where));
                } else {
                    dequeue(batched, alone, random.nextInt(LINKS), random.nextLong() | random.nextLong(), where);
                }
                for (int queue = 0; queue < LINKS * NODES; queue++) {
                    assertEquals(shown(alone, queue), shown(batched, queue), where);
                }
            }
            assertTrue(longest > 8, "hardly spilled: longest=" + longest + " seed=" + seed);
        }
    }

    private static int enqueue(final EligibilityQueues batched, final EligibilityQueues alone, final Random random,
        final String where) {
        final CellBatch batch = new CellBatch();
        for (int node = 0; node < NODES; node++) {
            if (random.nextBoolean()) {
                final int hop = random.nextInt(LINKS);
                final int at = batch.count();
                batch.add(node, hop, hop * NODES + node, random.nextLong());
                batch.cell()[at] = random.nextLong();
            }
        }
        batched.enqueue(batch);
        int longest = 0;
        for (int i = 0; i < batch.count(); i++) {
            final int length = alone.enqueue(batch.queue()[i], batch.word()[i], batch.cell()[i]);
            assertEquals(length, batch.length()[i], where);
            longest = Math.max(longest, length);
        }
        return longest;
    }

    private static void dequeue(final EligibilityQueues batched, final EligibilityQueues alone, final int link,
        final long wanted, final String where) {
        final long[] oldest = new long[CellBatch.CELLS];
        final long waiting = batched.oldest(link * NODES, NODES, oldest);
        for (int node = 0; node < NODES; node++) {
            final boolean waits = alone.length(link * NODES + node) > 0;
            assertEquals(waits, (waiting >>> node & 1) != 0, where);
            assertTrue(!waits || oldest[node] == alone.first(link * NODES + node), where);
        }
        assertEquals(0, waiting >>> NODES, where);
        final CellBatch batch = new CellBatch();
        batched.dequeueOldest(link * NODES, 100, waiting & wanted, batch);
        assertEquals(Long.bitCount(waiting & wanted), batch.count(), where);
        int i = 0;
        for (int node = 0; node < NODES; node++) {
            if ((waiting & wanted & 1L << node) != 0) {
                final int queue = link * NODES + node;
                assertTrue(alone.dequeue(queue, (asked, entry) -> true), where);
                final long left = alone.length(queue);
                assertEquals(List.of(100L + node, (long) queue, alone.entry(), alone.payload(), left),
                    List.of((long) batch.node()[i], (long) batch.queue()[i], batch.word()[i], batch.cell()[i],
                        (long) batch.length()[i]), where);
                i++;
            }
        }
    }

    private static List<Long> shown(final EligibilityQueues queues, final int queue) {
        final List<Long> shown = new ArrayList<>();
        queues.forEach(queue, (word, payload) -> {
            shown.add(word);
            shown.add(payload);
        });
        return shown;
    }
}
