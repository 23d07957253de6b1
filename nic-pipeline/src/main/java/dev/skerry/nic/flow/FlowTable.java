package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Arrivals of each flow at its destination. All banks of a run share the table, but a record belongs to the bank of the
 * flow's destination. Records are in order of destinations, so two threads write to the same cache line only at the
 * boundary of their banks; those of an open set, which one thread runs, are in order of flows.
 *
 * <pre>
 *   one flow
 *   0          4           8              16
 *   +----------+-----------+--------------+
 *   | received | highest+1 | completed in |    slot in which its last cell was handled, plus 1; 0 before
 *   +----------+-----------+--------------+
 * </pre>
 */
public final class FlowTable {
    /** Offset in ints. */
    private static final int RECEIVED = 0;
    private static final int HIGHEST = 1;
    /** Offset in longs. */
    private static final int COMPLETED = 1;
    private static final int FLOW_BYTES = 16;

    private final Region records;
    /** Number of each flow's record. */
    private final int[] record;
    private final FlowSet flows;
    /** Releases flows that wait for others; null if there are none. */
    private final Releases releases;

    /** Creates the table of a node that is stepped alone, with nothing received. */
    public FlowTable(final Arena arena, final FlowSet flows) {
        this(arena, flows, null, 0);
        if (flows.waits() != null) {
            throw new IllegalArgumentException("flows that wait for others require a whole fabric");
        }
    }

    /**
     * Creates the table with nothing received.
     *
     * @param population  nodes of the fabric.
     * @param noticeSlots slots after which all nodes know that a flow is complete.
     */
    public FlowTable(final Arena arena, final FlowSet flows, final Population population, final long noticeSlots) {
        this.flows = flows;
        this.releases = flows.waits() == null ? null : new Releases(flows, population, noticeSlots);
        this.records = Region.allocate(arena, bytes(flows.places()));
        this.record = new int[flows.places()];
        if (flows.isOpen()) {
            Arrays.setAll(record, flow -> flow);
        } else {
            sort();
        }
    }

    private void sort() {
        int endpoints = 0;
        for (int flow = 0; flow < record.length; flow++) {
            endpoints = Math.max(endpoints, flows.destination(flow) + 1);
        }
        final int[] next = new int[endpoints + 1];
        for (int flow = 0; flow < record.length; flow++) {
            next[flows.destination(flow) + 1]++;
        }
        for (int endpoint = 0; endpoint < endpoints; endpoint++) {
            next[endpoint + 1] += next[endpoint];
        }
        for (int flow = 0; flow < record.length; flow++) {
            record[flow] = next[flows.destination(flow)]++;
        }
    }

    /** The flows. */
    FlowSet flows() {
        return flows;
    }

    /** Releases flows that wait for others; null if there are none. */
    public Releases releases() {
        return releases;
    }

    /** Off-heap memory in bytes. */
    public static long bytes(final int flows) {
        return (long) flows * FLOW_BYTES;
    }

    /**
     * Accounts for the arrival of a cell. Called by the thread of its destination.
     *
     * @return its distance, in cells, behind the highest sequence number of its flow so far; negative if it is the
     *     highest.
     */
    int arrive(final int flow, final int sequence) {
        final long at = Region.offset(record[flow], FLOW_BYTES);
        final int highest = records.getInt(at, HIGHEST);
        records.setInt(at, RECEIVED, records.getInt(at, RECEIVED) + 1);
        records.setInt(at, HIGHEST, Math.max(highest, sequence + 1));
        return highest - 1 - sequence;
    }

    /** Records the arrival of a flow's last cell. Called by the thread of its destination. */
    void complete(final int flow, final long slot) {
        records.setLong(Region.offset(record[flow], FLOW_BYTES), COMPLETED, slot + 1);
    }

    /** Cells of a flow that have arrived. */
    public int received(final int flow) {
        return records.getInt(Region.offset(record[flow], FLOW_BYTES), RECEIVED);
    }

    /** The slot after the one in which the last cell of a flow was handled; 0 before. */
    public long completedBefore(final int flow) {
        return records.getLong(Region.offset(record[flow], FLOW_BYTES), COMPLETED);
    }
}
