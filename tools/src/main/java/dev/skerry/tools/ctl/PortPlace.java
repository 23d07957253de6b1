package dev.skerry.tools.ctl;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a port is: {@code NODE}, or {@code NODE.NUMBER} for the further ports of a node.
 *
 * @param node   its node, which nobody has checked against the fabric yet.
 * @param number which of the ports there it is, from 0.
 */
public record PortPlace(int node, int number) {
    /** In place of a port. */
    public static final PortPlace NONE = new PortPlace(-1, 0);
    /** Highest number of a port at its node. */
    public static final int MOST_NUMBER = 255;

    private static final int MOST_NODE = 1 << 20;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,7})(?:\\.([1-9]\\d{0,2}))?");

    /** The place that a text names, {@link #NONE} if it names none. */
    public static PortPlace of(final String text) {
        final Matcher place = TEXT.matcher(text);
        if (!place.matches()) {
            return NONE;
        }
        final int node = Integer.parseInt(place.group(1));
        final int number = place.group(2) == null ? 0 : Integer.parseInt(place.group(2));
        return node < MOST_NODE && number <= MOST_NUMBER ? new PortPlace(node, number) : NONE;
    }

    /** As it is written. */
    @Override
    public String toString() {
        return number == 0 ? Integer.toString(node) : node + "." + number;
    }
}
