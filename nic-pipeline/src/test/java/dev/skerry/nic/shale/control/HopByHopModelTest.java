package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.CongestionControl.Requests;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tokens of a bank against the rule of Shale §3.3.2 with a map and a queue for each link: blocks of nodes and
 * single nodes send, receive, lose cells and links, and have their registers set, in random order.
 */
final class HopByHopModelTest {
    private static final int NODE_STEPS = 40_000;
    private static final int MOST_CELLS = 40;
    @AutoClose
    private final CountedArena arena = new CountedArena();
    @AutoClose
    private final Arena pooled = Arena.ofConfined();

    private Random random;
    private Shale shale;
    private HopByHop control;
    private int nodes;
    private int phases;
    /** By queue: tokens outstanding by bucket, and tokens owed. */
    private List<Map<Integer, Integer>> out;
    private List<Deque<Integer>> owed;
    /** By node: queued cells, and the maximum number of active buckets. */
    private List<List<Long>> cells;
    private int[] most;
    private long anomalies;
    private int refused;
    private boolean growing;

    /** Propagation decides how many tokens of a link lie together. */
    @ParameterizedTest
    @CsvSource({"1, 2, 4, 16, 2, 0", "2, 3, 3, 5, 2, 9", "3, 1, 5, 5, 4, 0", "4, 2, 24, 3, 2, 0",
        "5, 2, 24, 70, 4, 230", "6, 2, 24, 3, 6, 184", "7, 2, 24, 30, 5, 460", "8, 8, 2, 256, 1, 0"})
    void shouldSpendOweAndReturnTokens(final long seed, final int h, final int r, final int bank, final int tokens,
        final int propagation) {
        final Phased schedule = new Phased(h, r);
        random = new Random(seed);
        shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH, tokens, tokens + 1, propagation,
            seed);
        nodes = bank;
        phases = h;
        final SpillPool pool = new SpillPool(pooled, 1 << 16);
        control = (HopByHop) HopByHop.FACTORY.begin(arena, shale, nodes, pool);
        // Only the table that all nodes share is on the heap.
        assertEquals(shale.bucketNumbers() * Integer.BYTES, HopByHop.FACTORY.bytes(shale, nodes) - arena.bytes());
        out = Stream.<Map<Integer, Integer>>generate(HashMap::new).limit(schedule.epochSlots() * nodes).toList();
        owed = new ArrayList<>(Stream.<Deque<Integer>>generate(ArrayDeque::new).limit(out.size()).toList());
        cells = Stream.<List<Long>>generate(ArrayList::new).limit(nodes).toList();
        most = new int[nodes];
        int spilled = 0;
        for (int step = 0; step < NODE_STEPS / nodes; step++) {
            final String where = "seed=" + seed + " step=" + step;
            growing = step / 200 % 2 == 0;
            switch (random.nextInt(4)) {
                case 0 -> receive(where);
                case 1 -> send(where);
                case 2 -> single(random.nextInt(nodes), where);
                default -> takeFeedback(where);
            }
            spilled = Math.max(spilled, pool.used());
        }
        IntStream.range(0, out.size()).forEach(queue -> same(queue, "seed=" + seed));
        assertTrue(refused > 5 && anomalies > 5 && spilled > 5,
            "refused=" + refused + " anomalies=" + anomalies + " spilled=" + spilled);
    }

    /** A block of the bank, often all of it. */
    private int firstNode() {
        return random.nextInt(3) == 0 ? random.nextInt(nodes) : 0;
    }

    /** The queue of a node on one of few links, so that many tokens are outstanding there, or on any. */
    private int queue(final int node) {
        return random.nextInt(random.nextInt(4) == 0 ? shale.schedule().epochSlots() : 2) * nodes + node;
    }

    /** Destinations are few, the last one among them, so that cells share buckets. */
    private int destination() {
        return random.nextInt(8) == 0 ? shale.nodes() - 1 : random.nextInt(5);
    }

    private int bucket() {
        return Route.bucket(destination(), random.nextInt(phases));
    }

    private long cell() {
        return Route.queued(Route.first(destination(), random.nextInt(phases), 9), random.nextInt(phases),
            random.nextInt(8) == 0, random.nextInt(random.nextInt(4) == 0 ? shale.schedule().epochSlots() : 2));
    }

    private int owedQueue(final int node, final long cell) {
        return Route.owedLink(cell) * nodes + node;
    }

    private int out(final int queue, final int bucket) {
        return out.get(queue).getOrDefault(bucket, 0);
    }

    /** A bucket is active while a cell waits for it or a token of it is outstanding on any link. */
    private int active(final int node) {
        final Set<Integer> active = new HashSet<>();
        cells.get(node).stream().filter(cell -> !Route.isFinal(cell)).forEach(cell -> active.add(Route.bucket(cell)));
        for (int queue = node; queue < out.size(); queue += nodes) {
            out.get(queue).forEach((bucket, tokens) -> active.addAll(tokens > 0 ? Set.of(bucket) : Set.of()));
        }
        most[node] = Math.max(most[node], active.size());
        return active.size();
    }

    /** A token comes back: of a bucket that is outstanding, mostly. */
    private int giveBack(final int queue) {
        final List<Integer> some = out.get(queue).keySet().stream().filter(bucket -> out(queue, bucket) > 0).toList();
        final int bucket = some.isEmpty() || random.nextInt(50) == 0 ? bucket() : some.get(random.nextInt(some.size()));
        final boolean known = out(queue, bucket) > 0;
        out.get(queue).computeIfPresent(bucket, (_, tokens) -> Math.max(0, tokens - 1));
        anomalies += known ? 0 : 1;
        return bucket;
    }

    /** Some of the nodes of a block, a share of eight. */
    private int[] some(final int count, final int share) {
        return IntStream.range(0, count).filter(_ -> random.nextInt(8) < share).toArray();
    }

    /** Cells that join queues count before the tokens that came with them. */
    private void receive(final String where) {
        final int from = firstNode();
        final int first = queue(from);
        final CellBatch joined = new CellBatch(nodes);
        for (final int i : some(nodes - from, 4)) {
            if (cells.get(from + i).size() < MOST_CELLS) {
                joined.add(from + i, 0, 0, cell());
                cells.get(from + i).add(joined.word()[joined.count() - 1]);
                active(from + i);
            }
        }
        final long[] feedback = new long[nodes - from];
        Arrays.fill(feedback, InFlightCells.NO_FEEDBACK);
        final int[] which = some(nodes - from, growing ? 1 : 6);
        for (final int i : which) {
            final int one = giveBack(first + i);
            feedback[i] = (long) (random.nextBoolean() ? OwedTokens.NO_TOKEN : giveBack(first + i)) << 32 | one;
        }
        control.onReceive(first, from, which, which.length, joined, feedback);
        assertEquals(anomalies, control.anomalies(), where);
        IntStream.range(first, first + feedback.length).forEach(queue -> same(queue, where));
    }

    /** The oldest cells and cells that start here ask for tokens; what is paid for leaves and owes its previous hop. */
    private void send(final String where) {
        final int from = firstNode();
        final int first = queue(from);
        final int[] which = some(nodes - from, 5);
        final Requests asks = new Requests(nodes);
        final int[] expected = new int[nodes];
        final CellBatch sent = new CellBatch(nodes);
        for (final int i : which) {
            asks.destinations()[i] = destination();
            if (cells.get(from + i).isEmpty() || random.nextBoolean()) {
                asks.local()[i] = 1;
                expected[i] = start(first + i, asks.destinations()[i]) ? 1 : 0;
            } else {
                final long oldest = cells.get(from + i).getFirst();
                asks.oldest()[i] = (int) oldest;
                asks.waiting()[i] = 1;
                if (mayGo(first + i, oldest)) {
                    expected[i] = 1;
                    leave(first + i, oldest);
                    sent.add(from + i, 0, 0, oldest);
                }
            }
        }
        control.fetch(first, which, which.length, which, which.length);
        assertTrue(control.trySpend(first, which, which.length, asks), where);
        assertArrayEquals(expected, asks.paid(), where);
        control.onForward(sent);
        for (int i = 0; i < sent.count(); i++) {
            same(owedQueue(sent.node()[i], sent.word()[i]), where);
        }
        Arrays.stream(which).forEach(i -> same(first + i, where));
    }

    private boolean mayGo(final int queue, final long cell) {
        final boolean may = Route.isFinal(cell) || out(queue, Route.bucket(cell)) < shale.tokens();
        refused += may ? 0 : 1;
        return may;
    }

    private void leave(final int queue, final long cell) {
        cells.get(queue % nodes).remove(cell);
        owed.get(owedQueue(queue % nodes, cell)).add(Route.owedBucket(cell));
        if (!Route.isFinal(cell)) {
            out.get(queue).merge(Route.bucket(cell), 1, Integer::sum);
        }
    }

    private boolean start(final int queue, final int destination) {
        final int bucket = Route.bucket(destination, phases - 1);
        final boolean may = out(queue, bucket) < shale.firstHopTokens();
        out.get(queue).merge(bucket, may ? 1 : 0, Integer::sum);
        return may;
    }

    /** One node does what is done for single cells, or where links fail, or has its registers set. */
    private void single(final int node, final String where) {
        final int queue = queue(node);
        switch (random.nextInt(30)) {
            case 0 -> {
                out.get(queue).clear();
                owed.get(queue).clear();
                control.onLinkDown(queue, node);
            }
            case 1 -> {
                final int bucket = bucket();
                final int count = random.nextInt(3);
                out.get(queue).put(bucket, count);
                control.setOutstanding(queue, node, bucket, count);
            }
            case 2 -> {
                final int[] buckets = IntStream.generate(this::bucket).limit(random.nextInt(6)).toArray();
                owed.set(queue, new ArrayDeque<>(Arrays.stream(buckets).boxed().toList()));
                control.setOwed(queue, buckets);
            }
            case 3, 4, 5 -> control.onCellLost(queue, node, giveBack(queue));
            case 6, 7, 8 -> {
                owed.get(queue).add(bucket());
                control.onNoticeLost(queue, owed.get(queue).peekLast());
            }
            case 9, 10, 11, 12, 13, 14, 15 -> {
                final int destination = destination();
                final boolean may = start(queue, destination);
                assertEquals(may, control.canStart(queue, destination), where);
                assertEquals(may, control.admitLocal(queue, node, destination), where);
            }
            case 16, 17, 18, 19, 20 -> {
                final long cell = cell();
                cells.get(node).add(cell);
                control.onEnqueue(node, cell);
            }
            default -> {
                if (!cells.get(node).isEmpty()) {
                    sendOne(queue, cells.get(node).get(random.nextInt(cells.get(node).size())), where);
                }
            }
        }
        same(queue, where);
    }

    /** A cell leaves its queue because it may go or because it is dropped. */
    private void sendOne(final int queue, final long cell, final String where) {
        final int node = queue % nodes;
        if (random.nextInt(4) == 0) {
            cells.get(node).remove(cell);
            control.onRemove(node, cell);
        } else if (Route.isFinal(cell) || control.eligible(queue, cell)) {
            assertTrue(mayGo(queue, cell), where);
            leave(queue, cell);
            control.onDequeue(queue, cell);
            control.onForward(node, cell);
        } else {
            assertFalse(mayGo(queue, cell), where);
        }
    }

    /** The oldest two tokens of each queue of a link, of one queue, or the oldest one. */
    private void takeFeedback(final String where) {
        final int from = firstNode();
        final int first = queue(from);
        final int one = queue(random.nextInt(nodes));
        switch (random.nextInt(4)) {
            case 0 -> assertEquals(poll(one), control.takeNotice(one), where);
            case 1 -> assertEquals(pollTwo(one), control.takeFeedback(one), where);
            default -> {
                final long[] taken = new long[nodes - from];
                control.takeFeedback(first, taken.length, taken);
                assertArrayEquals(IntStream.range(first, first + taken.length).mapToLong(this::pollTwo).toArray(),
                    taken, where);
            }
        }
        same(one, where);
        assertEquals(owed.stream().allMatch(Deque::isEmpty), control.isIdle(), where);
        for (int i = 0; i < Long.SIZE && one + i < owed.size(); i++) {
            assertEquals(owed.get(one + i).isEmpty() ? 0 : 1, control.feedbackFrom(one) >>> i & 1, where);
        }
    }

    private int poll(final int queue) {
        return owed.get(queue).isEmpty() ? OwedTokens.NO_TOKEN : owed.get(queue).remove();
    }

    private long pollTwo(final int queue) {
        final int first = poll(queue);
        return (long) poll(queue) << 32 | first & 0xFFFF_FFFFL;
    }

    private void same(final int queue, final String at) {
        final String where = at + " queue=" + queue;
        final int node = queue % nodes;
        final int link = queue / nodes;
        final Deque<Integer> back = owed.get(queue);
        assertArrayEquals(back.stream().mapToInt(token -> token).toArray(), control.owed(queue), where);
        assertEquals(back.size(), control.probe(node, link, 1), where);
        assertEquals(back.isEmpty() ? OwedTokens.NO_TOKEN : back.peek(), control.probe(node, link, 2), where);
        assertEquals(out.get(queue).values().stream().mapToInt(i -> i).sum(), control.probe(node, link, 0), where);
        out.get(queue).forEach((bucket, tokens) -> {
            assertEquals(tokens, control.outstanding(queue, bucket), where);
            assertEquals(shale.budget(bucket), control.budget(bucket), where);
        });
        assertEquals(active(node), control.activeBuckets(node), where);
        assertEquals(most[node], control.maxActiveBuckets(node), where);
    }
}
