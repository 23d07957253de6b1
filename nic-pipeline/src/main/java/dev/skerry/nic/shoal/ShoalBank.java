package dev.skerry.nic.shoal;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.Releases.ReleaseQueue;
import dev.skerry.nic.shoal.PairStreams.ParkedCells;
import dev.skerry.nic.shoal.ShoalFlowScheduler.MessageGate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The NICs of a range of Shoal's nodes: one pipeline over state laid out by link, then node, so that the work of a slot
 * streams through memory. One thread at a time.
 *
 * <p>Where something can fail or flows have classes, {@link ShoalFailures} serves the hindered nodes; all others go
 * through the same stages as without failures.
 */
final class ShoalBank implements Bank {
    private static final int MAX_SPILL_RECORDS = 1 << 28;

    private final NodeRange range;
    private final int links;
    private final long firstSlot;
    private final Parts parts;
    private final ShoalTransmitter transmitter;
    private final ShoalReceiver receiver;
    /** Null if nothing can fail and there is one traffic class. */
    private final ShoalFailures failures;

    /** The parts that the stages of a bank share. */
    record Parts(
        NodeRange range,
        Shoal shoal,
        Ends ends,
        ShoalSlotPlan plan,
        ShoalQueues[] queues,
        JoinedQueues joined,
        Throttles throttles,
        SentCells sent,
        Reports reports,
        ShoalFlowScheduler scheduler,
        DeliveryLedger deliveries,
        NodeMaxima maxima,
        EpochBase base,
        Density density,
        QueueSamples samples,
        ShoalFailures.State state) {
    }

    /**
     * Decides when the nodes of a row that have work are handled one by one, rather than all nodes together: if they
     * are at most {@code few} plus one in {@code share} of the row (bench/results). The former covers the fixed cost of
     * a row of columns.
     */
    record Density(int few, int share) {
        /** The values measured as fastest. */
        static final Density MEASURED = new Density(7, 8);

        /** Returns a density for rules that can only handle nodes one by one. */
        static Density all(final int nodes) {
            return new Density(nodes, 1);
        }

        /** Tells whether a row is handled node by node. */
        boolean isSparse(final int busy, final int nodes) {
            return (busy - few) * share <= nodes;
        }
    }

    /** Creates a bank; {@code shared} is null if nothing can fail and there is one traffic class. */
    ShoalBank(final Arena arena, final NodeRange range, final Shoal shoal, final Ends ends,
        final ShoalFailures.Shared shared) {
        this(arena, range, shoal, ends, shared == null ? EpochBase.EPOCHS : Shoal.MAX_EPOCHS,
            shoal.rule() == ReleaseRule.BASIC ? Density.all(shoal.nodes()) : Density.MEASURED, shared);
    }

    /** Creates a bank with another number of epochs before its base moves, or another density. */
    ShoalBank(final Arena arena, final NodeRange range, final Shoal shoal, final Ends ends, final int baseEpochs,
        final Density density, final ShoalFailures.Shared shared) {
        this.range = range;
        this.links = shoal.nodes() - 1;
        this.firstSlot = shoal.firstSlot();
        final int nodes = range.size();
        final ShoalSlotPlan plan = new ShoalSlotPlan(shoal);
        final SpillPool pool = new SpillPool(arena, MAX_SPILL_RECORDS);
        final ShoalQueues[] queues = new ShoalQueues[ends.flows().classes()];
        Arrays.setAll(queues, trafficClass -> new ShoalQueues(arena, nodes, links, pool));
        final JoinedQueues joined = new JoinedQueues(arena, nodes, links);
        final Throttles throttles = new Throttles(arena, nodes, links, links * queues.length);
        final SentCells sent = new SentCells(arena, nodes, links, plan.sentEpochs());
        final ShoalFailures.State state = shared == null ? null
            : ShoalFailures.State.of(arena, range, shoal, ends.flows().size(), shared.control(), pool);
        this.parts = new Parts(range, shoal, ends, plan, queues, joined, throttles, sent,
            Reports.of(shoal.rule(), queues[0], joined, throttles, sent),
            new ShoalFlowScheduler(arena, range, shoal, ends, throttles,
                state == null ? MessageGate.OPEN : state.presence()),
            new DeliveryLedger(ends.flows(), shoal.population(), ends.flowTable(), ends.store()),
            new NodeMaxima(nodes), new EpochBase(throttles, plan.sentEpochs(), baseEpochs),
            density, new QueueSamples(2 * shoal.nodes()), state);
        this.failures = state == null ? null : new ShoalFailures(parts, shared);
        this.transmitter = new ShoalTransmitter(parts, failures);
        this.receiver = new ShoalReceiver(parts, failures);
    }

