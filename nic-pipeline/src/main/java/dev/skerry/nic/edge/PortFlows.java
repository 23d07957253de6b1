package dev.skerry.nic.edge;

import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;

/**
 * The flows between the ports of a fabric: one on demand from each port to each other port in each traffic class. A
 * port has a queue for each other port and class; the queue number, {@code port * classes + class}, also identifies the
 * stream from that port. Flows between ports of one node do not cross the fabric, and are numbered after all others.
 * Immutable.
 */
final class PortFlows {
    /** Value used instead of a flow from a port to itself. */
    static final int NO_FLOW = -1;

    final FlowSet flows = new FlowSet();
    private final int ports;
    private final int classes;
    /** Ports of each node, up to the last node with a port. */
    private final int[][] portsAt;
    /** Flow of each source and queue. */
    private final int[] flowOf;
    /** Source, destination, queue and stream of each flow. */
    private final int[] source;
    private final int[] destination;
    private final int[] queue;
    private final int[] stream;
    private int size;

    /**
     * Creates the flows between ports.
     *
     * @param nodes   node of each port.
     * @param classes number of traffic classes.
     * @throws IllegalArgumentException if all ports are at one node.
     */
    PortFlows(final int[] nodes, final int classes) {
        this.ports = nodes.length;
        this.classes = classes;
        this.portsAt = portsAt(nodes);
        this.flowOf = new int[ports * queues()];
        this.source = new int[ports * (ports - 1) * classes];
        this.destination = new int[source.length];
        this.queue = new int[source.length];
        this.stream = new int[source.length];
        Arrays.fill(flowOf, NO_FLOW);
        add(nodes, false);
        Bounds.refuseIf(size == 0, "at least two nodes are required: node=", nodes[0]);
        add(nodes, true);
    }

    private static int[][] portsAt(final int[] nodes) {
        final int[][] portsAt = new int[Arrays.stream(nodes).max().orElse(0) + 1][0];
        for (int port = 0; port < nodes.length; port++) {
            final int[] before = portsAt[nodes[port]];
            portsAt[nodes[port]] = Arrays.copyOf(before, before.length + 1);
            portsAt[nodes[port]][before.length] = port;
        }
        return portsAt;
    }

    /** Adds the flows between ports of different nodes, or between ports of one node. */
    private void add(final int[] nodes, final boolean local) {
        final int most = Arrays.stream(portsAt).mapToInt(at -> at.length).max().orElse(1);
        for (int from = 0; from < ports; from++) {
            for (int to = 0; to < ports; to++) {
                for (int of = 0; of < classes && from != to && (nodes[from] == nodes[to]) == local; of++) {
                    flowOf[from * queues() + queue(to, of)] = size;
                    source[size] = from;
                    destination[size] = to;
                    queue[size] = queue(to, of);
                    stream[size] = queue(from, of);
                    if (!local) {
                        // The remainder identifies the pair of ports at the two nodes: the queue of an adapter.
                        final long pair = (long) numberAt(nodes, from) * most + numberAt(nodes, to);
                        flows.addOnDemand((long) size * most * most + pair, nodes[from], nodes[to]);
                        flows.setClass(of);
                    }
                    size++;
                }
            }
        }
    }

    private int numberAt(final int[] nodes, final int port) {
        return Arrays.binarySearch(portsAt[nodes[port]], port);
    }

    /** Number of flows, including those between ports of one node. */
    int size() {
        return size;
    }

    /** Whether a flow leads to another port of the same node. */
    boolean isLocal(final int flow) {
        return flow >= flows.size();
    }

    /** Number of queues of a port, including the one to itself. */
    int queues() {
        return ports * classes;
    }

    /** The queue to, or the stream from, a port in a class. */
    int queue(final int port, final int trafficClass) {
        return port * classes + trafficClass;
    }

    /** The port that a queue leads to or a stream comes from. */
    int port(final int queueOrStream) {
        return queueOrStream / classes;
    }

    /** The ports at a node; empty if there are none. */
    int[] portsAt(final int node) {
        return node < portsAt.length ? portsAt[node] : new int[0];
    }

    /** The flow of a queue of a port; {@link #NO_FLOW} for queues to itself. */
    int flow(final int from, final int queueTo) {
        return flowOf[from * queues() + queueTo];
    }

    /** The source port of a flow. */
    int source(final int flow) {
        return source[flow];
    }

    /** The queue at the source port of a flow. */
    int queueOf(final int flow) {
        return queue[flow];
    }

    /** The destination port of a flow. */
    int destination(final int flow) {
        return destination[flow];
    }

    /** The stream at the destination port of a flow. */
    int streamOf(final int flow) {
        return stream[flow];
    }

    /** The stream at the destination port of a cell. */
    int streamOf(final long identity) {
        return streamOf(Cell.flow(identity));
    }
}
