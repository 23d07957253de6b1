package dev.skerry.tools.report;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The results of a finished or interrupted run for its reports. The arrays belong to the result and must not be
 * changed.
 *
 * @param settings    settings of the run in printing order: option name without dashes, value.
 * @param terms       conversion of cells and slots to bytes and time.
 * @param interrupted whether the run was stopped before its end; its files are then marked as partial.
 * @param totals      sums and maxima of the whole run.
 * @param flows       completed flows in order of completion.
 * @param nodes       maxima of every endpoint.
 * @param timeline    delivered cells over time.
 * @param events      all other non-zero counts, including drops by cause and the results of each traffic class; every
 *     report prints all of them.
 * @param latency     slots from the sending of a cell at its source to its processing at its destination.
 * @param sampled     values that only some fabrics sample; every report prints all of them.
 * @param measured    flows that count for the percentiles, and the offered and delivered load.
 */
public record RunResult(Map<String, String> settings, Terms terms, boolean interrupted, Totals totals, Flows flows,
    Nodes nodes, Timeline timeline, List<Measure> events, Histogram latency, List<Measure> sampled, Measured measured) {
    private static final String CELLS = "cells";
    private static final int LATENCY_DIGITS = 3;
    private static final Pattern WORD = Pattern.compile("_(.)");
    private static final Set<NicCounter> IN_TOTALS = EnumSet.of(NicCounter.CELLS_INJECTED, NicCounter.CELLS_DELIVERED,
        NicCounter.CELLS_FORWARDED, NicCounter.FLOWS_STARTED, NicCounter.FLOWS_COMPLETED);
    /** Reports mention the slots after the last flow if they are at least a tenth of the window. */
    private static final int IDLE = 10;

    /**
     * Collects the result of a run.
     *
     * @param settings    settings of the run: option name without dashes, value.
     * @param terms       conversion of cells and slots to bytes and time.
     * @param interrupted whether the run was stopped before its end.
     * @param fabric      fabric of the run.
     * @param flows       flows of the run.
     * @param outcome     outcome of the run.
     * @param seconds     wall time of the slots in seconds.
     * @param measured    flows that count.
     */
    public static RunResult of(final Map<String, String> settings, final Terms terms,
        final boolean interrupted, final Fabric fabric, final FlowSet flows, final Outcome outcome,
        final double seconds, final Measured measured) {
        final long delivered = outcome.count(NicCounter.CELLS_DELIVERED);
        final double nodeSlots = (double) fabric.nodes() * outcome.slots();
        final Outcome.Nodes nodes = outcome.nodes();
        final Totals totals = new Totals(
            fabric.population().endpoints(),
            outcome.slots(),
            fabric.propagationSlots(),
            outcome.count(NicCounter.CELLS_INJECTED),
            delivered,
            outcome.cellsHeld(),
            outcome.dropped(),
            outcome.count(NicCounter.CELLS_DAMAGED),
            outcome.count(NicCounter.FLOWS_STARTED),
            outcome.count(NicCounter.FLOWS_COMPLETED),
            max(nodes.queueLength()),
            max(nodes.bufferOccupancy()),
            max(nodes.activeBuckets()),
            outcome.maxReorder(),
            nodeSlots == 0 ? 0 : delivered / (nodeSlots * fabric.channels()),
            seconds,
            seconds == 0 ? 0 : nodeSlots / seconds,
            seconds == 0 ? 0 : (double) fabric.directedLinks() * outcome.slots() / seconds,
            outcome.digest());
        return new RunResult(settings, terms, interrupted, totals, flows(flows, outcome),
            new Nodes(nodes.bufferOccupancy(), nodes.queueLength(), nodes.activeBuckets()),
            new Timeline(outcome.timeline().intervalSlots(), outcome.timeline().cells()),
            Stream.of(events(outcome), control(fabric, outcome),
                classes(flows, outcome, fabric.propagationSlots())).flatMap(all -> all).toList(),
            latency(outcome),
            sampled(outcome.sampled()),
            measured);
    }

    private static List<Measure> sampled(final Outcome.Sampled sampled) {
        if (sampled == null) {
            return List.of();
        }
        return List.of(
            new Measure("queueP90", CELLS, sampled.quantile(0.9), "length of queues at their turns: 90 % have at most"),
            new Measure("queueP95", CELLS, sampled.quantile(0.95), "95 % have at most"),
            new Measure("queueP99", CELLS, sampled.quantile(0.99), "99 % have at most"),
            new Measure("queueP999", CELLS, sampled.quantile(0.999), "99.9 % have at most"),
            new Measure("queueMax", CELLS, sampled.longest(), "all have at most"),
            sampled.parkedCells() < 0 ? new Measure("maxParkedCells", CELLS, null, null)
                : new Measure("maxParkedCells", CELLS, sampled.parkedCells(), "parked until an earlier one arrived: "
                    + "at most"),
            new Measure("dummiesSent", CELLS, sampled.dummies() < 0 ? null : sampled.dummies(),
                sampled.dummies() < 0 ? null : "dummies sent: headers of turns without a cell"));
    }

    /** Returns the counts that are not part of the totals. */
    private static Stream<Measure> events(final Outcome outcome) {
        return Arrays.stream(NicCounter.values())
            .filter(counter -> !IN_TOTALS.contains(counter) && outcome.count(counter) > 0)
            .map(counter -> new Measure(nameOf(counter), "", outcome.count(counter), counter.sentence()));
    }

    private static Stream<Measure> control(final Fabric fabric, final Outcome outcome) {
        final long bytes = outcome.count(NicCounter.CONTROL_BYTES);
        return bytes == 0 ? Stream.empty() : Stream.of(new Measure("controlShare", "",
            fabric.controlShare(bytes, outcome.slots()), "of the link bandwidth was used by control messages"));
    }

    /** Returns the results of each traffic class; none if all flows are in one class. */
    private static Stream<Measure> classes(final FlowSet flows, final Outcome outcome, final int propagationSlots) {
        final List<Measure> measures = new ArrayList<>();
        final int classes = flows.classes();
        final long[] completed = new long[classes];
        final long[] cells = new long[classes];
        final double[] normalised = new double[classes];
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            final int of = flows.trafficClass(flow);
            completed[of]++;
            cells[of] += flows.cells(flow);
            normalised[of] += (outcome.completedIn()[i] + 1.0 - flows.startSlot(flow))
                / ((double) flows.cells(flow) + propagationSlots);
        }
        for (int of = 0; classes > 1 && of < classes; of++) {
            final String name = "class" + of;
            measures.add(new Measure(name + "FlowsCompleted", "flows", completed[of],
                "flows completed in class " + of));
            measures.add(new Measure(name + "Cells", "cells", cells[of], "cells of completed flows in class " + of));
            if (completed[of] > 0) {
                measures.add(new Measure(name + "MeanCompletion", "times the least", normalised[of] / completed[of],
                    "mean completion in class " + of));
            }
        }
        return measures.stream();
    }

    private static String nameOf(final NicCounter counter) {
        return WORD.matcher(counter.name().toLowerCase(Locale.ROOT)).replaceAll(word ->
            word.group(1).toUpperCase(Locale.ROOT));
    }

    private static Flows flows(final FlowSet flows, final Outcome outcome) {
        final int count = outcome.completed().length;
        final Flows done = new Flows(new long[count], new long[count], new int[count],
            new long[count], new long[count]);
        for (int i = 0; i < count; i++) {
            final int flow = outcome.completed()[i];
            done.id()[i] = flows.id(flow);
            done.bytes()[i] = flows.bytes(flow);
            done.cells()[i] = flows.cells(flow);
            done.startSlot()[i] = flows.startSlot(flow);
            done.completionSlots()[i] = outcome.completedIn()[i] + 1 - flows.startSlot(flow);
        }
        return done;
    }

    private static Histogram latency(final Outcome outcome) {
        final Histogram histogram = new Histogram(LATENCY_DIGITS);
        outcome.latency().forEach(histogram::recordValueWithCount);
        return histogram;
    }

    private static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    /**
     * Returns the numbers of the run in the order of the JSON summary. Every report prints all of them; a report
     * without a special place for a number prints it after the others.
     */
    public List<Measure> measures() {
        return Stream.of(ofTotals(), sampled.stream(), ofMeasured()).flatMap(all -> all).toList();
    }

    private Stream<Measure> ofTotals() {
        return Stream.of(
            new Measure("slots", "slots", totals.slots, null),
            new Measure("cellsDelivered", CELLS, totals.cellsDelivered, "cells delivered"),
            new Measure("throughput", CELLS, throughput(), null),
            new Measure("flowsStarted", "flows", totals.flowsStarted, "flows started"),
            new Measure("flowsCompleted", "flows", totals.flowsCompleted, "flows completed"),
            new Measure("maxQueueLength", CELLS, totals.maxQueueLength, "longest queue"),
            new Measure("maxBufferOccupancy", CELLS, totals.maxBufferOccupancy, "largest buffer"),
            new Measure("maxActiveBuckets", "buckets", totals.maxActiveBuckets, "most active buckets"),
            new Measure("maxReorderCells", CELLS, totals.maxReorderCells, "furthest reordering"),
            new Measure("cellsDropped", CELLS, totals.cellsDropped, "cells dropped"),
            new Measure("cellsCorrupted", CELLS, totals.cellsCorrupted, "cells corrupted"),
            new Measure("wallSeconds", "s", totals.wallSeconds, null),
            new Measure("nodeSlotsPerSecond", "node-slots/s", totals.nodeSlotsPerSecond, null),
            new Measure("digest", "", Numbers.digest(totals.digest), null),
            new Measure("interrupted", "", interrupted, null),
            new Measure("endpoints", "nodes", totals.endpoints, "nodes that may send"),
            new Measure("propagationSlots", "slots", totals.propagationSlots, null),
            new Measure("cellsInjected", CELLS, totals.cellsInjected, "cells injected"),
            new Measure("cellsHeld", CELLS, totals.cellsHeld, "cells held at the end"),
            new Measure("flowsUnfinished", "flows", totals.flowsUnfinished(), null),
            new Measure("linkSlotsPerSecond", "link-slots/s", totals.linkSlotsPerSecond, null),
            new Measure("gigabitsPerSecondPerNode", "Gb/s", gigabitsPerSecondPerNode(), null));
    }

    private Stream<Measure> ofMeasured() {
        final OfferedLoad load = measured.load;
        return Stream.of(
            new Measure("wholeRunThroughput", CELLS, totals.throughput, null),
            new Measure("measuredFromSlot", "slots", load.fromSlot(), null),
            new Measure("measuredUntilSlot", "slots", isMeasured() || load.isEmpty() ? load.untilSlot() : totals.slots,
                null),
            new Measure("warmUpSlots", "slots", measured.warmUpSlots, null),
            new Measure("offeredLoad", CELLS, load.isKnown() ? load.offered() : null, null),
            new Measure("deliveredLoad", CELLS, load.isKnown() ? load.delivered() : null, null),
            new Measure("steady", "", load.isKnown() ? load.isSteady() : null, null),
            new Measure("saturated", "", load.isKnown() ? load.isSaturated(terms.guarantee) : null, null));
    }

    /** Returns this result with an additional event. */
    public RunResult with(final Measure event) {
        return new RunResult(settings, terms, interrupted, totals, flows, nodes, timeline,
            Stream.concat(events.stream(), Stream.of(event)).toList(), latency, sampled, measured);
    }

    /** Returns this result with the cells that nodes held over time. */
    public RunResult with(final List<HeldTimeline.At> overTime) {
        return new RunResult(settings, terms, interrupted, totals, flows, new Nodes(nodes.bufferOccupancy,
            nodes.queueLength, nodes.activeBuckets, overTime), timeline, events, latency, sampled, measured);
    }

    private boolean isMeasured() {
        return !Double.isNaN(measured.load.delivered());
    }

    /** Tells whether the throughput covers only part of the run. */
    boolean isOfAPart() {
        return measured.load.isEmpty()
            || isMeasured() && (measured.load.fromSlot() > 0 || measured.load.untilSlot() != totals.slots);
    }

    /** Returns the slot after the last flow if at least a tenth of the measured window follows it; otherwise -1. */
    public long idleFrom() {
        if (totals.flowsUnfinished() > 0 || totals.flowsStarted() == 0 || measured.load.isKnown()) {
            return -1;
        }
        final long last = IntStream.range(0, flows.startSlot.length)
            .mapToLong(flow -> flows.startSlot[flow] + flows.completionSlots[flow]).max().orElse(0);
        final long from = isOfAPart() ? measured.load.fromSlot() : 0;
        final long until = isOfAPart() ? measured.load.untilSlot() : totals.slots;
        return (until - last) * IDLE >= until - from && until > Math.max(from, last) ? last : -1;
    }

    /**
     * Returns the cells delivered in the measured window, per node of the schedule, slot and channel; NaN if it is
     * empty.
     */
    public double throughput() {
        return isOfAPart() ? measured.load.delivered() : totals.throughput;
    }

    /**
     * Returns the payload that each node of the schedule received in the measured window, in Gb/s; NaN if the length of
     * a slot is unknown.
     */
    public double gigabitsPerSecondPerNode() {
        return throughput() * terms.channels * terms.payloadBytes * Byte.SIZE / terms.wholeSlotNs();
    }

    /**
     * Conversion of cells and slots to bytes and time.
     *
     * @param channels     cells that a node sends and receives in a slot.
     * @param slotNs       time between two cells of a node, which is a slot divided by the channels, in ns; NaN if
     *     unknown.
     * @param payloadBytes payload of a full cell in bytes.
     * @param guarantee    guaranteed throughput under any traffic.
     */
    public record Terms(int channels, double slotNs, int payloadBytes, Guarantee guarantee) {
        /** Terms of a run that counts cells and slots only. */
        public static final Terms UNKNOWN = new Terms(1, Double.NaN, 0, Guarantee.NONE);

        /** Returns the length of a slot in ns; NaN if unknown. */
        public double wholeSlotNs() {
            return slotNs * channels;
        }
    }

    /**
     * Sums and maxima over the run. Conservation: injected = delivered + held + dropped.
     *
     * @param endpoints nodes that may send and receive.
     * @param slots slots run.
     * @param propagationSlots propagation delay in slots.
     * @param cellsInjected cells sent by their sources.
     * @param cellsDelivered cells that reached their destination.
     * @param cellsHeld cells in queues and in flight at the end.
     * @param cellsDropped cells lost for a counted cause.
     * @param cellsCorrupted cells that failed their check.
     * @param flowsStarted flows whose start slot was reached.
     * @param flowsCompleted flows whose last cell arrived.
     * @param maxQueueLength longest send queue of one neighbour.
     * @param maxBufferOccupancy maximum number of cells queued at one node.
     * @param maxActiveBuckets maximum number of buckets active at one node; 0 without hop-by-hop.
     * @param maxReorderCells maximum reordering distance of a flow, in cells.
     * @param throughput delivered cells per node of the schedule, slot and channel, over the whole run.
     * @param wallSeconds wall time of the slots alone, in seconds.
     * @param nodeSlotsPerSecond nodes times slots, divided by {@code wallSeconds}.
     * @param linkSlotsPerSecond directed links times slots, divided by {@code wallSeconds}.
     * @param digest 64-bit digest of all deliveries.
     */
    public record Totals(int endpoints, long slots, int propagationSlots, long cellsInjected, long cellsDelivered,
        long cellsHeld, long cellsDropped, long cellsCorrupted, long flowsStarted, long flowsCompleted,
        int maxQueueLength, int maxBufferOccupancy, int maxActiveBuckets, int maxReorderCells, double throughput,
        double wallSeconds, double nodeSlotsPerSecond, double linkSlotsPerSecond, long digest) {
        /** Returns the number of flows that started and did not complete. */
        public long flowsUnfinished() {
            return flowsStarted - flowsCompleted;
        }
    }

    /**
     * Completed flows in order of completion (slot, then node), one array index per flow.
     *
     * @param id              flow id of the user.
     * @param bytes           payload bytes.
     * @param cells           cells.
     * @param completionSlots slots from the start slot to the arrival of the last cell, including propagation.
     * @param startSlot       start slot.
     */
    public record Flows(long[] id, long[] bytes, int[] cells, long[] completionSlots, long[] startSlot) {
    }

    /**
     * Maxima of each endpoint, indexed by the user's node id.
     *
     * @param bufferOccupancy maximum number of cells queued.
     * @param queueLength longest send queue of one neighbour.
     * @param activeBuckets maximum number of active buckets; all zero without hop-by-hop.
     * @param overTime cells that all nodes held over time; empty if they were not sampled.
     */
    public record Nodes(int[] bufferOccupancy, int[] queueLength, int[] activeBuckets, List<HeldTimeline.At> overTime) {
        /** Creates the maxima of a run whose nodes were not sampled over time. */
        public Nodes(final int[] bufferOccupancy, final int[] queueLength, final int[] activeBuckets) {
            this(bufferOccupancy, queueLength, activeBuckets, List.of());
        }
    }

    /**
     * Cells delivered by the whole fabric in equal intervals; the last interval may be shorter.
     *
     * @param intervalSlots length of an interval in slots.
     * @param delivered     cells delivered in each interval.
     */
    public record Timeline(long intervalSlots, long[] delivered) {
    }

    /**
     * The flows that count for the percentiles, and the offered and delivered load.
     *
     * @param warmUpSlots flows that start before this slot are excluded from the percentiles.
     * @param unfinished flows that started in or after that slot and did not complete.
     * @param load offered and delivered load.
     * @param slowdown slowdown of the flows that also ran alone.
     */
    public record Measured(long warmUpSlots, Unfinished unfinished, OfferedLoad load, Slowdown slowdown) {
        /** The value if all flows count and are complete. */
        public static final Measured ALL = new Measured(0, Unfinished.NONE, OfferedLoad.UNKNOWN, Slowdown.NONE);

        /**
         * Determines the measured part of a run.
         *
         * @param arrivalSlots slots in which flows may start; 0 for no limit.
         * @param isRandom     whether flows start at random in these slots.
         * @param warmUpSlots  flows that start before this slot do not count.
         * @param aloneSlots   slots of each flow alone, 0 if it did not run alone; empty if no flow did.
         */
        public static Measured of(final Fabric fabric, final FlowSet flows, final Outcome outcome,
            final long arrivalSlots, final boolean isRandom, final long warmUpSlots, final long... aloneSlots) {
            return new Measured(warmUpSlots, Unfinished.of(flows, outcome, warmUpSlots),
                OfferedLoad.of(fabric, flows, outcome, arrivalSlots, isRandom, warmUpSlots),
                Slowdown.of(flows, outcome, warmUpSlots, aloneSlots));
        }
    }

    /**
     * The throughput that a fabric guarantees to every node under any traffic in which no node sends or receives more
     * than this.
     *
     * @param formula    formula of the paper.
     * @param throughput cells per node, slot and channel; NaN if there is no guarantee.
     * @param needs      options without which the guarantee does not hold; empty if it holds.
     */
    public record Guarantee(String formula, double throughput, String needs) {
        /** No guarantee, or a guarantee that reports do not state. */
        public static final Guarantee NONE = new Guarantee("", Double.NaN, "");

        /** Creates a guarantee that holds. */
        public Guarantee(final String formula, final double throughput) {
            this(formula, throughput, "");
        }

        /** Tells whether the guarantee holds. */
        public boolean isGiven() {
            return throughput > 0 && needs.isEmpty();
        }
    }

    /**
     * Flows that started and were not complete at the end of a run, one array index per flow. Endless flows are
     * excluded, because they cannot complete. The arrays must not be changed.
     *
     * @param bytes    payload bytes.
     * @param cells    cells.
     * @param ageSlots slots from the start slot to the end of the run, a lower bound of the completion time.
     */
    public record Unfinished(long[] bytes, int[] cells, long[] ageSlots) {
        /** The value if all flows are complete. */
        public static final Unfinished NONE = new Unfinished(new long[0], new int[0], new long[0]);

        /** Returns the unfinished flows of a run that started in or after a slot. */
        static Unfinished of(final FlowSet flows, final Outcome outcome, final long from) {
            final boolean[] done = new boolean[flows.size()];
            for (final int flow : outcome.completed()) {
                done[flow] = true;
            }
            final int[] open = IntStream.range(0, flows.size()).filter(flow -> !done[flow]
                && flows.cells(flow) != FlowSet.ENDLESS && flows.startSlot(flow) >= from
                && flows.startSlot(flow) < outcome.slots()).toArray();
            return new Unfinished(Arrays.stream(open).mapToLong(flows::bytes).toArray(),
                Arrays.stream(open).map(flows::cells).toArray(),
                Arrays.stream(open).mapToLong(flow -> outcome.slots() - flows.startSlot(flow)).toArray());
        }
    }

    /**
     * A number of a run as every report prints it. Immutable and thread-safe.
     *
     * @param key      its name in JSON.
     * @param unit     unit of the value; empty if the sentence names what is counted.
     * @param value    an integer, a double, a boolean or a text; null if it was not counted, in which case there is no
     *     sentence.
     * @param sentence description of the value. It follows the value if it contains the unit, and precedes it
     *     otherwise; null if the value appears only in JSON and headings.
     */
    public record Measure(String key, String unit, Object value, String sentence) {
        /** The plural ending of the first noun of a sentence, which is removed if the value is 1. */
        private static final Pattern PLURAL = Pattern.compile(
            "(?<=^(?:cell|flow|job|message|packet|segment|slot|time))s\\b");

        /** Returns the value with its unit, for a table with the sentence in the preceding column. */
        String fact() {
            return namesUnit() ? amount() : amount() + " " + unit;
        }

        /** Returns the value and the sentence as one line. */
        String line() {
            return !namesUnit() ? sentence + " " + fact()
                : amount() + " " + (amount().equals("1") ? PLURAL.matcher(sentence).replaceFirst("") : sentence);
        }

        private boolean namesUnit() {
            return sentence.contains(unit);
        }

        private String amount() {
            return switch (value) {
                case final Integer count -> Numbers.grouped(count);
                case final Long count -> Numbers.grouped(count);
                case final Double number -> Numbers.plain(number);
                default -> value.toString();
            };
        }

        void write(final Json json) {
            json.putAny(key, value);
        }
    }
}
