package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** A fabric whose faults do no harm does the same as one without faults. */
@Sampled
final class HarmlessFaultsTest {
    /** A plan in which no cell is ever damaged, so that it changes nothing but the banks. */
    private static final Faults HARMLESS = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0))), 1);

    @ParameterizedTest
    @CsvSource({
        "2, 1, PLAIN, 0", "3, 2, PLAIN, 1", "5, 4, PLAIN, 0", "8, 1, PLAIN, 0", "8, 1, PLAIN, 30", "8, 3, PLAIN, 5",
        "8, 7, PLAIN, 2", "9, 4, PLAIN, 9", "16, 4, PLAIN, 3", "40, 1, PLAIN, 0", "7, 1, DELAY, 2", "8, 1, DELAY, 3",
        "8, 2, DELAY, 1", "16, 4, DELAY, 1"
    })
    void shouldDoNothingElseWhileNothingFails(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        final RoundRobin schedule = arrangement.equals("PLAIN") ? RoundRobin.plain(nodes, channels)
            : RoundRobin.rearranged(nodes, channels, propagation);
        for (final ReleaseRule rule : new ReleaseRule[] {ReleaseRule.EXACT, ReleaseRule.PAPER_LITERAL}) {
            for (long seed = 1; seed <= 2; seed++) {
                final Shoal shoal = Shoal.of(schedule, rule, seed % 2 == 0, propagation);
                final FlowSet flows = Flows.random(seed, nodes, 8 + 3 * nodes, 60, 60);
                final long limit = new long[] {0, 1, 40 + nodes}[(int) (seed + nodes) % 3];
                final String where = "nodes=" + nodes + " channels=" + channels + " " + arrangement + " P="
                    + propagation + " " + rule + " seed=" + seed + " limit=" + limit;
                final Outcome plain = run(shoal, flows, Faults.NONE, 1, false, limit);
                final Outcome harmless = run(shoal, flows, HARMLESS, nodes < 10 ? 1 : 2, nodes < 10, limit);
                assertEquals(plain.digest(), harmless.digest(), where);
                assertEquals(plain.slots(), harmless.slots(), where);
                assertArrayEquals(plain.completedIn(), harmless.completedIn(), where);
                assertArrayEquals(plain.nodes().bufferOccupancy(), harmless.nodes().bufferOccupancy(), where);
                assertArrayEquals(plain.nodes().queueLength(), harmless.nodes().queueLength(), where);
                assertArrayEquals(plain.counts(), harmless.counts(), where);
                assertEquals(plain.sampled().dummies(), harmless.sampled().dummies(), where);
                assertArrayEquals(plain.sampled().queueLengths(), harmless.sampled().queueLengths(), where);
                assertTrue(plain.sampled().queueLengths()[0] >= 0, where);
            }
        }
    }

    private static Outcome run(final Shoal shoal, final FlowSet flows, final Faults faults, final int workers,
        final boolean check, final long limit) {
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, faults, workers, check)) {
            fabric.run(limit);
            return fabric.outcome();
        }
    }
}
