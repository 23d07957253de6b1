package dev.skerry.tools.live;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.nic.edge.EdgeGauges;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.tools.ctl.PortPlace;

import java.util.List;

/**
 * What a port is at present: its state, its queues, and by destination the cells under way and the packets dropped; and
 * its latencies in few buckets. Two threads write, each its own: the port's, and the one that watches the run.
 */
final class PortGauges {
    /** Where there are more ports, cells by destination are left out: they would be most of all counters. */
    static final int MOST_PORTS = 64;

    private static final int OWN = 3;
    private static final int DOWN = 0;
    private static final int UP = 1;
    private static final int FAILED = 2;

    private final CounterFile file;
    private final int port;
    private final int state;
    private final int in;
    private final int out;
    /** By destination, -1 for the port itself; empty where they are left out. */
    private final int[] held;
    private final int[] dropped;
    private final int[] buckets = new int[LatencyBuckets.BUCKETS];
    private final int sum;

    /**
     * Adds the gauges of a port.
     *
     * @param file   holds them.
     * @param port   number of the port.
     * @param keys   its keys, without braces.
     * @param places of all ports.
     */
    PortGauges(final CounterFile file, final int port, final String keys, final List<PortPlace> places) {
        this.file = file;
        this.port = port;
        this.state = file.add("port_state{" + keys + "}");
        this.in = file.add("port_queue_cells{" + keys + ",queue=\"in\"}");
        this.out = file.add("port_queue_cells{" + keys + ",queue=\"out\"}");
        final int destinations = places.size() <= MOST_PORTS ? places.size() : 0;
        this.held = new int[destinations];
        this.dropped = new int[destinations];
        for (int to = 0; to < destinations; to++) {
            final String labels = "{" + keys + ",to=\"" + places.get(to) + "\"}";
            held[to] = to == port ? -1 : file.add("port_held_cells" + labels);
            dropped[to] = to == port ? -1 : file.add("port_dropped_for" + labels);
        }
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            buckets[bucket] = file.add("port_latency_bucket{" + keys + ",le=\"" + LatencyBuckets.end(bucket) + "\"}");
        }
        this.sum = file.add("port_latency_sum_ns{" + keys + "}");
    }

    /** Number of counters of all ports. */
    static int counters(final int ports) {
        return ports * (OWN + LatencyBuckets.BUCKETS + 1 + (ports <= MOST_PORTS ? 2 * (ports - 1) : 0));
    }

    /** Writes state and queues; a port may have failed by its own word. The port's thread. */
    void onPort(final PacketEdges edges, final EdgeGauges gauges, final boolean isFailed) {
        file.set(state, isFailed || edges.failure(port) != null ? FAILED : edges.isUp(port) ? UP : DOWN);
        file.set(in, gauges.waitingCells(port));
        file.set(out, gauges.arrivedCells(port));
        for (int to = 0; to < held.length; to++) {
            if (to != port) {
                file.set(held[to], gauges.heldCells(port, to));
                file.set(dropped[to], edges.counts(port).droppedFor(to));
            }
        }
    }

    /** Writes latencies. The thread that watches the run. */
    void onLatency(final LatencyBuckets latency) {
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            file.set(buckets[bucket], latency.count(bucket));
        }
        file.set(sum, latency.sumNs());
    }
}
