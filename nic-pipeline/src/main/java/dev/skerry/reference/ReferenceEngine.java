package dev.skerry.reference;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.PayloadStore.NoPayload;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The loop over slots of a reference engine, and the totals that it reports. One thread. */
public abstract class ReferenceEngine implements Engine {
    /** Largest fabric that it runs in reasonable time. */
    public static final int MAX_NODES = 1296;

    /** Slots between two calls of the watch. */
    private static final int LOOK_SLOTS = 64;

    final FlowSet flows;
    final int nodes;
    final int propagationSlots;
    /** Cells of each flow that its source has sent. */
    final int[] sent;
    /** By node: maximum number of forwarded cells held, of cells in one queue, of active buckets. */
    final int[] maxHeld;
    final int[] maxQueue;
    final int[] maxActive;
    long flowsStarted;
    long cellsInjected;
    long cellsForwarded;

    private final CircuitFabric fabric;
    private final Arena arena = Arena.ofConfined();
    private final FlowTable table;
    private final DeliveryLedger deliveries;
    private final Timeline timeline = new Timeline();
    private final long cells;
    private long slot;
    private long slots;
    private boolean endedByFlows;

    /** At slot 0. */
    ReferenceEngine(final CircuitFabric fabric, final FlowSet flows) {
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
        this.table = new FlowTable(arena, flows);
        this.deliveries = new DeliveryLedger(flows, fabric.population(), table, new NoPayload());
        this.cells = IntStream.range(0, flows.size()).mapToLong(flows::sendableCells).sum();
    }

    /** All nodes send; then the cells sent P slots ago are received. */
    abstract void step(long now);

    /** The samples that a fabric takes of its queues, null if none. */
    Outcome.Sampled sampled(final long ofSlots, final boolean untilDone) {
        return null;
    }

    /** A cell has reached its destination. */
    final void deliver(final long now, final int node, final int flow, final int sequence, final long sentIn) {
        deliveries.deliver(now, node, Cell.of(flow, sequence), (int) (now - sentIn));
    }

    @Override
    public final void run(final long slotLimit, final Watch watch) {
        final long end = slotLimit == 0 ? Long.MAX_VALUE : slotLimit + propagationSlots;
        boolean goesOn = true;
        while (goesOn && slot < end && (slotLimit > 0 || deliveries.delivered() < cells)) {
            final long before = deliveries.delivered();
            step(slot);
            timeline.add(slot, deliveries.delivered() - before);
            if (++slot % LOOK_SLOTS == 0) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new IllegalStateException("the run was interrupted: slot=" + slot);
                }
                goesOn = watch.onProgress(slot, deliveries.delivered(), deliveries.completed());
            }
        }
        endedByFlows = slotLimit == 0 && goesOn;
        slots = endedByFlows ? deliveries.lastSlot() + 1 : slotLimit == 0 ? slot : Math.min(slot, slotLimit);
    }

    @Override
    public final long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> cellsInjected;
            case CELLS_DELIVERED -> deliveries.delivered();
            case CELLS_FORWARDED -> cellsForwarded;
            case FLOWS_STARTED -> flowsStarted;
            case FLOWS_COMPLETED -> deliveries.completed();
            default -> 0;
        };
    }

    @Override
    public final Outcome outcome() {
        timeline.endBefore(endedByFlows ? slots : slot);
        final long[] counts = Arrays.stream(NicCounter.values()).mapToLong(this::count).toArray();
        final int[] completed = OutcomeParts.completed(flows, table, fabric.population());
        final long[] completedIn = IntStream.of(completed).mapToLong(flow -> table.completedBefore(flow) - 1).toArray();
        return new Outcome(slots, counts, null, cellsInjected - deliveries.delivered(), deliveries.digest(),
            deliveries.maxReorder(), completed, completedIn, new Outcome.Nodes(maxHeld, maxQueue, maxActive),
            Timeline.merged(new Timeline[] {timeline}), deliveries.latency(), sampled(slots, endedByFlows));
    }

    @Override
    public final void close() {
        arena.close();
    }
}
