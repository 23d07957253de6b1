package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shoal.SentCells.AcceptedCells;
import dev.skerry.nic.shoal.SentCells.SentCopies;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** What is kept of queues, of cells that were sent or joined one, of flows and neighbours, against lists and arrays. */
final class ShoalQueuesModelTest {
    private static final int NODES = 3;
    private static final int LINKS = 4;
    private static final int STEPS = 50_000;
    private static final int FLOW_STEPS = 20_000;
    @AutoClose
    private final CountedArena arena = new CountedArena();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldKeepEveryQueueInOrder(final long seed) {
        final Random random = new Random(seed);
        final SpillPool pool = new SpillPool(arena, 1 << 20);
        final long before = arena.bytes();
        final ShoalQueues queues = new ShoalQueues(arena, NODES, LINKS, pool);
        assertEquals(ShoalQueues.bytes(NODES, LINKS), arena.bytes() - before);
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
        assertEquals(JoinedQueues.bytes(nodes, LINKS), arena.bytes());
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
            model[node][flow][link] = random.nextInt(3) > 0 ? random.nextInt(FLOW_STEPS)
                : random.nextBoolean() ? Throttles.HELD : Throttles.AWAIT;
            throttles.set(node, flow, link, model[node][flow][link]);
            if (random.nextInt(100) == 0) {
                final int epochs = random.nextInt(100);
                throttles.rebase(epochs);
                Arrays.stream(model).flatMap(Arrays::stream).forEach(row -> Arrays.setAll(row,
                    i -> row[i] >= Throttles.AWAIT ? row[i] : Math.max(0, row[i] - epochs)));
            }
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
            } else if (random.nextInt(20) == 0) {
                final int epochs = random.nextInt(Arrays.stream(atMost).limit(5).min().orElseThrow() + 1);
                throttles.rebase(epochs);
                Arrays.setAll(atMost, i -> atMost[i] - epochs);
            } else if (flows > Throttles.FEW) {
                atMost[link] += random.nextInt(3);
                for (int flow = 0; flow < flows; flow++) {
                    assertEquals(throttles.freeFrom(0, flow, link) <= atMost[link],
                        (throttles.free(0, link, flow >> 6, atMost[link]) >>> flow & 1) != 0,
                        "seed=" + seed + " step=" + step + " flow=" + flow);
                }
            }
        }
        assertEquals(Throttles.bytes(links, flows), arena.bytes(), "seed=" + seed);
    }

    @Test
    void shouldKeepWhatWaitsInOrder() {
        final Random random = new Random(6);
        final SpillPool pool = new SpillPool(arena, 1 << 16);
        final NeighbourTable neighbours = new NeighbourTable(arena, NODES, LINKS, pool);
        final List<Deque<Long>> model = new ArrayList<>();
        for (int i = 0; i < NODES * LINKS; i++) {
            model.add(new ArrayDeque<>());
        }
        for (long i = 0; i < 20_000; i++) {
            final int link = random.nextInt(LINKS);
            final int node = random.nextInt(NODES);
            final long line = neighbours.line(link, node);
            final Deque<Long> list = model.get(link * NODES + node);
            switch (random.nextInt(50)) {
                case 0 -> {
                    neighbours.dropResends(line);
                    list.clear();
                }
                case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> {
                    neighbours.addResend(line, i, -i);
                    list.add(i);
                }
                default -> {
                    final Long first = list.poll();
                    assertEquals(first != null, neighbours.takeResend(line));
                    if (first != null) {
                        assertEquals(first, neighbours.word());
                        assertEquals(-first, neighbours.cell());
                    }
                }
            }
            neighbours.setNotices(line, (int) (i % 3));
            assertEquals(list.size() + i % 3, neighbours.ahead(line));
            assertEquals(0, neighbours.ahead(neighbours.line(LINKS, node)), "nothing waits for nobody");
            final int waiting = model.stream().mapToInt(Deque::size).sum();
            assertEquals(waiting, neighbours.waiting());
            assertEquals(waiting, pool.used());
        }
    }

    @Test
    void shouldCountSilenceOnceSomethingWasHeard() {
        final NeighbourTable neighbours = new NeighbourTable(arena, NODES, LINKS, new SpillPool(arena, 16));
        final long line = neighbours.line(2, 1);
        assertEquals(1, neighbours.miss(line), "all have heard each other at the start");
        assertEquals(2, neighbours.miss(line));
        neighbours.hear(line, 5, false);
        assertEquals(0, neighbours.heardEpoch(line), "a damaged cell is heard, but not valid");
        assertEquals(1, neighbours.miss(line));
        neighbours.reset(line, NeighbourTable.HEARD);
        assertEquals(0, neighbours.miss(line), "nothing is expected yet");
        neighbours.hear(line, 6, false);
        assertEquals(0, neighbours.miss(line));
        neighbours.hear(line, 7, true);
        assertEquals(7, neighbours.heardEpoch(line));
        assertEquals(1, neighbours.miss(line));
        neighbours.setReady(line);
        assertTrue(neighbours.isReady(line));
        neighbours.setUp(line);
        assertFalse(neighbours.isReady(line));
        assertEquals(NeighbourTable.UP, neighbours.state(line));
        assertEquals(1, neighbours.countResend(line));
        assertEquals(2, neighbours.countResend(line));
        neighbours.endResends(line);
        assertEquals(1, neighbours.countResend(line));
    }

    @Test
    void shouldRememberWhatWasSentAndTakenIn() {
        final SentCopies copies = new SentCopies(arena, NODES, LINKS, 3);
        final AcceptedCells accepted = new AcceptedCells(arena, NODES, LINKS, 3);
        final long[][] last = new long[NODES * LINKS][3];
        Arrays.stream(last).forEach(row -> Arrays.fill(row, -1));
        final Random random = new Random(2);
        for (int epoch = 0; epoch < 200; epoch++) {
            for (int place = 0; place < NODES * LINKS; place++) {
                final long cell = random.nextInt(40);
                copies.put(copies.at(epoch, place / NODES, place % NODES), cell % 5 == 0 ? InFlightCells.CONTROL
                    : cell % 7 == 0 ? InFlightCells.NO_CELL : 1000 + cell, cell);
                assertEquals(Arrays.stream(last[place]).anyMatch(kept -> kept == cell),
                    accepted.contains(place / NODES, place % NODES, cell));
                accepted.add(place / NODES, place % NODES, epoch, cell);
                last[place][epoch % 3] = cell;
            }
            int open = 0;
            for (int back = 0; back < 3; back++) {
                for (int place = 0; place < NODES * LINKS; place++) {
                    final long at = copies.at(epoch - back, place / NODES, place % NODES);
                    final long cell = last[place][Math.floorMod(epoch - back, 3)];
                    open += InFlightCells.isCell(copies.route(at)) ? 1 : 0;
                    assertTrue(cell == -1 || copies.cell(at) == cell);
                }
            }
            assertEquals(open, copies.open());
        }
        accepted.clear(5 / NODES, 5 % NODES);
        Arrays.fill(last[5], -1);
        for (int place = 0; place < NODES * LINKS; place++) {
            for (long cell = 0; cell < 40; cell++) {
                final long wanted = cell;
                assertEquals(Arrays.stream(last[place]).anyMatch(kept -> kept == wanted),
                    accepted.contains(place / NODES, place % NODES, cell));
            }
        }
    }

    @Test
    void shouldPackWords() {
        for (final int node : new int[] {0, 1, 511, 1023}) {
            for (int number = 0; number < ClassedCell.MAX_CLASSES; number++) {
                final long word = ClassedCell.of(node, 1023 - node, number);
                for (final long sent : new long[] {word, ShoalCell.sent(word, 0xFFFF_FFFFL), ShoalCell.sent(word, 7)}) {
                    for (final boolean awaited : new boolean[] {false, true}) {
                        final long waiting = ClassedCell.waiting(sent, awaited);
                        assertEquals(awaited, ClassedCell.isAwaited(waiting));
                        assertEquals(sent, ClassedCell.unwaiting(waiting));
                        assertEquals(node, ClassedCell.source(waiting));
                        assertEquals(1023 - node, ShoalCell.destination(waiting));
                        assertEquals(number, ClassedCell.trafficClass(waiting));
                        assertTrue(InFlightCells.isCell(waiting));
                    }
                }
            }
        }
        for (int feedback = 0; feedback <= ReportWord.maxFeedback(1024); feedback++) {
            for (final boolean dropped : new boolean[] {false, true}) {
                final long word = ReportWord.of(feedback, dropped);
                assertEquals(feedback, ReportWord.feedback(word));
                assertEquals(dropped, ReportWord.isDropped(word));
                assertEquals(0, word & ~ReportWord.HEADER_BITS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 16, 3, 8, 0", "1, 1, 3, 8, 0", "1, 16, 0, 8, 0", "1, 16, 3, 0, 0", "1, 16, 3, 8, -1"})
    void shouldRefuseRulesThatCannotBe(final int misses, final int probes, final int copies, final int resends,
        final int room) {
        assertThrows(IllegalArgumentException.class, () -> new Resilience(misses, probes, copies, resends, room));
    }

    /** Reachability against bit sets: messages of real neighbours, lost, repeated and in any order. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 64, 65, 400, 800})
    void shouldKnowWhoReachesWhom(final int nodes) {
        for (long seed = 1; seed <= 3; seed++) {
            new Run(arena, nodes, seed).run(nodes > 100 ? 4_000 : 8_000);
        }
    }

    /** Node 0 of a bank of one, its neighbours all in another bank. */
    private static final class Run {
        private final int nodes;
        private final Random random;
        private final RelayReachability one;
        private final RelayReachability others;
        private final MemorySegment message;
        private final boolean[] up;
        private final BitSet[] reaches;
        private final BitSet[] reported;
        private final BitSet[] chunksTold;
        private final long[][] counter;
        private final long[] changes;

        Run(final CountedArena arena, final int nodes, final long seed) {
            this.nodes = nodes;
            this.random = new Random(seed * 1000 + nodes);
            final long before = arena.bytes();
            this.one = new RelayReachability(arena, 1, nodes);
            assertEquals(RelayReachability.bytes(1, nodes), arena.bytes() - before);
            this.others = new RelayReachability(arena, nodes, nodes);
            this.message = arena.allocate(ShoalControl.BYTES);
            this.up = new boolean[nodes];
            this.changes = new long[nodes];
            this.reaches = new BitSet[nodes];
            this.reported = new BitSet[nodes];
            this.chunksTold = new BitSet[nodes];
            this.counter = new long[nodes][one.chunks()];
            for (int id = 0; id < nodes; id++) {
                reaches[id] = new BitSet();
                reported[id] = new BitSet();
                chunksTold[id] = new BitSet();
            }
        }

        void run(final int steps) {
            for (int i = 0; i < steps; i++) {
                final int id = 1 + random.nextInt(nodes - 1);
                switch (random.nextInt(nodes == 2 ? 2 : 4)) {
                    case 0 -> toggle(id);
                    case 1 -> report(id);
                    default -> change(id);
                }
                if (i % (nodes > 100 ? 128 : 16) == 0) {
                    check();
                }
            }
        }

        private void toggle(final int id) {
            if (up[id]) {
                one.down(0, id - 1, id);
                reported[id].clear();
                chunksTold[id].clear();
            } else {
                one.up(0, id - 1, id);
            }
            up[id] = !up[id];
        }

        /** A neighbour's connection with a third node changes. */
        private void change(final int id) {
            final int third = (id + 1 + random.nextInt(nodes - 1)) % nodes;
            final int link = Math.floorMod(third - id - 1, nodes);
            if (reaches[id].get(third)) {
                others.down(id, link, third);
            } else {
                others.up(id, link, third);
            }
            reaches[id].flip(third);
            changes[id]++;
        }

        private void report(final int id) {
            final int chunk = random.nextInt(one.chunks());
            others.write(id, chunk, message, 0);
            assertEquals(ControlFault.NONE, new ShoalControl(nodes).check(message, 0, ShoalControl.BYTES));
            final boolean news = !chunksTold[id].get(chunk) || counter[id][chunk] < changes[id];
            assertEquals(news ? ControlFault.NONE : ControlFault.REPEATED, one.read(0, id - 1, message, 0, up[id]));
            chunksTold[id].set(chunk);
            counter[id][chunk] = changes[id];
            for (int k = chunk * ShoalControl.CHUNK_NODES; k < Math.min(nodes, (chunk + 1) * ShoalControl.CHUNK_NODES);
                k++) {
                reported[id].set(k, reaches[id].get(k));
            }
        }

        private void check() {
            int live = 0;
            boolean all = true;
            for (int id = 1; id < nodes; id++) {
                live += up[id] ? 1 : 0;
                all &= !up[id] || chunksTold[id].cardinality() == one.chunks();
            }
            assertEquals(live, one.live(0));
            for (int k = 1; k < nodes; k++) {
                boolean reached = false;
                for (int id = 1; id < nodes; id++) {
                    assertEquals(reported[id].get(k), one.reaches(id - 1, 0, k));
                    reached |= up[id] && reported[id].get(k);
                }
                assertEquals(up[k], one.isUp(0, k));
                assertEquals(live > 0 && all && !up[k] && !reached, one.isCutOff(0, k), "node " + k);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 500})
    void shouldRefuseWhatCannotHappen(final int nodes) {
        final RelayReachability one = new RelayReachability(arena, 1, nodes);
        assertThrows(IllegalStateException.class, () -> one.down(0, 0, 1));
        one.up(0, 0, 1);
        assertThrows(IllegalStateException.class, () -> one.up(0, 0, 1));
        assertThrows(IllegalStateException.class, () -> one.restart(0));
    }
}
