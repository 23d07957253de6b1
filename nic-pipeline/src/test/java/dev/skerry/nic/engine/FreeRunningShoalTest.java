package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shoal's NICs and the leaves and spines of its Clos on threads give what lock step gives. */
@Timeout(300)
final class FreeRunningShoalTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    @ParameterizedTest
    @CsvSource({
        "8, 1, 0, 4, 1, SPIN", "8, 1, 0, 4, 14, PARK", "8, 1, 0, 4, 2, YIELD", "8, 2, 5, 4, 4, BACKOFF",
        "64, 1, 0, 16, 2, BACKOFF", "64, 4, 20, 16, 4, YIELD", "64, 4, 20, 16, 14, PARK"
    })
    void shouldGiveWhatLockStepGives(final int nodes, final int channels, final int propagation, final int ports,
        final int threads, final Idle idle) {
        final RoundRobin schedule = RoundRobin.plain(nodes, channels);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, false, propagation);
        final Clos clos = Clos.of(schedule, ports);
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, 6 * nodes, 300, 40);
            final String where = "N=" + nodes + " C=" + channels + " P=" + propagation + " threads=" + threads + " "
                + idle + " seed=" + seed;
            for (final long limit : new long[] {0, 200}) {
                final Outcome expected = lockStep(shoal, flows, limit);
                same(expected, free(shoal, flows, clos, Threading.shared(threads, idle), limit), where);
                same(expected, free(shoal, flows, clos, Threading.separate(1 + threads / 3, threads, idle), limit),
                    where + " separate");
            }
        }
    }

    /** The 24 switches of 64 ports of each of two channels. */
    @ParameterizedTest
    @CsvSource({"1, SPIN", "4, YIELD"})
    void shouldCrossTwoPlanesOfTwentyFourSwitches(final int threads, final Idle idle) {
        final RoundRobin schedule = RoundRobin.plain(512, 2);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, 0);
        final Clos clos = Clos.of(schedule, 64);
        assertEquals(48, clos.wiring().switches());
        final FlowSet flows = Flows.random(5, 512, 1000, 400, 40);
        final Outcome expected = lockStep(shoal, flows, 0);
        assertTrue(expected.completed().length == flows.size());
        same(expected, free(shoal, flows, clos, Threading.shared(threads, idle), 0), "threads=" + threads);
    }

    private static Outcome lockStep(final Shoal shoal, final FlowSet flows, final long limit) {
        return Outcomes.run(new LockStep(Parts.of(shoal), flows, 1, false), limit);
    }

    private static Outcome free(final Shoal shoal, final FlowSet flows, final Clos clos, final Threading threading,
        final long limit) {
        return Outcomes.run(new FreeRunning(Parts.of(shoal), flows, clos.wiring(), threading, false), limit);
    }
}
