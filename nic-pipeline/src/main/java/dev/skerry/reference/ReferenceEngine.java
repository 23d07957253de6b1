package dev.skerry.reference;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/** The loop over slots of a reference engine, and the totals that it reports. One thread. */
public abstract class ReferenceEngine implements Engine {
    /** Largest fabric that it runs in reasonable time. */
    public static final int MAX_NODES = 1296;

    static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Slots between two calls of the watch. */
    private static final int LOOK_SLOTS = 64;

    final FlowSet flows;
    final int nodes;
    final int propagationSlots;
    /** Cells of each flow that its source has sent; packets in Stardust. */
    final int[] sent;
    /** By node: the maximum number of forwarded cells held, of cells in one queue, and of active buckets. */
    final int[] maxHeld;
    final int[] maxQueue;
    final int[] maxActive;
    /** Slots from the sending to the delivery of each cell. */
    final SlotHistogram latency = new SlotHistogram();
    int maxReorder;
    long flowsStarted;
    long flowsCompleted;
    long cellsInjected;
    long cellsForwarded;
    long cellsDelivered;
    /** Slots of the run, without those after its end. */
    long slots;

    private final Fabric fabric;
    private final Timeline timeline = new Timeline();
    /** By flow: cells received, one more than the highest number of them, and the slot after its completion, or 0. */
    private final int[] received;
    private final int[] highest;
    private final long[] completedBefore;
    private final long cells;
    /**
     * By flow and join: the number of others for which it waits, the slot in which the last of these is known, and that
     * slot with the delays of joins.
     */
    private final int[] left;
    private final long[] known;
    private final long[] due;
    /** Flows that wait for no other flow and have not started, and the cells of flows that still wait. */
    private final PriorityQueue<Start> starts = new PriorityQueue<>(
        Comparator.comparingLong(Start::slot).thenComparingInt(Start::flow));
    private long waitingCells;
    private long digest;
    private long slot;
    private boolean endedByFlows;

    /** A flow that may send from a slot on; everything for which it waits is known from another slot on. */
    private record Start(long slot, int flow, long knownIn) {
    }

    /** Creates the engine at slot 0. */
    ReferenceEngine(final Fabric fabric, final FlowSet flows) {
        if (fabric.nodes() > MAX_NODES) {
            throw new IllegalArgumentException("the reference engine runs at most " + MAX_NODES + " nodes");
        }
        if (flows.isOnDemand()) {
            throw new IllegalArgumentException("the reference engine does not support packets");
        }
        this.fabric = fabric;
        this.flows = flows;
        this.nodes = fabric.nodes();
        this.propagationSlots = fabric.propagationSlots();
        this.sent = new int[flows.size()];
        this.maxHeld = new int[nodes];
        this.maxQueue = new int[nodes];
        this.maxActive = new int[nodes];
        this.received = new int[flows.size()];
        this.highest = new int[flows.size()];
        this.completedBefore = new long[flows.size()];
        this.cells = IntStream.range(0, flows.size()).mapToLong(flows::sendableCells).sum();
        this.left = new int[flows.waits() == null ? flows.size() : flows.waits().all()];
        this.known = new long[left.length];
        this.due = new long[left.length];
        if (flows.waits() != null) {
            Arrays.setAll(left, flows.waits()::count);
        }
        waitingCells = cells;
        IntStream.range(0, flows.size()).filter(flow -> left[flow] == 0).forEach(this::ready);
    }

    /**
     * Runs a slot: all nodes send, then the cells sent P slots ago are received; for Stardust see docs/spec/stardust.md
     * §12.
     */
    abstract void step(long now);

    /** Tells whether a run without a limit ends before a slot; called once for each slot. */
    boolean isDone(final long now) {
        return cellsDelivered + waitingCells == cells;
    }

    /** Returns the slots that follow the end of a run: after a limit, cells in flight on circuits still arrive. */
    long slotsAfter(final long slotLimit) {
        return slotLimit > 0 ? propagationSlots : 0;
    }

    /** Tells whether a flow that completed before a slot counts as complete. */
    boolean isCounted(final long completed) {
        return true;
    }

    /** Returns the number of slots that are reported, given the slot before which the last flow completed. */
    long reported(final long completed) {
        return slots;
    }

    /** Returns the samples that a fabric takes of its queues, null if none. */
    Outcome.Sampled sampled(final long ofSlots, final boolean untilDone) {
        return null;
    }

    /** Records that a cell reached its destination. */
    final void deliver(final long now, final int flow, final int sequence, final long sentIn) {
        cellsDelivered++;
        latency.record((int) (now - sentIn));
        digest(now, flow, sequence);
        highest[flow] = Math.max(highest[flow], sequence + 1);
        maxReorder = Math.max(maxReorder, highest[flow] - 1 - sequence);
        if (++received[flow] == flows.cells(flow)) {
            complete(now, flow);
        }
    }

