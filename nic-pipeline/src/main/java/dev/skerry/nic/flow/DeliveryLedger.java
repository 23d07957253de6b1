package dev.skerry.nic.flow;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.schedule.Population;

/**
 * Accounts for the cells that reach their destination: in their flow, the digest and the delivery statistics.
 *
 * <p>The digest is the sum of a hash of (slot, node, source, flow, sequence number) over all deliveries. Every summand
 * contains slot and node, so the sum represents the complete list of deliveries, and banks may add their sums in any
 * order. One thread.
 */
public final class DeliveryLedger {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final FlowSet flows;
    private final Population population;
    private final FlowTable table;
    private final PayloadStore store;
    /** Null if no flow waits for others. */
    private final Releases releases;
    private final SlotHistogram latency = new SlotHistogram();
    private long delivered;
    private long lastSlot = -1;
    private long completed;
    private long digest;
    private int maxReorder;
    private long wakesIn;

    public DeliveryLedger(final FlowSet flows, final Population population, final FlowTable table,
        final PayloadStore store) {
        this.flows = flows;
        this.population = population;
        this.table = table;
        this.store = store;
        this.releases = table == null ? null : table.releases();
    }

    /**
     * Accounts for the delivery of one cell.
     *
     * @param slot the slot in which it is handled.
     * @param node the destination's id.
     * @param cell the cell word that travelled.
     * @param age  slots since its source sent it.
     * @return the identity of the cell, see {@link Cell}.
     */
    public long deliver(final long slot, final int node, final long cell, final int age) {
        final long identity = store.deliver(cell);
        count(slot, identity);
        delivered++;
        lastSlot = slot;
        latency.record(age);
        digest += CounterRandom.mix(arrival(slot, node)
            + origin(identity, population.nodeOf(flows.source(Cell.flow(identity)))));
        return identity;
    }

    private void count(final long slot, final long identity) {
        final int flow = Cell.flow(identity);
        maxReorder = Math.max(maxReorder, table.arrive(flow, Cell.sequence(identity)));
        if (table.received(flow) == flows.cells(flow)) {
            table.complete(flow, slot);
            completed++;
            if (releases != null && releases.completed(flow, slot) > 0) {
                wakesIn = slot + releases.noticeSlots();
            }
        }
    }

    /** The first slot, {@code slot} or later, in which another node may be notified of a flow that is complete here. */
    public long wakesIn(final long slot) {
        return wakesIn < slot ? Long.MAX_VALUE : wakesIn;
    }

    /**
     * Hash of the place and time of an arrival. A delivery adds the hash of this and of {@link #origin} to the digest.
     */
    private static long arrival(final long slot, final int node) {
        return CounterRandom.mix(slot * GOLDEN + node);
    }

    /** The cell's flow and sequence number, and its source. */
    private static long origin(final long identity, final int source) {
        return identity * GOLDEN + source;
    }

    /** Cells delivered so far. */
    public long delivered() {
        return delivered;
    }

    /** The slot of the last delivery, -1 if there was none. */
    public long lastSlot() {
        return lastSlot;
    }

    /** Flows whose last cell was delivered. */
    public long completed() {
        return completed;
    }

    /** This bank's part of the digest. */
    public long digest() {
        return digest;
    }

    /** Maximum reordering distance: how far, in cells, a cell was behind the highest sequence number of its flow. */
    public int maxReorder() {
        return maxReorder;
    }

    /** Slots from the sending of a cell to its delivery. */
    public SlotHistogram latency() {
        return latency;
    }
}
