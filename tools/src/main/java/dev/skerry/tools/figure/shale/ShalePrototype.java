package dev.skerry.tools.figure.shale;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;

/**
 * The 16 nodes of the prototype, each sending to the next: Shale Figure 8, with the throughput and queues of the
 * authors' simulator beside ours (docs/spec/shale.md §10.3).
 */
public final class ShalePrototype implements Figure {
    private static final int NODES = 16;
    private static final int PROPAGATION_SLOTS = 6;
    private static final double CELL_GBPS = 9.412;
    private static final int SLOTS = 100_000;
    /** By phases (2, 4), then tokens (1, 2): what the authors' simulator delivered, and its longest queue. */
    private static final double[][] DELIVERED = {{0.276, 0.321}, {0.194, 0.216}};
    private static final int[][] LONGEST = {{5, 7}, {5, 6}};

    @Override
    public About about() {
        return new About("shale-fig8", "Shale", "Figure 8", "throughput and queues of the prototype of 16 nodes", 0.5,
            0.1);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final int seeds = effort.either(1, 5);
        for (int i = 0; i < DELIVERED.length; i++) {
            final int phases = 2 * (i + 1);
            for (int tokens = 1; tokens <= 2; tokens++) {
                double rate = 0;
                double queue = 0;
                for (int seed = 0; seed < seeds; seed++) {
                    final CircuitRuns.Steady steady = run(phases, tokens, effort.seed() + seed, effort);
                    rate += steady.rate(NODES) / seeds;
                    queue += (double) CircuitRuns.max(steady.outcome().nodes().queueLength()) / seeds;
                    progress.done((2 * i + tokens - 1 + (seed + 1.0) / seeds) / 4);
                }
                add(found, phases, tokens, rate, queue);
            }
        }
        return found.remark("Expected cells per slot and queues: the authors' simulator; its runs differ by chance.");
    }

    private static void add(final Findings found, final int phases, final int tokens, final double rate,
        final double queue) {
        final String of = "h = " + phases + ", T = " + tokens;
        final double bound = 0.5 / phases * CELL_GBPS;
        final double expected = DELIVERED[phases / 2 - 1][tokens - 1];
        found.atLeast(of + ": Gb/s, the guarantee", Check.text(expected * CELL_GBPS), bound, rate * CELL_GBPS);
        found.near("  cells per node and slot", expected, 0.01, rate);
        found.within("  longest queue, cells", LONGEST[phases / 2 - 1][tokens - 1], 1, queue);
    }

    private static CircuitRuns.Steady run(final int phases, final int tokens, final long seed, final Effort effort) {
        final Shale shale = ShaleRuns.fabric(phases, phases == 2 ? 4 : 2, 0, Mechanisms.HBH_SPRAY, tokens,
            PROPAGATION_SLOTS, seed);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < NODES; node++) {
            CircuitRuns.endless(flows, node, (node + 1) % NODES);
        }
        return CircuitRuns.steady(shale, flows, SLOTS / 10, SLOTS, effort, FigureProgress.NONE);
    }
}
