package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.SeedRuns;
import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Eight mechanisms under the heavy-tailed workload: Shale §5.3, Figures 11, 14, 16 and 17 (docs/spec/shale.md §10.3);
 * in short at 256 nodes with five seeds and {@link TenthOfHeavy}.
 */
public final class ShaleHeavyFlows implements Figure {
    private static final int SEEDS = 5;
    private static final int QUICK_SLOTS = 120_000;
    private static final int SLOTS = 5_000_000;
    private static final long LONG_BYTES = 256L << 20;
    private static final int TENTH = 10;
    /** Shares of nodes in {@link LoadedNumbers#NODES}. */
    private static final int P99 = 2;
    private static final int P9999 = 4;

    @Override
    public About about() {
        return new About("shale-fig11", "Shale", "Figures 11, 14, 16, 17",
            "completion times, buffers and queues by mechanism, heavy-tailed flows", 7000, 1.6);
    }

    @Override
    public boolean takesSlots() {
        return true;
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        for (int phases = 2; phases <= 4; phases += 2) {
            final double from = phases == 2 ? 0 : 0.5;
            final Map<PaperMechanism, LoadedNumbers> all = numbers(phases, effort, progress.part(from, from + 0.5));
            statements(found, phases, all, effort.quick());
            final String tail = effort.quick() ? "99 %" : "99.9 %";
            MechanismPlots.add(found, "fig11", "fig16", phases, tail, all);
            MechanismPlots.addApart(found, phases, tail, all);
        }
        return found.remark(effort.quick() ? "256 nodes, " + effort.slots(QUICK_SLOTS, 0)
            + " slots, sizes beyond 3 MB a tenth of the paper's, "
            + SEEDS + " seeds; tails are 99 % of a bin, very long flows those above 25.6 MB."
            : effort.beside("50 M", SLOTS) + " The largest flows do not end.");
    }

    private static Map<PaperMechanism, LoadedNumbers> numbers(final int phases, final Effort effort,
        final FigureProgress progress) {
        final Map<PaperMechanism, LoadedNumbers> all = new EnumMap<>(PaperMechanism.class);
        for (final PaperMechanism of : PaperMechanism.EIGHT) {
            final FigureProgress part = progress.turn(all.size(), PaperMechanism.EIGHT.size());
            all.put(of, new LoadedNumbers(SeedRuns.of(effort.either(SEEDS, 1), effort, part,
                (seeded, share) -> LoadedNumbers.of(run(phases, of, seeded, share), seeded.quick(),
                    seeded.quick() ? LONG_BYTES / TENTH : LONG_BYTES))));
        }
        return all;
    }

    private static ShaleRuns.Loaded run(final int phases, final PaperMechanism of, final Effort effort,
        final FigureProgress progress) {
        final FlowSizes sizes = effort.quick() ? new TenthOfHeavy() : SizeDistribution.HEAVY;
        final int slots = effort.slots(QUICK_SLOTS, SLOTS);
        return ShaleRuns.loaded(ShaleRuns.fabric(phases, of, effort), sizes, slots, slots, effort, progress);
    }

    /** The sentences of §5.3 and Appendix B in their order. */
    private static void statements(final Findings found, final int phases, final Map<PaperMechanism, LoadedNumbers> all,
        final boolean quick) {
        final String of = "h = " + phases + ", ";
        final LoadedNumbers best = all.get(PaperMechanism.HBH_SPRAY);
        for (final PaperMechanism each : PaperMechanism.EIGHT) {
            found.reported(of + each + ": tail of flows under 4 kB", "", all.get(each).tail(0));
            found.reported("  cells at a node, 99.99 % of the nodes", "", all.get(each).held()[P9999]);
        }
        tails(found, of, phases, all, quick);
        final Sample[] spray = all.get(PaperMechanism.SPRAY).held();
        final Sample[] hbh = all.get(PaperMechanism.HBH).held();
        found.atMost(of + "spray-short over none, 99.99 % cells at a node", "slightly reduced", 1,
            spray[P9999].over(all.get(PaperMechanism.NONE).held()[P9999]));
        found.atLeast("  none over hbh, the same", "several orders", quick ? 10 : 100,
            all.get(PaperMechanism.NONE).held()[P9999].over(hbh[P9999]));
        found.atMost("  hbh over RD, the same", "outperforms", 1,
            hbh[P9999].over(all.get(PaperMechanism.RD).held()[P9999]));
        found.atMost("  hbh over NDP, the same", "outperforms", 1,
            hbh[P9999].over(all.get(PaperMechanism.NDP).held()[P9999]));
        found.atMost("  hbh+spray over hbh, the same", "better", 1, best.held()[P9999].over(hbh[P9999]));
        if (phases == 4) {
            found.atMost("  hbh+spray, cells at a node, 99.99 % of the nodes", "< 100", 99, best.held()[P9999]);
            found.atLeast("  NDP over hbh+spray, the same", "over an order", 10,
                all.get(PaperMechanism.NDP).held()[P9999].over(best.held()[P9999]));
            found.atLeast("  NDP: cells dropped, %", "> 3", 3, percent(all.get(PaperMechanism.NDP).trimmed()));
        }
        found.atLeast("  NDP: longest queue, 99 % of the nodes", "near 100, where cells are dropped", 90,
            all.get(PaperMechanism.NDP).queues()[P99]);
    }

    private static void tails(final Findings found, final String of, final int phases,
        final Map<PaperMechanism, LoadedNumbers> all, final boolean quick) {
        final LoadedNumbers best = all.get(PaperMechanism.HBH_SPRAY);
        found.atLeast(of + "none over hbh, tail of flows under 4 kB", "2 to 3 orders", quick ? 10 : 100,
            all.get(PaperMechanism.NONE).tail(0).over(all.get(PaperMechanism.HBH).tail(0)));
        found.atMost("  hbh+spray over hbh, the same", "an additional improvement", 1,
            best.tail(0).over(all.get(PaperMechanism.HBH).tail(0)));
        if (phases == 4) {
            found.atMost("  hbh+spray, tail of flows under 4 kB", "< 24, within 3x of 2h = 8", 24, best.tail(0));
            found.atLeast("  NDP over hbh+spray, the same", "over an order", 10,
                all.get(PaperMechanism.NDP).tail(0).over(best.tail(0)));
        } else {
            found.atLeast("  hbh+spray over NDP, the same", "slightly higher", 1,
                best.tail(0).over(all.get(PaperMechanism.NDP).tail(0)));
            found.atLeast("  hbh+spray over ISD, the same", "significantly higher", 1,
                best.tail(0).over(all.get(PaperMechanism.ISD).tail(0)));
            final Sample apart = best.tailsApart()[0].over(all.get(PaperMechanism.ISD).tailsApart()[0]);
            found.atMost("  the same without flows beside a very long one, over that with them", "closer to ISD", 1,
                apart.over(best.tail(0).over(all.get(PaperMechanism.ISD).tail(0))));
        }
    }

    private static Sample percent(final Sample share) {
        return new Sample(Arrays.stream(share.values()).map(value -> 100 * value).toArray());
    }
}
