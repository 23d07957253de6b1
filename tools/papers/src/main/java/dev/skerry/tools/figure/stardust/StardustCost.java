package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.CostModel;

import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Cost and power beside fat trees: Stardust Figure 11, Appendix C (docs/spec/stardust.md §9, errata E8, §10 row 20).
 */
public final class StardustCost {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig11", "Figure 11, Appendix C",
        "cost and power by hosts, in those of a fat tree", 0.01, 0.01, StardustCost::measure);

    private static final double WITHIN = 0.005;
    private static final long HOSTS = 10_240;
    private static final long LEAST = 10;
    private static final long MOST = 2_000_000;
    private static final int[] BUNDLES = {1, 2, 4};
    private static final double[] COST = {0.92, 0.568, 0.644};
    private static final double[] FABRIC_COST = {0.815, 0.333, 0.407};

    private StardustCost() {
    }

    private static Findings measure(final Effort effort) {
        final CostModel model = CostModel.PAPER;
        final Findings found = new Findings();
        found.within("power, 10240 hosts, 50G links (a quarter saved)", 0.752, WITHIN,
            model.stardustPower(HOSTS) / model.fatTreePower(2, HOSTS));
        found.within("power of the fabric alone (78 % saved)", 0.222, WITHIN,
            model.stardustFabricPower(HOSTS) / model.fatTreeFabricPower(2, HOSTS));
        found.within("power with as many tiers", 0.955, WITHIN,
            model.stardustPower(HOSTS) / model.fatTreePower(1, HOSTS));
        found.within("power of the fabric with as many tiers", 0.667, WITHIN,
            model.stardustFabricPower(HOSTS) / model.fatTreeFabricPower(1, HOSTS));
        found.within("power, 500000 hosts, 100G links", 1 - 0.263, WITHIN,
            model.stardustPower(500_000) / model.fatTreePower(4, 500_000));
        for (int i = 0; i < BUNDLES.length; i++) {
            final String links = ", 10240 hosts, links of " + 25 * BUNDLES[i] + "G";
            found.within("cost" + links, COST[i], WITHIN,
                model.stardustCost(HOSTS) / model.fatTreeCost(BUNDLES[i], HOSTS));
            found.within("cost of the fabric alone" + links, FABRIC_COST[i], WITHIN,
                model.stardustFabricCost(HOSTS) / model.fatTreeFabricCost(BUNDLES[i], HOSTS));
        }
        found.atMost("most that it costs in a fat tree's, 10 to 2000000 hosts", "below 1", 0.99999,
            LongStream.iterate(LEAST, n -> n <= MOST, n -> n + 1 + n / 200).mapToDouble(StardustCost::mostRatio).max()
                .orElseThrow());
        return found.add(plot("cost", "Cost relative to a fat tree", "relative cost", model::stardustCost,
            model::fatTreeCost)).add(plot("power", "Power relative to a fat tree", "relative power",
                model::stardustPower, model::fatTreePower));
    }

    private static double mostRatio(final long hosts) {
        double most = 0;
        for (final int bundle : BUNDLES) {
            most = Math.max(most, CostModel.PAPER.stardustCost(hosts) / CostModel.PAPER.fatTreeCost(bundle, hosts));
        }
        return most;
    }

    /** By bundle and hosts. */
    private interface FatTree {
        double of(int bundle, long hosts);
    }

    private static Plot plot(final String id, final String title, final String y, final LongToDoubleFunction stardust,
        final FatTree fatTree) {
        final double[] hosts = LongStream.iterate(100, n -> n <= MOST, n -> n + n / 50).asDoubleStream().toArray();
        final Plot plot = new Plot(id, title, "hosts", Plot.Scale.LOGARITHMIC, y, Plot.Scale.LINEAR);
        for (final int bundle : BUNDLES) {
            final double[] ratio = new double[hosts.length];
            for (int i = 0; i < ratio.length; i++) {
                ratio[i] = stardust.applyAsDouble((long) hosts[i]) / fatTree.of(bundle, (long) hosts[i]);
            }
            plot.add("fat tree of " + 25 * bundle + "G links", Plot.Style.LINE, hosts, ratio);
        }
        return plot;
    }
}
