package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.SeedLines;
import dev.skerry.tools.plot.Plot;

import java.util.Map;
import java.util.function.Function;

/** The graphs of Shale's Figures 10, 11 and 14 to 17: a line each for the mechanisms. Pure functions. */
final class MechanismPlots {
    private static final String SIZE = "flow size (bytes)";
    private static final String FCT = "size-normalized FCT";

    private MechanismPlots() {
    }

    /**
     * Buffers and tails, means, and queues.
     *
     * @param figure that has buffers and tails, for example {@code fig10}; Figure 14 has the means of both workloads.
     * @param queues the figure that has the queues.
     * @param tail   the share of flows in the tails, for example {@code 99.9 %}.
     */
    static void add(final Findings found, final String figure, final String queues, final int phases, final String tail,
        final Map<PaperMechanism, LoadedNumbers> all) {
        final String h = "-h" + phases;
        final String of = ", h = " + phases;
        add(found, all, LoadedNumbers::held, new Plot(figure + "-buffers" + h, "Buffer occupancy" + of,
            "share of the nodes", LoadedNumbers.NODE_NAMES, "most cells at a node", Plot.Scale.LOGARITHMIC));
        add(found, all, LoadedNumbers::tails, new Plot(figure + "-tail" + h, tail + " FCT" + of, SIZE, ShaleRuns.BINS,
            FCT, Plot.Scale.LOGARITHMIC));
        add(found, all, LoadedNumbers::means, new Plot("fig14-mean" + h, "Mean FCT" + of, SIZE, ShaleRuns.BINS, FCT,
            Plot.Scale.LOGARITHMIC));
        add(found, all, LoadedNumbers::queues, new Plot(queues + "-queues" + h, "Queue length" + of,
            "share of the nodes", LoadedNumbers.NODE_NAMES, "longest queue of a node, cells", Plot.Scale.LOGARITHMIC));
    }

    /** Tails of the flows that share their destination with no very long one: Figure 17. */
    static void addApart(final Findings found, final int phases, final String tail,
        final Map<PaperMechanism, LoadedNumbers> all) {
        add(found, all, LoadedNumbers::tailsApart, new Plot("fig17-tail-h" + phases, tail + " FCT of flows without a "
            + "very long one to their destination, h = " + phases, SIZE, ShaleRuns.BINS, FCT, Plot.Scale.LOGARITHMIC));
    }

    private static void add(final Findings found, final Map<PaperMechanism, LoadedNumbers> all,
        final Function<LoadedNumbers, Sample[]> values, final Plot plot) {
        PaperMechanism.EIGHT.stream().filter(all::containsKey).forEach(of ->
            SeedLines.add(plot, of.toString(), values.apply(all.get(of))));
        found.add(plot);
    }
}
