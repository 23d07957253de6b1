package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Steps over a batch, against the same done to each queue by itself; {@link EligibilityQueuesModelTest} tests that. */
final class EligibilityQueuesBatchTest {
    private static final int STEPS = 1_000;
    private static final int LINKS = 3;
    private static final int UNTOUCHED = 77;

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 37", "3, 37", "4, 64", "5, 130", "6, 130"})
    void shouldDoWhatEachQueueDoesAlone(final long seed, final int nodes) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 16);
            final EligibilityQueues batched = new EligibilityQueues(arena, LINKS * nodes, pool);
            final EligibilityQueues alone = new EligibilityQueues(arena, LINKS * nodes, pool);
            int longest = 0;
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final boolean growing = step / 100 % 2 == 0;
                if (random.nextInt(4) == 0 ? !growing : growing) {
                    longest = Math.max(longest, enqueue(batched, alone, nodes, random, where));
                } else {
                    dequeue(batched, alone, nodes, random, where);
                }
                for (int queue = step % 3; queue < LINKS * nodes; queue += 3) {
                    assertEquals(shown(alone, queue), shown(batched, queue), where);
                }
            }
            assertTrue(longest > 8, "hardly spilled: longest=" + longest + " seed=" + seed);
        }
    }

    /** A batch of all queues of a bank, each of which has spilled. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, CellBatch.CELLS})
    void shouldTakeFromAllQueuesAtOnce(final int queues) {
        final int entries = 6;
        final int[] all = IntStream.range(0, queues).toArray();
        try (Arena arena = Arena.ofConfined()) {
            final EligibilityQueues bank = new EligibilityQueues(arena, queues,
                new SpillPool(arena, queues * entries));
            final CellBatch batch = new CellBatch(queues);
            for (int entry = 0; entry < entries; entry++) {
                batch.clear();
                for (final int queue : all) {
                    batch.add(queue, 0, queue, entry);
                }
                bank.enqueue(batch);
            }
            for (int entry = 0; entry < entries; entry++) {
                batch.clear();
                bank.dequeueOldest(0, 0, all, queues, batch);
                for (final int queue : all) {
                    assertEquals(entry, batch.word()[queue]);
                    assertEquals(entries - 1 - entry, batch.length()[queue]);
                }
            }
            assertEquals(0, bank.held());
        }
    }

    private static int enqueue(final EligibilityQueues batched, final EligibilityQueues alone, final int nodes,
        final Random random, final String where) {
        final CellBatch batch = new CellBatch(nodes);
        for (int node = 0; node < nodes; node++) {
            if (random.nextBoolean()) {
                final int hop = random.nextInt(LINKS);
                final int at = batch.count();
                batch.add(node, hop, hop * nodes + node, random.nextLong());
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

    /** Dequeues from some of the non-empty queues of consecutive nodes, in random order. */
    private static void dequeue(final EligibilityQueues batched, final EligibilityQueues alone, final int nodes,
        final Random random, final String where) {
        final int firstNode = random.nextInt(nodes);
        final int count = 1 + random.nextInt(nodes - firstNode);
        final int first = random.nextInt(LINKS) * nodes + firstNode;
        final int[] oldest = new int[nodes];
        final int[] waiting = new int[nodes];
        Arrays.fill(waiting, UNTOUCHED);
        batched.oldest(first, count, oldest, waiting);
        final List<Integer> able = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final boolean waits = alone.length(first + i) > 0;
            assertEquals(waits ? 1 : 0, waiting[i], where);
            assertTrue(!waits || oldest[i] == (int) alone.first(first + i), where);
            if (waits && random.nextInt(4) > 0) {
                able.add(i);
            }
        }
        for (int i = count; i < nodes; i++) {
            assertEquals(UNTOUCHED, waiting[i], where);
        }
        Collections.shuffle(able, random);
        final int[] which = able.stream().mapToInt(i -> i).toArray();
        // The batch already holds cells of another list.
        final int before = random.nextInt(which.length + 1);
        final CellBatch batch = new CellBatch(nodes);
        batched.dequeueOldest(first, firstNode, which, before, batch);
        batched.dequeueOldest(first, firstNode, Arrays.copyOfRange(which, before, which.length), which.length - before,
            batch);
        assertEquals(which.length, batch.count(), where);
        for (int k = 0; k < which.length; k++) {
            final int queue = first + which[k];
            assertTrue(alone.dequeue(queue, (asked, entry) -> true), where);
            final long left = alone.length(queue);
            assertEquals(List.of((long) firstNode + which[k], (long) queue, alone.entry(), alone.payload(), left),
                List.of((long) batch.node()[k], (long) batch.queue()[k], batch.word()[k], batch.cell()[k],
                    (long) batch.length()[k]), where);
        }
        assertEquals(alone.held(), batched.held(), where);
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
