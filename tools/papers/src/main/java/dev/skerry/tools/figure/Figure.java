package dev.skerry.tools.figure;

import dev.skerry.tools.plot.PlotFigure;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A figure, table or result of a paper that can be measured again: it sets up what the paper did, runs it, and lays
 * what was measured beside what was expected. {@code figures.txt} has its name, place, words and minutes;
 * it is entered into {@code FiguresCommand#ALL}. Immutable.
 *
 * @param name         for the command line: lower-case words and numbers joined by hyphens, the system first, for
 *                     example {@code stardust-fig9-queues}.
 * @param place        where the paper has it, for example {@code Figure 9 left}.
 * @param shows        what it shows, in a line.
 * @param minutes      what it takes on one core, about.
 * @param quickMinutes what its short version takes.
 * @param choices      what its user may choose of its {@link Effort.Extent}, each with the words to choose from;
 *                     without any: a number.
 * @param measurement  measures it.
 */
public record Figure(String name, String place, String shows, double minutes, double quickMinutes,
    Map<Effort.Choice, List<String>> choices, Measurement measurement) {
    private static final Pattern NAME = Pattern.compile("[a-z]+(-[a-z0-9]+)+");
    private static final Map<String, String[]> ROWS = PlotFigure.resource(Figure.class, "figures.txt").lines()
        .map(line -> line.split(" \\| ")).collect(Collectors.toMap(columns -> columns[0], columns -> columns));

    /** Measures a figure, on the calling thread and the workers of its engines; twice gives the same values. */
    @FunctionalInterface
    public interface Measurement {
        /**
         * Measures it.
         *
         * @param effort how much it is worth; hears how far it is, and may stop it by an exception.
         * @param found  takes what is found.
         */
        void measure(Effort effort, Findings found);
    }

    /** Checks the name. */
    public Figure {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a name is lower-case words joined by hyphens: name=" + name);
        }
    }

    /** A figure of {@code figures.txt} of which all is measured. */
    static Figure of(final String name, final Measurement measurement) {
        return of(name, Map.of(), measurement);
    }

    /** A figure of {@code figures.txt} with choices. */
    static Figure of(final String name, final Map<Effort.Choice, List<String>> choices, final Measurement measurement) {
        final String[] row = ROWS.get(name);
        return new Figure(name, row[1], row[2], Double.parseDouble(row[3]), Double.parseDouble(row[4]), choices,
            measurement);
    }

    /** What is found with an effort; the caller's. */
    public Findings measure(final Effort effort) {
        final Findings found = new Findings();
        measurement.measure(effort, found);
        return found;
    }

    /** Shoal, Shale or Stardust, from its name. */
    public String paper() {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1, name.indexOf('-'));
    }
}
