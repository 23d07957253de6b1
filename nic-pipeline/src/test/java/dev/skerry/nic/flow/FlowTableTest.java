package dev.skerry.nic.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;

final class FlowTableTest {
    private static final int FLOW_BYTES = 16;

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
        try (Arena arena = Arena.ofConfined()) {
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
    }

    @Test
    void shouldSayHowFarACellIsBehind() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 1, 5, 1, 10, 0);
        flows.add(1, 2, 5, 1, 10, 0);
        try (Arena arena = Arena.ofConfined()) {
            final FlowTable table = new FlowTable(arena, flows);
            assertEquals(0, table.completedBefore(0), "not complete");
            assertEquals(-1, table.arrive(0, 0), "the highest");
            assertEquals(-5, table.arrive(0, 5), "the highest, four of those before it still to come");
            assertEquals(3, table.arrive(0, 2));
            assertEquals(0, table.arrive(0, 5), "the highest once more");
            assertEquals(-8, table.arrive(1, 7), "of another flow");
            assertEquals(4, table.received(0));
            assertEquals(1, table.received(1));
            table.complete(1, 0);
            assertEquals(1, table.completedBefore(1));
            assertEquals(0, table.completedBefore(0));
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
}
