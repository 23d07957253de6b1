package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.TreeSet;

/** Runs of the shipped assembly: schedule, determinism, limits and failure. */
final class LockStepTest {

    /**
     * docs/spec/shale.md §2.3: node 0 of N=9, h=2, P=0; worked out by hand, one completion slot for each first two
     * hops.
     */
    @Test
    void shouldFollowTheWorkedExample() {
        // 0 sends in slot 0 to 1. Spray in slot 2 to 4 (then direct 4->5 in slot 4, 5->8 in slot 6)
        // or in slot 3 to 7 (7->8 in slot 4: only digit 0 differs).
        final TreeSet<Long> seen = new TreeSet<>();
        for (long seed = 0; seed < 10; seed++) {
            for (final MechanismSet control : Controls.ALL) {
                final FlowSet flows = new FlowSet();
                flows.add(1, 0, 8, 244, 1, 0);
                final Outcome outcome = run(shale(2, 3, control, 0, seed), flows, 1, true);
                assertEquals(1, outcome.completed().length);
                assertEquals(outcome.completedIn()[0] + 1, outcome.slots(), "FCT of the only flow");
                seen.add(outcome.slots());
            }
        }
        assertEquals(new TreeSet<>(List.of(5L, 7L)), seen);
    }

    /**
     * docs/spec/shale.md §3: the worst FCT of one cell without queues, over starts, pairs and spraying. For h=4, r=2
     * the table's 70 is seven waits of 9 slots and P + 1: all eight hops made, which at r=2 leads back to the source.
     * With one phase skipped it is five waits of 9, one of 10 and P + 1.
     */
    @ParameterizedTest
    @ValueSource(strings = {
        "1 9 0 9", "1 9 8 25", "2 3 0 8", "2 3 4 24", "2 3 6 37", "2 4 0 12", "2 4 6 36", "4 2 6 62",
    })
    void shouldHaveTheWorstLatencyOfTheSpec(final String line) {
        final String[] part = line.split(" ");
        final int h = Integer.parseInt(part[0]);
        final int r = Integer.parseInt(part[1]);
        final int propagation = Integer.parseInt(part[2]);
        final Phased schedule = new Phased(h, r);
        final int endpoints = schedule.nodes();
        long worst = 0;
        for (long seed = 0; seed < 8; seed++) {
            final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.NONE, 1, 1,
                propagation, seed);
            for (int start = 0; start < schedule.epochSlots(); start++) {
                for (int to = 1; to < endpoints; to++) {
                    final FlowSet flows = new FlowSet();
                    flows.add(1, 0, to, 244, 1, start);
                    worst = Math.max(worst, run(shale, flows, 1, false).completedIn()[0] + 1 - start);
                }
            }
        }
        assertEquals(Long.parseLong(part[3]), worst, line);
    }

    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 17})
    void shouldNotDependOnWorkersOrOnChecks(final int propagation) {
        checkSame(propagation);
    }

    @Tag("long")
    @Test
    void shouldNotDependOnWorkersOrOnChecksOverLongLinks() {
        checkSame(89);
    }

    private static void checkSame(final int propagation) {
        final Shale shale = shale(2, 8, Mechanisms.HBH_SPRAY, propagation, 3);
        final FlowSet flows = Flows.random(3, 64, 200, 200, 30);
        final Outcome one = run(shale, flows, 1, false);
        assertEquals(flows.size(), one.completed().length);
        for (final int workers : new int[] {1, 2, 3, 5}) {
            same(one, run(shale, flows, workers, false), "workers=" + workers);
        }
        same(one, run(shale, flows, 1, true), "check");
        same(one, run(shale, flows, 3, true), "check, workers=3");
        final Outcome other = run(shale(2, 8, Mechanisms.HBH_SPRAY, propagation, 4), flows, 2, false);
        assertNotEquals(one.digest(), other.digest(), "another seed sprays otherwise");
        assertEquals(one.count(NicCounter.CELLS_DELIVERED), other.count(NicCounter.CELLS_DELIVERED));
    }

    /** Banks of other numbers of workers learn of flows in the same slot; with a check they meet more often. */
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 40})
    void shouldShareRatesWithAnyWorkers(final int propagation) {
        shareRates(propagation, 100);
    }

    @Tag("long")
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 40})
    void shouldShareRatesOfManyFlowsWithAnyWorkers(final int propagation) {
        shareRates(propagation, 400);
    }

    private static void shareRates(final int propagation, final int many) {
        for (final String label : List.of("isd", "isd+spray-short", "isd+hbh+spray-short", "isd+priority")) {
            final Shale shale = shale(2, 8, Mechanisms.of(label), propagation, 3);
            final FlowSet flows = Flows.random(5, 64, many, 200, 30);
            final Outcome one = run(shale, flows, 1, false);
            assertEquals(flows.size(), one.completed().length, label);
            for (final int workers : new int[] {2, 3, 5}) {
                same(one, run(shale, flows, workers, false), label + " workers=" + workers);
            }
            same(one, run(shale, flows, 1, true), label + " check");
            same(one, run(shale, flows, 3, true), label + " check, workers=3");
        }
    }

    @Test
    void shouldUseNoMoreWorkersThanNodes() {
        final FlowSet flows = Flows.random(1, 4, 10, 20, 5);
        same(run(shale(2, 2, Mechanisms.HBH, 0, 1), flows, 1, true),
            run(shale(2, 2, Mechanisms.HBH, 0, 1), flows, 9, true), "9 workers on 4 nodes");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 13})
    void shouldStopAtItsSlotLimitOnceWhatIsInFlightHasArrived(final int propagation) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 16; from++) {
            flows.add(from, from, (from + 5) % 16, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final Shale shale = shale(2, 4, Mechanisms.HBH_SPRAY, propagation, 1);
        final Outcome one = run(shale, flows, 1, false, 100);
        same(one, run(shale, flows, 3, true, 100), "checked");
        assertEquals(100, one.slots());
        assertEquals(0, one.completed().length);
        assertTrue(one.count(NicCounter.CELLS_DELIVERED) > 0);
        assertEquals(one.count(NicCounter.CELLS_INJECTED), one.count(NicCounter.CELLS_DELIVERED) + one.cellsHeld());
    }

    /** The watch is asked after every slot that is checked, else once in 16 without a delay, else once in a delay. */
    @ParameterizedTest
    @CsvSource({"0, true, 50", "0, false, 64", "1, false, 50", "20, false, 60", "20, true, 50"})
    void shouldStopWhenItsWatchSaysSo(final int propagation, final boolean check, final long stop) {
        final Shale shale = shale(2, 4, Mechanisms.NONE, propagation, 1);
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 5, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        for (int workers = 1; workers < 4; workers++) {
            try (LockStep fabric = new LockStep(Parts.of(shale), flows, workers, check)) {
                fabric.run(0, (slot, delivered, completed) -> slot < 50);
                assertEquals(stop, fabric.outcome().slots(), "workers=" + workers);
            }
        }
    }

    private static Shale shale(final int h, final int r, final MechanismSet control, final int propagation,
        final long seed) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), control, 1, 1, propagation, seed);
    }

    private static Outcome run(final Shale shale, final FlowSet flows, final int workers, final boolean check) {
        return run(shale, flows, workers, check, 0);
    }

    private static Outcome run(final Shale shale, final FlowSet flows, final int workers, final boolean check,
        final long limit) {
        try (LockStep fabric = new LockStep(Parts.of(shale), flows, workers, check)) {
            fabric.run(limit);
            return fabric.outcome();
        }
    }
}
