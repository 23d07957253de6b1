package dev.skerry.tools.figure.shale;

import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What grows with the fabric: Shale Figure 13, r^4 nodes, short flows, hbh+spray (docs/spec/shale.md §10.3). */
public final class ShaleScale {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig13", "Figure 13",
        "active buckets, queues and tail from 4,096 to 50,625 nodes", 110, 1.3,
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleScale::measure);

    private static final int SEEDS = 5;
    private static final int QUICK_SLOTS = 40_000;
    private static final int SLOTS = 300_000;
    private static final int[] WHOLE = {8, 10, 12, 15};
    private static final int[] QUICK = {4, 5, 6};

    /** What is measured, by its place among the numbers of a run; then 99.9 % of the first bins of flows. */
    private enum Value {
        BUCKETS("buckets", "active buckets", "Max active buckets"),
        QUEUE("queue", "longest queue (cells)", "Max PIEO queue length"),
        TAIL("tail", "size-normalized FCT, 99.9 % of all flows", "99.9 % FCT");

        private final String id;
        private final String words;
        private final String title;

        Value(final String id, final String words, final String title) {
            this.id = id;
            this.words = words;
            this.title = title;
        }
    }

    private ShaleScale() {
    }

    private static Findings measure(final Effort effort) {
        final int[] roots = effort.quick() ? QUICK : WHOLE;
        final Findings found = new Findings();
        final double[] nodes = Arrays.stream(roots).mapToDouble(root -> Math.pow(root, 4)).toArray();
        final Plot[] plots = Arrays.stream(Value.values()).map(value -> new Plot(value.id, value.title, "nodes",
            Plot.Scale.LOGARITHMIC, value.words, Plot.Scale.LINEAR)).toArray(Plot[]::new);
        final int[] all = ShaleRuns.phases(effort);
        for (int row = 0; row < all.length; row++) {
            final int h = all[row];
            final Effort ofRow = effort.turn(row, all.length);
            final Sample[][] values = new Sample[Value.values().length][roots.length];
            for (int i = 0; i < roots.length; i++) {
                final int root = roots[i];
                final Sample[] of = Sample.of(effort.either(SEEDS, 1), ofRow.turn(i, nodes),
                    seeded -> numbers(h, root, seeded));
                for (final Value value : Value.values()) {
                    values[value.ordinal()][i] = of[value.ordinal()];
                    found.reported((value == Value.BUCKETS ? "h = " + h + ", " + (int) nodes[i] + " nodes: " : "  ")
                        + value.words, "", of[value.ordinal()]);
                }
            }
            growth(found, h, values);
            for (final Value value : Value.values()) {
                Sample.draw(plots[value.ordinal()], "h = " + h, nodes, values[value.ordinal()]);
            }
        }
        Arrays.stream(plots).forEach(found::add);
        return found.remark(effort.quick() ? "256 to 1,296 nodes, a factor of 5 where the paper has 12; "
            + effort.slots(QUICK_SLOTS, 0) + " slots from an empty fabric, " + SEEDS + " seeds."
            : effort.beside("2 M", SLOTS));
    }

    private static double[] numbers(final int phases, final int root, final Effort effort) {
        final int radix = phases == 2 ? root * root : root;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, 0, Mechanisms.HBH_SPRAY, 1, delay, effort.seed());
        final int slots = effort.slots(QUICK_SLOTS, SLOTS);
        final ShaleRuns.Loaded run = ShaleRuns.loaded(shale, SizeDistribution.SHORT, slots, slots, effort);
        return new double[] {run.summary().result().totals().maxActiveBuckets(), run.longestQueue(),
            run.summary().allFlows().p999()};
    }

    /** The sentences of §5.5 about the smallest and the largest fabric. */
    private static void growth(final Findings found, final int phases, final Sample[][] values) {
        final Sample[] grown = Arrays.stream(values).map(value -> value[value.length - 1].over(value[0]))
            .toArray(Sample[]::new);
        final boolean two = phases == 2;
        found.atMost("  active buckets grow by", two ? "2.5" : "nearly flat", two ? 2.5 * 1.2 : 1.25,
            grown[Value.BUCKETS.ordinal()]);
        found.atMost("  longest queue grows by", two ? "a plateau" : "around 1.5", two ? 1.25 : 1.6,
            grown[Value.QUEUE.ordinal()]);
        found.atMost("  99.9 % of all flows grows by", two ? "at most 2" : "almost the same", two ? 2 : 1.25,
            grown[Value.TAIL.ordinal()]);
    }
}
