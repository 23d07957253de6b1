package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Chained queues under random traffic, against deques. */
final class ChainedFifosModelTest {
    private static final int QUEUES = 5;
    private static final int STEPS = 20_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldServeFirstComeFirst(final long seed) {
        final Random random = new Random(seed);
        final List<Deque<Long>> model = new ArrayList<>();
        for (int queue = 0; queue < QUEUES; queue++) {
            model.add(new ArrayDeque<>());
        }
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, STEPS);
            final ChainedFifos queues = new ChainedFifos(arena, QUEUES, pool);
            for (long step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int queue = random.nextInt(QUEUES);
                final Deque<Long> expected = model.get(queue);
                if (random.nextInt(5) < (step % 1000 < 500 ? 3 : 2)) {
                    expected.add(step);
                    queues.enqueue(queue, step, -step);
                } else if (!expected.isEmpty()) {
                    queues.dequeue(queue);
                    assertEquals(expected.remove(), queues.entry(), where);
                    assertEquals(-queues.entry(), queues.payload(), where);
                }
                assertEquals(expected.isEmpty(), queues.isEmpty(queue), where);
                assertEquals(expected.size(), queues.length(queue), where);
                final List<Long> shown = new ArrayList<>();
                queues.forEach(queue, (word, with) -> shown.add(word));
                assertEquals(List.copyOf(expected), shown, where);
                assertEquals(model.stream().mapToInt(Deque::size).sum(), pool.used(), where);
            }
        }
    }
}
