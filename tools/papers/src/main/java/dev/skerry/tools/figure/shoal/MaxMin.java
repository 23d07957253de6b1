package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.flow.FlowSet;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Max-min fair rates of Shoal's flows over its virtual links, of one cell an epoch each: all subflows, one for every
 * relay, grow alike until a link that they cross is full; a flow's rate is the sum (docs/spec/shoal.md §9.3). One
 * thread.
 */
final class MaxMin {
    private static final int[] NONE = {};

    private final int nodes;
    private final double[] rates;
    /** Links that a subflow crosses, by flow and relay; empty once it grows no more, or does not exist. */
    private final int[][] crossed;
    /** By link: subflows that cross it. */
    private final int[][] users;
    /** By link: what subflows take of it that grow no more. */
    private final double[] taken;
    /** By link: its subflows that still grow. */
    private final int[] growing;
    private final PriorityQueue<Full> next = new PriorityQueue<>(Comparator.comparingDouble(Full::rate));

    /** A link is full when its growing subflows have this rate. */
    private record Full(double rate, int link) {
    }

    MaxMin(final FlowSet flows, final int nodes) {
        this.nodes = nodes;
        this.rates = new double[flows.size()];
        this.crossed = new int[flows.size() * nodes][];
        this.users = new int[nodes * nodes][];
        this.taken = new double[nodes * nodes];
        this.growing = new int[nodes * nodes];
        for (int flow = 0; flow < flows.size(); flow++) {
            final int from = flows.source(flow);
            final int to = flows.destination(flow);
            for (int relay = 0; relay < nodes; relay++) {
                crossed[flow * nodes + relay] = relay == from ? NONE
                    : relay == to ? new int[] {from * nodes + to}
                    : new int[] {from * nodes + relay, relay * nodes + to};
            }
        }
        for (final int[] links : crossed) {
            for (final int link : links) {
                growing[link]++;
            }
        }
        final int[] filled = new int[nodes * nodes];
        for (int link = 0; link < users.length; link++) {
            users[link] = new int[growing[link]];
        }
        for (int subflow = 0; subflow < crossed.length; subflow++) {
            for (final int link : crossed[subflow]) {
                users[link][filled[link]++] = subflow;
            }
        }
    }

    /** The rates in cells an epoch; asked once. */
    double[] rates() {
        for (int link = 0; link < users.length; link++) {
            await(link);
        }
        while (!next.isEmpty()) {
            final Full full = next.poll();
            if (growing[full.link] > 0 && full.rate == rate(full.link)) {
                for (final int subflow : users[full.link]) {
                    stop(subflow, full);
                }
            }
        }
        return rates;
    }

    private double rate(final int link) {
        return (1 - taken[link]) / growing[link];
    }

    private void await(final int link) {
        if (growing[link] > 0) {
            next.add(new Full(rate(link), link));
        }
    }

    private void stop(final int subflow, final Full full) {
        final int[] links = crossed[subflow];
        rates[subflow / nodes] += links.length > 0 ? full.rate : 0;
        for (final int link : links) {
            taken[link] += full.rate;
            growing[link]--;
            if (link != full.link) {
                await(link);
            }
        }
        crossed[subflow] = NONE;
    }
}
