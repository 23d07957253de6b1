package dev.skerry.tools.figure.shale;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shale.ShaleRuns.LoadedNumbers;
import dev.skerry.tools.figure.shale.ShaleRuns.TenthOfHeavy;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The heavy-tailed workload on two schedules that share the slots, short flows on that of h = 4: Shale §5.2, Figure 9
 * (docs/spec/shale.md §2.4, §10.3); in short at 256 nodes with five seeds and {@link ShaleRuns.TenthOfHeavy}.
 */
public final class ShaleInterleaving {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig9", "Figure 9",
        "completion times and throughput of interleaved schedules, h = 1 with 4 and 2 with 4", 9000, 0.8,
        Map.of(Choice.SLOTS, List.of()), ShaleInterleaving::measure);

    private static final int SEEDS = 5;
    private static final int QUICK_SLOTS = 20_000;
    private static final int SLOTS = 5_000_000;
    private static final int MOST = 4;
    private static final int TENTHS = 10;
    /** Of ten slots, those of h = 4. */
    private static final int[] SHARES = {0, 2, 4, 5, 6, 8, TENTHS};
    private static final long LONG_BYTES = 256L << 20;
    private static final int STEPS = 1 << 16;
    /** An empty fabric of h = 4 takes an eighth of the time of h = 1, a thirteenth in the paper; delay undoes that. */
    private static final int QUICK_DELAY = 1;

    private ShaleInterleaving() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        for (int fewer = 1; fewer <= 2; fewer++) {
            final LoadedNumbers[] runs = new LoadedNumbers[SHARES.length];
            final String of = "h = " + fewer + " and " + MOST;
            for (int i = 0; i < SHARES.length; i++) {
                final int least = fewer;
                final int tenths = SHARES[i];
                runs[i] = new LoadedNumbers(Sample.of(effort.either(SEEDS, 1),
                    effort.turn((fewer - 1) * SHARES.length + i, 2 * SHARES.length),
                    seeded -> LoadedNumbers.of(run(least, tenths, seeded), seeded.quick(), LONG_BYTES)));
                found.reported(of + ", " + name(fewer, tenths) + ": tail of flows under 4 kB", "", runs[i].tail(0));
                found.reported("  cells per node and slot", "", runs[i].delivered());
            }
            statements(found, of, fewer, runs);
            found.add(plot(fewer, effort.quick(), runs));
        }
        return found.remark(effort.quick() ? "256 nodes, " + effort.slots(QUICK_SLOTS, 0) + " slots, P = 1, sizes "
            + "beyond 3 MB a tenth of the paper's, " + SEEDS + " seeds; tails are 99 % of a bin."
            : effort.beside("50 M", SLOTS))
            .remark("s: share of the slots of h = 4, whose flows are those below a size that gives both schedules the "
                + "same load; L: 96 % of the sum of both guarantees.");
    }

    private static String name(final int fewer, final int tenths) {
        return "s = " + tenths * TENTHS + " %, L = " + String.format(Locale.ROOT, "%.3f", load(fewer, tenths));
    }

    private static Plot plot(final int fewer, final boolean quick, final LoadedNumbers[] runs) {
        final int bins = LoadedNumbers.known(Arrays.stream(runs).map(LoadedNumbers::tails));
        final Plot plot = new Plot("tail-h" + fewer, (quick ? "99 %" : "99.9 %") + " FCT, h = " + fewer + " and "
            + MOST, "flow size (bytes)", ShaleRuns.BINS.subList(0, bins), "size-normalized FCT",
            Plot.Scale.LOGARITHMIC);
        for (int i = 0; i < runs.length; i++) {
            Sample.draw(plot, name(fewer, SHARES[i]), Arrays.copyOf(runs[i].tails(), bins));
        }
        return plot;
    }

    private static void statements(final Findings found, final String of, final int fewer,
        final LoadedNumbers[] runs) {
        for (int i = 1; i < SHARES.length - 1; i++) {
            found.atMost(of + ", s = " + SHARES[i] * TENTHS + " % over 0 %, tail of flows under 4 kB", "lower", 1,
                runs[i].tail(0).over(runs[0].tail(0)));
            found.atLeast("  over 100 %, cells per node and slot", "higher", 1,
                runs[i].delivered().over(runs[SHARES.length - 1].delivered()));
        }
        if (fewer == 1) {
            found.atMost(of + ", s = 40 % over 50 %, tail of flows under 4 kB", "outperforms", 1,
                runs[2].tail(0).over(runs[3].tail(0)));
        }
    }

    /** 96 % of the guarantee. */
    private static double load(final int fewer, final int tenths) {
        final double share = (double) tenths / TENTHS;
        return 0.96 * (share / (2 * MOST) + (1 - share) / (2 * fewer));
    }

    private static ShaleRuns.Loaded run(final int fewer, final int tenths, final Effort effort) {
        final int nodes = effort.either(256, 10_000);
        final int delay = effort.either(QUICK_DELAY, ShaleRuns.PROPAGATION_SLOTS);
        final int slots = effort.slots(QUICK_SLOTS, SLOTS);
        final FlowSizes sizes = effort.quick() ? new TenthOfHeavy() : SizeDistribution.HEAVY;
        final double guarantee = load(fewer, tenths) / 0.96;
        final FlowSet flows = ShaleRuns.flows(sizes, guarantee, nodes, slots, effort.seed());
        if (tenths == 0 || tenths == TENTHS) {
            final int phases = tenths == 0 ? fewer : MOST;
            return ShaleRuns.loaded(shale(phases, nodes, delay, SlotShare.ALL, effort.seed()), flows, slots, slots,
                effort);
        }
        final SlotShares shares = new SlotShares(tenths, TENTHS - tenths);
        final CircuitFabric fabric = new Interleaved(List.of(
            shale(MOST, nodes, delay, shares.shares().get(0), effort.seed()),
            shale(fewer, nodes, delay, shares.shares().get(1), effort.seed())), shares);
        return ShaleRuns.loaded(fabric, flows.classedBySize(cutOff(sizes, fewer, tenths) - 1), slots, slots, effort);
    }

    private static Shale shale(final int phases, final int nodes, final int delay, final SlotShare share,
        final long seed) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, nodes));
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, delay, seed,
            FailureRules.PAPER, share);
    }

    /** The size below which flows make s/(2h) of the sum of both guarantees, in cells. */
    static long cutOff(final FlowSizes sizes, final int fewer, final int tenths) {
        final double most = (double) tenths / TENTHS / (2 * MOST);
        final double wanted = most / (most + (1 - (double) tenths / TENTHS) / (2 * fewer));
        double all = 0;
        for (int step = 0; step < STEPS; step++) {
            all += Math.ceilDiv(sizes.bytes((step + 0.5) / STEPS), ShaleRuns.PAYLOAD);
        }
        double sum = 0;
        int step = 0;
        while (sum < wanted * all) {
            sum += Math.ceilDiv(sizes.bytes((step + 0.5) / STEPS), ShaleRuns.PAYLOAD);
            step++;
        }
        return sizes.bytes((step - 0.5) / STEPS) + 1;
    }
}
