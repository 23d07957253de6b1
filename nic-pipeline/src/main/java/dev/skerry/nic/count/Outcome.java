package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * The result of a run. The arrays belong to the reader.
 *
 * @param slots       slots run.
 * @param counts      value of each {@link NicCounter}, by ordinal.
 * @param firstDrop   where the first cell was lost; null if none was.
 * @param cellsHeld   cells in queues and in flight at the end.
 * @param digest      64 bits over every delivery (slot, node, source, flow, sequence number).
 * @param maxReorder  maximum reordering distance: how far, in cells, a cell was behind the highest sequence number of
 * its flow.
 * @param completed   completed flows, indices of the {@code FlowSet}, ordered by completion slot, then node, then
 *                    index.
 * @param completedIn slot in which each of them completed.
 * @param nodes       maxima of every endpoint.
 * @param timeline    cells delivered over time, by all banks.
 * @param latency     slots from the sending to the delivery of every cell.
 * @param sampled     further samples of the fabric; null if there are none.
 */
public record Outcome(
    long slots,
    long[] counts,
    Drop firstDrop,
    long cellsHeld,
    long digest,
    int maxReorder,
    int[] completed,
    long[] completedIn,
    Nodes nodes,
    DeliveredOverTime timeline,
    SlotHistogram latency,
    Sampled sampled) {

    /**
     * Samples that only some fabrics take.
     *
     * @param queueLengths number of samples by queue length.
     * @param parkedCells  maximum number of cells of one source that waited at one destination for an earlier cell; -1
     *                     if not counted.
     * @param dummies      turns in which nodes sent a header only; -1 if not counted.
     */
    public record Sampled(long[] queueLengths, int parkedCells, long dummies) {
        /** The combined samples of two banks; null for a bank without samples. */
        public static Sampled merged(final Sampled one, final Sampled other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            final long[] lengths = one.queueLengths.clone();
            for (int length = 0; length < lengths.length; length++) {
                lengths[length] += other.queueLengths[length];
            }
            return new Sampled(lengths, Math.max(one.parkedCells, other.parkedCells),
                Math.min(one.dummies, other.dummies) < 0 ? -1 : one.dummies + other.dummies);
        }

        /** The shortest length that more than a fraction {@code share} of the samples do not exceed. */
        public int quantile(final double share) {
            final double wanted = share * Arrays.stream(queueLengths).sum();
            long sum = 0;
            int length = 0;
            while (length < queueLengths.length - 1 && (sum += queueLengths[length]) <= wanted) {
                length++;
            }
            return length;
        }

        /** The maximum length in the samples. */
        public int longest() {
            int length = queueLengths.length - 1;
            while (length > 0 && queueLengths[length] == 0) {
                length--;
            }
            return length;
        }
    }

    /**
     * The location of a lost cell.
     *
     * @param slot slot in which the node handled the cell.
     * @param node the node that lost it.
     */
    public record Drop(long slot, int node) {
        /** The first of two drops, each null if there is none; in the same slot, the one at the lower node. */
        public static Drop first(final Drop one, final Drop other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return one.slot < other.slot || one.slot == other.slot && one.node < other.node ? one : other;
        }
    }

    /**
     * Maxima of every endpoint, by its number, followed by those of every filler.
     *
     * @param bufferOccupancy maximum number of forwarded cells held.
     * @param queueLength     maximum number of cells in one send queue.
     * @param activeBuckets   maximum number of active buckets; 0 without hop-by-hop.
     */
    public record Nodes(int[] bufferOccupancy, int[] queueLength, int[] activeBuckets) {
    }

    /**
     * Cells delivered by the fabric in equal intervals. The last interval may be shorter.
     *
     * @param intervalSlots slots per interval.
     * @param cells         cells delivered in each interval.
     */
    public record DeliveredOverTime(long intervalSlots, long[] cells) {
    }

    public long count(final NicCounter counter) {
        return counts[counter.ordinal()];
    }

    /** Number of lost cells, over all drop counters. */
    public long dropped() {
        return NicCounter.DROPS.stream().mapToLong(this::count).sum();
    }
}
