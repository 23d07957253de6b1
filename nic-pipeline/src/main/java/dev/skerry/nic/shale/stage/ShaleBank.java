package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.PathReachability;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.ShaleRouter;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.nic.shale.stage.ShaleParts.PhasedArrivals;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.SlotShare;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/**
 * The NICs of a range of Shale's nodes: one pipeline over state laid out by link, then node, so that the work of a slot
 * streams through memory. A bank of one node is a NIC; a bank of all nodes is a whole fabric on one thread. One thread
 * at a time.
 */
final class ShaleBank implements Bank {
    private static final int MAX_SPILL_RECORDS = 1 << 28;

    private final NodeRange range;
    private final Ends ends;
    private final Parts parts;
    /** End-to-end congestion control of the run, or null. */
    final EndToEndFactory.Run run;
    private final ShaleTransmitter transmitter;
    private final boolean canIdle;
    private final ShaleReceiver receiver;
    /** Applies the faults of the run, or null if there are none. */
    private final ShaleFaults faults;

    /**
     * The state that the banks of a run share.
     *
     * @param flags receivers for which something was sent.
     * @param rows  slots of the link that are kept.
     * @param run   end-to-end congestion control; null for none.
     */
    record Shared(ArrivalFlags flags, int rows, EndToEndFactory.Run run) {
        /** Creates the shared state of a run, with nothing in flight. */
        static Shared of(final Arena arena, final Shale shale, final FlowSet flows, final int rows) {
            final EndToEndFactory endToEnd = shale.mechanisms().endToEnd();
            return new Shared(new ArrivalFlags(arena, shale.nodes(), rows), rows,
                endToEnd == null ? null : endToEnd.begin(arena, shale, flows, rows));
        }
    }

    /**
     * The parts that the stages of a bank share; {@code failures} is null if nothing can fail, {@code endToEnd} if
     * there is no such congestion control.
     */
    record Parts(QueueBank queues, CongestionControl control, EndToEnd endToEnd, ShaleRouter router,
        ShaleFlowScheduler scheduler, DeliveryLedger deliveries, Losses losses, LinkFailures failures) {
    }

    /**
     * The books that banks of the same nodes share: the cells that a node holds, delivers and loses are counted once.
     */
    record Books(NodeMaxima maxima, DeliveryLedger deliveries, Losses losses) {
        /** Creates empty books. */
        static Books of(final NodeRange range, final Shale shale, final Ends ends, final NodeMaxima maxima) {
            return new Books(maxima, new DeliveryLedger(ends.flows(),
                shale.population(), ends.flowTable(), ends.store()), new Losses(range, ends.store()));
        }
    }

