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
    /** By node: maximum number of forwarded cells held, of cells in one queue, of active buckets. */
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
    /** By flow: cells received, one more than the highest of them, and the slot after its completion, or 0. */
    private final int[] received;
    private final int[] highest;
    private final long[] completedBefore;
    private final long cells;
    /** By flow and join: how many it waits for; the slot in which the last is known, without and with joins' delays. */
    private final int[] left;
    private final long[] known;
    private final long[] due;
    /** Flows that wait for no other one any more and have not started, and cells of those that do. */
    private final PriorityQueue<Start> starts = new PriorityQueue<>(
        Comparator.comparingLong(Start::slot).thenComparingInt(Start::flow));
    private long waitingCells;
    private long digest;
    private long slot;
    private boolean endedByFlows;

    /** A flow that may send from a slot on; all that it waits for is known from another slot on. */
    private record Start(long slot, int flow, long knownIn) {
    }

    /** At slot 0. */
    ReferenceEngine(final Fabric fabric, final FlowSet flows) {
        if (fabric.nodes() > MAX_NODES) {
            throw new IllegalArgumentException("the reference engine runs at most " + MAX_NODES + " nodes");
        }
        if (flows.isOnDemand()) {
            throw new IllegalArgumentException("the reference engine carries no packets");
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

    /** All nodes send, then the cells sent P slots ago are received; for Stardust see docs/spec/stardust.md §12. */
    abstract void step(long now);

    /** Whether a run without a limit ends before a slot; asked once for each. */
    boolean isDone(final long now) {
        return cellsDelivered + waitingCells == cells;
    }

    /** Slots that follow the end of a run: after a limit, what circuits have in flight still arrives. */
    long slotsAfter(final long slotLimit) {
        return slotLimit > 0 ? propagationSlots : 0;
    }

    /** Whether a flow counts as complete that completed before a slot. */
    boolean isCounted(final long completed) {
        return true;
    }

    /** Slots that are reported, by the slot before which the last flow completed. */
    long reported(final long completed) {
        return slots;
    }

    /** The samples that a fabric takes of its queues, null if none. */
    Outcome.Sampled sampled(final long ofSlots, final boolean untilDone) {
        return null;
    }

    /** A cell has reached its destination. */
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

    /** A flow or join waits for one less, which is known in a slot and counts from another one on. */
    private void know(final int of, final long knownIn, final long from) {
        known[of] = Math.max(known[of], knownIn);
        due[of] = Math.max(due[of], from);
        if (--left[of] == 0 && flows.waits().isJoin(of)) {
            flows.waits().behind(of).forEach(behind -> know(behind, known[of], due[of] + flows.waits().delay(of)));
        } else if (left[of] == 0) {
            ready(of);
        }
    }

    /** A flow that waits for no other one any more gets its place among those that start. */
    private void ready(final int flow) {
        waitingCells -= flows.sendableCells(flow);
        final boolean waited = flows.waits() != null && flows.waits().count(flow) > 0;
        final long start = Math.max(flows.startSlot(flow), due[flow] + (waited ? flows.waits().delay(flow) : 0));
        starts.add(new Start(start, flow, Math.max(flows.startSlot(flow), known[flow])));
    }

    /** The flows that may send from a slot on. */
    final List<Integer> starting(final long now) {
        final List<Integer> starting = new ArrayList<>();
        while (!starts.isEmpty() && starts.element().slot <= now) {
            starting.add(starts.remove().flow);
        }
        return starting;
    }

    /** Whether a flow waits for its delay and for nothing else. */
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
        // Nothing is off the heap.
    }
}
