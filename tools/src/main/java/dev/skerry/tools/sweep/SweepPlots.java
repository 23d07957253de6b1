package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures of a sweep against one of its settings, a line for each combination of the others. */
final class SweepPlots {
    /** Behind the name of a line: its means over runs that were not all steady, or have unfinished flows. */
    private static final String UNSOUND = "*";

    private final SweepSummary summary;
    private final String along;

    /**
     * Plots.
     *
     * @param along the setting, null for the one with the most values, among settings that are numbers in all runs.
     * @throws InputException if there is no such setting, or it is no number.
     */
    SweepPlots(final SweepSummary summary, final String along) {
        this.summary = summary;
        this.along = along != null ? along : summary.heads().stream().filter(this::isNumber)
            .max(Comparator.comparingLong(this::values).thenComparing(head -> -summary.heads().indexOf(head)))
            .orElse(null);
        if (along != null && !(summary.heads().contains(along) && isNumber(along))) {
            throw new InputException("--x", along, "it is no setting that differs and is a number in all runs",
                "use one of " + String.join(", ", summary.heads().stream().filter(this::isNumber).toList()));
        }
    }

    private long values(final String head) {
        return summary.groups().stream().map(group -> SweepSummary.cell(group, head)).distinct().count();
    }

    private boolean isNumber(final String head) {
        return summary.groups().stream().noneMatch(group ->
            Double.isNaN(RunTable.number(SweepSummary.cell(group, head))));
    }

    /** A plot a figure; none if no setting can be an axis. */
    List<Plot> of(final List<String> figures) {
        final List<Plot> plots = new ArrayList<>();
        if (along == null) {
            return plots;
        }
        final Map<String, List<List<SweepRow>>> lines = new LinkedHashMap<>();
        for (final List<SweepRow> group : summary.groups()) {
            final List<String> others = summary.heads().stream().filter(head -> !head.equals(along))
                .map(head -> head + " " + SweepSummary.cell(group, head)).toList();
            lines.computeIfAbsent(others.isEmpty() ? "mean" : String.join(", ", others), _ -> new ArrayList<>())
                .add(group);
        }
        for (final String figure : figures) {
            final FigureWords words = FigureWords.of(figure);
            final Plot plot = new Plot(figure.replaceAll("[^A-Za-z0-9.-]", "-"), words.words() + " by "
                + FigureWords.of(along).words(), FigureWords.of(along).whole(), Scale.LINEAR, words.whole(),
                Scale.LINEAR);
            for (final Map.Entry<String, List<List<SweepRow>>> line : lines.entrySet()) {
                add(plot, figure, line.getKey(), line.getValue());
            }
            plots.add(plot);
        }
        return plots;
    }

    private void add(final Plot plot, final String figure, final String name, final List<List<SweepRow>> groups) {
        final List<List<SweepRow>> sorted = groups.stream().sorted((one, other) -> RunTable.compare(
            SweepSummary.cell(one, along), SweepSummary.cell(other, along))).toList();
        final double[] x = new double[sorted.size()];
        final double[] mean = new double[x.length];
        final double[] low = new double[x.length];
        final double[] high = new double[x.length];
        final double[] unsound = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            final SweepSummary.Mean one = SweepSummary.mean(sorted.get(i), figure);
            x[i] = RunTable.number(SweepSummary.cell(sorted.get(i), along));
            mean[i] = one.runs() == 0 ? Double.NaN : one.mean();
            low[i] = one.mean() - one.half();
            high[i] = one.mean() + one.half();
            unsound[i] = SweepHealth.of(sorted.get(i)).isSound() ? Double.NaN : mean[i];
        }
        plot.add(name, Style.DOTS, x, mean, low, high);
        if (!Arrays.stream(unsound).allMatch(Double::isNaN)) {
            plot.addPublished(name, UNSOUND, x, unsound);
        }
    }
}
