package dev.skerry.tools.figure;

import java.util.regex.Pattern;

/**
 * What the catalogue says of a figure.
 *
 * @param name         for the command line: lower-case words and numbers joined by hyphens, the system first, for
 *                     example {@code stardust-fig9-queues}.
 * @param paper        Shoal, Shale or Stardust.
 * @param place        where the paper has it, for example {@code Figure 9 left}.
 * @param shows        what it shows, in a line.
 * @param minutes      what it takes on one core, about.
 * @param quickMinutes what its short version takes.
 */
public record About(String name, String paper, String place, String shows, double minutes, double quickMinutes) {
    private static final Pattern NAME = Pattern.compile("[a-z]+(-[a-z0-9]+)+");

    /** Checks the name. */
    public About {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a name is lower-case words joined by hyphens: name=" + name);
        }
    }
}
