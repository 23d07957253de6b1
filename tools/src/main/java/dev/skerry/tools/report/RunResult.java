package dev.skerry.tools.report;

import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Map;

/**
 * Everything a finished or interrupted run hands to its reports. Arrays are owned by the result and not changed.
 *
 * @param settings    what was run, in printing order: option name without dashes, value.
 * @param interrupted whether the run was stopped before its end; its files are then marked as partial.
 * @param totals      the sums and maxima of the whole run.
 * @param flows       the completed flows in order of completion.
 * @param nodes       the maxima of every endpoint.
 * @param timeline    delivered cells over time.
 * @param events      what else was counted and is not zero, named drops among it.
 * @param latency     slots from the sending of a cell at its source to its handling at its destination.
 */
public record RunResult(
    Map<String, String> settings,
    boolean interrupted,
    Totals totals,
    Flows flows,
    Nodes nodes,
    Timeline timeline,
    List<Event> events,
    Histogram latency) {

    /**
     * Something that happened in a run.
     *
     * @param name     its name in the summary, for example {@code droppedDamaged}.
     * @param sentence what is counted, in words.
     * @param count    how often.
     */
    public record Event(String name, String sentence, long count) {
    }

    /**
     * Sums and maxima over the run. Conservation: injected = delivered + held + dropped.
     *
     * @param endpoints          nodes that may send and receive.
     * @param slots              slots run.
     * @param propagationSlots   P.
     * @param cellsInjected      cells that left their source's flow.
     * @param cellsDelivered     cells that reached their destination.
     * @param cellsHeld          cells in queues and in flight at the end.
     * @param cellsDropped       cells lost under a name.
     * @param cellsCorrupted     cells that failed their check.
     * @param flowsStarted       flows whose start slot came.
     * @param flowsCompleted     flows whose last cell arrived.
     * @param maxQueueLength     longest send queue of one neighbour.
     * @param maxBufferOccupancy most cells queued at one node.
     * @param maxActiveBuckets   most buckets active at one node; 0 without hop-by-hop.
     * @param maxReorderCells    furthest a cell arrived behind the highest sequence number of its flow.
     * @param throughput         delivered cells per node of the schedule, slot and channel.
     * @param wallSeconds        time of the slots alone.
     * @param nodeSlotsPerSecond nodes times slots by {@code wallSeconds}.
     * @param linkSlotsPerSecond directions of links times slots by {@code wallSeconds}.
     * @param digest             64 bits over every delivery.
     * @param roofline           the time of a node-slot beside that of its cache lines; null if it was not measured.
     */
    public record Totals(
        int endpoints,
        long slots,
        int propagationSlots,
        long cellsInjected,
        long cellsDelivered,
        long cellsHeld,
        long cellsDropped,
        long cellsCorrupted,
        long flowsStarted,
        long flowsCompleted,
        int maxQueueLength,
        int maxBufferOccupancy,
        int maxActiveBuckets,
        int maxReorderCells,
        double throughput,
        double wallSeconds,
        double nodeSlotsPerSecond,
        double linkSlotsPerSecond,
        long digest,
        Roofline roofline) {
    }

    /**
     * Completed flows in order of completion (slot, then node), an index each.
     *
     * @param id              the user's flow id.
     * @param bytes           payload bytes.
     * @param cells           cells.
     * @param completionSlots slots from the start slot to the arrival of the last cell, propagation included.
     * @param startSlot       start slot.
     */
    public record Flows(long[] id, long[] bytes, int[] cells, long[] completionSlots, long[] startSlot) {
    }

    /**
     * The maximum each endpoint saw, indexed by user node id.
     *
     * @param bufferOccupancy most cells queued.
     * @param queueLength     longest send queue of one neighbour.
     * @param activeBuckets   most active buckets; all zero without hop-by-hop.
     */
    public record Nodes(int[] bufferOccupancy, int[] queueLength, int[] activeBuckets) {
    }

    /**
     * Cells delivered by the whole fabric in equal intervals; the last one may be shorter.
     *
     * @param intervalSlots slots of an interval.
     * @param delivered     cells delivered in each interval.
     */
    public record Timeline(long intervalSlots, long[] delivered) {
    }
}
