package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A bank of queues under random traffic and random eligibility, against the definition of PIEO with rank = arrival. */
final class EligibilityQueuesModelTest {
    private static final int STEPS = 12_000;
    private static final int QUEUES = 5;
    private static final int BUCKETS = 6;
    private static final int LONGEST = 40;
    private static final long WORD = 0xFEDC_BA98_0000_0000L;

    private final List<List<PieoList.Element>> model = new ArrayList<>();
    private int arrivals;
    private long eligible;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldDequeueTheFirstEligible(final long seed) {
        final Random random = new Random(seed);
        for (int queue = 0; queue < QUEUES; queue++) {
            model.add(new ArrayList<>());
        }
        final int[] seen = new int[LONGEST + 1];
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, QUEUES * LONGEST);
            final EligibilityQueues queues = new EligibilityQueues(arena, QUEUES, pool);
            int target = 0;
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                if (step % 100 == 0) {
                    target = random.nextInt(random.nextBoolean() ? 12 : LONGEST);
                }
                final int queue = random.nextInt(QUEUES);
                final int length = model.get(queue).size();
                if (length < LONGEST && random.nextInt(4) < (length < target ? 3 : 1)) {
                    enqueue(queues, queue, random.nextInt(BUCKETS), where);
                } else {
                    eligible = random.nextInt(4) == 0 ? -1 : random.nextLong() & random.nextLong();
                    dequeue(queues, queue, where);
                }
                same(queues, queue, where);
                assertEquals(model.stream().mapToLong(List::size).sum(), queues.held(), where);
                seen[model.get(queue).size()]++;
            }
            drain(queues, "seed=" + seed);
            assertEquals(0, pool.used(), "seed=" + seed);
            assertEquals(0, queues.held(), "seed=" + seed);
        }
        for (int length = 0; length <= 25; length++) {
            assertTrue(seen[length] > 0, "length never reached: " + length + " seed=" + seed);
        }
    }

    private void enqueue(final EligibilityQueues queues, final int queue, final int bucket, final String where) {
        model.get(queue).add(new PieoList.Element(bucket, arrivals, 0));
        assertEquals(model.get(queue).size(), queues.enqueue(queue, WORD | bucket, ~(long) arrivals), where);
        arrivals++;
    }

    /** The obvious rule: through the list in order of arrival, out with the first whose bucket is in the set. */
    private void dequeue(final EligibilityQueues queues, final int queue, final String where) {
        PieoList.Element expected = null;
        for (final PieoList.Element element : model.get(queue)) {
            if (expected == null && (eligible >>> element.id() & 1) != 0) {
                expected = element;
            }
        }
        assertEquals(expected != null, queues.dequeue(queue, (asked, entry) -> {
            assertEquals(queue, asked, where);
            assertEquals(WORD, entry & ~0xFFL, where);
            return (eligible >>> (int) (entry & 0xFF) & 1) != 0;
        }), where);
        if (expected != null) {
            model.get(queue).remove(expected);
            assertEquals(WORD | expected.id(), queues.entry(), where);
            assertEquals(~expected.rank(), queues.payload(), where);
        }
    }

    private void same(final EligibilityQueues queues, final int queue, final String where) {
        final List<PieoList.Element> found = new ArrayList<>();
        queues.forEach(queue, (word, payload) ->
            found.add(new PieoList.Element((int) (word & 0xFF), ~payload, 0)));
        assertEquals(model.get(queue), found, where);
        assertEquals(found.size(), queues.length(queue), where);
    }

    private void drain(final EligibilityQueues queues, final String where) {
        eligible = -1;
        for (int queue = 0; queue < QUEUES; queue++) {
            same(queues, queue, where);
            while (!model.get(queue).isEmpty()) {
                dequeue(queues, queue, where);
            }
            dequeue(queues, queue, where);
            same(queues, queue, where);
        }
    }
}
