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
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.FailureProbe;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.LanedSchedule;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Clocks that leave their windows. What such a node sends is lost like what is sent over links that are down, under a
 * name of its own; all is well again once the clock is.
 */
final class ClockFaultsTest {
    /** Epochs between the last probes of a link that has been down for long, and what news need to spread. */
    private static final int EPOCHS_TO_MEND = 256 + 60;

    /** The obvious model: a clock that is off cuts every link from its node, and none to it. */
    @ParameterizedTest
    @CsvSource({"2, 4, 5, 1", "3, 3, 0, 2", "1, 8, 12, 3", "4, 2, 3, 4"})
    void shouldLoseWhatLinksThatAreDownWouldLose(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = shale(h, r, propagation, seed);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 20 * shale.nodes(), 1500, 30);
        final List<Fault> clocks = clocks(shale, seed, 1600);
        final List<Fault> cuts = new ArrayList<>();
        for (final Fault fault : clocks) {
            final Fault.Clock clock = (Fault.Clock) fault;
            for (int link = 0; link < shale.schedule().epochSlots(); link++) {
                cuts.add(new Fault.Link(clock.slot(), clock.node(), shale.schedule().peerOf(clock.node(), link),
                    clock.inWindow()));
            }
        }
        final Outcome expected = lockStep(shale, flows, cuts, 1, 5000);
        final Outcome actual = lockStep(shale, flows, clocks, 1, 5000);
        final String where = "seed=" + seed;
        assertTrue(actual.count(NicCounter.GUARD_VIOLATION) > 0, where);
        for (final NicCounter counter : NicCounter.values()) {
            final NicCounter there = switch (counter) {
                case GUARD_VIOLATION -> NicCounter.DROPPED_ON_WAY;
                case DROPPED_ON_WAY -> NicCounter.GUARD_VIOLATION;
                default -> counter;
            };
            assertEquals(expected.count(there), actual.count(counter), where + " " + counter);
        }
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.firstDrop(), actual.firstDrop(), where);
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 13, 1", "4, 2, 30, 3"})
    void shouldGiveTheSameInBothEnginesAndWithLanes(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = shale(h, r, propagation, seed);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 600, 1500, 40);
        final List<Fault> clocks = clocks(shale, seed, 1600);
        final Outcome expected = lockStep(shale, flows, clocks, 1, 2500);
        final String where = "h=" + h + " r=" + r + " seed=" + seed;
        final long dropped = NicCounter.DROPS.stream().mapToLong(expected::count).sum();
        assertTrue(expected.count(NicCounter.GUARD_VIOLATION) > 0, where);
        assertEquals(expected.count(NicCounter.CELLS_INJECTED),
            expected.count(NicCounter.CELLS_DELIVERED) + dropped + expected.cellsHeld(), where);
        same(expected, lockStep(shale, flows, clocks, 3, 2500), where + " 3 workers");
        for (final int lanes : new int[] {3, 8}) {
            same(expected, Outcomes.run(new FreeRunning(Parts.of(shale), flows, faults(clocks), Crossbar.lanes(
                new LanedSchedule(shale.schedule(), lanes)), Threading.shared(2, Idle.YIELD), true), 2500),
                where + " lanes=" + lanes);
        }
    }

    /** Every law in every slot, and afterwards every link is up again. */
    @ParameterizedTest
    @CsvSource("2, 4, 5, 1")
    void shouldKeepEveryLawAndBeWellAgain(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = shale(h, r, propagation, seed);
        final int epoch = shale.schedule().epochSlots();
        final FlowSet flows = Flows.random(seed, shale.nodes(), 12 * shale.nodes(), 40L * epoch, 30);
        final long end = 80L * epoch;
        try (HandStepped fabric = new HandStepped(shale, faults(clocks(shale, seed, end)), flows, 2)) {
            fabric.stepTo(end + (long) (EPOCHS_TO_MEND + 40) * (epoch + propagation));
            assertTrue(fabric.drained(), "not drained: seed=" + seed);
            assertEquals(fabric.count(NicCounter.CELLS_INJECTED), fabric.count(NicCounter.CELLS_DELIVERED)
                + fabric.dropped(), "seed=" + seed);
            assertTrue(fabric.count(NicCounter.GUARD_VIOLATION) > 0, "seed=" + seed);
            for (final ShaleBank bank : fabric.banks) {
                assertTrue(FailureProbe.isMended(bank.reach(), bank.range().size(), epoch), "not mended: seed=" + seed);
            }
        }
    }

    /** A clock that stays where it may be is no fault. */
    @Test
    void shouldChangeNothingWithinTheWindow() {
        final Shale shale = shale(2, 4, 5, 1);
        final FlowSet flows = Flows.random(1, shale.nodes(), 300, 1500, 30);
        final Outcome expected = Outcomes.run(new LockStep(Parts.of(shale), flows, 1, false), 3000);
        final Outcome actual = lockStep(shale, flows, List.of(new Fault.Clock(200, 3, true)), 1, 3000);
        assertEquals(expected.digest(), actual.digest());
        assertEquals(0, actual.count(NicCounter.GUARD_VIOLATION));
        assertEquals(0, actual.count(NicCounter.NEIGHBOURS_DOWN));
    }

    private static Shale shale(final int h, final int r, final int propagation, final long seed) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2, propagation, seed);
    }

    /** Two clocks that leave their windows and come back before a slot. */
    private static List<Fault> clocks(final Shale shale, final long seed, final long end) {
        final Random random = new Random(seed);
        final List<Fault> clocks = new ArrayList<>();
        for (int clock = 0; clock < 2; clock++) {
            final int node = random.nextInt(shale.nodes() / 2) * 2 + clock;
            final long from = end / 8 + random.nextLong(end / 4);
            clocks.add(new Fault.Clock(from, node, false));
            clocks.add(new Fault.Clock(from + 1 + random.nextLong(end / 2), node, true));
        }
        return clocks;
    }

    private static Faults faults(final List<Fault> plan) {
        return new Faults(new FaultPlan(plan), 1);
    }

    private static Outcome lockStep(final Shale shale, final FlowSet flows, final List<Fault> plan, final int workers,
        final long slots) {
        return Outcomes.run(new LockStep(Parts.of(shale), flows, faults(plan), workers, false), slots);
    }
}
