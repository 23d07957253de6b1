package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;

/**
 * Flows of Shoal §7.3: sizes after Pareto with shape 1.05 and a mean of 100 KB, arrivals after Poisson, each between
 * two nodes that are drawn (docs/spec/shoal.md §9.1). Immutable; any thread may call.
 *
 * @param nodes   N.
 * @param load    L, of 50 Gb/s a node: the mean time from a flow to the next is 100 KB / (L * 50 Gb/s * N).
 * @param payload bytes of a cell.
 * @param slotNs  of the fabric.
 */
record ParetoFlows(int nodes, double load, int payload, double slotNs) {
    /** Largest short flow. */
    static final long SHORT_BYTES = 100_000;
    /** Smallest long flow. */
    static final long LONG_BYTES = 1_000_000;
    static final double GBPS = 50;

    private static final double SHAPE = 1.05;
    private static final double MEAN_BYTES = 100e3;
    private static final double LEAST_BYTES = MEAN_BYTES * (SHAPE - 1) / SHAPE;
    private static final double MOST_BYTES = 1e9;
    private static final int GAP = 0;
    private static final int SIZE = 1;
    private static final int SOURCE = 2;
    private static final int DESTINATION = 3;
    private static final int SKEW = 4;

    /** Who sends to whom. */
    @FunctionalInterface
    interface Pairs {
        /** Every node to every other one, alike. */
        Pairs UNIFORM = (key, flow, nodes, end) -> CounterRandom.below(CounterRandom.bits(key, 0, flow, end), nodes);

        /** A node at one end of a flow; the second is drawn from one node less. */
        int node(long key, int flow, int nodes, int end);

        /** A share of the ends of flows among the first third of the nodes, the others anywhere in the rest. */
        static Pairs skewed(final double share) {
            return (key, flow, nodes, end) -> {
                final int third = nodes / 3;
                final boolean inside = uniform(key, flow, SKEW) <= share;
                final int drawn = CounterRandom.below(CounterRandom.bits(key, 0, flow, end),
                    inside ? third : nodes - third);
                return inside ? drawn : third + drawn;
            };
        }
    }

    /** Nanoseconds from a flow to the next, on average. */
    double gapNs() {
        return MEAN_BYTES * Byte.SIZE / (load * GBPS * nodes);
    }

    /**
     * Draws flows.
     *
     * @param count     how many arrive.
     * @param survivors nodes below this have failed; flows that touch them are left out.
     */
    FlowSet draw(final int count, final int survivors, final Pairs pairs, final long seed) {
        final long key = CounterRandom.mix(seed);
        final FlowSet flows = new FlowSet();
        double clock = 0;
        for (int flow = 0; flow < count; flow++) {
            clock -= StrictMath.log(uniform(key, flow, GAP)) * gapNs();
            final long bytes = (long) Math.min(MOST_BYTES,
                LEAST_BYTES / StrictMath.pow(uniform(key, flow, SIZE), 1 / SHAPE));
            final int from = pairs.node(key, flow, nodes, SOURCE);
            final int other = pairs.node(key, flow, nodes - 1, DESTINATION);
            final int to = other < from ? other : other + 1;
            if (from >= survivors && to >= survivors) {
                flows.add(flows.size(), from, to, bytes, (int) ((bytes - 1) / payload + 1), (long) (clock / slotNs));
            }
        }
        return flows;
    }

    /** In (0, 1]. */
    private static double uniform(final long key, final int flow, final int use) {
        return ((CounterRandom.bits(key, 0, flow, use) >>> 11) + 1) * 0x1p-53;
    }
}
