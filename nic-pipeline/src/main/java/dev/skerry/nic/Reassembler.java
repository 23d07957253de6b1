package dev.skerry.nic;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;

/**
 * Cells that reached their destination: counted into their flow, into the digest and into the statistics of delivery.
 * Shared by all banks is only the table of flows, where a flow's record belongs to the bank of its destination.
 *
 * <pre>
 *   one flow, at its destination
 *   0          4           8              16
 *   +----------+-----------+--------------+
 *   | received | highest+1 | completed in |    the slot its last cell was handled in plus 1; 0: not yet
 *   +----------+-----------+--------------+
 * </pre>
 *
 * The digest is the sum of a hash of (slot, node, source, flow, sequence number) over all deliveries. As slot and node
 * are in every summand and a node gets one cell a slot, the sum stands for the list of deliveries in slot and node
 * order, and banks may add theirs up in any order. One thread.
 */
final class Reassembler {
    /** Ints of a record. */
    private static final int RECEIVED = 0;
    private static final int HIGHEST = 1;
    /** A long of it. */
    private static final int COMPLETED = 1;
    private static final int FLOW_BYTES = 16;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final FlowSet flows;
    private final Population population;
    private final Region flow;
    private final CellStore store;
    private final SlotHistogram latency = new SlotHistogram();
    /** Nodes from which the cells of a block came. */
    private final int[] source = new int[CellBatch.CELLS];
    private long delivered;
    private long completed;
    private long digest;
    private int maxReorder;

    Reassembler(final FlowSet flows, final Population population, final Region flowTable, final CellStore store) {
        this.flows = flows;
        this.population = population;
        this.flow = flowTable;
        this.store = store;
    }

    /** The table of flows that the banks of a run share. */
    static Region flowTable(final Arena arena, final int flows) {
        return Region.allocate(arena, flowTableBytes(flows));
    }

    /** Memory of the table of flows. */
    static long flowTableBytes(final int flows) {
        return (long) flows * FLOW_BYTES;
    }

    /**
     * Takes a cell off the fabric.
     *
     * @param slot   the slot it is handled in.
     * @param node   the destination's id.
     * @param cell   the cell word that travelled.
     * @param age    slots since its source sent it.
     */
    void deliver(final long slot, final int node, final long cell, final int age) {
        final long identity = store.close(cell);
        count(slot, identity);
        delivered++;
        latency.record(age);
        digest += digest(slot, node, identity, population.nodeOf(flows.source(Cell.flow(identity))));
    }

    /**
     * Takes cells off the fabric that reach their destinations in one slot.
     *
     * @param slot  the slot they are handled in.
     * @param count how many, at most {@link CellBatch#CELLS}, each at another node.
     * @param nodes ids of their destinations.
     * @param cells the cell words that travelled; overwritten.
     * @param ages  slots since their sources sent them.
     */
    void deliver(final long slot, final int count, final int[] nodes, final long[] cells, final int[] ages) {
        for (int i = 0; i < count; i++) {
            cells[i] = store.close(cells[i]);
        }
        for (int i = 0; i < count; i++) {
            count(slot, cells[i]);
            source[i] = population.nodeOf(flows.source(Cell.flow(cells[i])));
        }
        for (int i = 0; i < count; i++) {
            latency.record(ages[i]);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += digest(slot, nodes[i], cells[i], source[i]);
        }
        delivered += count;
        digest += sum;
    }

    /** Counts a cell into its flow. */
    private void count(final long slot, final long identity) {
        final int index = Cell.flow(identity);
        final int sequence = Cell.sequence(identity);
        final long at = Region.offset(index, FLOW_BYTES);
        final int received = flow.getInt(at, RECEIVED) + 1;
        final int highest = flow.getInt(at, HIGHEST);
        flow.setInt(at, RECEIVED, received);
        flow.setInt(at, HIGHEST, Math.max(highest, sequence + 1));
        maxReorder = Math.max(maxReorder, highest - 1 - sequence);
        if (received == flows.cells(index)) {
            flow.setLong(at, COMPLETED, slot + 1);
            completed++;
        }
    }

    /** What a delivery adds to the digest. */
    private static long digest(final long slot, final int node, final long identity, final int source) {
        return CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + node) + identity * GOLDEN + source);
    }

    /** Cells delivered. */
    long delivered() {
        return delivered;
    }

    /** Flows whose last cell arrived. */
    long completed() {
        return completed;
    }

    /** This bank's part of the digest. */
    long digest() {
        return digest;
    }

    /** Furthest that a cell came behind the highest sequence number of its flow, in cells. */
    int maxReorder() {
        return maxReorder;
    }

    /** Slots between the sending of a cell and its delivery. */
    SlotHistogram latency() {
        return latency;
    }

    /** The slot after the one in which the last cell of a flow was handled, 0 if it is not complete. */
    static long completedBefore(final Region flowTable, final int flow) {
        return flowTable.getLong(Region.offset(flow, FLOW_BYTES), COMPLETED);
    }
}
