package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;

/**
 * Max-min fair rates of Shoal's flows over its virtual links, of one cell an epoch each: all subflows, one for every
 * relay, grow alike until a link that they cross is full; a flow's rate is the sum (docs/spec/shoal.md §9.3). One
 * thread.
 */
final class MaxMin {
    private static final double FULL = 1e-9;

    private final int nodes;
    private final double[] rates;
    /** Links that a subflow crosses, by flow and relay; null once it is full, or does not exist. */
    private final int[][] crossed;
    private final double[] room;

    MaxMin(final FlowSet flows, final int nodes) {
        this.nodes = nodes;
        this.rates = new double[flows.size()];
        this.crossed = new int[flows.size() * nodes][];
        this.room = new double[nodes * nodes];
        for (int flow = 0; flow < flows.size(); flow++) {
            final int from = flows.source(flow);
            final int to = flows.destination(flow);
            for (int relay = 0; relay < nodes; relay++) {
                crossed[flow * nodes + relay] = relay == from ? null
                    : relay == to ? new int[] {from * nodes + to}
                    : new int[] {from * nodes + relay, relay * nodes + to};
            }
        }
        Arrays.fill(room, 1);
    }

    /** The rates in cells an epoch. */
    double[] rates() {
        boolean growing = true;
        while (growing) {
            growing = grow();
        }
        return rates;
    }

    private boolean grow() {
        final int[] users = new int[room.length];
        boolean any = false;
        for (final int[] links : crossed) {
            for (int i = 0; links != null && i < links.length; i++) {
                users[links[i]]++;
                any = true;
            }
        }
        double least = 1;
        for (int link = 0; link < room.length; link++) {
            least = users[link] > 0 ? Math.min(least, room[link] / users[link]) : least;
        }
        for (int link = 0; link < room.length; link++) {
            room[link] -= least * users[link];
        }
        for (int subflow = 0; any && subflow < crossed.length; subflow++) {
            if (crossed[subflow] != null) {
                rates[subflow / nodes] += least;
                for (int i = 0; crossed[subflow] != null && i < crossed[subflow].length; i++) {
                    crossed[subflow] = room[crossed[subflow][i]] < FULL ? null : crossed[subflow];
                }
            }
        }
        return any;
    }
}
