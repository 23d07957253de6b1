package dev.skerry.nic.shoal;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of Shoal in lock step: what comes of them does not depend on who meets whom, when and how often. */
final class ShoalLockStepTest {
    private static final int[] WORKERS = {1, 2, 3};

    private static Outcome run(final Shoal shoal, final FlowSet flows, final int workers, final boolean check,
        final long limit) {
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, workers, check)) {
            fabric.run(limit);
            return fabric.outcome();
        }
    }

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
        final RoundRobin schedule = arrangement.equals("PLAIN") ? RoundRobin.plain(nodes, channels)
            : RoundRobin.rearranged(nodes, channels, propagation);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, propagation);
        final FlowSet flows = Flows.random(nodes, nodes, 3 * nodes, 100, 30);
        final Outcome checked = run(shoal, flows, 1, true, 0);
        assertEquals(flows.size(), checked.completed().length);
        assertTrue(checked.count(NicCounter.CELLS_FORWARDED) > 0);
        for (final int workers : WORKERS) {
            same(checked, run(shoal, flows, workers, false, 0), "workers=" + workers);
        }
        same(checked, run(shoal, flows, 3, true, 0), "check, workers=3");
    }

    /** The last look at how far all are is at the limit, wherever that falls. */
    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 100, 333})
    void shouldStopAtItsSlotLimit(final int limit) {
        final int nodes = 9;
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 2), ReleaseRule.EXACT, false, 0);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            flows.add(from, from, (from + 5) % nodes, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final Outcome checked = run(shoal, flows, 1, true, limit);
        assertEquals(limit, checked.slots());
        assertEquals(checked.count(NicCounter.CELLS_INJECTED),
            checked.count(NicCounter.CELLS_DELIVERED) + checked.cellsHeld());
        for (final int workers : WORKERS) {
            same(checked, run(shoal, flows, workers, false, limit), "workers=" + workers);
        }
    }

    /** A fabric stepped by hand, some slots at a time, gets as far as one that runs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 50})
    void shouldGoOnWhereItStopped(final int more) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, true, 0);
        final FlowSet flows = Flows.random(more, 16, 200, 100, 30);
        for (final int workers : WORKERS) {
            final Outcome whole;
            final Outcome parts;
            try (LockStep fabric = new LockStep(Parts.of(shoal), flows, workers, true)) {
                fabric.advance(350);
                whole = fabric.outcome();
            }
            try (LockStep fabric = new LockStep(Parts.of(shoal), flows, workers, false)) {
                for (int slot = 0; slot < 350; slot += more) {
                    fabric.advance(Math.min(more, 350 - slot));
                }
                parts = fabric.outcome();
            }
            assertTrue(whole.completed().length > 0 && whole.completed().length < flows.size(), "more=" + more);
            same(whole, parts, "workers=" + workers + " more=" + more);
        }
    }
}
