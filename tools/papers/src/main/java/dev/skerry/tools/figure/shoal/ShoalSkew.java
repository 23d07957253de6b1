package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.shoal.ParetoRuns.Value;

/**
 * Flows of which 84 % are among a third of the nodes, one every 12.65 ns: Shoal §7.4, Figure 18. The traces of the
 * paper are not public: the skew is theirs, sizes are those of §7.3 (docs/spec/shoal.md §9.3).
 */
public final class ShoalSkew {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig18", "Figure 18",
        "queues under flows of which 84 % are among a third of 512 nodes", 2, 0.1, ShoalSkew::measure);

    private static final double AMONG_A_THIRD = 0.84;
    private static final double GAP_NS = 12.65;
    private static final int LONGEST = 10;

    private ShoalSkew() {
    }

    private static Findings measure(final Effort effort) {
        final double load = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS).gapNs()
            / GAP_NS;
        final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, load, ParetoRuns.PAYLOAD,
            ParetoRuns.SLOT_NS), ParetoFlows.Pairs.skewed(AMONG_A_THIRD), effort.either(2_500, 30_000), 0, effort);
        return new Findings().atMost("longest queue, cells", "10 at most", LONGEST, run.get(Value.QUEUE).most())
            .reported("flows up to 100 KB, mean, us", "", run.get(Value.MEAN_US))
            .reported("  99.9 %, us", "", run.get(Value.TAIL_US))
            .reported("goodput of flows from 1 MB on, Gb/s", "", run.get(Value.GOODPUT_GBPS).known())
            .remark("One workload in place of six: the traces are not public.");
    }
}
