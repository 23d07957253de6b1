package dev.skerry.nic.count;

/**
 * What came of a run. Arrays belong to the reader.
 *
 * @param slots      slots run.
 * @param counts     a value for each {@link NicCounter}, by ordinal.
 * @param firstDrop  where the first cell was lost, null if none was.
 * @param cellsHeld  cells in queues and in flight at the end.
 * @param digest     64 bits over every delivery (slot, node, source, flow, sequence number).
 * @param maxReorder furthest a cell came behind the highest sequence number of its flow, in cells.
 * @param completed  completed flows, indices of the {@code FlowSet}, in order of completion slot, then node, then
 *                   index.
 * @param completedIn slot in which each of them was completed.
 * @param nodes      maxima of every endpoint.
 * @param timeline   cells delivered over time, by all banks.
 * @param latency    slots between sending and delivery of every cell.
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
    SlotHistogram latency) {

    /**
     * Where a cell was lost.
     *
     * @param slot slot it was handled in.
     * @param node the node that could not send it on.
     */
    public record Drop(long slot, int node) {
        /** The first of two drops, each null if there is none; in one slot the one at the lower node. */
        public static Drop first(final Drop one, final Drop other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return one.slot < other.slot || one.slot == other.slot && one.node < other.node ? one : other;
        }
    }

    /**
     * Maxima of every endpoint, indexed by user node id.
     *
     * @param bufferOccupancy most forwarded cells held.
     * @param queueLength     most cells in one send queue.
     * @param activeBuckets   most buckets active; 0 without hop-by-hop.
     */
    public record Nodes(int[] bufferOccupancy, int[] queueLength, int[] activeBuckets) {
    }

    /**
     * Cells delivered by the fabric in equal intervals, the last one perhaps cut short.
     *
     * @param intervalSlots slots of an interval.
     * @param cells         cells delivered in each.
     */
    public record DeliveredOverTime(long intervalSlots, long[] cells) {
    }

    /** The value of a counter. */
    public long count(final NicCounter counter) {
        return counts[counter.ordinal()];
    }

    /** Cells lost under any name. */
    public long dropped() {
        long sum = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            sum += count(drop);
        }
        return sum;
    }

    /**
     * Cells that were sent and will never arrive: what was dropped, less the copies that were sent of it. What is not
     * sent at all is {@link NicCounter#CELLS_NOT_SENT}; a copy that stays behind of a cell that did arrive counts there
     * too, and then here against it.
     */
    public long lost() {
        return dropped() - count(NicCounter.CELLS_RESENT) - count(NicCounter.CELLS_REFUSED)
            - count(NicCounter.CELLS_REROUTED);
    }
}
