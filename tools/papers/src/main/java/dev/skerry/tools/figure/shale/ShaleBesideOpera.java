package dev.skerry.tools.figure.shale;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The heavy-tailed workload on 576 nodes with h = 1: Shale §3.2.1, Figure 4, beside what the paper prints of Opera
 * (docs/spec/shale.md §10.3). Every flow is waited for.
 */
public final class ShaleBesideOpera {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig4", "Figure 4",
        "completion times of 576 nodes with h = 1, beside what is printed of Opera", 30, 1, ShaleBesideOpera::measure);

    private static final int SEEDS = 5;
    private static final int NODES = 576;
    /** Printed: the tail of bulk flows under Opera is nearly 400 times that of line rate. */
    private static final double OPERA = 400;
    private static final long BULK_BYTES = 15_000_000;
    private static final long LONG_BYTES = 128_000_000;
    /** The first bin of nothing but bulk flows. */
    private static final int BULK_BIN = 7;

    private ShaleBesideOpera() {
    }

    private static Findings measure(final Effort effort) {
        final int bins = ShaleRuns.BINS.size();
        final Sample[] values = Sample.of(SEEDS, effort, ShaleBesideOpera::numbers);
        final Findings found = new Findings();
        found.reported("flows under 4 kB, largest normalised time", "", values[0]);
        found.atMost("bulk flows, from 15 MB on, largest normalised time", "Opera's tail is nearly 400", OPERA,
            values[bins].known());
        found.atMost("flows from 128 MB on, largest normalised time", "below Opera's least", OPERA,
            values[bins + 1].known());
        found.exactly("flows that did not end", 0, values[bins + 2].most());
        final Plot plot = new Plot("fct", "Tail FCT of 576 nodes", "flow size (bytes)", ShaleRuns.BINS,
            "size-normalized FCT, largest of a bin", Plot.Scale.LOGARITHMIC);
        Sample.draw(plot, "Shale, h = 1", Arrays.copyOf(values, bins));
        final double[] x = IntStream.range(BULK_BIN, bins).asDoubleStream().toArray();
        return found.add(plot.add("Opera, tail of bulk flows, as printed", Plot.Style.BOUND, x,
            Arrays.stream(x).map(bin -> OPERA).toArray()))
            .remark("Flows arrive for " + slots(effort) + " slots at 96 % of the guarantee, and the run goes on until "
                + "all have ended; the paper prints neither Opera's other points nor the load.");
    }

    private static int slots(final Effort effort) {
        return effort.either(20_000, 2_000_000);
    }

    /** Largest normalised time by bin, of bulk flows and of very long ones; flows that did not end. */
    private static double[] numbers(final Effort effort) {
        final Shale shale = ShaleRuns.fabric(1, NODES, 0, Mechanisms.HBH_SPRAY, 1, ShaleRuns.PROPAGATION_SLOTS,
            effort.seed());
        final FlowSet flows = ShaleRuns.flows(SizeDistribution.HEAVY, shale.guarantee(), NODES, slots(effort),
            effort.seed());
        final ShaleRuns.Loaded run = ShaleRuns.loaded(shale, flows, slots(effort), 0, effort);
        final int bins = ShaleRuns.BINS.size();
        final double[] numbers = new double[bins + 3];
        Arrays.fill(numbers, Double.NaN);
        for (int bin = 0; bin < Math.min(bins, run.summary().bins().size()); bin++) {
            final SizeBin of = run.summary().bins().get(bin);
            numbers[bin] = of.flows() > 0 ? of.max() : Double.NaN;
        }
        numbers[bins] = largest(run, BULK_BYTES);
        numbers[bins + 1] = largest(run, LONG_BYTES);
        numbers[bins + 2] = flows.size() - run.outcome().completed().length;
        return numbers;
    }

    private static double largest(final ShaleRuns.Loaded run, final long bytes) {
        final int[] done = run.outcome().completed();
        return IntStream.range(0, done.length).filter(i -> run.flows().bytes(done[i]) >= bytes)
            .mapToDouble(i -> (run.outcome().completedIn()[i] + 1 - run.flows().startSlot(done[i]))
                / ((double) run.flows().cells(done[i]) + ShaleRuns.PROPAGATION_SLOTS)).max().orElse(Double.NaN);
    }
}
