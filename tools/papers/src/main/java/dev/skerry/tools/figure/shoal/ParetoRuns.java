package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.LoggedParts;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.report.Quantiles;
import dev.skerry.tools.run.CircuitParts;

import java.util.Arrays;

/**
 * Runs of Shoal under {@link ParetoFlows} over seeds: what Figures 15 to 18 show.
 *
 * @param samples by {@link Value}.
 */
record ParetoRuns(Sample[] samples) {
    /** Seeds of each point. */
    static final int SEEDS = 5;
    /** The rack of the paper. */
    static final int NODES = 512;
    /** The authors' simulator: one channel, 64 bytes a cell (docs/spec/shoal.md §1, P3). */
    static final double SLOT_NS = 5.632;
    static final int PAYLOAD = 56;
    /** What a run lasts beyond its last arrival, more than twice the longest of the paper's tails. */
    private static final double LAST_NS = 80e3;
    /** A cell is taken in by the receiver in the slot in which it is sent. */
    private static final int DELAY = 0;

    /** What is measured. */
    enum Value { MEAN_US, P99_US, TAIL_US, GOODPUT_GBPS, QUEUE, HELD, REORDERED }

    /**
     * One point.
     *
     * @param flows that arrive.
     * @param count how many.
     * @param failed nodes that are down from the start.
     */
    static ParetoRuns of(final ParetoFlows flows, final ParetoFlows.Pairs pairs, final int count, final int failed,
        final Effort effort) {
        return new ParetoRuns(Sample.of(SEEDS, effort, seeded -> {
            final FlowSet drawn = flows.draw(count, failed, pairs, seeded.seed());
            final Shoal shoal = Shoal.of(RoundRobin.plain(flows.nodes(), 1), ReleaseRule.EXACT, true, DELAY)
                .withFailedNodes(failed);
            final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, drawn, 0);
            final Outcome outcome;
            try (LockStep engine = new LockStep(new LoggedParts(CircuitParts.of(shoal), log), drawn, seeded.threads(),
                false); log) {
                seeded.advance(engine::advance, lastSlot(drawn, flows.slotNs()));
                outcome = engine.outcome();
            }
            final long[] received = new long[drawn.size()];
            for (int i = 0; i < log.incomplete().length; i++) {
                received[log.incomplete()[i]] = (long) log.received()[i] * flows.payload();
            }
            return numbers(new FlowTimes(flows.slotNs(), drawn, outcome, received), outcome);
        }));
    }

    /** The slot in which a run ends: short flows have all but ended, long ones need not have. */
    static long lastSlot(final FlowSet flows, final double slotNs) {
        return flows.startSlot(flows.size() - 1) + (long) (LAST_NS / slotNs);
    }

    /** One value over the seeds. */
    Sample get(final Value value) {
        return samples[value.ordinal()];
    }

    private static double[] numbers(final FlowTimes times, final Outcome outcome) {
        final double[] brief = times.shortUs();
        return new double[] {Arrays.stream(brief).average().orElse(Double.NaN), Quantiles.of(brief, 0.99),
            Quantiles.of(brief, 0.999), times.goodputGbps(), CircuitRuns.max(outcome.nodes().queueLength()),
            CircuitRuns.max(outcome.nodes().bufferOccupancy()), outcome.maxReorder()};
    }
}