    /** Adds an arrival to the digest: the sum of a hash of slot, destination, flow, number in the flow and source. */
    final void digest(final long now, final int flow, final int number) {
        final long place = CounterRandom.mix(now * GOLDEN + nodeOf(flows.destination(flow)));
        digest += CounterRandom.mix(place + Cell.of(flow, number) * GOLDEN + nodeOf(flows.source(flow)));
    }

    final void complete(final long in, final int flow) {
        completedBefore[flow] = in + 1;
        flowsCompleted++;
        if (flows.waits() != null) {
            flows.waits().behind(flow).forEach(waiting -> {
                final boolean isNear = flows.source(flows.waits().flowOf(waiting)) == flows.destination(flow);
                final long knownIn = in + (isNear ? 1 : fabric.noticeSlots());
                know(waiting, knownIn, knownIn);
            });
        }
    }

    /**
     * Records that one flow less keeps a flow or join waiting, which is known in a slot and counts from another one on.
     */
    private void know(final int of, final long knownIn, final long from) {
        known[of] = Math.max(known[of], knownIn);
        due[of] = Math.max(due[of], from);
        if (--left[of] == 0 && flows.waits().isJoin(of)) {
            flows.waits().behind(of).forEach(behind -> know(behind, known[of], due[of] + flows.waits().delay(of)));
        } else if (left[of] == 0) {
            ready(of);
        }
    }

    /** Adds a flow that waits for no other one to those that start. */
    private void ready(final int flow) {
        waitingCells -= flows.sendableCells(flow);
        final boolean waited = flows.waits() != null && flows.waits().count(flow) > 0;
        final long start = Math.max(flows.startSlot(flow), due[flow] + (waited ? flows.waits().delay(flow) : 0));
        starts.add(new Start(start, flow, Math.max(flows.startSlot(flow), known[flow])));
    }

    /** Returns the flows that may send from a slot on. */
    final List<Integer> starting(final long now) {
        final List<Integer> starting = new ArrayList<>();
        while (!starts.isEmpty() && starts.element().slot <= now) {
            starting.add(starts.remove().flow);
        }
        return starting;
    }

    /** Tells whether a flow waits only for its delay. */
    final boolean isDelayed(final long now) {
        return flows.waits() != null && starts.stream().anyMatch(start -> start.knownIn <= now
            && flows.waits().count(start.flow) > 0 && start.slot > start.knownIn);
    }

    private int nodeOf(final int endpoint) {
        return fabric.population().nodeOf(endpoint);
    }

    @Override
    public final void run(final long slotLimit, final Watch watch) {
        boolean goesOn = true;
        while (goesOn && !(slotLimit > 0 ? slot == slotLimit : isDone(slot))) {
            goesOn = goOn(watch);
        }
        endedByFlows = slotLimit == 0 && goesOn;
        slots = slot;
        for (long left = slotsAfter(slotLimit); goesOn && left > 0; left--) {
            goesOn = goOn(watch);
        }
    }

    private boolean goOn(final Watch watch) {
        final long before = cellsDelivered;
        step(slot);
        timeline.add(slot, cellsDelivered - before);
        if (++slot % LOOK_SLOTS > 0) {
            return true;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("the run was interrupted: slot=" + slot);
        }
        return watch.onProgress(slot, cellsDelivered, flowsCompleted);
    }

    @Override
    public final long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> cellsInjected;
            case CELLS_DELIVERED -> cellsDelivered;
            case CELLS_FORWARDED -> cellsForwarded;
            case FLOWS_STARTED -> flowsStarted;
            case FLOWS_COMPLETED -> flowsCompleted;
            default -> 0;
        };
    }

    @Override
    public final Outcome outcome() {
        timeline.endBefore(slot);
        final long[] counts = Arrays.stream(NicCounter.values()).mapToLong(this::count).toArray();
        final int[] completed = OutcomeParts.order(IntStream.range(0, flows.size()).filter(flow ->
            completedBefore[flow] > 0 && (flowsCompleted == flows.size() || isCounted(completedBefore[flow]))),
            flow -> completedBefore[flow], flow -> nodeOf(flows.destination(flow)));
        counts[NicCounter.FLOWS_COMPLETED.ordinal()] = completed.length;
        final long[] completedIn = IntStream.of(completed).mapToLong(flow -> completedBefore[flow] - 1).toArray();
        return new Outcome(reported(completed.length == 0 ? 0 : completedIn[completed.length - 1] + 1), counts, null,
            cellsInjected - cellsDelivered, digest, maxReorder, completed, completedIn,
            new Outcome.Nodes(maxHeld, maxQueue, maxActive), Timeline.merged(new Timeline[] {timeline}), latency,
            sampled(slots, endedByFlows));
    }

    @Override
    public final void close() {
        // There is no off-heap memory.
    }
}
