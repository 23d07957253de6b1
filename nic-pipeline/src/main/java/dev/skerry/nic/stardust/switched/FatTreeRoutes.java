package dev.skerry.nic.stardust.switched;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;

/**
 * A fat tree of switches with k ports: k³/4 hosts, k/2 at each edge switch, full bisection. Each direction of a
 * connection takes one of the shortest ways, drawn by a hash (ECMP). All links have one rate.
 *
 * <pre>
 *   ports, k³/4 of each:  host to edge | edge to host | edge to aggregation | aggregation to edge |
 *                         aggregation to core | core to aggregation
 * </pre>
 */
public final class FatTreeRoutes implements Routes {
    private final int half;
    private final int hosts;
    private final double bytesPerSlot;
    private final int[][] paths;

    /**
     * Draws the way of every connection.
     *
     * @param radix    k, even.
     * @param subflows connections of each flow, numbered flow times subflows and on.
     */
    public FatTreeRoutes(final int radix, final double bytesPerSlot, final FlowSet flows, final int subflows,
        final long seed) {
        if (radix < 2 || radix % 2 != 0) {
            throw new IllegalArgumentException("a fat tree has switches with an even number of ports: radix=" + radix);
        }
        this.half = radix / 2;
        this.hosts = half * half * radix;
        this.bytesPerSlot = bytesPerSlot;
        this.paths = new int[2 * flows.size() * subflows][];
        for (int path = 0; path < paths.length; path++) {
            final int flow = path / 2 / subflows;
            final long hash = CounterRandom.mix(CounterRandom.mix(seed) + path) >>> 1;
            paths[path] = path % 2 == 0 ? way(flows.source(flow), flows.destination(flow), hash)
                : way(flows.destination(flow), flows.source(flow), hash);
        }
    }

    private int[] way(final int from, final int to, final long hash) {
        final int edge = from / half;
        final int last = to / half;
        if (edge == last) {
            return new int[]{from, hosts + to};
        }
        final int up = (int) (hash % half);
        final int core = (int) (hash / half % half);
        final int pod = edge / half;
        final int lastPod = last / half;
        final int edgeUp = 2 * hosts + edge * half + up;
        final int down = 3 * hosts + (lastPod * half + up) * half + last % half;
        return pod == lastPod ? new int[]{from, edgeUp, down, hosts + to}
            : new int[]{from, edgeUp, 4 * hosts + (pod * half + up) * half + core,
                5 * hosts + (up * half + core) * 2 * half + lastPod, down, hosts + to};
    }

    /** Hosts of the tree. */
    public int hosts() {
        return hosts;
    }

    @Override
    public int ports() {
        return 6 * hosts;
    }

    @Override
    public double bytesPerSlot(final int port) {
        return bytesPerSlot;
    }

    @Override
    public boolean isHost(final int port) {
        return port < hosts;
    }

    @Override
    public int[] path(final int connection, final boolean ack) {
        return paths[2 * connection + (ack ? 1 : 0)];
    }
}
