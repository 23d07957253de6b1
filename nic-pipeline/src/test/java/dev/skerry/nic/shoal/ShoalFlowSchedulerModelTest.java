package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Flows that come and go, several messages of each, cells that come back and destinations that are given up: cells
 * taken one by one, and those of many rows in one call, against {@link ObviousFlowScheduler}.
 */
final class ShoalFlowSchedulerModelTest {
    private static final int NODES = 20;
    private static final NodeRange RANGE = new NodeRange(4, 15);
    private static final int SLOTS = 4_000;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    private final BitSet gone = new BitSet();
    private FlowSet flows;
    private FlowOrder order = FlowOrder.ROUND_ROBIN;
    private Random random;
    private int rows;
    private ObviousFlowScheduler model;
    private ShoalFlowScheduler oneByOne;
    private ShoalFlowScheduler together;
    /** Cells that were taken and may come back: the row of each, and its word. */
    private final List<long[]> away = new ArrayList<>();
    /** What the run has seen: how often, by what. */
    private final int[] seen = new int[4];
    private String where;

    @ParameterizedTest
    @CsvSource({"1, 1, ROUND_ROBIN", "1, 2, ROUND_ROBIN", "1, 3, ROUND_ROBIN", "3, 4, ROUND_ROBIN",
        "3, 5, ROUND_ROBIN", "1, 8, SHORTEST", "1, 9, SHORTEST", "3, 12, SHORTEST"})
    void shouldTakeCellsOfManyRowsLikeRowAfterRow(final int classes, final long seed, final FlowOrder flowOrder) {
        order = flowOrder;
        final FlowSet some = Flows.random(seed, NODES, 1_500, SLOTS, 12);
        flows = classes == 1 ? some : some.classedBySize(244, 244 * 4);
        run(seed, slot -> {
            oneByOne.activate(slot);
            together.activate(slot);
            model.activate(slot);
            if (slot > SLOTS / 2 && random.nextInt(300) == 0) {
                giveUpOn(random.nextInt(NODES));
            }
        });
        assertTrue(model.notSent > 0 && model.failed() > 0, "somebody is given up: seed=" + seed);
    }

    /** Flows that go on while cells are offered, whether or not those before have been taken. */
    @ParameterizedTest
    @ValueSource(longs = {6, 7})
    void shouldTakeCellsThatAreOffered(final long seed) {
        flows = new FlowSet();
        for (int flow = 0; flow < 60; flow++) {
            flows.addOnDemand(flow, flow % NODES, (flow % NODES + 1 + flow % 7) % NODES);
        }
        run(seed, slot -> {
            final int flow = random.nextInt(flows.size());
            if (random.nextInt(2) == 0 && RANGE.first() <= flows.source(flow) && flows.source(flow) < RANGE.end()) {
                final int cells = 1 + random.nextInt(20);
                oneByOne.offer(flow, cells, slot);
                together.offer(flow, cells, slot);
                model.offer(flow, cells, slot);
            }
        });
    }

    private void run(final long seed, final Consumer<Long> come) {
        random = new Random(seed);
        rows = RANGE.size() * flows.classes();
        model = new ObviousFlowScheduler(RANGE, flows, order, gone::get);
        oneByOne = scheduler(arena);
        together = scheduler(arena);
        for (long slot = 0; slot < SLOTS; slot++) {
            where = "seed=" + seed + " slot=" + slot;
            come.accept(slot);
            same(oneByOne);
            same(together);
            // Flows queue up for a while, then run out.
            take(slot / 250 % 2 == 0 ? 40 : 2);
            while (!away.isEmpty() && random.nextInt(3) == 0) {
                giveBack(away.remove(random.nextInt(away.size())));
            }
            away.subList(0, Math.max(0, away.size() - 30)).clear();
            same(oneByOne);
            same(together);
        }
        for (int what = 0; what < seen.length; what++) {
            assertTrue(seen[what] >= 20, "seldom met: case=" + what + " often=" + seen[what] + " seed=" + seed);
        }
    }

