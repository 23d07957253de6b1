package dev.skerry.nic.flow;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.schedule.Population;

/**
 * Cells that reached their destination: counted into their flow, into the digest and into the statistics of delivery.
 *
 * <p>The digest is the sum of a hash of (slot, node, source, flow, sequence number) over all deliveries. As slot and
 * node are in every summand and a node gets one cell a slot, the sum stands for the list of deliveries in slot and node
 * order, and banks may add theirs up in any order. One thread.
 */
public final class DeliveryLedger {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final FlowSet flows;
    private final Population population;
    private final FlowTable table;
    private final PayloadStore store;
    private final SlotHistogram latency = new SlotHistogram();
    /** Nodes from which the cells of a row came, and a hash of each. */
    private final int[] source;
    private final long[] hash;
    private long delivered;
    private long completed;
    private long digest;
    private int maxReorder;

    public DeliveryLedger(final int nodes, final FlowSet flows, final Population population, final FlowTable table,
        final PayloadStore store) {
        this.flows = flows;
        this.population = population;
        this.table = table;
        this.store = store;
        this.source = new int[nodes];
        this.hash = new long[nodes];
    }

    /**
     * Takes a cell off the fabric.
     *
     * @param slot   the slot it is handled in.
     * @param node   the destination's id.
     * @param cell   the cell word that travelled.
     * @param age    slots since its source sent it.
     */
    public void deliver(final long slot, final int node, final long cell, final int age) {
        final long identity = store.deliver(cell);
        count(slot, identity);
        delivered++;
        latency.record(age);
        digest += CounterRandom.mix(arrival(slot, node)
            + origin(identity, population.nodeOf(flows.source(Cell.flow(identity)))));
    }

    /**
     * Takes cells off the fabric that reach their destinations in one slot.
     *
     * @param slot  the slot they are handled in.
     * @param count how many, each at another node.
     * @param nodes ids of their destinations.
     * @param cells the cell words that travelled; overwritten.
     * @param ages  slots since their sources sent them.
     */
    public void deliver(final long slot, final int count, final int[] nodes, final long[] cells, final int[] ages) {
        for (int i = 0; i < count; i++) {
            cells[i] = store.deliver(cells[i]);
        }
        for (int i = 0; i < count; i++) {
            count(slot, cells[i]);
            source[i] = population.nodeOf(flows.source(Cell.flow(cells[i])));
        }
        for (int i = 0; i < count; i++) {
            latency.record(ages[i]);
        }
        final long[] hash = this.hash;
        final int[] source = this.source;
        for (int i = 0; i < count; i++) {
            hash[i] = arrival(slot, nodes[i]);
        }
        for (int i = 0; i < count; i++) {
            hash[i] += origin(cells[i], source[i]);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += CounterRandom.mix(hash[i]);
        }
        delivered += count;
        digest += sum;
    }

    /** Counts a cell into its flow. */
    private void count(final long slot, final long identity) {
        final int flow = Cell.flow(identity);
        maxReorder = Math.max(maxReorder, table.arrive(flow, Cell.sequence(identity)));
        if (table.received(flow) == flows.cells(flow)) {
            table.complete(flow, slot);
            completed++;
        }
    }

    /** When and where a cell arrived; a delivery adds the hash of this and its {@link #origin} to the digest. */
    private static long arrival(final long slot, final int node) {
        return CounterRandom.mix(slot * GOLDEN + node);
    }

    /** Which cell it is, and from where. */
    private static long origin(final long identity, final int source) {
        return identity * GOLDEN + source;
    }

    /** Cells delivered. */
    public long delivered() {
        return delivered;
    }

    /** Flows whose last cell arrived. */
    public long completed() {
        return completed;
    }

    /** This bank's part of the digest. */
    public long digest() {
        return digest;
    }

    /** Furthest that a cell came behind the highest sequence number of its flow, in cells. */
    public int maxReorder() {
        return maxReorder;
    }

    /** Slots between the sending of a cell and its delivery. */
    public SlotHistogram latency() {
        return latency;
    }
}