    /** Returns the memory in bytes of a bank of all nodes, without spill. */
    static long bytes(final Shoal shoal, final FlowSet flows) {
        final int nodes = shoal.nodes();
        final BitSet pairs = new BitSet(nodes * nodes);
        for (int flow = 0; flow < flows.size(); flow++) {
            pairs.set(flows.source(flow) * nodes + flows.destination(flow));
        }
        long throttles = 0;
        for (int node = 0; node < nodes; node++) {
            throttles += Throttles.bytes(nodes - 1, pairs.get(node * nodes, (node + 1) * nodes).cardinality());
        }
        return ShoalQueues.bytes(nodes, nodes - 1) + JoinedQueues.bytes(nodes, nodes - 1) + throttles
            + SentCells.bytes(nodes, nodes - 1, new ShoalSlotPlan(shoal).sentEpochs())
            + ShoalFlowScheduler.bytes(nodes, flows.classes(), flows.size());
    }

    @Override
    public NodeRange range() {
        return range;
    }

    @Override
    public long idleUntil(final long slot) {
        return isIdle(slot) ? Math.max(slot, parts.scheduler().nextStart()) : slot;
    }

    /** Where nodes exchange messages about failures, the bank is never idle. */
    @Override
    public boolean canIdle() {
        return failures == null;
    }

    @Override
    public boolean isIdle(final long slot) {
        return canIdle() && transmitter.isLinkIdle(slot, parts.ends().link().window())
            && parts.scheduler().active.isEmpty() && parts.queues()[0].isEmpty() && !parts.joined().isReporting()
            && !parts.sent().isKeeping();
    }

    @Override
    public void send(final long slot) {
        if (slot >= firstSlot) {
            transmitter.send(slot);
            noteFates(slot);
        }
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        parts.scheduler().offer(flow, cells, slot);
    }

    @Override
    public void receive(final long slot) {
        if (slot - parts.shoal().propagationSlots() >= firstSlot) {
            receiver.receive(slot);
            noteFates(slot);
        }
    }

    private void noteFates(final long slot) {
        if (failures != null) {
            failures.noteFates(slot, parts.deliveries().delivered(), dropped());
        }
    }

    /** Returns the parts, for audits. */
    Parts parts() {
        return parts;
    }

    /** Returns the handling of failures, null if there is none; for audits. */
    ShoalFailures failures() {
        return failures;
    }

    @Override
    public int queued(final int node) {
        int queued = 0;
        for (final ShoalQueues queues : parts.queues()) {
            for (int link = 0; link < links; link++) {
                queued += queues.length(queues.queue(link, node));
            }
        }
        return queued;
    }

    @Override
    public long underWay() {
        return failures == null ? 0 : failures.late.inFlight();
    }

    @Override
    public MemorySegment message(final long at) {
        return failures == null ? null : failures.state.control().message(at);
    }

    @Override
    public NodeMaxima maxima() {
        return parts.maxima();
    }

    @Override
    public DeliveryLedger deliveries() {
        return parts.deliveries();
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return 0;
    }