    /**
     * Creates a bank before slot 0.
     *
     * @param books  books of all banks of the same nodes.
     * @param shared state of all banks of the run.
     * @param few    limits of short lists of nodes, used if the control allows them.
     */
    ShaleBank(final Arena arena, final NodeRange range, final Shale shale, final Faults plan, final Ends ends,
        final Books books, final Shared shared, final FewNodes few) {
        this.range = range;
        this.ends = ends;
        this.run = shared.run();
        final int nodes = range.size();
        final SpillPool pool = new SpillPool(arena, MAX_SPILL_RECORDS);
        final CellQueues queues = shale.mechanisms().order().queues(arena, shale, ends, nodes, pool);
        final Losses losses = books.losses;
        final PathReachability reach = plan.isEmpty() ? null : new PathReachability(arena, shale, range.first(),
            nodes, pool);
        final CongestionControl control = shale.mechanisms().control().begin(arena, shale, nodes, pool);
        final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues, control, reach);
        final EndToEnd endToEnd = run == null ? null : run.join(arena, range, ends, control, queues);
        final QueueBank bank = new QueueBank(new SlotMath(shale.schedule(), nodes), queues, router, books.maxima,
            control, endToEnd == null ? control : endToEnd.arrivals(control), losses, reach != null);
        final LinkFailures failures = reach == null ? null : new LinkFailures(arena, shale, range.first(), nodes, pool,
            bank, reach);
        this.parts = new Parts(bank, control, endToEnd, router,
            new ShaleFlowScheduler(arena, range, shale, ends, bank.refused(), endToEnd),
            books.deliveries, losses, failures);
        this.faults = failures == null ? null : new ShaleFaults(range, shale, plan, parts, ends);
        final FewNodes most = faults != null || !control.takesSingleNodes() ? FewNodes.NONE
            : endToEnd == null && shale.population().allPresent() ? few : few.onlyListed();
        final Flight flight = Flight.of(ends, shared, nodes, faults != null, most);
        // Failures and control messages never end. A control that is not idle before slot 0 never becomes
        // so.
        this.canIdle = faults == null && endToEnd == null && control.isIdle();
        this.transmitter = new ShaleTransmitter(range, shale, parts, flight, most);
        this.receiver = new ShaleReceiver(range, shale, parts, flight, ends.circuits(), faults, most);
    }

    /** Returns the memory of a bank in bytes, without spill and growth. */
    static long bytes(final Shale shale, final int nodes, final int flows) {
        final int links = shale.schedule().epochSlots();
        return (long) links * nodes * shale.mechanisms().order().queueBytes()
            + shale.mechanisms().control().bytes(shale, nodes)
            + ShaleRouter.bytes(shale, nodes)
            + ShaleFlowScheduler.bytes(nodes, links, flows);
    }

    /** A bank that gets no flags of arrivals has to look at the link in every slot. */
    @Override
    public long idleUntil(final long slot) {
        return transmitter.hasFlags && isIdle(slot) ? Math.max(slot, parts.scheduler.nextStart()) : slot;
    }

    @Override
    public boolean canIdle() {
        return canIdle;
    }

    @Override
    public boolean isIdle(final long slot) {
        return canIdle && transmitter.isIdle(slot);
    }

    @Override
    public void send(final long slot) {
        parts.losses.turnTo(slot);
        if (faults == null) {
            transmitter.send(slot);
        } else {
            faults.begin(slot);
            transmitter.send(slot);
            faults.afflict(slot);
        }
        if (parts.endToEnd != null) {
            parts.endToEnd.send(slot);
        }
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        parts.scheduler.offer(flow, cells);
    }

    @Override
    public void receive(final long slot) {
        receiver.receive(slot);
        if (parts.endToEnd != null) {
            parts.endToEnd.receive(slot, parts.queues());
        }
    }

    @Override
    public NodeRange range() {
        return range;
    }

    /** Returns the parts, for statistics and audits. */
    public Parts parts() {
        return parts;
    }

    /** Returns the state that the laws of end-to-end congestion control check. */
    EndToEndFactory.BankState endToEnd() {
        return new EndToEndFactory.BankState(parts.endToEnd, parts.queues(), ends, range, this::dropped);
    }

    /** Returns what is known of failures, or null if nothing can fail. */
    public PathReachability reach() {
        return parts.failures == null ? null : parts.failures.reach();
    }

    @Override
    public int queued(final int node) {
        int queued = parts.failures == null ? 0 : parts.failures.waiting(node);
        for (int queue = node; queue < transmitter.numbers.queues(); queue += range.size()) {
            queued += parts.queues().queues().length(queue);
        }
        return queued;
    }

    @Override
    public NodeMaxima maxima() {
        return parts.queues().maxima();
    }

    @Override
    public DeliveryLedger deliveries() {
        return parts.deliveries();
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return parts.control().maxActiveBuckets(node);
    }

    @Override
    public int activeBuckets(final int node) {
        return parts.control().activeBuckets(node);
    }

    @Override
    public int queueLength(final int node, final int link) {
        return parts.queues().queues().length(link * range.size() + node);
    }

    @Override
    public int maxQueueLength(final int node, final int link) {
        return parts.queues().maxima().maxOf(link * range.size() + node);
    }

    @Override
    public Outcome.Drop firstDrop() {
        return parts.losses.first();
    }

    @Override
    public long lastFate() {
        return Math.max(parts.deliveries.lastSlot(), parts.losses.lastSlot());
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> parts.scheduler.injected;
            case CELLS_DELIVERED -> parts.deliveries.delivered();
            case CELLS_FORWARDED -> transmitter.forwarded;
            case FLOWS_STARTED -> parts.scheduler.started;
            case FLOWS_COMPLETED -> parts.deliveries.completed();
            case FLOWS_FAILED -> parts.scheduler.givenUp;
            case CELLS_NOT_SENT -> parts.scheduler.notSent;
            case TOKEN_ANOMALY -> parts.control().anomalies();
            default -> NicCounter.DROPS.contains(counter) ? parts.losses.count(counter)
                : parts.control().count(counter) + (parts.endToEnd != null ? parts.endToEnd.count(counter)
                : faults == null ? 0 : faults.count(counter));
        };
    }

    /**
     * Limits up to which the nodes of a block that have work are handled otherwise than by loops over the whole block.
     *
     * @param listed largest number of nodes that are listed and go through each step together; below 0 for none.
     * @param single largest number of nodes that go through the whole slot one after the other; below 0 for none.
     */
    record FewNodes(int listed, int single) {
        static final FewNodes NONE = new FewNodes(-1, -1);
        /**
         * In fabrics of up to this many queues, all nodes may go through a slot one after the other: loops over many
         * nodes pay off where they overlap cache misses, also those of cells from the bank of another thread
         * (bench/results).
         */
        private static final int SMALL_QUEUES = 4096;
        /** In banks up to this size all nodes may be listed, in larger ones up to one in {@link #LISTED_PART}. */
        private static final int SMALL_NODES = 48;
        private static final int LISTED_PART = 2;
        /** Loops over so few nodes are too short to be worth their start. */
        private static final int SINGLE = 16;

        /**
         * Returns the fastest limits for a bank.
         *
         * @param nodes nodes of the bank.
         * @param shale its fabric.
         */
        static FewNodes of(final int nodes, final Shale shale) {
            return new FewNodes(nodes <= SMALL_NODES ? nodes : CellBatch.block(nodes) / LISTED_PART,
                (long) shale.nodes() * shale.schedule().epochSlots() <= SMALL_QUEUES ? nodes : SINGLE);
        }

        /** Tells whether any nodes may be listed. */
        boolean mayBe() {
            return listed >= 0;
        }

        /** Returns the largest number of nodes for which no loop runs over the whole block. */
        int most() {
            return Math.max(listed, single);
        }

        /** Returns the same limit of listed nodes, without single ones. */
        FewNodes onlyListed() {
            return new FewNodes(listed, -1);
        }
    }

    /**
     * The parts of the cells in flight that the stages of a bank share.
     *
     * @param link     the cells.
     * @param rows     slots that are kept.
     * @param flags    receivers for which something was sent.
     * @param hasFlags whether senders flag receivers: the circuits are those of the schedule, and nothing is lost on
     *                 them; else receivers look at every place.
     * @param packs    whether a bank of one block writes the cells of few senders side by side.
     */
    record Flight(InFlightCells link, int rows, ArrivalFlags flags, boolean hasFlags, boolean packs) {
        /**
         * Creates the view of a bank.
         *
         * @param mayFail whether links may fail.
         * @param few     limits of short lists of nodes.
         */
        static Flight of(final Bank.Ends ends, final ShaleBank.Shared shared, final int nodes, final boolean mayFail,
            final FewNodes few) {
            final PhasedArrivals scheduled = !mayFail && ends.circuits() instanceof final PhasedArrivals phased ? phased
                : null;
            return new Flight(ends.link(), shared.rows(), shared.flags(), scheduled != null, scheduled != null
                && scheduled.packs() && nodes <= CellBatch.CELLS && few.mayBe());
        }
    }

    /** State of a stage of a bank, which works on a block of nodes at a time. */
    abstract static class Stage {
        final NodeRange range;
        final Phased schedule;
        final SlotMath numbers;
        final QueueBank queues;
        final ShaleRouter router;
        /** Tells which links are up, and holds the restarted cells; null if nothing can fail. */
        final LinkFailures failures;
        final InFlightCells link;
        final ArrivalFlags flags;
        final boolean hasFlags;
        final boolean packs;
        final FewNodes few;
        final SlotCycle epoch;
        final SlotCycle rows;
        final int block;
        /** All nodes of a block, in order. */
        final int[] all;
        /** Cells that are sent on, or that join a queue. */
        final CellBatch batch;

        Stage(final NodeRange range, final Shale shale, final Parts parts, final Flight flight, final FewNodes few) {
            this.range = range;
            this.schedule = shale.schedule();
            this.numbers = new SlotMath(schedule, range.size());
            this.queues = parts.queues;
            this.router = parts.router;
            this.failures = parts.failures;
            this.link = flight.link;
            this.flags = flight.flags;
            this.hasFlags = flight.hasFlags;
            this.packs = flight.packs;
            this.few = few;
            this.epoch = new SlotCycle(schedule.epochSlots(), shale.share());
            this.rows = new SlotCycle(flight.rows, SlotShare.ALL);
            this.block = CellBatch.block(range.size());
            this.all = IntStream.range(0, block).toArray();
            this.batch = new CellBatch(block);
        }
    }

    /** Slots of a share modulo a period, without a division for consecutive slots. One thread. */
    static final class SlotCycle {
        final int period;
        private final SlotShare share;
        private long slot = -1;
        private int at = -1;

        /** Creates a cycle over the slots of a share, by their number among them. */
        SlotCycle(final int period, final SlotShare share) {
            this.period = period;
            this.share = share;
        }

        /** Returns the number of a slot of the share modulo the period. */
        int turnTo(final long to) {
            final long own = share.before(to);
            if (own == slot + 1) {
                at = at + 1 == period ? 0 : at + 1;
            } else {
                at = (int) (own % period);
            }
            slot = own;
            return at;
        }
    }

    /**
     * The cells that a bank loses, by name, and the place of the first loss. Every dropped cell is reported here, and
     * its payload is released. One thread.
     */
    static final class Losses implements DroppedCells {
        private static final long NEVER = -1;

        private final int firstId;
        private final PayloadStore store;
        private final long[] counts = new long[NicCounter.values().length];
        private long slot;
        private long firstSlot = NEVER;
        private long lastSlot = NEVER;
        private int firstNode;

        Losses(final NodeRange range, final PayloadStore store) {
            this.firstId = range.first();
            this.store = store;
        }

        /** Sets the slot of the following losses. */
        void turnTo(final long to) {
            slot = to;
        }

        @Override
        public void onDrop(final int node, final long cell, final NicCounter name) {
            counts[name.ordinal()]++;
            store.discard(cell);
            lastSlot = slot;
            final int id = firstId + node;
            if (firstSlot == NEVER || firstSlot == slot && id < firstNode) {
                firstSlot = slot;
                firstNode = id;
            }
        }

        /** Returns the number of cells lost under a name. */
        long count(final NicCounter name) {
            return counts[name.ordinal()];
        }

        /** Returns the slot of the last loss, -1 if there was none. */
        long lastSlot() {
            return lastSlot;
        }

        /** Returns the first loss, at the lowest node of its slot; null if there was none. */
        Outcome.Drop first() {
            return firstSlot == NEVER ? null : new Outcome.Drop(firstSlot, firstNode);
        }
    }
}
