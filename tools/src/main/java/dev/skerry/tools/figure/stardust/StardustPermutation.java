package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.EngineRuns;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.util.Arrays;
import java.util.stream.IntStream;

/** A permutation of 432 hosts that speak TCP New Reno: Stardust Figure 10a (docs/spec/stardust.md §10 row 12). */
public final class StardustPermutation implements Figure {
    private static final double FAST_GBPS = 9.4;
    private static final double FAST_PERCENT = 96;
    /** What the paper prints for these flows. */
    private static final double PRINTED_GBPS = 9.44;
    private static final int SEEDS = 5;

    @Override
    public About about() {
        return new About("stardust-fig10a", "Stardust", "Figure 10a", "permutation of 432 hosts, TCP New Reno", 7,
            0.6);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final int seeds = effort.either(1, SEEDS);
        final double share = effort.quick() ? 1 : SEEDS / (SEEDS + 2.0);
        final double[][] rates = new double[seeds][];
        for (int i = 0; i < seeds; i++) {
            rates[i] = rates(StardustTcp.PAPER, effort.seed() + i, found, effort,
                progress.part(share * i / seeds, share * (i + 1) / seeds));
        }
        addRates(found, rates);
        final String paper = "Stardust, cells of 512 B";
        final Plot plot = flowsByRate();
        addFlows(plot, paper, rates[0]);
        plot.addPublished(paper, "as printed", new double[] {StardustTcp.HOSTS * (1 - FAST_PERCENT / 100),
            StardustTcp.HOSTS}, new double[] {PRINTED_GBPS, PRINTED_GBPS});
        if (!effort.quick()) {
            final double[] small = rates(StardustTcp.SMALL, effort.seed(), found, effort, progress.part(share, 1));
            found.reported("  mean rate, share of 10 Gb/s", "", mean(small))
                .reported("  slowest flow, Gb/s", "", small[0])
                .remark("Of cells of 256 B and 16 of header 0.941 are payload, so that 0.94 is out of their reach.");
            addFlows(plot, "Stardust, cells of 256 B", small);
        }
        return found.add(plot).remark("DCTCP, DCQCN and MPTCP are stardust-fig10a-peers.");
    }

    /** Figure 10a without lines. */
    static Plot flowsByRate() {
        return new Plot("rates", "Throughput of each flow", "flow, in increasing order", "Gb/s");
    }

    /** Adds flows by their rates, which ascend. */
    static void addFlows(final Plot plot, final String name, final double[] rates) {
        plot.add(name, Plot.Style.LINE, IntStream.rangeClosed(1, rates.length).asDoubleStream().toArray(), rates);
    }

    /** What the paper says of the rates, as the means over permutations; those of each ascend. */
    static void addRates(final Findings found, final double[][] rates) {
        final int seeds = rates.length;
        final Sample means = new Sample(Arrays.stream(rates).mapToDouble(StardustPermutation::mean).toArray());
        final Sample fast = new Sample(Arrays.stream(rates).mapToDouble(StardustPermutation::fast).toArray());
        found.atLeast("mean rate, share of 10 Gb/s", "0.94", 0.94, means.mean()).spread("that", means)
            .atLeast("flows of 9.4 Gb/s and more, %", "96", FAST_PERCENT, fast.mean()).spread("that", fast)
            .reported("slowest flow, Gb/s", "", Arrays.stream(rates).mapToDouble(of -> of[0]).min().orElseThrow());
        if (seeds > 1) {
            found.remark("Means over " + seeds + " permutations. A pod whose 36 hosts all hear from other pods gets "
                + "9.1 to 9.2 Gb/s for each: without speed-up the links into it are as full as those to its hosts, and "
                + "all of them mark.");
        }
    }

    /** Rates of the flows in Gb/s, ascending. */
    private static double[] rates(final StardustTcp tcp, final long seed, final Findings found, final Effort effort,
        final FigureProgress progress) {
        final int warmUp = tcp.slots(effort.either(8, 12));
        final int slots = tcp.slots(effort.either(4, 10));
        final double before = (double) warmUp / (warmUp + slots);
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(StardustTcp.HOSTS, tcp.payloadBytes(),
            1, seed);
        try (StardustEngine engine = new StardustEngine(tcp.fabric(seed), flows, effort.threads())) {
            EngineRuns.advance(engine::advance, warmUp, progress.part(0, before));
            final double[] rates = new double[StardustTcp.HOSTS];
            Arrays.setAll(rates, engine::receivedOf);
            EngineRuns.advance(engine::advance, slots, progress.part(before, 1));
            Arrays.setAll(rates, flow -> (engine.receivedOf(flow) - rates[flow]) / (tcp.slotBytes() * slots)
                * StardustTcp.GBPS);
            engine.checkConserved();
            found.exactly("payload of " + tcp.payloadBytes() + " B, seed " + seed
                + ": cells and packets dropped", 0, StardustRuns.dropped(engine));
            found.exactly("  segments sent again", 0, engine.count(NicCounter.PACKETS_RESENT));
            Arrays.sort(rates);
            return rates;
        }
    }

    private static double mean(final double[] rates) {
        return Arrays.stream(rates).average().orElseThrow() / StardustTcp.GBPS;
    }

    private static double fast(final double[] rates) {
        return 100.0 * Arrays.stream(rates).filter(rate -> rate >= FAST_GBPS).count() / rates.length;
    }
}
