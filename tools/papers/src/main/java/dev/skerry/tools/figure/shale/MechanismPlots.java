package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The graphs of Shale's Figures 10, 11 and 14 to 17: a line each for the mechanisms. One thread.
 *
 * @param found takes them.
 * @param all   what was measured, by phases.
 */
record MechanismPlots(Findings found, SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> all) {
    /** Graphs of something by the size of flows, with each h. */
    Map<Integer, Plot> bySize(final String figure, final String id, final String shown,
        final Function<LoadedNumbers, Sample[]> values) {
        return plots(figure, id, shown, "flow size (bytes)", ShaleRuns.BINS, "size-normalized FCT", values);
    }

    /** Graphs of something by the share of nodes that have no more, with each h. */
    Map<Integer, Plot> byNodes(final String figure, final String id, final String shown, final String unit,
        final Function<LoadedNumbers, Sample[]> values) {
        return plots(figure, id, shown, "share of the nodes", LoadedNumbers.NODE_NAMES, unit, values);
    }

    private Map<Integer, Plot> plots(final String figure, final String id, final String shown, final String x,
        final List<String> places, final String y, final Function<LoadedNumbers, Sample[]> values) {
        final Map<Integer, Plot> plots = new TreeMap<>();
        all.forEach((phases, measured) -> {
            final int last = LoadedNumbers.known(measured.values().stream().map(values));
            final Plot plot = new Plot("fig" + figure + "-" + id + "-h" + phases, "Figure " + figure + ", h = " + phases
                + ": " + shown, x, places.subList(0, last), y, Plot.Scale.LOGARITHMIC);
            PaperMechanism.EIGHT.stream().filter(measured::containsKey).forEach(of ->
                Sample.draw(plot, of.inPaper(), Arrays.copyOf(values.apply(measured.get(of)), last)));
            found.add(plot);
            plots.put(phases, plot);
        });
        return plots;
    }
}
