package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** Traffic classes (docs/spec/shoal.md §6.1): what the highest keeps, and what the others pay. */
final class ShoalClassesTest {
    private static Shoal shoal(final int nodes, final int channels, final int propagation, final int room) {
        return Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagation)
            .with(new Resilience(1, 16, 3, 8, room));
    }

    /** The flows of some classes, those of others left out. */
    private static FlowSet only(final FlowSet flows, final int classes, final List<Integer> kept) {
        final FlowSet some = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.trafficClass(flow) < classes) {
                some.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                    flows.cells(flow), flows.startSlot(flow));
                some.setClass(flows.trafficClass(flow));
                kept.add(flow);
            }
        }
        return some;
    }

    private static long[] completions(final Shoal shoal, final FlowSet flows, final NicCounter counter,
        final long[] count) {
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, Faults.NONE, 1, shoal.nodes() < 10)) {
            fabric.run(0);
            final Outcome outcome = fabric.outcome();
            final long[] in = new long[flows.size()];
            for (int i = 0; i < outcome.completed().length; i++) {
                in[outcome.completed()[i]] = outcome.completedIn()[i];
            }
            count[0] = outcome.count(counter);
            assertEquals(flows.size(), outcome.completed().length);
            assertEquals(0, outcome.count(NicCounter.CELLS_OVER_BOUND));
            return in;
        }
    }

    /**
     * Every flow of the highest class completes in the very slot in which it does if lower classes send nothing; those
     * of the second one nearly so, as their cells may be refused by a queue that is full of their own.
     */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 2", "8, 1, 5, 0", "9, 2, 0, 1", "16, 4, 3, 2", "40, 1, 0, 0"})
    void shouldNotNoticeLowerClasses(final int nodes, final int channels, final int propagation, final int room) {
        final Shoal shoal = shoal(nodes, channels, propagation, room);
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, 12 * nodes, 200, 60).classedBySize(244 * 4, 244 * 12);
            assertEquals(3, flows.classes());
            final long[] dropped = new long[1];
            final long[] all = completions(shoal, flows, NicCounter.DROPPED_NO_ROOM, dropped);
            for (int classes = 1; classes < 3; classes++) {
                final List<Integer> kept = new ArrayList<>();
                final FlowSet some = only(flows, classes, kept);
                final long[] alone = completions(shoal, some, NicCounter.DROPPED_NO_ROOM, new long[1]);
                final long[] among = kept.stream().mapToLong(flow -> all[flow]).toArray();
                final String where = "nodes=" + nodes + " classes=" + classes + " seed=" + seed;
                for (int i = 0; i < alone.length; i++) {
                    assertEquals(alone[i], among[i], classes == 1 ? 0 : shoal.schedule().epochSlots(), where);
                }
            }
            assertTrue(dropped[0] > 0 || room != 1, "seed=" + seed);
        }
    }

    /** Q of class 0 obeys Eq. 3 and 5 in every slot; the lower class, starved, fills and drops, but loses nothing. */
    @Test
    void shouldKeepTheBoundOfTheHighestClass() {
        final int nodes = 12;
        final FlowSet flows = new FlowSet();
        for (int from = 1; from < nodes; from++) {
            flows.add(from, from, 0, 56L * 150, 150, 0);
            flows.add(from, from, 0, 56L * 150, 150, 0);
            flows.setClass(1);
        }
        try (FaultyShoal fabric = new FaultyShoal(shoal(nodes, 1, 0, 4), flows, Faults.NONE, 2)) {
            assertTrue(fabric.settle(100_000), fabric.counts());
            assertEquals(0, fabric.laws.exceeded());
            assertTrue(fabric.count(NicCounter.DROPPED_NO_ROOM) > 0);
            assertEquals(fabric.count(NicCounter.DROPPED_NO_ROOM), fabric.count(NicCounter.CELLS_REFUSED));
            assertEquals(2 * 150 * (nodes - 1), fabric.count(NicCounter.CELLS_DELIVERED));
            assertEquals(0, fabric.lost());
        }
    }

    @Test
    void shouldServeTheHighestClassFirst() {
        final int nodes = 8;
        final FlowSet flows = new FlowSet();
        for (int number = 3; number >= 0; number--) {
            for (int from = 1; from < nodes; from++) {
                flows.add(number, from, 0, 56L * 100, 100, 0);
                flows.setClass(number);
            }
        }
        final long[] in = completions(shoal(nodes, 1, 0, 0), flows, NicCounter.CELLS_REFUSED, new long[1]);
        final long[] first = new long[4];
        final long[] last = new long[4];
        for (int flow = 0; flow < flows.size(); flow++) {
            final int number = flows.trafficClass(flow);
            first[number] = first[number] == 0 ? in[flow] : Math.min(first[number], in[flow]);
            last[number] = Math.max(last[number], in[flow]);
        }
        for (int number = 1; number < 4; number++) {
            assertTrue(last[number - 1] < first[number], "class " + number + " is done before the one above it");
        }
        // Seven links into the node, each a cell an epoch of seven slots: a cell a slot for all classes together.
        assertEquals(4 * 700, last[3], 60);
    }

    @Test
    void shouldTellClassesBySize() {
        final FlowSet flows = new FlowSet();
        for (final long bytes : new long[] {1, 100, 101, 1000, 1001, Long.MAX_VALUE}) {
            flows.add(1, 0, 1, bytes, 1, 0);
        }
        assertEquals(1, flows.classes());
        final FlowSet classed = flows.classedBySize(100, 1000);
        final int[] numbers = new int[flows.size()];
        for (int flow = 0; flow < numbers.length; flow++) {
            numbers[flow] = classed.trafficClass(flow);
            assertEquals(flows.bytes(flow), classed.bytes(flow));
            assertEquals(0, flows.trafficClass(flow));
        }
        assertArrayEquals(new int[] {0, 0, 1, 1, 2, 2}, numbers);
        assertEquals(3, classed.classes());
        assertThrows(IllegalArgumentException.class, () -> flows.classedBySize(1, 2, 3, 4));
        assertThrows(IllegalArgumentException.class, () -> flows.classedBySize(2, 2));
        assertThrows(IllegalArgumentException.class, () -> flows.setClass(4));
        assertThrows(IllegalArgumentException.class, () -> flows.setClass(-1));
        assertThrows(IllegalArgumentException.class, () -> new FlowSet().setClass(0));
    }
}
