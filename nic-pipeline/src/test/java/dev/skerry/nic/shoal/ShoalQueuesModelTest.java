package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

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
                    assertEquals(expected.size(), queues.append(i % LINKS, i / LINKS, step, -step), "seed=" + seed);
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
    @CsvSource({"64, 4", "64, 5", "70, 6", "1, 7"})
    void shouldWorkOnManyQueuesAtOnce(final int nodes, final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 20);
            final ShoalQueues queues = new ShoalQueues(arena, nodes, LINKS, pool);
            final List<Deque<Long>> model = new ArrayList<>();
            for (int i = 0; i < nodes * LINKS; i++) {
                model.add(new ArrayDeque<>());
            }
            int longest = 0;
            for (long step = 0; step < 2_000; step++) {
                final String where = "seed=" + seed + " step=" + step;
                if (random.nextInt(8) < (step / 50 % 2 == 0 ? 7 : 1)) {
                    appendToMany(random, queues, model, step, where);
                } else {
                    popFromMany(random, queues, model, step, where);
                }
                longest = Math.max(longest, model.stream().mapToInt(Deque::size).max().orElseThrow());
            }
            for (int i = 0; i < nodes * LINKS; i++) {
                same(model.get(i), queues, i, "seed=" + seed);
            }
            assertEquals(model.stream().mapToInt(queue -> Math.max(0, queue.size() - 2)).sum(), pool.used(),
                "seed=" + seed);
            assertTrue(longest > 8, "queues spill: seed=" + seed);
        }
    }

    private static void appendToMany(final Random random, final ShoalQueues queues, final List<Deque<Long>> model,
        final long step, final String where) {
        final int nodes = model.size() / LINKS;
        final int first = random.nextInt(Math.min(nodes, 8));
        final int[] links = new int[nodes];
        final long[] words = new long[nodes];
        final long[] cells = new long[nodes];
        final int[] lengths = new int[nodes];
        for (int i = 0; i < nodes; i++) {
            links[i] = random.nextInt(LINKS);
            words[i] = step << 8 | i;
            cells[i] = -words[i];
        }
        final int[] which = someOf(random, 0, nodes - first);
        queues.append(which, which.length, first, links, words, cells, lengths);
        final int[] expected = new int[nodes];
        for (final int i : which) {
            final Deque<Long> queue = model.get(links[i] * nodes + first + i);
            queue.add(words[i]);
            expected[first + i] = queue.size();
        }
        assertArrayEquals(expected, lengths, where);
    }

    /** As the row of a slot does: each queue that has cells loses one, some get another behind, loads come last. */
    private static void popFromMany(final Random random, final ShoalQueues queues, final List<Deque<Long>> model,
        final long step, final String where) {
        final int nodes = model.size() / LINKS;
        final int link = random.nextInt(LINKS);
        final int first = random.nextInt(Math.min(nodes, 8));
        final int[] loads = new int[nodes];
        final long[] words = new long[nodes];
        final long[] cells = new long[nodes];
        final long[] behind = new long[nodes];
        final long[] cellBehind = new long[nodes];
        queues.getLoads(link, first, nodes, loads);
        for (int node = first; node < nodes; node++) {
            assertEquals(model.get(link * nodes + node).size(), ShoalQueues.lengthOf(loads[node]), where);
            behind[node] = -step << 8 | node;
            cellBehind[node] = -behind[node];
        }
        final int[] served = Arrays.stream(someOf(random, first, nodes))
            .filter(node -> ShoalQueues.lengthOf(loads[node]) > 0).toArray();
        final int from = random.nextInt(served.length + 1);
        final int end = from + random.nextInt(served.length - from + 1);
        queues.pop(link, served, served.length, loads, words, cells);
        queues.put(link, served, from, end, loads, behind, cellBehind);
        final long[] expected = new long[nodes];
        for (int k = 0; k < served.length; k++) {
            final Deque<Long> queue = model.get(link * nodes + served[k]);
            expected[served[k]] = queue.remove();
            if (from <= k && k < end) {
                queue.add(behind[served[k]]);
            }
            loads[served[k]] = ShoalQueues.load(queue.size(), served[k]);
        }
        assertArrayEquals(expected, words, where);
        assertArrayEquals(Arrays.stream(expected).map(word -> -word).toArray(), cells, where);
        queues.setLoads(link, first, nodes, loads);
    }

    /** Some of the numbers from one to before another, in any order. */
    private static int[] someOf(final Random random, final int first, final int end) {
        final List<Integer> all = new ArrayList<>(IntStream.range(first, end).boxed().toList());
        Collections.shuffle(all, random);
        return all.subList(0, random.nextInt(all.size() + 1)).stream().mapToInt(i -> i).toArray();
    }

    /** What is written of one node or of many against arrays; the ready flows and the turn of a queue lie apart. */
    @ParameterizedTest
    @ValueSource(longs = {8, 9})
    void shouldShowLoadsAndSearchesByNode(final long seed) {
        final int nodes = 37;
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final ShoalQueues queues = new ShoalQueues(arena, nodes, LINKS, new SpillPool(arena, 64));
            final int[][] loads = new int[LINKS][nodes];
            final int[][] searches = new int[LINKS][nodes];
            for (int step = 0; step < 2_000; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int link = random.nextInt(LINKS);
                final int first = random.nextInt(nodes);
                final int end = first + random.nextInt(nodes + 1 - first);
                if (random.nextBoolean()) {
                    setOne(random, queues, link, loads[link], searches[link]);
                } else {
                    for (int node = first; node < end; node++) {
                        loads[link][node] = ShoalQueues.load(random.nextInt(nodes), random.nextInt(nodes));
                        searches[link][node] = ShoalQueues.search(random.nextInt(nodes),
                            random.nextInt(nodes + 1));
                    }
                    queues.setLoads(link, first, end, loads[link]);
                    queues.setSearches(link, first, end, searches[link]);
                }
                final int[] expected = new int[nodes];
                final int[] column = new int[nodes];
                System.arraycopy(loads[link], first, expected, first, end - first);
                queues.getLoads(link, first, end, column);
                assertArrayEquals(expected, column, where);
                System.arraycopy(searches[link], first, expected, first, end - first);
                queues.getSearches(link, first, end, column);
                assertArrayEquals(expected, column, where);
            }
            for (int i = 0; i < nodes * LINKS; i++) {
                final int load = loads[i / nodes][i % nodes];
                final int search = searches[i / nodes][i % nodes];
                assertEquals(ShoalQueues.lengthOf(load), queues.length(i), "seed=" + seed);
                assertEquals(queues.load(i), queues.length(i) + queues.ready(i), "seed=" + seed);
                assertEquals(load, ShoalQueues.load(queues.length(i), queues.ready(i)), "seed=" + seed);
                assertEquals(search, ShoalQueues.search(queues.turn(i), queues.local(i) + 1), "seed=" + seed);
            }
        }
    }

    private static void setOne(final Random random, final ShoalQueues queues, final int link, final int[] loads,
        final int[] searches) {
        final int node = random.nextInt(loads.length);
        final int ready = random.nextInt(loads.length);
        final int turn = random.nextInt(loads.length);
        final int local = random.nextInt(loads.length + 1) - 1;
        queues.setSearched(queues.queue(link, node), ready, turn);
        queues.setLocal(queues.queue(link, node), local);
        loads[node] = ShoalQueues.load(ShoalQueues.lengthOf(loads[node]), ready);
        searches[node] = ShoalQueues.search(turn, local + 1);
        assertEquals(local, ShoalQueues.localOf(searches[node]));
        assertEquals(turn, ShoalQueues.turnOf(searches[node]));
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
