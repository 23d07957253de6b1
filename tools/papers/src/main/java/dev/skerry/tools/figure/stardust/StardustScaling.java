package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.NetworkPlan;

import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** How far a folded Clos of devices of 12.8 Tb/s goes: Stardust Figure 2 (docs/spec/stardust.md §9, §10 row 1). */
public final class StardustScaling {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-scaling", "Figure 2, Table 2",
        "hosts, devices and links of a folded Clos by links in a bundle", 0.01, 0.01, StardustScaling::measure);

    private static final int[] BUNDLES = {1, 2, 4, 8};
    /** By bundle: hosts of one, two and three tiers. */
    private static final long[][] HOSTS = {{10_240, 1_310_720, 167_772_160}, {5_120, 327_680, 20_971_520},
        {2_560, 81_920, 2_621_440}, {1_280, 20_480, 327_680}};
    /** By number of hosts, then bundle: elements and serial links. */
    private static final long[] SIZES = {10_000, 100_000, 1_000_000};
    private static final long[][] ELEMENTS = {{79, 235, 235, 235}, {2_344, 2_344, 3_907, 3_907},
        {23_438, 39_063, 39_063, 54_688}};
    private static final long[][] LINKS = {{20_000, 40_000, 40_000, 40_000}, {400_000, 400_000, 600_000, 600_000},
        {4_000_000, 6_000_000, 6_000_000, 8_000_000}};

    private StardustScaling() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < BUNDLES.length; i++) {
            final NetworkPlan plan = NetworkPlan.figure2(BUNDLES[i], 1);
            for (int tiers = 1; tiers <= HOSTS[i].length; tiers++) {
                found.exactly("hosts, bundles of " + BUNDLES[i] + ", tiers: " + tiers, HOSTS[i][tiers - 1],
                    plan.maxHosts(tiers));
            }
        }
        for (int size = 0; size < SIZES.length; size++) {
            for (int i = 0; i < BUNDLES.length; i++) {
                final NetworkPlan plan = NetworkPlan.figure2(BUNDLES[i], SIZES[size]);
                final String of = " for " + SIZES[size] + " hosts, bundles of " + BUNDLES[i];
                found.exactly("fabric devices" + of, ELEMENTS[size][i], plan.elements());
                found.exactly("serial links" + of, LINKS[size][i], plan.serialLinks());
            }
        }
        return found.add(plot("tiers", "Tiers of the fabric", "tiers", Plot.Scale.LINEAR, NetworkPlan::tiers))
            .add(plot("elements", "Fabric devices", "fabric devices", Plot.Scale.LOGARITHMIC, NetworkPlan::elements))
            .add(plot("links", "Serial links", "serial links", Plot.Scale.LOGARITHMIC, NetworkPlan::serialLinks));
    }

    private static Plot plot(final String id, final String title, final String y, final Plot.Scale scale,
        final ToDoubleFunction<NetworkPlan> value) {
        final double[] hosts = LongStream.iterate(1_000, n -> n <= 1_000_000, n -> n + n / 20).asDoubleStream()
            .toArray();
        final Plot plot = new Plot(id, title, "hosts", Plot.Scale.LOGARITHMIC, y, scale);
        for (final int bundle : BUNDLES) {
            final double[] values = new double[hosts.length];
            for (int i = 0; i < hosts.length; i++) {
                values[i] = value.applyAsDouble(NetworkPlan.figure2(bundle, (long) hosts[i]));
            }
            plot.add("bundles of " + bundle, Plot.Style.STEPS, hosts, values);
        }
        return plot;
    }
}
