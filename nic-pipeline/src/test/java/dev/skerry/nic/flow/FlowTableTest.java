package dev.skerry.nic.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

final class FlowTableTest {
    private static final int FLOW_BYTES = 16;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    /** An arena that remembers its last allocation. */
    private static final class Watched implements Arena {
        private final Arena arena = Arena.ofConfined();
        private MemorySegment last;

        @Override
        public MemorySegment allocate(final long bytes, final long alignment) {
            last = arena.allocate(bytes, alignment);
            return last;
        }

        @Override
        public MemorySegment.Scope scope() {
            return arena.scope();
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    /** Several flows to some destinations and none to others, in random order. */
    private static FlowSet flows(final Random random, final int count, final int endpoints) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < count; flow++) {
            final int to = 3 * random.nextInt(endpoints);
            flows.add(flow, to + 1, to, 1, 1 + random.nextInt(100), 0);
        }
        return flows;
    }

    /**
     * Records lie by destination, then in the order of flows, so that the bank of a destination writes to its own
     * lines.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldKeepRecordsInTheOrderOfDestinations(final long seed) {
        final int count = 300;
        final FlowSet flows = flows(new Random(seed), count, 40);
        try (Watched arena = new Watched()) {
            final FlowTable table = new FlowTable(arena, flows);
            assertEquals(FlowTable.bytes(count), arena.last.byteSize());
            for (int flow = 0; flow < count; flow++) {
                table.arrive(flow, flow);
            }
            final int[] inMemory = IntStream.range(0, count)
                .map(place -> arena.last.get(ValueLayout.JAVA_INT, (long) place * FLOW_BYTES + Integer.BYTES) - 1)
                .toArray();
            assertArrayEquals(IntStream.range(0, count).boxed().sorted(Comparator.comparingInt(flows::destination))
                .mapToInt(flow -> flow).toArray(), inMemory, "seed=" + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void shouldKeepFlowsApart(final long seed) {
        final int count = 50;
        final Random random = new Random(seed);
        final FlowSet flows = flows(random, count, 7);
        final int[] received = new int[count];
        final int[] highest = new int[count];
        final long[] completed = new long[count];
        final FlowTable table = new FlowTable(arena, flows);
        for (int step = 0; step < 20_000; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int flow = random.nextInt(count);
            if (random.nextInt(50) == 0) {
                completed[flow] = random.nextLong(Long.MAX_VALUE);
                table.complete(flow, completed[flow]++);
            } else {
                final int sequence = random.nextInt(flows.cells(flow));
                assertEquals(highest[flow] - 1 - sequence, table.arrive(flow, sequence), where);
                received[flow]++;
                highest[flow] = Math.max(highest[flow], sequence + 1);
            }
            final int other = random.nextInt(count);
            assertEquals(received[other], table.received(other), where);
            assertEquals(completed[other], table.completedBefore(other), where);
        }
    }

    @Test
    void shouldHaveNothingToKeepWithoutFlows() {
        try (Watched arena = new Watched()) {
            new FlowTable(arena, new FlowSet());
            assertEquals(0, FlowTable.bytes(0));
            assertEquals(1, arena.last.byteSize());
        }
    }

    /** Delivered cells against sets of sequence numbers. */
    @Test
    void shouldKnowEveryCellOfShortFlows() {
        for (long seed = 1; seed <= 5; seed++) {
            final Random random = new Random(seed);
            final int flows = 200;
            final int[] cells = random.ints(flows, 1, 400).toArray();
            cells[7] = DeliveredCells.WINDOW_CELLS;
            cells[8] = DeliveredCells.WINDOW_CELLS + 5;
            final Map<Integer, Set<Integer>> model = new HashMap<>();
            final DeliveredCells delivered = new DeliveredCells(arena, flows);
            for (int i = 0; i < 60_000; i++) {
                final int flow = random.nextInt(flows);
                final int sequence = random.nextInt(Math.min(cells[flow], 400));
                final boolean fresh = model.computeIfAbsent(flow, f -> new HashSet<>()).add(sequence);
                assertEquals(fresh ? DeliveredCells.NEW : DeliveredCells.DUPLICATE,
                    delivered.add(flow, cells[flow], sequence), "seed=" + seed + " flow=" + flow);
            }
        }
    }

