package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
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

/** What is kept of queues, of cells that were sent or joined one, and of flows, against lists and arrays. */
final class ShoalQueuesModelTest {
    private static final int NODES = 3;
    private static final int LINKS = 4;
    private static final int STEPS = 50_000;
    private static final int FLOW_STEPS = 20_000;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldKeepEveryQueueInOrder(final long seed) {
        final Random random = new Random(seed);
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

    /** Rows of queues: cells put behind others and taken out, with the loads in the caller's hands. */
    @ParameterizedTest
    @CsvSource({"64, 4", "64, 5", "70, 6", "1, 7"})
    void shouldWorkOnManyQueuesAtOnce(final int nodes, final long seed) {
        final Random random = new Random(seed);
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
                    searches[link][node] = ShoalQueues.search(random.nextInt(nodes), random.nextInt(nodes + 1));
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

    /** Four cells back, a queue that was joined counts only if the next cell joined one too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 40})
    void shouldKnowWhichQueuesCellsJoined(final int nodes) {
        final JoinedQueues queues = new JoinedQueues(arena, nodes, LINKS);
        final int first = nodes / 3;
        final int count = nodes - first;
        final int histories = (LINKS + 1) * (LINKS + 1) * (LINKS + 1) * (LINKS + 1);
        final int[] joined = new int[nodes];
        final long[] latest = new long[nodes];
        for (int history = 0; history < histories; history++) {
            for (int turn = 0; turn < JoinedQueues.TURNS; turn++) {
                for (int i = 0; i < count; i++) {
                    joined[i] = link(history + i, turn);
                }
                queues.note(2, first, count, joined);
            }
            queues.latest(2, first, count, latest);
            for (int i = 0; i < count; i++) {
                final int of = history + i;
                assertEquals(link(of, 3), queues.last(2, first + i));
                assertEquals(link(of, 2), queues.before(2, first + i));
                final int beforeAnother = link(of, 1) == LINKS ? LINKS : link(of, 0);
                final int notLast = link(of, 2) == LINKS ? beforeAnother : link(of, 2);
                assertEquals(link(of, 3) == LINKS ? notLast : link(of, 3), latest[i], "history=" + of);
            }
            assertEquals(LINKS, queues.last(1, nodes - 1));
            assertEquals(LINKS, queues.last(3, 0));
        }
    }

    @Test
    void shouldTellOfTheLastThatJoinedAQueueOfAClass() {
        final JoinedQueues queues = new JoinedQueues(arena, 3, LINKS);
        assertEquals(JoinedQueues.entry(LINKS, 0), queues.latest(0, 2));
        queues.note(0, 2, JoinedQueues.entry(3, 2));
        assertEquals(3, JoinedQueues.linkOf(queues.latest(0, 2)));
        assertEquals(2, JoinedQueues.classOf(queues.latest(0, 2)));
        queues.note(0, 2, JoinedQueues.entry(1, 1));
        queues.note(0, 2, LINKS);
        assertEquals(JoinedQueues.entry(1, 1), queues.latest(0, 2), "the last but one");
        queues.note(0, 2, LINKS);
        assertEquals(JoinedQueues.entry(3, 2), queues.latest(0, 2), "the last but three");
        queues.note(0, 2, LINKS);
        assertEquals(LINKS, queues.latest(0, 2), "both told twice");
        assertEquals(LINKS, queues.latest(0, 1), "no other node");
    }

    @Test
    void shouldForgetWhichQueuesCellsJoined() {
        final JoinedQueues queues = new JoinedQueues(arena, 3, LINKS);
        queues.note(1, 2, JoinedQueues.entry(1, 3));
        queues.note(1, 2, JoinedQueues.entry(2, 3));
        queues.forgetLast(1, 2);
        assertEquals(JoinedQueues.entry(1, 3), queues.latest(1, 2));
        queues.note(1, 2, LINKS);
        assertEquals(LINKS, queues.latest(1, 2), "a refused cell is told of once");
        queues.note(1, 2, JoinedQueues.entry(0, 0));
        queues.clear(1, 2);
        assertEquals(LINKS, queues.latest(1, 2));
    }

    /** The link of a turn of a history, a digit of its number. */
    private static int link(final int history, final int turn) {
        int left = history;
        for (int i = 0; i < turn; i++) {
            left /= LINKS + 1;
        }
        return left % (LINKS + 1);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, true", "1, 0, true", "0, 1, true", "4091, 2046, true", "4091, 2047, false", "0, 2047, false"})
    void shouldKeepFlowAndServicesOfASentCell(final int flow, final int services, final boolean joins) {
        final int entry = SentCells.entry(flow, services);
        assertEquals(flow, SentCells.flow(entry));
        assertEquals(services, SentCells.services(entry));
        assertEquals(joins, SentCells.joins(entry));
        assertTrue(entry >= 0, "of a flow");
    }

    @Test
    void shouldTellWhichSentCellsHaveNoFlow() {
        assertFalse(SentCells.joins(SentCells.NONE));
        assertTrue(SentCells.joins(SentCells.UNAWAITED));
        assertTrue(SentCells.NONE < 0 && SentCells.UNAWAITED < 0);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "7, 3", "16, 4", "17, 5", "70, 6"})
    void shouldKeepEveryThrottleApart(final int links, final long seed) {
        final Random random = new Random(seed);
        final Throttles throttles = new Throttles(arena, NODES, links, links);
        final int[][][] model = new int[NODES][links][links];
        final int[] flows = new int[NODES];
        for (int step = 0; step < FLOW_STEPS; step++) {
            final int node = random.nextInt(NODES);
            if (flows[node] == 0 || flows[node] < links && random.nextInt(50) == 0) {
                throttles.add(node, flows[node]++);
            }
            final int flow = random.nextInt(flows[node]);
            final int link = random.nextInt(links);
            assertEquals(model[node][flow][link], throttles.freeFrom(node, flow, link), "seed=" + seed);
            model[node][flow][link] = random.nextInt();
            throttles.set(node, flow, link, model[node][flow][link]);
        }
        for (int node = 0; node < NODES; node++) {
            for (int flow = 0; flow < flows[node]; flow++) {
                for (int link = 0; link < links; link++) {
                    assertEquals(model[node][flow][link], throttles.freeFrom(node, flow, link), "seed=" + seed);
                }
            }
        }
    }

    /**
     * The first flows of a row in one call against one by one, as a row of a slot is worked on: what changes in the
     * column is written to the index as well, where there is one.
     */
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 2"})
    void shouldTakeManyNodesAtOnce(final boolean indexed, final long seed) {
        final int nodes = 70;
        final int flows = 3;
        final Random random = new Random(seed);
        final Throttles one = throttles(arena, nodes, flows, indexed);
        final Throttles other = throttles(arena, nodes, flows, indexed);
        assertEquals(indexed, other.indexed());
        for (int step = 0; step < 500; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int link = random.nextInt(flows);
            final int first = random.nextInt(nodes);
            final int count = random.nextInt(nodes + 1 - first);
            final int from = random.nextInt(4);
            final int[] column = new int[from + count + 1];
            Arrays.fill(column, -1);
            other.getFirst(first, count, link, column, from);
            assertEquals(-1, column[from + count], where);
            assertTrue(from == 0 || column[from - 1] == -1, where);
            for (int i = 0; i < count; i++) {
                assertEquals(one.freeFrom(first + i, 0, link), column[from + i], where);
                final int epoch = step + random.nextInt(20);
                final int flow = random.nextInt(3) == 0 ? random.nextInt(flows) : 0;
                if (random.nextBoolean()) {
                    one.set(first + i, flow, link, epoch);
                    if (flow == 0) {
                        column[from + i] = epoch;
                    }
                    if (flow != 0 || indexed) {
                        other.set(first + i, flow, link, epoch);
                    }
                }
            }
            other.setFirst(first, count, link, column, from);
            same(one, other, flows, nodes, where);
            for (int node = 0; indexed && node < nodes; node += 2) {
                assertEquals(one.free(node, link, 0, step), other.free(node, link, 0, step), where);
            }
        }
    }

    private static void same(final Throttles one, final Throttles other, final int flows, final int nodes,
        final String where) {
        for (int node = 0; node < nodes; node++) {
            for (int flow = 0; flow < flows; flow++) {
                for (int link = 0; link < flows; link++) {
                    assertEquals(one.freeFrom(node, flow, link), other.freeFrom(node, flow, link), where);
                }
            }
        }
    }

    private static Throttles throttles(final Arena arena, final int nodes, final int flows, final boolean indexed) {
        final Throttles throttles = new Throttles(arena, nodes, flows, flows);
        for (int node = 0; node < nodes; node++) {
            for (int flow = 0; flow < flows; flow++) {
                throttles.add(node, flow);
            }
            if (indexed && node % 2 == 0) {
                throttles.index(node, flows);
            }
        }
        return throttles;
    }

    /** The index against all throttles of a link, which is at least as far at every look as at the one before. */
    @ParameterizedTest
    @CsvSource({"17, 1", "63, 2", "64, 3", "65, 4", "200, 5"})
    void shouldKnowWhichFlowsAreFree(final int links, final long seed) {
        final Random random = new Random(seed);
        final Throttles throttles = new Throttles(arena, 1, links, links);
        final int[] atMost = new int[links];
        int flows = 0;
        for (int step = 0; step < FLOW_STEPS; step++) {
            if (flows < links && random.nextInt(100) == 0) {
                throttles.add(0, flows++);
            }
            if (flows > Throttles.FEW) {
                throttles.index(0, flows);
            }
            final int link = random.nextInt(Math.min(links, 5));
            if (flows > 0 && random.nextInt(3) < 2) {
                throttles.set(0, random.nextInt(flows), link, random.nextInt(8) > 0
                    ? atMost[link] + random.nextInt(20) : random.nextInt(2) > 0 ? Throttles.HELD : Throttles.AWAIT);
            } else if (flows > Throttles.FEW) {
                atMost[link] += random.nextInt(3);
                for (int flow = 0; flow < flows; flow++) {
                    assertEquals(throttles.freeFrom(0, flow, link) <= atMost[link],
                        (throttles.free(0, link, flow >> 6, atMost[link]) >>> flow & 1) != 0,
                        "seed=" + seed + " step=" + step + " flow=" + flow);
                }
            }
        }
    }
}
