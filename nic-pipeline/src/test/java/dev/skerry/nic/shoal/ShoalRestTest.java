package dev.skerry.nic.shoal;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

/** A fabric at rest goes from event to event, and nobody can tell afterwards. */
final class ShoalRestTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 3);
    private static final int FLOWS = 30;
    private static final long LATER = 1L << 50;
    private static final int MEETINGS = 1000;

    private static Shoal shoal(final int nodes, final int channels, final int propagationSlots,
        final ReleaseRule rule) {
        return Shoal.of(RoundRobin.plain(nodes, channels), rule, true, propagationSlots);
    }

    /** Flows with pauses between them that are shorter than what a node remembers, about as long, or longer. */
    private static FlowSet withPauses(final Shoal shoal, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int failed = shoal.failedNodes();
        final int nodes = shoal.nodes() - failed;
        final int memory = 8 * nodes + 2 * shoal.propagationSlots();
        final FlowSet flows = new FlowSet();
        long start = random.nextInt(memory);
        for (int flow = 0; flow < FLOWS; flow++) {
            final int from = random.nextInt(nodes);
            final int cells = 1 + random.nextInt(9);
            flows.add(flow, failed + from, failed + (from + 1 + random.nextInt(nodes - 1)) % nodes, cells, cells,
                start);
            start += random.nextInt(3) == 0 ? random.nextInt(3 * memory) : random.nextInt(nodes);
        }
        // An engine ends with its last flow, and this one starts later than any run ends.
        flows.add(FLOWS, failed, failed + 1, 1, 1, LATER);
        return flows;
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1, 0, EXACT", "3, 2, 1, EXACT", "8, 1, 0, EXACT", "8, 1, 16, EXACT", "8, 3, 5, EXACT",
        "8, 1, 0, AUTHORS_SIMULATOR", "9, 4, 40, PAPER_LITERAL", "16, 1, 0, AUTHORS_SIMULATOR",
    })
    void shouldBeAsIfEverySlotWereStepped(final int nodes, final int channels, final int propagationSlots,
        final ReleaseRule rule) {
        shouldBeAsIfEverySlotWereStepped(shoal(nodes, channels, propagationSlots, rule));
    }

    /** A node whose turns are all with failed nodes, or fall into places without a circuit, cannot send at once. */
    @ParameterizedTest
    @CsvSource({"3, 1, 0, 1, false", "4, 1, 0, 1, false", "8, 1, 0, 3, false", "12, 1, 0, 5, false",
        "16, 3, 7, 12, false", "8, 1, 0, 0, true", "10, 1, 4, 4, true", "20, 1, 9, 7, true"})
    void shouldNotForgetAFlowThatCannotSendAtOnce(final int nodes, final int channels, final int propagationSlots,
        final int failed, final boolean delays) {
        shouldBeAsIfEverySlotWereStepped(Shoal.of(delays
            ? RoundRobin.rearranged(nodes, channels, propagationSlots) : RoundRobin.plain(nodes, channels),
            ReleaseRule.EXACT, true, propagationSlots).withFailedNodes(failed));
    }

    /** Rows that failed nodes cut into blocks of a few nodes become idle as well, or a run would never end. */
    @Test
    void shouldBecomeIdleWithAnyNumberOfFailedNodes() {
        for (int nodes = 2; nodes <= 40; nodes++) {
            for (int failed = 0; failed <= nodes - 2; failed++) {
                final Shoal shoal = shoal(nodes, 1, 0, ReleaseRule.EXACT).withFailedNodes(failed);
                final FlowSet flows = new FlowSet();
                for (int from = failed; from < nodes; from++) {
                    final int to = from + 1 < nodes ? from + 1 : failed;
                    flows.add(from, from, to, 2, 2, 0);
                    flows.add(nodes + from, to, from, 2, 2, 0);
                }
                final long limit = 100L * nodes;
                final long[] last = new long[1];
                try (LockStep fabric = new LockStep(Parts.of(shoal), flows, 1, false)) {
                    fabric.run(0, (slot, delivered, completed) -> {
                        last[0] = slot;
                        return slot < limit;
                    });
                    assertEquals(flows.size(), fabric.outcome().completed().length);
                }
                assertTrue(last[0] < limit, "nodes=" + nodes + " failed=" + failed);
            }
        }
    }

    private static void shouldBeAsIfEverySlotWereStepped(final Shoal shoal) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = withPauses(shoal, seed);
            final Outcome stepped = run(shoal, flows, 1, true);
            assertEquals(FLOWS, stepped.completed().length);
            for (int workers = 1; workers <= 3; workers++) {
                same(stepped, run(shoal, flows, workers, false), "seed=" + seed + " workers=" + workers);
            }
        }
    }

    /** A slot before which all flows are complete. */
    private static long end(final FlowSet flows, final int nodes) {
        return flows.startSlot(FLOWS - 1) + 1000L * nodes;
    }

    private static Outcome run(final Shoal shoal, final FlowSet flows, final int workers, final boolean check) {
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, workers, check)) {
            fabric.run(end(flows, shoal.nodes()));
            return fabric.outcome();
        }
    }

    /** More nodes than a word of a set has bits. */
    @Test
    @Tag("long")
    void shouldBeSoWithManyNodes() {
        shouldBeAsIfEverySlotWereStepped(70, 2, 3, ReleaseRule.EXACT);
    }

    /** The bank by itself, which is asked before every slot and stepped only where it has to be. */
    @ParameterizedTest
    @CsvSource({"2, 1, 0", "8, 1, 0", "8, 1, 7", "8, 4, 3", "40, 1, 0"})
    void shouldKeepWhatItRemembers(final int nodes, final int channels, final int propagationSlots) {
        final Shoal shoal = shoal(nodes, channels, propagationSlots, ReleaseRule.EXACT);
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = withPauses(shoal, seed);
            final long end = end(flows, nodes);
            try (HandSteppedShoal stepped = new HandSteppedShoal(shoal, flows);
                HandSteppedShoal resting = new HandSteppedShoal(shoal, flows)) {
                long rests = 0;
                while (resting.slot < end) {
                    final long until = Math.min(resting.bank.idleUntil(resting.slot), end);
                    rests += until - resting.slot;
                    resting.slot = until;
                    if (until < end) {
                        resting.step();
                    }
                    stepped.stepTo(resting.slot);
                    assertEquals(stepped.bank.deliveries().digest(), resting.bank.deliveries().digest(),
                        "seed=" + seed + " slot=" + until);
                }
                assertArrayEquals(stepped.received(), resting.received(), "seed=" + seed);
                assertTrue(rests > 0, "seed=" + seed);
            }
        }
    }

    /** Millions of epochs without a flow are not stepped: the workers meet a few times only. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNotStepThroughAPause(final int workers) {
        final Shoal shoal = shoal(8, 1, 0, ReleaseRule.EXACT);
        final long pause = 1L << 40;
        final FlowSet flows = new FlowSet();
        flows.add(0, 2, 5, 20, 20, 3);
        flows.add(1, 5, 2, 20, 20, pause);
        final long[] meetings = new long[1];
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, workers, false)) {
            fabric.run(pause + 1000, (slot, delivered, completed) -> {
                return ++meetings[0] < MEETINGS;
            });
            assertEquals(2, fabric.outcome().completed().length);
        }
        assertTrue(meetings[0] < MEETINGS, "meetings=" + meetings[0]);
    }
}
