package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.reference.ReferenceShoal;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Random;

/**
 * Shoal's pipeline against {@link ReferenceShoal}, to the end and half way; every law checked in small fabrics, two
 * workers in others.
 */
@Sampled
final class ShoalModelTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    @ParameterizedTest
    @CsvSource({
        "2, 1, PLAIN, 0", "2, 1, PLAIN, 3", "3, 1, PLAIN, 0", "3, 2, PLAIN, 1", "5, 1, PLAIN, 0", "5, 4, PLAIN, 0",
        "8, 1, PLAIN, 0", "8, 1, PLAIN, 1", "8, 1, PLAIN, 6", "8, 1, PLAIN, 7", "8, 1, PLAIN, 30", "8, 2, PLAIN, 0",
        "8, 3, PLAIN, 5", "8, 7, PLAIN, 0", "8, 7, PLAIN, 2", "9, 1, PLAIN, 0", "9, 3, PLAIN, 0", "9, 4, PLAIN, 9",
        "16, 1, PLAIN, 0", "16, 4, PLAIN, 0", "16, 4, PLAIN, 3", "16, 4, PLAIN, 40", "40, 1, PLAIN, 0",
        "2, 1, DELAY, 0", "7, 1, DELAY, 0", "7, 1, DELAY, 2", "8, 1, DELAY, 0", "8, 1, DELAY, 3", "8, 2, DELAY, 0",
        "8, 2, DELAY, 1", "8, 4, DELAY, 0", "16, 4, DELAY, 1", "16, 1, DELAY, 7",
    })
    void shouldDeliverEveryCellInItsSlot(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        final RoundRobin schedule = Parts.schedule(arrangement, nodes, channels, propagation);
        for (final ReleaseRule rule : List.of(ReleaseRule.EXACT, ReleaseRule.PAPER_LITERAL,
            ReleaseRule.PAPER_ONE_REPORT, ReleaseRule.EXACT_ONE_REPORT, ReleaseRule.BASIC)) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                final Shoal shoal = Shoal.of(schedule, rule, hasAgeRule(seed, nodes + rule.ordinal()), propagation);
                same(shoal, Flows.random(seed, nodes, 8 + 3 * nodes, 60, 60), shoal + " seed=" + seed);
            }
        }
    }

    /** Enough flows per node that throttles are indexed. Their messages end, so flows change places and return. */
    @ParameterizedTest
    @CsvSource({"20, 1, 0", "24, 2, 3", "70, 4, 0"})
    void shouldDeliverManyFlowsOfANode(final int nodes, final int channels, final int propagation) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT,
                hasAgeRule(seed, nodes + channels), propagation);
            same(shoal, Flows.random(seed, nodes, 40 * nodes, 12, 10), shoal + " seed=" + seed);
        }
    }

    /** A few cells, then for many epochs none, so that whole rows have nothing to say; then a few more. */
    @ParameterizedTest
    @CsvSource({"2, 1, 0", "8, 1, 0", "8, 3, 5", "9, 1, 0", "16, 4, 40", "70, 1, 0", "130, 2, 3"})
    void shouldWakeUpAfterAPause(final int nodes, final int channels, final int propagation) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT,
                hasAgeRule(seed, nodes + channels), propagation);
            final Random random = new Random(seed);
            final FlowSet flows = new FlowSet();
            long start = 0;
            for (int flow = 0; flow < 12; flow++) {
                final int source = random.nextInt(nodes);
                final int cells = 1 + random.nextInt(9);
                flows.add(flow, source, (source + 1 + random.nextInt(nodes - 1)) % nodes, cells, cells, start);
                // Within an epoch or two, or after all that is remembered of a link has gone.
                start += random.nextBoolean() ? random.nextInt(2 * nodes) : propagation + random.nextInt(20) * nodes;
            }
            same(shoal, flows, shoal + " seed=" + seed);
        }
    }

    /** The shortest message first, and nodes that have failed from the start. */
    @ParameterizedTest
    @CsvSource({"8, 1, PLAIN, 0, 0", "8, 1, PLAIN, 0, 3", "9, 1, PLAIN, 5, 1", "9, 4, PLAIN, 0, 7", "8, 1, DELAY, 2, 2",
        "16, 4, PLAIN, 3, 5", "70, 1, PLAIN, 0, 20", "70, 2, PLAIN, 9, 66"})
    void shouldServeTheShortestMessageAroundFailedNodes(final int nodes, final int channels, final String arrangement,
        final int propagation, final int failed) {
        final RoundRobin schedule = Parts.schedule(arrangement, nodes, channels, propagation);
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = new FlowSet();
            final FlowSet some = Flows.random(seed, nodes - failed, 20 * nodes, 60, 20);
            for (int flow = 0; flow < some.size(); flow++) {
                flows.add(flow, some.source(flow) + failed, some.destination(flow) + failed, some.bytes(flow),
                    some.cells(flow), some.startSlot(flow));
            }
            same(Shoal.of(schedule, ReleaseRule.EXACT, hasAgeRule(seed, failed), propagation)
                .with(FlowOrder.SHORTEST).withFailedNodes(failed), flows,
                schedule + " failed=" + failed + " seed=" + seed);
        }
    }

    /** The basic rule makes queues longer than the fabric; flows of log N epochs join these, too. */
    @ParameterizedTest
    @CsvSource({"4, 1", "8, 1", "8, 2", "16, 1"})
    void shouldLetOldFlowsJoinTheLongestQueues(final int nodes, final int channels) {
        int longest = 0;
        for (long seed = 1; seed <= 12; seed++) {
            final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.BASIC, true, 0);
            final FlowSet flows = Flows.random(seed, nodes, 12 * nodes, 8 * nodes, 40);
            same(shoal, flows, shoal + " seed=" + seed);
            longest = Math.max(longest, Outcomes.lockStep(shoal, flows, 1, false, 0).sampled().longest());
        }
        assertTrue(longest > nodes, "longest=" + longest);
    }

    /** Whichever the seeds, some fabrics have the 2^age rule and some have not. */
    private static boolean hasAgeRule(final long seed, final int fabric) {
        return (seed + fabric) % 2 == 0;
    }

    private static void same(final Shoal shoal, final FlowSet flows, final String where) {
        final boolean checked = shoal.nodes() < 10;
        final Outcome expected = Outcomes.run(new ReferenceShoal(shoal, flows), 0);
        final Outcome outcome = Outcomes.run(new LockStep(new ShoalParts(shoal, true), flows, checked ? 1 : 2,
            checked), 0);
        Outcomes.sameAsReference(expected, outcome, where);
        assertTrue(expected.count(NicCounter.CELLS_FORWARDED) > 0 || shoal.nodes() - shoal.failedNodes() == 2, where);
        final long limit = expected.slots() / 2;
        Outcomes.sameAsReference(Outcomes.run(new ReferenceShoal(shoal, flows), limit),
            Outcomes.run(new LockStep(new ShoalParts(shoal, true), flows, 1, false), limit), where + " slots=" + limit);
    }

    /** A fabric whose faults do no harm, as none is ever damaged, does the same as one without faults. */
    @ParameterizedTest
    @CsvSource({
        "2, 1, PLAIN, 0", "3, 2, PLAIN, 1", "5, 4, PLAIN, 0", "8, 1, PLAIN, 0", "8, 1, PLAIN, 30", "8, 3, PLAIN, 5",
        "8, 7, PLAIN, 2", "9, 4, PLAIN, 9", "16, 4, PLAIN, 3", "40, 1, PLAIN, 0", "7, 1, DELAY, 2", "8, 1, DELAY, 3",
        "8, 2, DELAY, 1", "16, 4, DELAY, 1"
    })
    void shouldDoNothingElseWhileNothingFails(final int nodes, final int channels, final String arrangement,
        final int propagation) {
        final RoundRobin schedule = Parts.schedule(arrangement, nodes, channels, propagation);
        for (final ReleaseRule rule : new ReleaseRule[] {ReleaseRule.EXACT, ReleaseRule.PAPER_LITERAL}) {
            for (long seed = 1; seed <= 2; seed++) {
                final Shoal shoal = Shoal.of(schedule, rule, seed % 2 == 0, propagation);
                final FlowSet flows = Flows.random(seed, nodes, 8 + 3 * nodes, 60, 60);
                final long limit = new long[] {0, 1, 40 + nodes}[(int) (seed + nodes) % 3];
                final String where = shoal + " seed=" + seed + " limit=" + limit;
                final Outcome plain = Outcomes.lockStep(shoal, flows, 1, false, limit);
                final Outcome harmless = Outcomes.lockStep(shoal, flows, Scripts.of(new Fault.Corruption(0, 0)),
                    nodes < 10 ? 1 : 2, nodes < 10, limit);
                Outcomes.same(plain, harmless, where);
                assertEquals(plain.sampled().dummies(), harmless.sampled().dummies(), where);
                assertTrue(plain.sampled().queueLengths()[0] >= 0, where);
            }
        }
    }
}
