package dev.skerry.tools.live;

import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses the map from each port to the destination of its packets, {@code 0:1,1:0}. */
final class PortMap {
    private static final String WHAT = "--map";

    private PortMap() {
    }

    /**
     * Parses a map.
     *
     * @param text  text of the command line.
     * @param ports ports of the fabric.
     * @return by port that the map names, its destination; packets of other ports go nowhere.
     */
    static Map<PortPlace, PortPlace> parse(final String text, final List<PortChoice> ports) {
        final Map<PortPlace, PortPlace> to = new LinkedHashMap<>();
        for (final String part : text.split(",", -1)) {
            final String[] pair = part.split(":", -1);
            if (pair.length != 2) {
                throw wrong(text, "'" + part + "' is no pair of nodes");
            }
            final PortPlace from = place(text, pair[0], ports);
            final PortPlace target = place(text, pair[1], ports);
            if (to.put(from, target) != null) {
                throw wrong(text, "node " + from + " stands there twice");
            }
            if (from.equals(target)) {
                throw wrong(text, "node " + from + " cannot send to itself");
            }
        }
        return to;
    }

    private static PortPlace place(final String text, final String part, final List<PortChoice> ports) {
        final String stripped = part.strip();
        return ports.stream().map(PortChoice::place).filter(place -> place.toString().equals(stripped)).findFirst()
            .orElseThrow(() -> wrong(text, "'" + stripped + "' is no node with a port"));
    }

    private static InputException wrong(final String text, final String why) {
        return new InputException(WHAT, text, why, "write pairs from:to of nodes with ports, for example 0:1,1:0");
    }
}