    @Override
    public Outcome.Sampled sampled(final long slots, final long covered, final long looked) {
        return new Outcome.Sampled(parts.samples().byLength(turns(looked, true)),
            parts.ends().store() instanceof final ParkedCells parked ? parked.most() : -1,
            failures != null ? failures.dummies(slots) : turns(slots, false) - (parts.scheduler().injected
            - localQueued() + transmitter.forwarded - transmitter.sentIn(slots, covered)));
    }

    private long turns(final long slots, final boolean all) {
        return parts.plan().turns(range, slots, all) - parts.plan().turns(range, Math.min(slots, firstSlot), all);
    }

    /** Returns the number of cells of the bank's own nodes that wait in queues. */
    private long localQueued() {
        final long[] local = new long[1];
        for (int node = 0; node < range.size(); node++) {
            final int id = range.first() + node;
            for (int link = 0; link < links; link++) {
                parts.queues()[0].forEach(parts.queues()[0].queue(link, node),
                    (word, cell) -> local[0] += ShoalCell.source(word) == id ? 1 : 0);
            }
        }
        return local[0];
    }

    /** Returns null: Shoal loses cells only to faults, and those were requested. */
    @Override
    public Outcome.Drop firstDrop() {
        return null;
    }

    /** Without failures, every cell is delivered in the end. */
    @Override
    public long settled() {
        final long delivered = parts.deliveries().delivered();
        return failures == null ? delivered : failures.settled(delivered, dropped());
    }

    /** If nodes can fail, a flow that has not started counts as one, see {@link ShoalFailures#settled}. */
    @Override
    public long unsettled(final ReleaseQueue waiting) {
        return failures == null ? waiting.waitingCells() : waiting.waitingFlows();
    }

    @Override
    public long lastFate() {
        return failures == null ? parts.deliveries().lastSlot() : failures.lastFate();
    }

    @Override
    public long count(final NicCounter counter) {
        final long ofFailures = failures == null ? 0 : failures.count(counter);
        return switch (counter) {
            case CELLS_INJECTED -> parts.scheduler().injected;
            case CELLS_DELIVERED -> parts.deliveries().delivered();
            case CELLS_FORWARDED -> transmitter.forwarded;
            case FLOWS_STARTED -> parts.scheduler().started;
            case FLOWS_COMPLETED -> parts.deliveries().completed();
            case FLOWS_FAILED -> parts.scheduler().failed();
            case CELLS_NOT_SENT -> parts.scheduler().notSent;
            default -> ofFailures;
        };
    }

    /**
     * The epoch from which a bank of Shoal counts. Throttles hold epochs in 32 bits, and a fabric that carries packets
     * may run longer. Epochs never travel between nodes, so every bank moves its base by itself. One thread.
     */
    static final class EpochBase {
        /** Epochs counted before the base moves. */
        static final int EPOCHS = 1 << 30;

        private final Throttles throttles;
        private final int step;
        private final long most;
        private long base;

        /**
         * Creates a base at epoch 0.
         *
         * @param throttles  throttles whose epochs count from the base.
         * @param sentEpochs epochs for which sent cells are kept, by their number modulo this.
         * @param epochs     epochs counted before the base moves, {@link #EPOCHS} except in tests.
         */
        EpochBase(final Throttles throttles, final int sentEpochs, final int epochs) {
            this.throttles = throttles;
            this.most = epochs;
            // The step is a multiple of the epochs kept, so what is stored by epoch modulo that number keeps its place.
            this.step = (epochs - sentEpochs) / sentEpochs * sentEpochs;
        }

        /** Returns the number of an epoch in which a bank begins to send; moves the base first if it is due. */
        int turnTo(final long epoch) {
            while (epoch - base >= most) {
                base += step;
                throttles.rebase(step);
            }
            return (int) (epoch - base);
        }

        /** Returns the number of an epoch that has begun, slightly negative for one before the base. */
        int of(final long epoch) {
            return (int) (epoch - base);
        }
    }
}
