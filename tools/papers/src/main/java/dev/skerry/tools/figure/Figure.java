package dev.skerry.tools.figure;

import dev.skerry.tools.plot.PlotFigure;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A figure, table or result of a paper that can be measured again: it repeats the setup of the paper, runs it, and
 * compares the measured values with the expected ones. {@code figures.txt} has its name, place, description and
 * minutes; {@code FiguresCommand#ALL} lists it. Immutable.
 *
 * @param name name for the command line: lower-case words and numbers joined by hyphens, the system first, for example
 *             {@code stardust-fig9-queues}.
 * @param place place in the paper, for example {@code Figure 9 left}.
 * @param shows description in one line.
 * @param minutes approximate time on one core, min.
 * @param quickMinutes approximate time of its short version, min.
 * @param choices choices of its {@link Effort.Extent} that it offers, each with the words to choose from; without
 *                words, any number.
 * @param measurement measures the figure.
 */
public record Figure(String name, String place, String shows, double minutes, double quickMinutes,
    Map<Effort.Choice, List<String>> choices, Measurement measurement) {
    private static final Pattern NAME = Pattern.compile("[a-z]+(-[a-z0-9]+)+");
    private static final Map<String, String[]> ROWS = PlotFigure.resource(Figure.class, "figures.txt").lines()
        .map(line -> line.split(" \\| ")).collect(Collectors.toMap(columns -> columns[0], columns -> columns));

    /** Measures a figure, on the calling thread and the workers of its engines. Repeated calls give the same values. */
    @FunctionalInterface
    public interface Measurement {
        /**
         * Measures the figure.
         *
         * @param effort limit of the work; receives the progress and may stop the measurement by an exception.
         * @param found receives the results.
         */
        void measure(Effort effort, Findings found);
    }

    /** Checks the name. */
    public Figure {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a name is lower-case words joined by hyphens: name=" + name);
        }
    }

    /** Returns a figure of {@code figures.txt} without choices. */
    static Figure of(final String name, final Measurement measurement) {
        return of(name, Map.of(), measurement);
    }

    /** Returns a figure of {@code figures.txt} with choices. */
    static Figure of(final String name, final Map<Effort.Choice, List<String>> choices, final Measurement measurement) {
        final String[] row = ROWS.get(name);
        return new Figure(name, row[1], row[2], Double.parseDouble(row[3]), Double.parseDouble(row[4]), choices,
            measurement);
    }

    /** Measures the figure with an effort; the caller owns the result. */
    public Findings measure(final Effort effort) {
        final Findings found = new Findings();
        measurement.measure(effort, found);
        return found;
    }

    /** Returns the paper from the name: Shoal, Shale or Stardust. */
    public String paper() {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1, name.indexOf('-'));
    }
}