    @Test
    void shouldKnowTheLastCellsOfAnEndlessFlow() {
        final Random random = new Random(4);
        final Set<Integer> model = new HashSet<>();
        final DeliveredCells delivered = new DeliveredCells(arena, 1);
        int highest = 0;
        int stale = 0;
        for (int i = 0; i < 300_000; i++) {
            final int sequence = random.nextInt(20) == 0
                ? Math.max(0, highest - random.nextInt(DeliveredCells.WINDOW_CELLS * 2))
                : Math.max(0, highest + random.nextInt(i % 1000 == 0 ? 50_000 : 8) - 2);
            final int expected = sequence <= highest - DeliveredCells.WINDOW_CELLS ? DeliveredCells.STALE
                : model.add(sequence) ? DeliveredCells.NEW : DeliveredCells.DUPLICATE;
            assertEquals(expected, delivered.add(0, FlowSet.ENDLESS, sequence), "i=" + i);
            stale += expected == DeliveredCells.STALE ? 1 : 0;
            highest = Math.max(highest, sequence);
        }
        assertEquals(true, stale > 100 && highest > 10 * DeliveredCells.WINDOW_CELLS, "stale=" + stale);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldActivateOneFlowOfANodeInASlot(final long seed) {
        final Phased schedule = new Phased(2, 4);
        // With a hole, an endpoint's number differs from its node id.
        final Population population = Population.of(schedule, 14, 0);
        final FlowSet flows = Flows.random(seed, 14, 300, 80, 5);
        final NodeRange range = new NodeRange(3, 16);
        final List<Deque<Integer>> waiting = new ArrayList<>();
        IntStream.range(0, 16).forEach(node -> waiting.add(new ArrayDeque<>()));
        int expected = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            waiting.get(population.nodeOf(flows.source(flow))).add(flow);
            expected += population.nodeOf(flows.source(flow)) >= 3 ? 1 : 0;
        }
        final FlowStarts arrivals = new FlowStarts(new FlowTable(arena, flows), population, range, SlotShare.ALL);
        assertEquals(expected, arrivals.size());
        int polled = 0;
        for (long slot = 0; slot < 500; slot++) {
            final boolean[] had = new boolean[16];
            for (int i = arrivals.poll(slot); i != -1; i = arrivals.poll(slot)) {
                final String where = "seed=" + seed + " slot=" + slot;
                final int node = arrivals.node(i);
                assertTrue(!had[node], where);
                had[node] = true;
                assertEquals(waiting.get(node).remove(), arrivals.flow(i), where);
                assertTrue(flows.startSlot(arrivals.flow(i)) <= slot, where);
                polled++;
            }
            for (int node = 3; node < 16; node++) {
                assertTrue(had[node] || waiting.get(node).isEmpty()
                    || flows.startSlot(waiting.get(node).peek()) > slot, "late: seed=" + seed + " slot=" + slot);
            }
        }
        assertEquals(expected, polled);
    }

    @ParameterizedTest
    @CsvSource({"-1, 2", "3, 3", "4, 3"})
    void shouldRefuseWhatIsNoRange(final int first, final int end) {
        assertThrows(IllegalArgumentException.class, () -> new NodeRange(first, end));
    }

    @Test
    void shouldShareAllNodesEvenly() {
        for (final int nodes : new int[] {1, 2, 7, 64, 50_625, (1 << 20) - 1}) {
            for (int banks = 1; banks <= Math.min(nodes, 65); banks++) {
                int end = 0;
                for (int bank = 0; bank < banks; bank++) {
                    final NodeRange range = NodeRange.share(nodes, bank, banks);
                    assertEquals(end, range.first());
                    assertTrue(range.size() == nodes / banks || range.size() == nodes / banks + 1);
                    end = range.end();
                }
                assertEquals(nodes, end);
            }
        }
    }
}
