package dev.skerry.nic.edge;

import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;

/** The flows between the ports of a fabric: one on demand from each port to each other one. Immutable. */
final class PortFlows {
    /** Instead of the number of a port. */
    static final int NO_PORT = -1;

    private final FlowSet flows = new FlowSet();
    private final int ports;
    /** By node, up to the last one with a port. */
    private final int[] portAt;
    private final int[] flowOf;
    private final int[] source;
    private final int[] destination;

    /**
     * Flows between ports.
     *
     * @param nodes by port, the node it is at.
     * @throws IllegalArgumentException if two ports are at one node.
     */
    PortFlows(final int[] nodes) {
        this.ports = nodes.length;
        this.portAt = portAt(nodes);
        this.flowOf = new int[ports * ports];
        this.source = new int[ports * (ports - 1)];
        this.destination = new int[ports * (ports - 1)];
        for (int from = 0; from < ports; from++) {
            for (int to = 0; to < ports; to++) {
                if (from != to) {
                    final int flow = flows.size();
                    flowOf[from * ports + to] = flow;
                    source[flow] = from;
                    destination[flow] = to;
                    flows.addOnDemand(nodes[from], nodes[to]);
                }
            }
        }
    }

    private static int[] portAt(final int[] nodes) {
        final int[] portAt = new int[Arrays.stream(nodes).max().orElse(0) + 1];
        Arrays.fill(portAt, NO_PORT);
        for (int port = 0; port < nodes.length; port++) {
            if (portAt[nodes[port]] != NO_PORT) {
                throw new IllegalArgumentException("a node has one port: node=" + nodes[port]);
            }
            portAt[nodes[port]] = port;
        }
        return portAt;
    }

    FlowSet flows() {
        return flows;
    }

    /** The port at a node, or {@link #NO_PORT}. */
    int portAt(final int node) {
        return node < portAt.length ? portAt[node] : NO_PORT;
    }

    int flow(final int from, final int to) {
        return flowOf[from * ports + to];
    }

    int source(final int flow) {
        return source[flow];
    }

    int destination(final int flow) {
        return destination[flow];
    }

    /** The port that a cell comes from. */
    int sourceOf(final long identity) {
        return source[Cell.flow(identity)];
    }
}
