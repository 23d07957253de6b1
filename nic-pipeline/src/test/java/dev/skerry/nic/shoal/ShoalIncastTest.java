package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

/** Many to one, to the slot: checks G4 and G6 of docs/spec/shoal.md §9.2. */
final class ShoalIncastTest {
    private static Outcome run(final int nodes, final ReleaseRule rule, final FlowSet flows, final boolean check) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 1), rule, false, 0);
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, 1, check)) {
            fabric.run(0);
            return fabric.outcome();
        }
    }

    private static long slowest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).max().orElseThrow() + 1;
    }

    private static long fastest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).min().orElseThrow() + 1;
    }

    /** G4: all others send N-1 cells each; the receiver's link is never idle, and all end within an epoch. */
    @ParameterizedTest
    @CsvSource({"8, 49, 43, EXACT", "16, 225, 211, EXACT", "64, 3969, 3907, EXACT", "8, 49, 43, PAPER_LITERAL",
        "8, 49, 43, AUTHORS_SIMULATOR", "16, 225, 211, AUTHORS_SIMULATOR"})
    void shouldServeAllOthersAtTheRateOfTheReceiver(final int nodes, final long slowest, final long fastest,
        final ReleaseRule rule) {
        for (final int receiver : new int[] {0, nodes / 3, nodes - 1}) {
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < nodes; from++) {
                if (from != receiver) {
                    flows.add(from, from, receiver, 56L * (nodes - 1), nodes - 1, 0);
                }
            }
            final Outcome outcome = run(nodes, rule, flows, nodes <= 16);
            assertEquals(slowest, slowest(outcome), "receiver=" + receiver);
            assertEquals(fastest, fastest(outcome), "receiver=" + receiver);
        }
    }

    /**
     * G6: 10 of 511 send 2378 cells each. At best that takes 23,780 slots; the last bound is that of docs/spec/shoal.md
     * §9.3.
     */
    @Test
    void shouldServeAFewSendersCloseToTheOptimum() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 10; from++) {
            flows.add(from, from, 511, 56L * 2378, 2378, 0);
        }
        final Outcome outcome = run(512, ReleaseRule.EXACT, flows, false);
        final int queue = Arrays.stream(outcome.nodes().queueLength()).max().orElseThrow();
        assertEquals(10, queue);
        assertTrue(slowest(outcome) >= 23_780 && slowest(outcome) <= 26_158, "slowest " + slowest(outcome));
        assertTrue(fastest(outcome) >= 0.9 * slowest(outcome), "fastest " + fastest(outcome));
    }

    /** Every node sends to all others: without ready queues the local cells wait in the queues too (Eq. 3, Eq. 5). */
    @Test
    void shouldHaveLongerQueuesWithoutReadyQueues() {
        final int nodes = 16;
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                if (from != to) {
                    flows.add(flows.size(), from, to, 40 * 56, 40, 0);
                }
            }
        }
        final Outcome exact = run(nodes, ReleaseRule.EXACT, flows, true);
        final Outcome basic = run(nodes, ReleaseRule.BASIC, flows, true);
        assertEquals(List.of(14, 29, 6, 28), List.of(exact.sampled().longest(), basic.sampled().longest(),
            exact.sampled().quantile(0.9), basic.sampled().quantile(0.9)));
    }
}
