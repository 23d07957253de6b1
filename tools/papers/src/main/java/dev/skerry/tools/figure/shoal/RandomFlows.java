package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.LoggedParts;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.run.CircuitParts;

import java.util.HashSet;
import java.util.Set;

/** Random endless flows, and how many of them get what is fair (docs/spec/shoal.md §9.2 G5). Pure functions. */
final class RandomFlows {
    private static final double NEAR = 0.1;
    private static final int WARM_EPOCHS = 20;
    private static final int FROM = 1;
    private static final int TO = 2;

    private RandomFlows() {
    }

    /** Flows between pairs of nodes that are all different. */
    static FlowSet draw(final int nodes, final int count, final long seed) {
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        final long key = CounterRandom.mix(seed);
        for (int i = 0; flows.size() < count; i++) {
            final int from = CounterRandom.below(CounterRandom.bits(key, 0, i, FROM), nodes);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, i, TO), nodes);
            if (from != to && pairs.add(from * nodes + to)) {
                CircuitRuns.endless(flows, from, to);
            }
        }
        return flows;
    }

    /**
     * The share of flows whose rates are within a tenth of their max-min fair ones.
     *
     * @param shoal  without delay.
     * @param epochs that are counted, after a warm-up.
     */
    static double nearShare(final Shoal shoal, final FlowSet flows, final int epochs, final Effort effort) {
        final double[] fair = new MaxMin(flows, shoal.nodes()).rates();
        final int epochSlots = shoal.schedule().epochSlots();
        final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, flows, (long) WARM_EPOCHS * epochSlots);
        try (LockStep engine = new LockStep(new LoggedParts(CircuitParts.of(shoal), log), flows, effort.threads(),
            false); log) {
            engine.advance((long) (WARM_EPOCHS + epochs) * epochSlots);
        }
        double near = 0;
        for (int flow = 0; flow < fair.length; flow++) {
            near += Math.abs(log.received()[flow] / (double) epochs - fair[flow]) <= NEAR * fair[flow] ? 1 : 0;
        }
        return near / fair.length;
    }
}
