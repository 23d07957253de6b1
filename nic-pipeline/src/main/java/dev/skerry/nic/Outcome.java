package dev.skerry.nic;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What came of a run. Arrays belong to the reader.
 *
 * @param slots      slots run.
 * @param counts     a value for each {@link NicCounter}, by ordinal.
 * @param firstDrop  where the first cell was lost, null if none was.
 * @param cellsHeld  cells in queues and in flight at the end.
 * @param digest     64 bits over every delivery (slot, node, source, flow, sequence number).
 * @param maxReorder furthest a cell came behind the highest sequence number of its flow, in cells.
 * @param completed  completed flows, indices of the {@link FlowSet}, in order of completion slot, then node, then
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

    static Outcome of(final Fabric fabric, final FlowSet flows, final FlowTable flowTable, final Bank[] banks,
        final Timeline[] timelines, final long slots, final long held) {
        final long[] counts = new long[NicCounter.values().length];
        final SlotHistogram latency = new SlotHistogram();
        long digest = 0;
        int maxReorder = 0;
        Drop firstDrop = null;
        for (final Bank bank : banks) {
            for (final NicCounter counter : NicCounter.values()) {
                counts[counter.ordinal()] += bank.count(counter);
            }
            final Drop drop = bank.firstDrop();
            if (drop != null && (firstDrop == null || drop.slot() < firstDrop.slot())) {
                firstDrop = drop;
            }
            final Reassembler reassembler = bank.reassembler();
            digest += reassembler.digest();
            maxReorder = Math.max(maxReorder, reassembler.maxReorder());
            latency.add(reassembler.latency());
        }
        final int[] completed = inOrderOfCompletion(fabric.population(), flows, flowTable);
        final long[] completedIn = new long[completed.length];
        for (int i = 0; i < completed.length; i++) {
            completedIn[i] = flowTable.completedBefore(completed[i]) - 1;
        }
        return new Outcome(slots, counts, firstDrop, held, digest, maxReorder, completed, completedIn,
            nodes(fabric.population(), banks), merged(timelines), latency);
    }

    /** By slot, then node, then index: a node with several channels may complete several flows in a slot. */
    private static int[] inOrderOfCompletion(final Population population, final FlowSet flows,
        final FlowTable flowTable) {
        final long[][] keys = new long[flows.size()][];
        int count = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final long before = flowTable.completedBefore(flow);
            if (before > 0) {
                keys[count++] = new long[] {before, population.nodeOf(flows.destination(flow)), flow};
            }
        }
        Arrays.sort(keys, 0, count, (a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
        final int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = (int) keys[i][2];
        }
        return order;
    }

    private static Nodes nodes(final Population population, final Bank[] banks) {
        final int endpoints = population.endpoints();
        final Nodes nodes = new Nodes(new int[endpoints], new int[endpoints], new int[endpoints]);
        for (final Bank bank : banks) {
            for (int node = 0; node < bank.range().size(); node++) {
                final int endpoint = population.endpointOf(bank.range().first() + node);
                if (endpoint >= 0) {
                    nodes.bufferOccupancy[endpoint] = bank.maxima().maxHeld(node);
                    nodes.queueLength[endpoint] = bank.maxima().maxQueue(node);
                    nodes.activeBuckets[endpoint] = bank.maxActiveBuckets(node);
                }
            }
        }
        return nodes;
    }

    private static DeliveredOverTime merged(final Timeline[] timelines) {
        final long[] cells = timelines[0].delivered();
        for (int w = 1; w < timelines.length; w++) {
            final long[] more = timelines[w].delivered();
            for (int i = 0; i < more.length; i++) {
                cells[i] += more[i];
            }
        }
        return new DeliveredOverTime(timelines[0].intervalSlots(), cells);
    }
}