    private ShoalFlowScheduler scheduler(final Arena arena) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(NODES, 1), ReleaseRule.EXACT, false, 0).with(order);
        final int most = flows.classes() * (NODES - 1);
        return new ShoalFlowScheduler(arena, RANGE, shoal, new Bank.Ends(flows, new FlowTable(arena, flows), null, null,
            new NoPayload()), new Throttles(arena, RANGE.size(), NODES - 1, most),
            (node, destination) -> gone.get(destination));
    }

    /** A cell of a flow of each of some rows, in any order of the rows. */
    private void take(final int oneIn) {
        final List<Integer> some = new ArrayList<>(IntStream.range(0, rows)
            .filter(row -> model.active(row).length > 0 && random.nextInt(oneIn) == 0).boxed().toList());
        Collections.shuffle(some, random);
        final int from = random.nextInt(3);
        final int[] which = new int[from + some.size() + 1];
        final int[] chosen = random.ints(rows).toArray();
        final long[] cells = new long[rows];
        final long[] expected = new long[rows];
        for (int k = 0; k < some.size(); k++) {
            final int row = some.get(k);
            final int[] active = model.active(row);
            which[from + k] = row;
            chosen[row] = active[random.nextInt(active.length)];
            note(row, chosen[row]);
        }
        together.take(which, from, from + some.size(), chosen, cells);
        for (final int row : some) {
            final int destination = ActiveFlows.destination(chosen[row]);
            oneByOne.take(row, chosen[row]);
            expected[row] = model.take(row, destination);
            assertEquals(expected[row], oneByOne.cell, where);
            away.add(new long[] {row, destination, expected[row]});
        }
        assertArrayEquals(expected, cells, where);
    }

    /** Counts what is hard for the list form: heads at hand that change, heads that are not at hand. */
    private void note(final int row, final int flow) {
        final int messages = model.messages(row, ActiveFlows.destination(flow));
        if (model.only(row) != ActiveFlows.NONE) {
            seen[messages > 1 ? 0 : 1]++;
        } else {
            seen[model.active(row).length > 1 ? 2 : 3]++;
        }
    }

    private void giveBack(final long[] cell) {
        final int row = (int) cell[0];
        final int destination = (int) cell[1];
        if (!gone.get(destination)) {
            oneByOne.requeue(row, destination, cell[2]);
            together.requeue(row, destination, cell[2]);
            model.requeue(row, destination, cell[2]);
        }
    }

    private void giveUpOn(final int destination) {
        gone.set(destination);
        for (int node = 0; node < RANGE.size(); node++) {
            oneByOne.failRefused(node);
            together.failRefused(node);
            model.failRefused(node);
        }
        gone.clear(random.nextInt(NODES));
    }

    private void same(final ShoalFlowScheduler scheduler) {
        assertEquals(model.started, scheduler.started, where);
        assertEquals(model.injected, scheduler.injected, where);
        assertEquals(model.notSent, scheduler.notSent, where);
        assertEquals(model.failed(), scheduler.failed(), where);
        assertEquals(model.open, scheduler.open(), where);
        final int[] only = new int[rows];
        scheduler.active.only(0, rows, only);
        for (int row = 0; row < rows; row++) {
            final int[] active = model.active(row);
            assertEquals(active.length > 0, (scheduler.active.some(row / 64) >>> row & 1) != 0, where);
            assertEquals(active.length, scheduler.active.size(row), where);
            for (int place = 0; place < active.length; place++) {
                assertEquals(active[place], scheduler.active.get(row, place), where);
                final int destination = ActiveFlows.destination(active[place]);
                assertEquals(ActiveFlows.number(active[place]), scheduler.numberOf(row, destination), where);
                assertEquals(model.start(row, destination), scheduler.startSlot(row, active[place]), where);
            }
            assertEquals(model.only(row), only[row], where);
            assertEquals(model.only(row), scheduler.active.only(row), where);
            final long[] bits = scheduler.active.bits(row);
            assertArrayEquals(model.bits(row, bits.length), bits, where);
            assertEquals(model.flowsOf(row / flows.classes()), scheduler.flowsOf(row / flows.classes()), where);
        }
    }

    /**
     * What {@link ShoalFlowScheduler} says it does, in lists and maps: messages of flows take turns cell by cell, or
     * the shortest goes first; cells that came back go before all.
     */
    private static final class ObviousFlowScheduler {
        /** What is left of a message: cells from one sequence number to before another. */
        private static final class Message {
            private final int index;
            private int next;
            private int end;
            private final boolean isBack;

            private Message(final int index, final int next, final int end, final boolean isBack) {
                this.index = index;
                this.next = next;
                this.end = end;
                this.isBack = isBack;
            }
        }

        /** All traffic of a row to a destination. */
        private static final class Flow {
            private final Deque<Message> messages = new ArrayDeque<>();
            private int number = -1;
            private long start;
        }

        private final NodeRange range;
        private final FlowSet flows;
        private final FlowOrder order;
        private final IntPredicate refused;
        private final List<Map<Integer, Flow>> flowsOfRow = new ArrayList<>();
        /** By row, destinations in the order in which flows became active. */
        private final List<List<Integer>> active = new ArrayList<>();
        private final int[] flowsOfNode;
        private final Map<Integer, Message> onDemand = new HashMap<>();
        private final Set<Integer> failed = new HashSet<>();
        private int coming;
        long started;
        long injected;
        long notSent;
        int open;

        /** Flows of a range of nodes; those to some destinations are refused. */
        ObviousFlowScheduler(final NodeRange range, final FlowSet flows, final FlowOrder order,
            final IntPredicate refused) {
            this.order = order;
            this.range = range;
            this.flows = flows;
            this.refused = refused;
            this.flowsOfNode = new int[range.size()];
            for (int row = 0; row < range.size() * flows.classes(); row++) {
                flowsOfRow.add(new TreeMap<>());
                active.add(new ArrayList<>());
            }
            for (int flow = 0; flow < flows.size(); flow++) {
                open += isOurs(flow) ? 1 : 0;
            }
        }

        private boolean isOurs(final int flow) {
            return range.first() <= flows.source(flow) && flows.source(flow) < range.end();
        }

        void activate(final long slot) {
            for (; coming < flows.size() && flows.startSlot(coming) <= slot; coming++) {
                if (isOurs(coming)) {
                    started++;
                    final Message message = new Message(coming, 0, flows.cells(coming), false);
                    if (refused.test(flows.destination(coming))) {
                        giveUp(message);
                    } else {
                        append(message, slot);
                    }
                }
            }
        }

        void offer(final int index, final int cells, final long slot) {
            final Message message = onDemand.computeIfAbsent(index, i -> new Message(i, 0, 0, false));
            final boolean over = message.next == message.end;
            message.end += cells;
            if (over) {
                open++;
                started++;
                append(message, slot);
            }
        }

        private void append(final Message message, final long slot) {
            final int node = flows.source(message.index) - range.first();
            final int row = node * flows.classes() + flows.trafficClass(message.index);
            final int destination = flows.destination(message.index);
            final Flow flow = flowsOfRow.get(row).computeIfAbsent(destination, to -> new Flow());
            if (flow.number < 0) {
                flow.number = flowsOfNode[node]++;
            }
            if (flow.messages.isEmpty()) {
                flow.start = slot;
                active.get(row).add(destination);
            }
            flow.messages.add(message);
        }

        /** Takes the next cell of an active flow of a row. */
        long take(final int row, final int destination) {
            final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
            final Message message = next(messages);
            final long cell = Cell.of(message.index, message.next++);
            injected++;
            if (message.next < message.end) {
                if (order == FlowOrder.ROUND_ROBIN) {
                    messages.remove(message);
                    messages.add(message);
                }
            } else {
                messages.remove(message);
                open--;
                if (messages.isEmpty()) {
                    active.get(row).remove((Integer) destination);
                }
            }
            return cell;
        }

        private Message next(final Deque<Message> messages) {
            return order == FlowOrder.ROUND_ROBIN || messages.getFirst().isBack ? messages.getFirst()
                : messages.stream().min(Comparator.comparingInt(message -> flows.cells(message.index))).orElseThrow();
        }

        void requeue(final int row, final int destination, final long cell) {
            final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
            if (messages.isEmpty()) {
                active.get(row).add(destination);
            }
            messages.addFirst(new Message(Cell.flow(cell), Cell.sequence(cell), Cell.sequence(cell) + 1, true));
            open++;
        }

        void failRefused(final int node) {
            for (int row = node * flows.classes(); row < (node + 1) * flows.classes(); row++) {
                for (final int destination : List.copyOf(active.get(row))) {
                    if (refused.test(destination)) {
                        final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
                        messages.forEach(this::giveUp);
                        messages.clear();
                        active.get(row).remove((Integer) destination);
                    }
                }
            }
        }

        private void giveUp(final Message message) {
            notSent += message.end - message.next;
            failed.add(message.index);
            open--;
        }

        /** Flows of which a message was given up. */
        int failed() {
            return failed.size();
        }

        /** The active flows of a row, as a scheduler shows them. */
        int[] active(final int row) {
            return active.get(row).stream().mapToInt(to -> ActiveFlows.flow(to, number(row, to))).toArray();
        }

        /** The only active flow of a row, if it is its node's first. */
        int only(final int row) {
            final int[] all = active(row);
            return all.length == 1 && ActiveFlows.number(all[0]) == 0 ? all[0] : ActiveFlows.NONE;
        }

        /** A bit for the number of each active flow. */
        long[] bits(final int row, final int words) {
            final long[] bits = new long[words];
            for (final int flow : active(row)) {
                bits[ActiveFlows.number(flow) / Long.SIZE] |= 1L << ActiveFlows.number(flow) % Long.SIZE;
            }
            return bits;
        }

        int number(final int row, final int destination) {
            return flowsOfRow.get(row).get(destination).number;
        }

        long start(final int row, final int destination) {
            return flowsOfRow.get(row).get(destination).start;
        }

        int flowsOf(final int node) {
            return flowsOfNode[node];
        }

        /** Messages of a flow that take turns. */
        int messages(final int row, final int destination) {
            return flowsOfRow.get(row).get(destination).messages.size();
        }
    }
}
