package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Eight mechanisms under the heavy-tailed workload: Shale §5.3, Figures 11, 14, 16 and 17 (docs/spec/shale.md §10.3);
 * in short at 256 nodes with five seeds and {@link TenthOfHeavy}.
 */
public final class ShaleHeavyFlows {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig11", "Figures 11, 14, 16, 17",
        "completion times, buffers and queues by mechanism, heavy-tailed flows", 1500, 1.6, PaperMechanism.CHOICES,
        ShaleHeavyFlows::measure);

    private static final int SEEDS = 5;
    private static final int QUICK_SLOTS = 120_000;
    private static final int SLOTS = 5_000_000;
    private static final long LONG_BYTES = 256L << 20;
    private static final int TENTH = 10;
    /** Shares of nodes in {@link LoadedNumbers#NODES}. */
    private static final int P99 = 2;
    private static final int P9999 = 4;

    private ShaleHeavyFlows() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> measured = new TreeMap<>();
        final int[] rows = ShaleRuns.phases(effort);
        for (int row = 0; row < rows.length; row++) {
            final int phases = rows[row];
            final Map<PaperMechanism, LoadedNumbers> all = numbers(phases, effort.turn(row, rows.length));
            statements(found, phases, all, effort.quick());
            measured.put(phases, all);
        }
        final String tail = effort.quick() ? "99 %" : "99.9 %";
        final MechanismPlots plots = new MechanismPlots(found, measured);
        plots.byNodes("11", "buffers", "buffer occupancy", "most cells at a node", LoadedNumbers::held);
        plots.bySize("11", "tail", tail + " FCT", LoadedNumbers::tails);
        plots.bySize("14", "mean", "mean FCT, heavy-tailed workload", LoadedNumbers::means);
        plots.byNodes("16", "queues", "queue length", "longest queue of a node, cells", LoadedNumbers::queues);
        plots.bySize("17", "tail", tail + " FCT of flows without a very long one to their destination",
            LoadedNumbers::tailsApart);
        return found.remark(effort.quick() ? "256 nodes, " + effort.slots(QUICK_SLOTS, 0)
            + " slots, sizes beyond 3 MB a tenth of the paper's, "
            + SEEDS + " seeds; tails are 99 % of a bin, very long flows those above 25.6 MB."
            : effort.beside("50 M", SLOTS) + " The largest flows do not end.");
    }

    private static Map<PaperMechanism, LoadedNumbers> numbers(final int phases, final Effort effort) {
        final Map<PaperMechanism, LoadedNumbers> all = new EnumMap<>(PaperMechanism.class);
        final List<PaperMechanism> measured = PaperMechanism.of(effort.extent());
        for (final PaperMechanism of : measured) {
            final Effort part = effort.turn(all.size(), PaperMechanism.costs(measured));
            all.put(of, new LoadedNumbers(Sample.of(effort.either(SEEDS, 1), part,
                seeded -> LoadedNumbers.of(run(phases, of, seeded), seeded.quick(),
                    seeded.quick() ? LONG_BYTES / TENTH : LONG_BYTES))));
        }
        return all;
    }

    private static ShaleRuns.Loaded run(final int phases, final PaperMechanism of, final Effort effort) {
        final FlowSizes sizes = effort.quick() ? new TenthOfHeavy() : SizeDistribution.HEAVY;
        final int slots = effort.slots(QUICK_SLOTS, SLOTS);
        return ShaleRuns.loaded(ShaleRuns.fabric(phases, of, effort), sizes, slots, slots, effort);
    }

    /** The sentences of §5.3 and Appendix B in their order. */
    private static void statements(final Findings found, final int phases, final Map<PaperMechanism, LoadedNumbers> all,
        final boolean quick) {
        final String of = "h = " + phases + ", ";
        all.forEach((each, numbers) -> found.reported(of + each + ": tail of flows under 4 kB", "", numbers.tail(0))
            .reported("  cells at a node, 99.99 % of the nodes", "", numbers.held()[P9999]));
        final MechanismRules<LoadedNumbers> rules = new MechanismRules<>(found, all);
        tails(rules, of, phases, quick);
        final Function<LoadedNumbers, Sample> held = numbers -> numbers.held()[P9999];
        rules.atMost(of + "spray-short over none, 99.99 % cells at a node", "slightly reduced", 1,
            rules.over(PaperMechanism.SPRAY, PaperMechanism.NONE, held));
        rules.atLeast(of + "none over hbh, 99.99 % cells at a node", "several orders", quick ? 10 : 100,
            rules.over(PaperMechanism.NONE, PaperMechanism.HBH, held));
        rules.atMost(of + "hbh over RD, 99.99 % cells at a node", "outperforms", 1,
            rules.over(PaperMechanism.HBH, PaperMechanism.RD, held));
        rules.atMost(of + "hbh over NDP, 99.99 % cells at a node", "outperforms", 1,
            rules.over(PaperMechanism.HBH, PaperMechanism.NDP, held));
        rules.atMost(of + "hbh+spray over hbh, 99.99 % cells at a node", "better", 1,
            rules.over(PaperMechanism.HBH_SPRAY, PaperMechanism.HBH, held));
        if (phases == 4) {
            rules.atMost(of + "hbh+spray, cells at a node, 99.99 % of the nodes", "< 100", 99,
                rules.of(PaperMechanism.HBH_SPRAY, held));
            rules.atLeast(of + "NDP over hbh+spray, 99.99 % cells at a node", "over an order", 10,
                rules.over(PaperMechanism.NDP, PaperMechanism.HBH_SPRAY, held));
            rules.atLeast(of + "NDP: cells dropped, %", "> 3", 3,
                rules.of(PaperMechanism.NDP, numbers -> percent(numbers.trimmed())));
        }
        rules.atLeast(of + "NDP: longest queue, 99 % of the nodes", "near 100, where cells are dropped", 90,
            rules.of(PaperMechanism.NDP, numbers -> numbers.queues()[P99]));
    }

    private static void tails(final MechanismRules<LoadedNumbers> rules, final String of, final int phases,
        final boolean quick) {
        final Function<LoadedNumbers, Sample> tail = numbers -> numbers.tail(0);
        final PaperMechanism best = PaperMechanism.HBH_SPRAY;
        rules.atLeast(of + "none over hbh, tail of flows under 4 kB", "2 to 3 orders", quick ? 10 : 100,
            rules.over(PaperMechanism.NONE, PaperMechanism.HBH, tail));
        rules.atMost(of + "hbh+spray over hbh, tail of flows under 4 kB", "an additional improvement", 1,
            rules.over(best, PaperMechanism.HBH, tail));
        if (phases == 4) {
            rules.atMost(of + "hbh+spray, tail of flows under 4 kB", "< 24, within 3x of 2h = 8", 24,
                rules.of(best, tail));
            rules.atLeast(of + "NDP over hbh+spray, tail of flows under 4 kB", "over an order", 10,
                rules.over(PaperMechanism.NDP, best, tail));
            return;
        }
        rules.atLeast(of + "hbh+spray over NDP, tail of flows under 4 kB", "slightly higher", 1,
            rules.over(best, PaperMechanism.NDP, tail));
        final Sample all = rules.over(best, PaperMechanism.ISD, tail);
        rules.atLeast(of + "hbh+spray over ISD, tail of flows under 4 kB", "significantly higher", 1, all);
        rules.atMost(of + "the same without flows beside a very long one, over that with them", "closer to ISD", 1,
            MechanismRules.ratio(rules.over(best, PaperMechanism.ISD, numbers -> numbers.tailsApart()[0]), all));
    }

    private static Sample percent(final Sample share) {
        return new Sample(Arrays.stream(share.values()).map(value -> 100 * value).toArray());
    }
}
