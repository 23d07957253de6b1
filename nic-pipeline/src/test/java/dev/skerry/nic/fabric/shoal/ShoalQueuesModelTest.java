package dev.skerry.nic.fabric.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Queues that share a pool against one {@link ArrayDeque} each; what else is kept of a queue stays. */
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
                queues.setSearched(queue(queues, i), i, 1000 + i);
                queues.setLocal(queue(queues, i), 7 * i);
            }
            for (long step = 0; step < STEPS; step++) {
                final int i = random.nextInt(NODES * LINKS);
                final int number = queue(queues, i);
                final Deque<Long> expected = model.get(i);
                if (random.nextInt(5) < (step / 500 % 2 == 0 ? 3 : 1)) {
                    expected.add(step);
                    assertEquals(expected.size(), queues.append(number, step, -step), "seed=" + seed);
                } else if (!expected.isEmpty()) {
                    queues.pop(number);
                    assertEquals(expected.poll(), queues.word(), "seed=" + seed + " step=" + step);
                    assertEquals(-queues.word(), queues.cell(), "seed=" + seed + " step=" + step);
                }
                same(expected, queues, number, "seed=" + seed + " step=" + step);
                assertEquals(i + expected.size(), queues.load(number));
                assertEquals(1000 + i, queues.turn(number));
                assertEquals(7 * i, queues.local(number));
            }
            final int spilled = model.stream().mapToInt(queue -> Math.max(0, queue.size() - 2)).sum();
            assertEquals(spilled, pool.used(), "seed=" + seed);
            for (int node = 0; node < NODES; node++) {
                assertEquals(0, queues.load(queues.queue(queues.noLink(), node)), "seed=" + seed);
            }
        }
    }

    /** Rows of queues: cells put behind others and taken out, with the loads in the caller's hands. */
    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void shouldWorkOnManyQueuesAtOnce(final long seed) {
        final int nodes = 64;
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 20);
            final ShoalQueues queues = new ShoalQueues(arena, nodes, LINKS, pool);
            final List<Deque<Long>> model = new ArrayList<>();
            for (int i = 0; i < nodes * LINKS; i++) {
                model.add(new ArrayDeque<>());
            }
            for (long step = 0; step < 2_000; step++) {
                final String where = "seed=" + seed + " step=" + step;
                if (random.nextInt(8) < (step / 50 % 2 == 0 ? 7 : 1)) {
                    appendToMany(random, queues, model, step, where);
                } else {
                    popFromMany(random, queues, model, step, where);
                }
            }
            for (int i = 0; i < nodes * LINKS; i++) {
                same(model.get(i), queues, i, "seed=" + seed);
            }
            assertEquals(model.stream().mapToInt(Deque::size).sum(), queues.held(), "seed=" + seed);
        }
    }

    private static void appendToMany(final Random random, final ShoalQueues queues, final List<Deque<Long>> model,
        final long step, final String where) {
        final int from = random.nextInt(4);
        final int first = random.nextInt(8);
        final int nodes = 64;
        final int[] links = new int[nodes + 4];
        final long[] words = new long[nodes + 4];
        final long[] cells = new long[nodes + 4];
        final int[] lengths = new int[nodes + 4];
        final long which = random.nextLong() >>> first;
        for (int i = 0; i < nodes - first; i++) {
            links[from + i] = random.nextInt(LINKS);
            words[from + i] = step << 8 | i;
            cells[from + i] = -words[from + i];
        }
        queues.append(first, which, links, from, words, cells, lengths);
        for (int i = 0; i < nodes - first; i++) {
            if ((which >>> i & 1) != 0) {
                final Deque<Long> expected = model.get(links[from + i] * nodes + first + i);
                expected.add(words[from + i]);
                assertEquals(expected.size(), lengths[from + i], where);
            }
        }
    }

    /** As the row of a slot does: each queue that has cells loses one, some get another behind, loads come last. */
    private static void popFromMany(final Random random, final ShoalQueues queues, final List<Deque<Long>> model,
        final long step, final String where) {
        final int nodes = 64;
        final int link = random.nextInt(LINKS);
        final int[] loads = new int[nodes];
        final long[] words = new long[nodes];
        final long[] cells = new long[nodes];
        final long[] behind = new long[nodes];
        queues.getLoads(link, 0, nodes, loads);
        long which = 0;
        long several = 0;
        for (int i = 0; i < nodes; i++) {
            assertEquals(model.get(link * nodes + i).size(), ShoalQueues.lengthOf(loads[i]), where);
            which |= (ShoalQueues.lengthOf(loads[i]) > 0 ? 1L : 0) << i;
            several |= (ShoalQueues.lengthOf(loads[i]) > 1 ? 1L : 0) << i;
            behind[i] = -step << 8 | i;
        }
        final long joining = which & random.nextLong();
        queues.pop(link * nodes, which, several, loads, 0, words, cells);
        queues.put(link * nodes, joining, loads, 0, behind, behind);
        for (int i = 0; i < nodes; i++) {
            final Deque<Long> expected = model.get(link * nodes + i);
            if ((which >>> i & 1) != 0) {
                assertEquals(expected.poll(), words[i], where);
            }
            if ((joining >>> i & 1) != 0) {
                expected.add(behind[i]);
            }
            loads[i] = ShoalQueues.load(expected.size(), i);
        }
        queues.setLoads(link, 0, nodes, loads);
    }

    private static int queue(final ShoalQueues queues, final int i) {
        return queues.queue(i % LINKS, i / LINKS);
    }

    private static void same(final Deque<Long> expected, final ShoalQueues queues, final int number,
        final String where) {
        final List<Long> shown = new ArrayList<>();
        queues.forEach(number, (word, cell) -> shown.add(word));
        assertEquals(List.copyOf(expected), shown, where);
        assertEquals(expected.size(), queues.length(number), where);
    }
}
