package dev.skerry.tools.figure;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A figure, table or result of a paper that can be measured again: it sets up what the paper did, runs it, and lays
 * what was measured beside what was expected. It is entered into {@code FiguresCommand#ALL}. Immutable.
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

    /** A figure of which all is measured. */
    public Figure(final String name, final String place, final String shows, final double minutes,
        final double quickMinutes, final Measurement measurement) {
        this(name, place, shows, minutes, quickMinutes, Map.of(), measurement);
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
