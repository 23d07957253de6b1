package dev.skerry.nic.fabric.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Queues that share a pool against one {@link ArrayDeque} each; what else a line keeps stays as it was written. */
final class ShoalQueuesModelTest {
    private static final int NODES = 3;
    private static final int LINKS = 4;
    private static final int STEPS = 50_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldKeepEveryQueueInOrder(final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 20);
            final ShoalQueues queues = new ShoalQueues(arena, NODES, LINKS, pool);
            final List<Deque<Long>> model = new ArrayList<>();
            for (int i = 0; i < NODES * LINKS; i++) {
                model.add(new ArrayDeque<>());
                queues.setSearched(line(queues, i), i, 1000 + i);
                queues.setLocal(line(queues, i), 7 * i);
                queues.setJoined(line(queues, i), i % LINKS);
            }
            for (long step = 0; step < STEPS; step++) {
                final int i = random.nextInt(NODES * LINKS);
                final long line = line(queues, i);
                final Deque<Long> expected = model.get(i);
                if (random.nextInt(5) < (step / 500 % 2 == 0 ? 3 : 1)) {
                    expected.add(step);
                    assertEquals(expected.size(), queues.append(line, step, -step), "seed=" + seed);
                } else if (!expected.isEmpty()) {
                    queues.pop(line);
                    assertEquals(expected.poll(), queues.word(), "seed=" + seed + " step=" + step);
                    assertEquals(-queues.word(), queues.cell(), "seed=" + seed + " step=" + step);
                }
                same(expected, queues, line, "seed=" + seed + " step=" + step);
                assertEquals(i + expected.size(), queues.load(line));
                assertEquals(1000 + i, queues.turn(line));
                assertEquals(7 * i, queues.local(line));
                assertEquals(i % LINKS, queues.joined(line));
                assertEquals(LINKS, queues.joinedBefore(line));
                assertEquals(i % LINKS, queues.joinedLatest(line));
            }
            final int spilled = model.stream().mapToInt(queue -> Math.max(0, queue.size() - 2)).sum();
            assertEquals(spilled, pool.used(), "seed=" + seed);
            for (int node = 0; node < NODES; node++) {
                assertEquals(0, queues.load(queues.line(queues.noLink(), node)), "seed=" + seed);
            }
        }
    }

    /** Four cells back, a queue that was joined counts only if the next cell joined one too. */
    @Test
    void shouldKnowWhichQueuesCellsJoined() {
        try (Arena arena = Arena.ofConfined()) {
            final ShoalQueues queues = new ShoalQueues(arena, 1, LINKS, new SpillPool(arena, 1));
            for (int history = 0; history < (LINKS + 1) * (LINKS + 1) * (LINKS + 1) * (LINKS + 1); history++) {
                final int[] link = new int[4];
                for (int i = 0, left = history; i < link.length; i++, left /= LINKS + 1) {
                    link[i] = left % (LINKS + 1);
                    queues.setJoined(0, link[i]);
                }
                assertEquals(link[3], queues.joined(0));
                assertEquals(link[2], queues.joinedBefore(0));
                final int beforeAnother = link[1] == LINKS ? LINKS : link[0];
                final int notLast = link[2] == LINKS ? beforeAnother : link[2];
                assertEquals(link[3] == LINKS ? notLast : link[3], queues.joinedLatest(0));
            }
        }
    }

    private static long line(final ShoalQueues queues, final int i) {
        return queues.line(i % LINKS, i / LINKS);
    }

    private static void same(final Deque<Long> expected, final ShoalQueues queues, final long line,
        final String where) {
        final List<Long> shown = new ArrayList<>();
        queues.forEach(line, (word, cell) -> shown.add(word));
        assertEquals(List.copyOf(expected), shown, where);
        assertEquals(expected.size(), queues.length(line), where);
    }
}
