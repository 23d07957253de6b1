package dev.skerry.nic.shoal;

import static dev.skerry.nic.engine.Outcomes.lockStep;
import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.ShoalBank.EpochBase;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Runs of Shoal in lock step: the results do not depend on workers, checks and limits, on slots that an idle fabric
 * leaves out, nor on how a bank goes through its rows.
 */
final class ShoalLockStepTest {
    private static final int[] WORKERS = {1, 2, 3};
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 3);
    private static final int FLOWS = 30;
    private static final long LATER = 1L << 50;
    private static final int MEETINGS = 1000;
    /** No row is sparse, all are, and those in which nothing or little is to be done. */
    private static final List<ShoalBank.Density> DENSITIES = List.of(new ShoalBank.Density(-2000, 1),
        new ShoalBank.Density(2000, 1), new ShoalBank.Density(0, 1 << 20), new ShoalBank.Density(1, 4),
        ShoalBank.Density.MEASURED);

    /** Without a delay workers meet once in a slot, and look only now and then how far all are. */
    @ParameterizedTest
    @CsvSource({
        "64, 3, PLAIN, 0", "64, 4, DELAY, 0", "5, 1, PLAIN, 0", "3, 2, PLAIN, 0", "9, 1, PLAIN, 1", "64, 4, PLAIN, 7",
        "16, 1, DELAY, 6",
    })
    void shouldNotDependOnWorkersOrOnChecks(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        checkSame(nodes, channels, arrangement, propagation);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"64, 1, PLAIN, 0", "64, 1, PLAIN, 1", "64, 2, PLAIN, 7", "70, 1, DELAY, 7"})
    void shouldNotDependOnWorkersOrOnChecksInLongRuns(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        checkSame(nodes, channels, arrangement, propagation);
    }

    private static void checkSame(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        final Shoal shoal = Parts.shoal(Parts.schedule(arrangement, nodes, channels, propagation), propagation);
        final FlowSet flows = Flows.random(nodes, nodes, 3 * nodes, 100, 30);
        final Outcome checked = lockStep(shoal, flows, 1, true, 0);
        assertEquals(flows.size(), checked.completed().length);
        assertTrue(checked.count(NicCounter.CELLS_FORWARDED) > 0);
        for (final int workers : WORKERS) {
            same(checked, lockStep(shoal, flows, workers, false, 0), "workers=" + workers);
        }
        same(checked, lockStep(shoal, flows, 3, true, 0), "check, workers=3");
    }

    /** The last look at how far all are is at the limit, wherever that falls. */
    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 100, 333})
    void shouldStopAtItsSlotLimit(final int limit) {
        final int nodes = 9;
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 2), ReleaseRule.EXACT, false, 0);
        final FlowSet flows = Flows.endless(nodes, 5);
        final Outcome checked = lockStep(shoal, flows, 1, true, limit);
        assertEquals(limit, checked.slots());
        assertEquals(checked.count(NicCounter.CELLS_INJECTED),
            checked.count(NicCounter.CELLS_DELIVERED) + checked.cellsHeld());
        for (final int workers : WORKERS) {
            same(checked, lockStep(shoal, flows, workers, false, limit), "workers=" + workers);
        }
    }

    /** A fabric stepped by hand, some slots at a time, gets as far as one that runs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 50})
    void shouldGoOnWhereItStopped(final int more) {
        final Shoal shoal = Parts.shoal(16, 1, 0);
        final FlowSet flows = Flows.random(more, 16, 200, 100, 30);
        for (final int workers : WORKERS) {
            try (LockStep whole = new LockStep(Parts.of(shoal), flows, workers, true);
                LockStep parts = new LockStep(Parts.of(shoal), flows, workers, false)) {
                whole.advance(350);
                for (int slot = 0; slot < 350; slot += more) {
                    parts.advance(Math.min(more, 350 - slot));
                }
                final int completed = whole.outcome().completed().length;
                assertTrue(completed > 0 && completed < flows.size(), "more=" + more);
                same(whole.outcome(), parts.outcome(), "workers=" + workers + " more=" + more);
            }
        }
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
        beAsIfEverySlotWereStepped(Shoal.of(RoundRobin.plain(nodes, channels), rule, true, propagationSlots));
    }

    /** A node whose turns are all with failed nodes, or fall into places without a circuit, cannot send at once. */
    @ParameterizedTest
    @CsvSource({"3, 1, 0, 1, PLAIN", "4, 1, 0, 1, PLAIN", "8, 1, 0, 3, PLAIN", "12, 1, 0, 5, PLAIN",
        "16, 3, 7, 12, PLAIN", "8, 1, 0, 0, DELAY", "10, 1, 4, 4, DELAY", "20, 1, 9, 7, DELAY"})
    void shouldNotForgetAFlowThatCannotSendAtOnce(final int nodes, final int channels, final int propagationSlots,
        final int failed, final String arrangement) {
        beAsIfEverySlotWereStepped(Parts.shoal(Parts.schedule(arrangement, nodes, channels, propagationSlots),
            propagationSlots).withFailedNodes(failed));
    }

    /** Rows that failed nodes cut into blocks of a few nodes become idle as well, or a run would never end. */
    @Test
    void shouldBecomeIdleWithAnyNumberOfFailedNodes() {
        for (int nodes = 2; nodes <= 40; nodes++) {
            for (int failed = 0; failed <= nodes - 2; failed++) {
                final Shoal shoal = Parts.shoal(nodes, 1, 0).withFailedNodes(failed);
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

    private static void beAsIfEverySlotWereStepped(final Shoal shoal) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = withPauses(shoal, seed);
            final Outcome stepped = lockStep(shoal, flows, 1, true, end(flows, shoal.nodes()));
            assertEquals(FLOWS, stepped.completed().length);
            for (int workers = 1; workers <= 3; workers++) {
                same(stepped, lockStep(shoal, flows, workers, false, end(flows, shoal.nodes())),
                    "seed=" + seed + " workers=" + workers);
            }
        }
    }

    /** A slot before which all flows are complete. */
    private static long end(final FlowSet flows, final int nodes) {
        return flows.startSlot(FLOWS - 1) + 1000L * nodes;
    }

    /** More nodes than a word of a set has bits. */
    @Test
    @Tag("long")
    void shouldBeSoWithManyNodes() {
        beAsIfEverySlotWereStepped(Parts.shoal(70, 2, 3));
    }

    /** The bank by itself, which is asked before every slot and stepped only where it has to be. */
    @ParameterizedTest
    @CsvSource({"2, 1, 0", "8, 1, 0", "8, 1, 7", "8, 4, 3", "40, 1, 0"})
    void shouldKeepWhatItRemembers(final int nodes, final int channels, final int propagationSlots) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagationSlots);
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
        final Shoal shoal = Parts.shoal(8, 1, 0);
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

    /** Whether a row is taken in columns or node by node, and how often that changes, makes no difference. */
    @ParameterizedTest
    @CsvSource({
        "2, 1, 0, EXACT", "8, 1, 0, EXACT", "8, 1, 16, EXACT", "8, 7, 2, EXACT", "9, 2, 4, PAPER_LITERAL",
        "16, 1, 0, AUTHORS_SIMULATOR", "33, 1, 0, EXACT", "70, 3, 5, EXACT",
    })
    void shouldMakeNoDifference(final int nodes, final int channels, final int propagationSlots,
        final ReleaseRule rule) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), rule, true, propagationSlots);
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, 10 * nodes, 60L * nodes, 40);
            try (HandSteppedShoal first = new HandSteppedShoal(shoal, flows, EpochBase.EPOCHS, DENSITIES.getFirst())) {
                first.stepTo(200L * nodes);
                assertTrue(first.bank.deliveries().delivered() > 0);
                for (final ShoalBank.Density density : DENSITIES.subList(1, DENSITIES.size())) {
                    try (HandSteppedShoal other = new HandSteppedShoal(shoal, flows, EpochBase.EPOCHS, density)) {
                        other.stepTo(200L * nodes);
                        final String where = "seed=" + seed + " " + density;
                        assertEquals(first.bank.deliveries().digest(), other.bank.deliveries().digest(), where);
                        assertArrayEquals(first.received(), other.received(), where);
                        assertArrayEquals(maxima(first.bank), maxima(other.bank), where);
                    }
                }
            }
        }
    }

    private static int[] maxima(final ShoalBank bank) {
        final int nodes = bank.range().size();
        final int[] maxima = new int[2 * nodes];
        for (int node = 0; node < nodes; node++) {
            maxima[node] = bank.maxima().maxHeld(node);
            maxima[nodes + node] = bank.maxima().maxQueue(node);
        }
        return maxima;
    }

    /** Moving on the base of epochs changes nothing, however often. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 2", "8, 4, 3, 2", "16, 2, 40, 3", "24, 1, 5, 20"})
    void shouldChangeNothing(final int nodes, final int channels, final int propagationSlots, final int flowsOfNode) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagationSlots);
        final SplittableRandom random = new SplittableRandom(nodes);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < nodes * flowsOfNode; flow++) {
            final int from = flow % nodes;
            flows.add(flow, from, (from + 1 + random.nextInt(nodes - 1)) % nodes, Long.MAX_VALUE,
                random.nextInt(3) == 0 ? FlowSet.ENDLESS : 1 + random.nextInt(200), flow / 4);
        }
        try (HandSteppedShoal usual = new HandSteppedShoal(shoal, flows);
            HandSteppedShoal moving = new HandSteppedShoal(shoal, flows, 40, ShoalBank.Density.MEASURED)) {
            for (int step = 0; step < 60; step++) {
                usual.stepTo(usual.slot + 100);
                moving.stepTo(moving.slot + 100);
                final int at = step;
                assertArrayEquals(usual.received(), moving.received(), () -> "step=" + at);
                assertEquals(usual.bank.deliveries().digest(), moving.bank.deliveries().digest(), () -> "step=" + at);
            }
        }
    }

    /** Cells that arrive at all nodes in some slots. */
    private static long arrivals(final Shoal shoal, final FlowSet flows, final long slots) {
        long cells = 0;
        final NodeCells received = new NodeCells(shoal.channels());
        try (FabricModel model = new FabricModel(Parts.of(shoal), flows)) {
            for (long slot = 0; slot < slots; slot++) {
                model.step();
                for (int node = 0; node < shoal.nodes(); node++) {
                    model.received(node, received);
                    for (int channel = 0; channel < shoal.channels(); channel++) {
                        cells += InFlightCells.isCell(received.route(channel)) ? 1 : 0;
                    }
                }
            }
        }
        return cells;
    }

    /** Dummies that an engine counts are the cells that nodes receive and that carry nothing. */
    @ParameterizedTest
    @CsvSource({"9, 20, 1", "16, 400, 2", "16, 0, 3", "8, 60, 4"})
    void shouldCountWhatArrivesEmpty(final int nodes, final int count, final long seed) {
        final Shoal shoal = Parts.shoal(nodes, 1, 0);
        final FlowSet flows = Flows.random(seed, nodes, count, 450, 30);
        final Outcome outcome = lockStep(shoal, flows, 2, false, 900);
        final long empty = outcome.slots() * nodes - arrivals(shoal, flows, outcome.slots());
        assertEquals(empty, outcome.sampled().dummies(), "seed=" + seed);
        assertTrue(outcome.slots() > 0 && empty > 0, "empty=" + empty);
    }

    /** A node that failed sends none, and none is sent to it: each two of the others meet once an epoch. */
    @ParameterizedTest
    @CsvSource({"9, 1, 2", "9, 2, 7", "16, 3, 5", "16, 1, 0"})
    void shouldCountNoneOfFailedNodesNorToThem(final int nodes, final int channels, final int failed) {
        final Shoal shoal = Parts.shoal(nodes, channels, 0).withFailedNodes(failed);
        final FlowSet flows = new FlowSet();
        flows.add(0, nodes - 1, nodes - 2, 1 << 20, 1000, 3);
        final int epochs = 20;
        final long slots = (long) epochs * shoal.schedule().epochSlots();
        final long sent = arrivals(shoal, flows, slots);
        assertEquals((long) epochs * (nodes - failed) * (nodes - failed - 1) - sent,
            lockStep(shoal, flows, 1, false, slots).sampled().dummies());
        assertTrue(sent >= epochs, "sent=" + sent);
    }
}
