package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * What has come of each flow at its destination. The banks of a run share it, but each of its records belongs to the
 * bank of the flow's destination: they lie in the order of destinations, so that two threads do not write to one cache
 * line, but for the one where their banks meet.
 *
 * <pre>
 *   one flow
 *   0          4           8              16
 *   +----------+-----------+--------------+
 *   | received | highest+1 | completed in |    the slot its last cell was handled in plus 1; 0: not yet
 *   +----------+-----------+--------------+
 * </pre>
 */
public final class FlowTable {
    /** Ints of a record. */
    private static final int RECEIVED = 0;
    private static final int HIGHEST = 1;
    /** A long of it. */
    private static final int COMPLETED = 1;
    private static final int FLOW_BYTES = 16;

    private final Region records;
    /** By flow, the number of its record. */
    private final int[] record;

    /** Nothing has come yet. */
    public FlowTable(final Arena arena, final FlowSet flows) {
        this.records = Region.allocate(arena, bytes(flows.size()));
        this.record = new int[flows.size()];
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

    /** Off-heap memory in bytes. */
    public static long bytes(final int flows) {
        return (long) flows * FLOW_BYTES;
    }

    /**
     * A cell has come. The thread of its destination.
     *
     * @return how far it came behind the highest sequence number of its flow so far; below 0 if it is the highest.
     */
    int arrive(final int flow, final int sequence) {
        final long at = Region.offset(record[flow], FLOW_BYTES);
        final int highest = records.getInt(at, HIGHEST);
        records.setInt(at, RECEIVED, records.getInt(at, RECEIVED) + 1);
        records.setInt(at, HIGHEST, Math.max(highest, sequence + 1));
        return highest - 1 - sequence;
    }

    /** The last cell of a flow has come. The thread of its destination. */
    void complete(final int flow, final long slot) {
        records.setLong(Region.offset(record[flow], FLOW_BYTES), COMPLETED, slot + 1);
    }

    /** Cells of a flow that have come. */
    public int received(final int flow) {
        return records.getInt(Region.offset(record[flow], FLOW_BYTES), RECEIVED);
    }

    /** The slot after the one in which the last cell of a flow was handled, 0 if it is not complete. */
    public long completedBefore(final int flow) {
        return records.getLong(Region.offset(record[flow], FLOW_BYTES), COMPLETED);
    }
}
