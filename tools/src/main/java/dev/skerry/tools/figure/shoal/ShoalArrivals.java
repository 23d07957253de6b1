package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.report.Quantiles;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Pareto flows between random nodes of 512: Shoal Figures 15 and 16, at the highest load, with what the authors'
 * simulator had for 30,000 flows (docs/spec/shoal.md §9.1, §9.3).
 */
public final class ShoalArrivals implements Figure {
    private static final int NODES = 512;
    private static final int PAYLOAD = 56;
    private static final double SLOT_NS = 5.632;
    private static final double SHAPE = 1.05;
    private static final double MEAN_BYTES = 100e3;
    private static final double LEAST_BYTES = MEAN_BYTES * (SHAPE - 1) / SHAPE;
    private static final double MOST_BYTES = 1e9;
    private static final long SHORT_BYTES = 100_000;
    /** Time from a flow to the next at L = 1, by what a node is said to send: 50 and 100 Gb/s. */
    private static final double[] GAP_NS = {31.25, 15.625};
    private static final int[] GBPS = {50, 100};
    /** By rate: longest queue, reordering in cells, and mean, 99 % and 99.9 % of short flows in us. */
    private static final double[][] AUTHORS = {{8, 2301, 8.4, 24.0, 34.5}, {10, 2561, 12.3, 40.1, 59.8}};
    private static final int LONGEST = 11;
    private static final int REORDERED = 200_000 / 64;
    private static final int GAP = 0;
    private static final int SIZE = 1;
    private static final int SOURCE = 2;
    private static final int DESTINATION = 3;

    @Override
    public About about() {
        return new About("shoal-fig15", "Shoal", "Figures 15, 16", "completion times, queues and reordering of 512 "
            + "nodes at the highest load", 60, 3);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final Plot plot = new Plot("fct", "Completion of flows up to 100 KB", "us", Plot.Scale.LOGARITHMIC,
            "share of flows", Plot.Scale.LINEAR);
        for (int i = 0; i < GAP_NS.length; i++) {
            final FlowSet flows = flows(effort.either(30_000, 500_000), GAP_NS[i], effort.seed());
            final Shoal shoal = Shoal.of(RoundRobin.plain(NODES, 1), ReleaseRule.EXACT, true, 0);
            final long slots = flows.startSlot(flows.size() - 1) + 1;
            final Outcome outcome = CircuitRuns.run(shoal, flows, slots, effort, progress.part(i / 2.0, (i + 1) / 2.0));
            add(found, i, flows, outcome, plot);
        }
        return found.add(plot).remark("Expected times and cells: one run of the authors' simulator with 30,000 flows; "
            + "the tail of Pareto sizes converges slowly, so every draw of the flows differs.");
    }

    private static void add(final Findings found, final int row, final FlowSet flows, final Outcome outcome,
        final Plot plot) {
        final double[] us = shortFlows(flows, outcome);
        double bytes = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            bytes += flows.bytes(flow);
        }
        final double[] expected = AUTHORS[row];
        found.reported("R = " + GBPS[row] + " Gb/s: load realised", "1",
            bytes * 8 / (GBPS[row] * (double) NODES * flows.size() * GAP_NS[row]));
        found.atMost("  longest queue, cells", "11 at most; simulator " + Check.text(expected[0]), LONGEST,
            CircuitRuns.max(outcome.nodes().queueLength()));
        found.atMost("  reordering, cells", "200 KB; simulator " + Check.text(expected[1]), REORDERED,
            outcome.maxReorder());
        found.reported("  flows up to 100 KB, mean, us", Check.text(expected[2]),
            Arrays.stream(us).average().orElse(Double.NaN));
        found.reported("  99 %, us", Check.text(expected[3]), Quantiles.of(us, 0.99));
        found.reported("  99.9 %, us", Check.text(expected[4]), Quantiles.of(us, 0.999));
        plot.addShares("R = " + GBPS[row] + " Gb/s", us);
    }

    private static double[] shortFlows(final FlowSet flows, final Outcome outcome) {
        return IntStream.range(0, outcome.completed().length)
            .filter(i -> flows.bytes(outcome.completed()[i]) <= SHORT_BYTES)
            .mapToDouble(i -> (outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i])) * SLOT_NS / 1e3)
            .sorted().toArray();
    }

    private static FlowSet flows(final int count, final double gapNs, final long seed) {
        final long key = CounterRandom.mix(seed);
        final FlowSet flows = new FlowSet();
        double clock = 0;
        for (int flow = 0; flow < count; flow++) {
            clock -= Math.log(uniform(key, flow, GAP)) * gapNs;
            final long bytes = (long) Math.min(MOST_BYTES, LEAST_BYTES / Math.pow(uniform(key, flow, SIZE), 1 / SHAPE));
            final int from = CounterRandom.below(CounterRandom.bits(key, 0, flow, SOURCE), NODES);
            final int other = CounterRandom.below(CounterRandom.bits(key, 0, flow, DESTINATION), NODES - 1);
            flows.add(flow, from, other < from ? other : other + 1, bytes, (int) ((bytes - 1) / PAYLOAD + 1),
                (long) (clock / SLOT_NS));
        }
        return flows;
    }

    /** In (0, 1]. */
    private static double uniform(final long key, final int flow, final int use) {
        return ((CounterRandom.bits(key, 0, flow, use) >>> 11) + 1) * 0x1p-53;
    }
}
