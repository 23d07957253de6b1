package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Faults over time: every law holds in every slot, everything lost has a name, and all is well again afterwards. */
@Timeout(300)
final class ShaleFaultsTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    /** Ends a run that would go on for ever. */
    private static final Engine.Watch PATIENT = (slot, delivered, completed) -> slot < 200_000;
    /** Epochs between the last probes of a link that has been down for long, and what news need to spread. */
    private static final int EPOCHS_TO_MEND = 256 + 60;

    @Sampled
    @ParameterizedTest
    @CsvSource({"2, 4, 0", "2, 4, 5", "4, 2, 3", "3, 3, 5", "1, 8, 2", "1, 4, 20"})
    void shouldKeepEveryLawAndBeWellAgain(final int h, final int r, final int propagation) {
        assertLaws(h, r, propagation, Controls.OF_LINKS);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"2, 3, 40", "1, 4, 100"})
    void shouldKeepEveryLawAndBeWellAgainOverLongLinks(final int h, final int r, final int propagation) {
        assertLaws(h, r, propagation, Controls.OF_LINKS);
    }

    /** Cells that start anew go out although each flow has to be asked whether it may start a cell. */
    @Test
    void shouldKeepEveryLawBesideSenderDrivenControl() {
        assertLaws(2, 4, 5, Controls.ISD.stream().filter(each -> each.endToEnd() instanceof final SenderDriven isd
            && isd.beside() == null).toList());
    }

    private static void assertLaws(final int h, final int r, final int propagation, final List<MechanismSet> controls) {
        final Phased schedule = new Phased(h, r);
        final int epoch = schedule.epochSlots();
        for (final MechanismSet control : controls) {
            final long first = 1 + controls.indexOf(control) % 3;
            for (long seed = first; seed < first + SEEDS; seed++) {
                final Shale shale = new Shale(schedule, Population.complete(schedule), control, 1, 2, propagation, seed,
                    new FailureRules(seed % 2 == 0 ? 3 : 1, seed % 3 == 0));
                final FlowSet flows = Flows.random(seed, shale.nodes(), 12 * shale.nodes(), 40L * epoch, 30);
                final long end = 120L * epoch;
                final Faults faults = script(schedule, seed, end, 0.01);
                final String where = "h=" + h + " r=" + r + " P=" + propagation + " " + control + " seed=" + seed;
                try (HandStepped fabric = new HandStepped(shale, faults, flows, 2)) {
                    fabric.stepTo(end + (long) (EPOCHS_TO_MEND + 40) * (epoch + propagation));
                    fabric.assertMended(where);
                    assertTrue(fabric.dropped() > 0, where);
                }
            }
        }
    }

    /** Nodes that were never there are nobody's failure, and what fails beside them mends. */
    @ParameterizedTest
    @CsvSource({"2, 5, 21, 1, 3", "2, 9, 74, 3, 0"})
    void shouldFailAndMendAmongNodesThatAreAbsent(final int h, final int r, final int nodes, final int failed,
        final int propagation) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, nodes, failed);
        final int epoch = schedule.epochSlots();
        final Shale shale = new Shale(schedule, population, Mechanisms.HBH_SPRAY, 1, 2, propagation, 4);
        final FlowSet flows = Flows.random(4, population.endpoints(), 10 * nodes, 40L * epoch, 30);
        final long end = 80L * epoch;
        try (HandStepped fabric = new HandStepped(shale, script(schedule, 4, end, 0.002), flows, 2)) {
            fabric.stepTo(end + (long) (EPOCHS_TO_MEND + 40) * (epoch + propagation));
            fabric.assertMended("nodes=" + nodes);
            assertTrue(fabric.count(NicCounter.NEIGHBOURS_DOWN) > 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 8, 13, 1", "4, 3, 30, 2"})
    void shouldGiveTheSameInBothEnginesWithAnyNumberOfThreads(final int h, final int r, final int propagation,
        final long seed) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2,
            propagation, seed);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 600, 1500, 40);
        final Faults faults = script(schedule, seed, 1600, 0.001);
        final Wiring wiring = PhaseGroupSwitches.wiring(schedule);
        final long limit = 4000;
        final String where = "h=" + h + " r=" + r + " seed=" + seed;
        final Outcome expected = run(new LockStep(Parts.of(shale), flows, faults, 1, true), limit);
        final long dropped = NicCounter.DROPS.stream().mapToLong(expected::count).sum();
        assertEquals(expected.count(NicCounter.CELLS_INJECTED),
            expected.count(NicCounter.CELLS_DELIVERED) + dropped + expected.cellsHeld(), where);
        for (final NicCounter some : new NicCounter[] {NicCounter.CELLS_DAMAGED, NicCounter.CELLS_RESTARTED,
            NicCounter.CELLS_MOVED, NicCounter.NEIGHBOURS_DOWN, NicCounter.NEIGHBOURS_UP, NicCounter.DROPPED_ON_WAY,
            NicCounter.DROPPED_DAMAGED, NicCounter.DROPPED_NODE_DOWN, NicCounter.DROPPED_LAST_HOP}) {
            assertTrue(expected.count(some) > 0, where + ": " + some);
        }
        for (final int threads : new int[] {1, 2, 4}) {
            same(expected, run(new LockStep(Parts.of(shale), flows, faults, threads, false), limit),
                where + " lock step " + threads);
            same(expected, run(new FreeRunning(Parts.of(shale), flows, faults, wiring, Threading.shared(threads,
                Idle.YIELD), threads == 2), limit), where + " threads " + threads);
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 8, 13", "4, 3, 10"})
    void shouldGetItsThroughputBack(final int h, final int r, final int propagation) {
        final Phased schedule = new Phased(h, r);
        final int epoch = schedule.epochSlots();
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 2, 4,
            propagation, 3);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < shale.nodes(); node++) {
            flows.add(node, node, (node + shale.nodes() / 2 + 1) % shale.nodes(), Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final long fail = 3000;
        final long mend = 6000;
        final Faults faults = new Faults(new FaultPlan(List.of(
            new Fault.Node(fail, 7, false), new Fault.Link(fail, 1, schedule.peerOf(1, 0), false),
            new Fault.Link(fail, 2, schedule.peerOf(2, 1), false),
            new Fault.Link(fail, 30, schedule.peerOf(30, 2), false),
            new Fault.Node(mend, 7, true), new Fault.Link(mend, 1, schedule.peerOf(1, 0), true),
            new Fault.Link(mend, 2, schedule.peerOf(2, 1), true),
            new Fault.Link(mend, 30, schedule.peerOf(30, 2), true))), 1);
        try (LockStep sound = new LockStep(Parts.of(shale), flows, 1, false);
            LockStep fabric = new LockStep(Parts.of(shale), flows, faults, 1, false)) {
            assertEquals(rate(sound, 1000, 2000), rate(fabric, 1000, 2000), "nothing has failed yet");
            final double whole = rate(sound, 500, 4000);
            final double failed = rate(fabric, 500, 2500);
            fabric.advance((long) EPOCHS_TO_MEND * epoch);
            final double mended = rate(fabric, 0, 4000);
            final int nodes = shale.nodes();
            // Two flows of the node are gone, and the others have less room.
            assertTrue(failed > whole * 0.8 && failed < whole * (nodes - 1.0) / nodes, "whole=" + whole + " failed="
                + failed);
            assertEquals(whole, mended, whole * 0.01);
        }
    }

    /** Faults that are there from the beginning and never mended, against nodes that the fabric knows to be absent. */
    @ParameterizedTest
    @CsvSource({"2, 12, 3, 20", "2, 9, 5, 7"})
    void shouldBehaveInTheLongRunLikeAFabricWithoutTheFailedNodes(final int h, final int r, final int failed,
        final int propagation) {
        final Phased schedule = new Phased(h, r);
        final Population without = Population.of(schedule, schedule.nodes(), failed);
        final List<Fault> down = new ArrayList<>();
        for (int node = 0; node < schedule.nodes(); node++) {
            if (!without.present(node)) {
                down.add(new Fault.Node(0, node, false));
            }
        }
        final FlowSet flows = new FlowSet();
        final FlowSet sameFlows = new FlowSet();
        final int endpoints = without.endpoints();
        for (int i = 0; i < 10 * endpoints; i++) {
            final int from = i % endpoints;
            final int to = (from + 1 + i / endpoints * 7 % (endpoints - 1)) % endpoints;
            flows.add(i, without.nodeOf(from), without.nodeOf(to), Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            sameFlows.add(i, from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final Shale whole = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1,
            propagation, 1);
        final Shale part = new Shale(schedule, without, Mechanisms.HBH_SPRAY, 1, 1, propagation, 1);
        try (LockStep fabric = new LockStep(Parts.of(whole), flows, new Faults(new FaultPlan(down), 1), 1, false);
            LockStep known = new LockStep(Parts.of(part), sameFlows, 1, false)) {
            final double expected = rate(known, 2000, 3000);
            assertEquals(expected, rate(fabric, 2000, 3000), expected * 0.03);
        }
    }

    @Tag("long")
    @Test
    void shouldBehaveInTheLongRunLikeALargeFabricWithoutTheFailedNodes() {
        shouldBehaveInTheLongRunLikeAFabricWithoutTheFailedNodes(4, 5, 12, 10);
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 5", "1, 6, 2", "3, 3, 4"})
    void shouldEndWhenNothingCanArriveAnyMore(final int h, final int r, final int propagation) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1,
            propagation, 5);
        final FlowSet flows = Flows.random(h, shale.nodes(), 10 * shale.nodes(), 1500, 60);
        final long cells = IntStream.range(0, flows.size()).mapToLong(flows::cells).sum();
        // Every fourth flow goes to node 0.
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Node(300, 0, false),
            new Fault.Corruption(0, 0.002))), 2);
        final Outcome expected = run(new LockStep(Parts.of(shale), flows, faults, 2, false), 0);
        final Outcome actual = run(new FreeRunning(Parts.of(shale), flows, faults, PhaseGroupSwitches.wiring(schedule),
            Threading.shared(2, Idle.YIELD), false), 0);
        assertEquals(expected.digest(), actual.digest());
        for (final Outcome outcome : List.of(expected, actual)) {
            final long dropped = NicCounter.DROPS.stream().mapToLong(outcome::count).sum();
            assertEquals(cells, outcome.count(NicCounter.CELLS_DELIVERED) + dropped
                + outcome.count(NicCounter.CELLS_NOT_SENT));
            assertEquals(0, outcome.cellsHeld());
            assertEquals(flows.size(), outcome.count(NicCounter.FLOWS_STARTED));
            assertTrue(outcome.count(NicCounter.FLOWS_FAILED) > 0);
            assertTrue(outcome.count(NicCounter.DESTINATIONS_UNREACHABLE) >= shale.nodes() / 2);
        }
    }

    /** With a limit of misses, damage costs the damaged cell and nothing else: tokens are restored, links stay up. */
    @ParameterizedTest
    @CsvSource({"2, 4, 5, 1", "4, 2, 3, 2", "1, 8, 20, 3"})
    void shouldMissAFewCellsWithoutLosingALink(final int h, final int r, final int propagation, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1,
            propagation, seed, new FailureRules(FailureRules.MAX_MISSES, false));
        final FlowSet flows = Flows.random(seed, shale.nodes(), 30 * shale.nodes(), 1500, 30);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Corruption(50, 0.002),
            new Fault.Corruption(2500, 0))), seed);
        try (HandStepped fabric = new HandStepped(shale, faults, flows, 2)) {
            fabric.stepTo(8000);
            final String where = "h=" + h + " r=" + r + " seed=" + seed;
            assertTrue(fabric.count(NicCounter.DROPPED_DAMAGED) > 5, where);
            assertTrue(fabric.count(NicCounter.CELLS_DAMAGED) > fabric.count(NicCounter.DROPPED_DAMAGED), where);
            assertEquals(0, fabric.count(NicCounter.NEIGHBOURS_DOWN), where);
            assertEquals(fabric.count(NicCounter.CELLS_INJECTED),
                fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.DROPPED_DAMAGED), where);
            assertTrue(fabric.drained(), where);
        }
    }

    private static double rate(final LockStep fabric, final long before, final long slots) {
        fabric.advance(before);
        final long delivered = fabric.count(NicCounter.CELLS_DELIVERED);
        fabric.advance(slots);
        return (fabric.count(NicCounter.CELLS_DELIVERED) - delivered) / (double) slots;
    }

    private static Outcome run(final Engine fabric, final long limit) {
        try (Engine engine = fabric) {
            engine.run(limit, PATIENT);
            return engine.outcome();
        }
    }

    /** Two nodes, three links and damage, all of it mended by a slot. */
    static Faults script(final Phased schedule, final long seed, final long end, final double damage) {
        final Random random = new Random(seed);
        final List<Fault> faults = new ArrayList<>();
        for (int node = 0; node < 2; node++) {
            final int id = (random.nextInt(schedule.nodes() / 2) * 2 + node) % schedule.nodes();
            final long from = random.nextLong(end / 2);
            faults.add(new Fault.Node(from, id, false));
            faults.add(new Fault.Node(from + 1 + random.nextLong(end / 2), id, true));
        }
        for (int link = 0; link < 3; link++) {
            final int id = (random.nextInt(schedule.nodes() / 3) * 3 + link) % schedule.nodes();
            final int peer = schedule.peerOf(id, random.nextInt(schedule.epochSlots()));
            final long from = random.nextLong(end / 2);
            faults.add(new Fault.Link(from, id, peer, false));
            faults.add(new Fault.Link(from + 1 + random.nextLong(end / 2), id, peer, true));
        }
        faults.add(new Fault.Corruption(end / 4, damage));
        faults.add(new Fault.Corruption(end, 0));
        return new Faults(new FaultPlan(faults), seed);
    }
}
