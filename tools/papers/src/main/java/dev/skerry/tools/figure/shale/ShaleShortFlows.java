package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Mechanisms under the short-flow workload: Shale Figures 10, 14 and 15 (docs/spec/shale.md §10.3); in short at 256
 * nodes with five seeds, beside what the authors' simulator has there (§10.4).
 */
public final class ShaleShortFlows {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig10", "Figures 10, 14, 15",
        "completion times and buffers by mechanism, short flows", 600, 15, PaperMechanism.CHOICES,
        ShaleShortFlows::measure);

    private static final int SEEDS = 5;
    private static final int SLOTS = 2_000_000;
    private static final int MEDIUM = 3;
    /** Places in the graphs of the values that the simulator has: shares of nodes, the last of them all; flow sizes. */
    private static final double[] HELD_PLACES = {0, 2, 4};
    private static final double[] SIZE_PLACES = {0, MEDIUM};
    private static final double NEAR_LOAD = 0.025;
    /** Least share of the simulator's values that a further seed may well have. */
    private static final double ALIKE = 0.8;

    /** What is measured of a run, in the order of {@link #SIMULATOR}. */
    private enum Value implements Function<Sample[], Sample> {
        TAIL("99.9 % of flows under 4 kB", run -> run.small().p999()),
        MEAN("  mean of flows under 4 kB", run -> run.small().mean()),
        MEDIUM_TAIL("  99.9 % of flows of 64 to 256 kB", run -> medium(run).p999()),
        MEDIUM_MEAN("  mean of flows of 64 to 256 kB", run -> medium(run).mean()),
        HELD_MEDIAN("  most cells at a node, half of the nodes", run -> held(run, 0.5)),
        HELD_P99("  the same, 99 % of the nodes", run -> held(run, 0.99)),
        HELD("  the same, all nodes", ShaleRuns.Loaded::mostHeld),
        THROUGHPUT("  cells per node and slot", run -> run.summary().result().totals().throughput()),
        QUEUE("  longest queue", ShaleRuns.Loaded::longestQueue),
        LATE("  delivered over offered, second half", run -> run.late() / run.offered()),
        QUEUE_P99("  longest queue, 99 % of the nodes", run -> run.summary().queueLength().quantile(0.99));

        private final String words;
        private final ToDoubleFunction<ShaleRuns.Loaded> of;

        Value(final String words, final ToDoubleFunction<ShaleRuns.Loaded> of) {
            this.words = words;
            this.of = of;
        }

        @Override
        public Sample apply(final Sample[] all) {
            return all[ordinal()];
        }
    }

    /** By phases (2, 4), mechanism, value: one run of the authors' simulator at 256 nodes (§10.4). */
    private static final double[][][] SIMULATOR = {{
        {1610, 235, 104, 32, 1082, 2078, 2419, 0.207}, {1040, 62, 85, 15, 476, 1146, 1238, 0.207},
        {271, 24, 57, 10, 104, 144, 157, 0.201}, {104, 14, 67, 8.5, 60, 79, 81, 0.205},
        {127, 17, 68, 8.2, 87, 114, 119, 0.207}, {2618, 125, 196, 22, 1159, 1991, 2394, 0.207},
        {90, 17, 62, 12, 77, 168, 279, 0.195}, {101, 17, 65, 11, 81, 192, 233, 0.196},
        {112, 17, 45, 12, 85, 288, 399, 0.199}}, {
        {985, 232, 115, 37, 1314, 3036, 4381, 0.108}, {590, 41, 72, 13, 503, 1845, 2280, 0.109},
        {239, 15, 68, 14, 53, 69, 70, 0.098}, {134, 13, 74, 13, 42, 57, 59, 0.099},
        {158, 15, 44, 11, 65, 81, 87, 0.103}, {1378, 79, 144, 16, 1359, 3294, 4328, 0.108},
        {53, 12, 62, 15, 37, 172, 394, 0.093}, {32, 11, 62, 15, 36, 111, 137, 0.092},
        {44, 11, 64, 15, 36, 133, 276, 0.092}}};

    private ShaleShortFlows() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int[] alike = new int[2];
        final int[] rows = ShaleRuns.phases(effort);
        final List<PaperMechanism> measured = measured(effort);
        final SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> loaded = new TreeMap<>();
        for (int row = 0; row < rows.length; row++) {
            final int phases = rows[row];
            final Map<PaperMechanism, LoadedNumbers> all = new EnumMap<>(PaperMechanism.class);
            final Map<PaperMechanism, Sample[]> values = new EnumMap<>(PaperMechanism.class);
            for (final PaperMechanism of : measured) {
                final ShaleRuns.Loaded[] runs = runs(phases, of, effort.turn(row, rows.length)
                    .turn(all.size(), PaperMechanism.costs(measured)));
                all.put(of, new LoadedNumbers(Sample.columns(Arrays.stream(runs)
                    .map(run -> LoadedNumbers.of(run, false, Long.MAX_VALUE)).toArray(double[][]::new))));
                values.put(of, add(found, "h = " + phases + ", " + of + ": ",
                    effort.quick() ? SIMULATOR[phases / 2 - 1][of.ordinal()] : new double[0], runs, alike));
            }
            statements(new MechanismRules<>(found, values), "h = " + phases + ", ", effort.quick());
            loaded.put(phases, all);
        }
        plots(new MechanismPlots(found, loaded), measured, effort.quick());
        if (!effort.quick()) {
            return found.remark(effort.beside("2 M", SLOTS));
        }
        found.atLeast("values of the simulator that a further seed may well have, share", "0.95", ALIKE,
            (double) alike[0] / alike[1]);
        return found.remark("256 nodes: measured are means of " + SEEDS + " seeds with their 95 % confidence, expected "
            + "is one run of the authors' simulator on another draw of the flows. What the paper says of 10,000 "
            + "nodes and does not hold here has no rule.");
    }

    /** The paper's graphs; in short beside what the authors' simulator has. */
    private static void plots(final MechanismPlots plots, final List<PaperMechanism> measured, final boolean quick) {
        final Map<Integer, Plot> held = plots.byNodes("10", "buffers", "buffer occupancy", "most cells at a node",
            LoadedNumbers::held);
        final Map<Integer, Plot> tail = plots.bySize("10", "tail", "99.9 % FCT", LoadedNumbers::tails);
        final Map<Integer, Plot> mean = plots.bySize("14", "mean", "mean FCT, short flow workload",
            LoadedNumbers::means);
        plots.byNodes("15", "queues", "queue length", "longest queue of a node, cells", LoadedNumbers::queues);
        if (quick) {
            published(held, measured, HELD_PLACES, Value.HELD_MEDIAN, Value.HELD_P99, Value.HELD);
            published(tail, measured, SIZE_PLACES, Value.TAIL, Value.MEDIUM_TAIL);
            published(mean, measured, SIZE_PLACES, Value.MEAN, Value.MEDIUM_MEAN);
        }
    }

    private static void published(final Map<Integer, Plot> plots, final List<PaperMechanism> measured,
        final double[] places, final Value... values) {
        plots.forEach((phases, plot) -> measured.stream().filter(PaperMechanism.EIGHT::contains)
            .forEach(of -> plot.addPublished(of.inPaper(), "authors' simulator", places, Arrays.stream(values)
                .mapToDouble(value -> SIMULATOR[phases / 2 - 1][of.ordinal()][value.ordinal()]).toArray())));
    }

    /** The paper's mechanisms, and in short two tokens for first hops, which the simulator was run with. */
    private static List<PaperMechanism> measured(final Effort effort) {
        final List<PaperMechanism> measured = new ArrayList<>(PaperMechanism.of(effort.extent()));
        if (effort.quick() && measured.contains(PaperMechanism.HBH_SPRAY)) {
            measured.add(PaperMechanism.HBH_SPRAY_2);
        }
        return measured;
    }

    /** One run, or in short one for each seed. */
    private static ShaleRuns.Loaded[] runs(final int phases, final PaperMechanism of, final Effort effort) {
        final ShaleRuns.Loaded[] runs = new ShaleRuns.Loaded[effort.either(SEEDS, 1)];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = run(phases, of, effort.seeded(i).turn(i, runs.length));
        }
        return runs;
    }

    private static ShaleRuns.Loaded run(final int phases, final PaperMechanism of, final Effort effort) {
        final int slots = effort.slots(300_000, SLOTS);
        return ShaleRuns.loaded(ShaleRuns.fabric(phases, of, effort), SizeDistribution.SHORT, slots,
            slots + effort.either(20_000, 0), effort);
    }

    private static double held(final ShaleRuns.Loaded run, final double ofNodes) {
        return run.summary().bufferOccupancy().quantile(ofNodes);
    }

    private static SizeBin medium(final ShaleRuns.Loaded run) {
        return run.summary().bins().get(MEDIUM);
    }

    /**
     * Adds the values of a mechanism.
     *
     * @param expected of the simulator, as far as it has them.
     * @param alike    counts the values that a further seed may well have, and all of them.
     * @return all values by {@link Value}.
     */
    private static Sample[] add(final Findings found, final String of, final double[] expected,
        final ShaleRuns.Loaded[] runs, final int[] alike) {
        final Sample[] samples = new Sample[Value.values().length];
        for (final Value value : Value.values()) {
            final int number = value.ordinal();
            final Sample sample = new Sample(Arrays.stream(runs).mapToDouble(value.of).toArray());
            final String what = number == 0 ? of + value.words : value.words;
            samples[number] = sample;
            if (runs.length == 1 && value == Value.LATE) {
                found.within(what, 1, NEAR_LOAD, sample.mean());
            } else {
                found.reported(what, number < expected.length ? Check.text(expected[number]) : "", sample);
            }
            if (number < expected.length) {
                alike[0] += sample.expects(expected[number]) ? 1 : 0;
                alike[1]++;
            }
        }
        return samples;
    }

    /** What the paper says of its figures, as ratios; what holds only there has a rule only there. */
    private static void statements(final MechanismRules<Sample[]> rules, final String of, final boolean quick) {
        final PaperMechanism best = PaperMechanism.HBH_SPRAY;
        final PaperMechanism none = PaperMechanism.NONE;
        final PaperMechanism spray = PaperMechanism.SPRAY;
        final PaperMechanism ndp = PaperMechanism.NDP;
        final PaperMechanism priority = PaperMechanism.PRIORITY;
        rules.atMost(of + "hbh+spray over the best of the others, most cells at a node", "the best", 1,
            MechanismRules.ratio(rules.of(best, Value.HELD), rules.leastBut(best, Value.HELD)));
        rules.atMost(of + "spray-short over none, mean under 4 kB", "very effective", 1,
            rules.over(spray, none, Value.MEAN));
        rules.atMost(of + "hbh over none, longest queue", "limited", 1,
            rules.over(PaperMechanism.HBH, none, Value.QUEUE));
        rules.atMost(of + "ndp over spray-short, longest queue", "shorter", 1, rules.over(ndp, spray, Value.QUEUE));
        rules.atMost(of + "priority over none, mean under 4 kB", "better", 1, rules.over(priority, none, Value.MEAN));
        rules.atLeast(of + "priority over none, 99.9 % under 4 kB", "worse", 1,
            rules.over(priority, none, Value.TAIL));
        rules.atMost(of + "hbh+spray over priority, mean under 4 kB", "better even on this measure", 1,
            rules.over(best, priority, Value.MEAN));
        rules.atLeast(of + "ndp over hbh+spray, longest queue, 99 % of the nodes", "far higher", 2,
            rules.over(ndp, best, Value.QUEUE_P99));
        large(rules, quick, of + "best of the others over hbh+spray, 99.9 % under 4 kB",
            MechanismRules.ratio(rules.leastBut(best, Value.TAIL), rules.of(best, Value.TAIL)));
        large(rules, quick, of + "ndp over spray-short, 99.9 % under 4 kB", rules.over(ndp, spray, Value.TAIL));
        large(rules, quick, of + "isd over spray-short, 99.9 % under 4 kB",
            rules.over(PaperMechanism.ISD, spray, Value.TAIL));
        large(rules, quick, of + "rd over spray-short, 99.9 % under 4 kB",
            rules.over(PaperMechanism.RD, spray, Value.TAIL));
    }

    /** A ratio that is 1 or more with 10,000 nodes. */
    private static void large(final MechanismRules<Sample[]> rules, final boolean quick, final String what,
        final Sample ratio) {
        if (quick) {
            rules.reported(what, "over 1 with 10,000", ratio);
        } else {
            rules.atLeast(what, "over 1", 1, ratio);
        }
    }
}
