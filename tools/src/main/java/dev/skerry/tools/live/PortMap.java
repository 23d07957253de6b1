package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.tools.input.InputException;

import java.util.Arrays;
import java.util.List;

/** Parses the map from each port's node to the destination of its packets, {@code 0:1,1:0}. */
final class PortMap {
    private static final String WHAT = "--map";

    private PortMap() {
    }

    /**
     * Parses a map.
     *
     * @param text  text of the command line.
     * @param ports ports of the fabric.
     * @param nodes number of nodes.
     * @return destination by node; {@link PortForwarding#NOWHERE} for a node that the map does not name.
     */
    static int[] parse(final String text, final List<PortChoice> ports, final int nodes) {
        final int[] to = new int[nodes];
        Arrays.fill(to, PortForwarding.NOWHERE);
        for (final String part : text.split(",", -1)) {
            final String[] pair = part.split(":", -1);
            if (pair.length != 2) {
                throw wrong(text, "'" + part + "' is no pair of nodes");
            }
            final int from = node(text, pair[0], ports);
            if (to[from] != PortForwarding.NOWHERE) {
                throw wrong(text, "node " + from + " stands there twice");
            }
            to[from] = node(text, pair[1], ports);
            if (to[from] == from) {
                throw wrong(text, "node " + from + " cannot send to itself");
            }
        }
        return to;
    }

    private static int node(final String text, final String part, final List<PortChoice> ports) {
        final String stripped = part.strip();
        return ports.stream().mapToInt(PortChoice::node).filter(node -> Integer.toString(node).equals(stripped))
            .findFirst().orElseThrow(() -> wrong(text, "'" + stripped + "' is no node with a port"));
    }

    private static InputException wrong(final String text, final String why) {
        return new InputException(WHAT, text, why, "write pairs from:to of nodes with ports, for example 0:1,1:0");
    }
}
