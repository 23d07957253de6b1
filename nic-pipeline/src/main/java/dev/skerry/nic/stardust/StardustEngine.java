package dev.skerry.nic.stardust;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.engine.LockStepWorkers;
import dev.skerry.nic.engine.LockStepWorkers.EdgePoller;
import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.nic.stardust.StardustRun.RunEnd;
import dev.skerry.nic.stardust.StardustThreads.ElementCells;
import dev.skerry.nic.stardust.adapter.AdapterEgress;
import dev.skerry.nic.stardust.adapter.AdapterIngress;
import dev.skerry.nic.stardust.element.LinkForwarder;
import dev.skerry.nic.stardust.element.Pipes;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.SentPackets;

import java.util.Arrays;

/**
 * Runs a Stardust fabric in lock step: in every slot every device receives and every link sends (docs/spec/stardust.md
 * §12). Workers share the devices of each tier. What a device sends is received one link delay later, so workers
 * synchronise once per stride of that many slots.
 *
 * <p>The result depends on the fabric and the flows alone, never on the number of workers. {@link LockStepWorkers} owns
 * the threads.
 */
public final class StardustEngine extends StardustRun {
    private final LockStepWorkers workers;
    private final boolean check;
    private final boolean hasEdges;
    /** The end of a run without a limit, by worker; kept from one part of the run to the next. */
    private final RunEnd[] endings;

    /** Creates a fabric at slot 0 in which nothing fails, see the constructor with faults. */
    public StardustEngine(final Stardust fabric, final FlowSet flows, final int workers) {
        this(fabric, flows, Faults.NONE, ReachTiming.USUAL, workers, false);
    }

    /**
     * Creates a fabric at slot 0.
     *
     * @param flows   the flows between endpoints of the fabric.
     * @param faults  the faults; nodes and links are numbered as devices. The fabric grows by an element that is down
     *                from slot 0 until it comes up. An adapter that is down keeps what its hosts sent.
     * @param healing timing of reachability messages; without faults none are sent, as they would contain nothing new.
     * @param workers threads that share the devices, 1 or more; at most one for each adapter is used.
     * @param check   whether conservation of cells is checked after every slot, and every cell by its bytes.
     * @throws IllegalArgumentException if faults name devices that do not exist.
     */
    public StardustEngine(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final int workers, final boolean check) {
        this(fabric, flows, faults, healing, workers, check, null, Idle.SPIN);
    }

    /**
     * Creates a fabric at slot 0 whose packets come from outside. A run without a limit continues until the watch ends
     * it, and pauses between slots while there is nothing to do.
     *
     * @param fabric  the fabric, with separate queues for each pair of hosts; flows are on demand.
     * @param flows   the flows between endpoints.
     * @param faults  the faults.
     * @param healing timing of reachability messages.
     * @param workers threads that share the devices, 1 or more; at most one for each adapter is used.
     * @param check   whether conservation of cells is checked after every slot, and every cell by its bytes.
     * @param edges   where packets enter and leave; null if no packets come from outside.
     * @param idle    how a worker waits while there is nothing to do.
     */
    public StardustEngine(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final int workers, final boolean check, final Edges edges, final Idle idle) {
        super(PortSide.require(fabric, flows, edges), flows, faults, healing,
            DeviceRange.of(fabric.clos(), Math.min(workers, fabric.clos().fas())), ALL, check);
        this.check = check;
        this.hasEdges = edges != null;
        this.endings = new RunEnd[banks.length];
        Arrays.setAll(endings, worker -> new RunEnd(fabric, flows, faults, healing));
        final EdgePoller[] pollers = !hasEdges ? null
            : Arrays.stream(connect(banks.length, edges, ElementCells.NONE))
                .map(edge -> new EdgePoller(new Edge[] {edge}, idle.strategy())).toArray(EdgePoller[]::new);
        this.workers = new LockStepWorkers(arena, banks.length, fabric.linkSlots(), pollers, null);
    }

    /** Returns the off-heap bytes of a fabric at slot 0. */
    public static long bytes(final Stardust fabric, final FlowSet flows) {
        return Pipes.bytes(fabric.clos().ports(), 2 * fabric.linkSlots()) + LinkForwarder.bytes(fabric.clos())
            + AdapterIngress.bytes(fabric.clos().fas(), fabric.clos().fas(), fabric.hosts().queues())
            + AdapterEgress.bytes(fabric, fabric.clos().fas()) + FlowOutcomes.bytes(flows.size())
            + (fabric.hosts().model() instanceof final Reno reno ? SentPackets.bytes(reno, flows.size())
            + Sender.tableBytes(flows.size(), reno) + RenoReceiver.tableBytes(flows.size(), reno) : 0);
    }

    @Override
    public int threads() {
        return banks.length;
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        go(slotLimit == 0 ? Long.MAX_VALUE : slotLimit, slotLimit == 0 && !hasEdges, watch);
        checkConserved();
    }

    /**
     * Runs some more slots, for callers that step a fabric themselves.
     *
     * @param more number of slots.
     * @throws IllegalStateException if an invariant is broken.
     */
    public void advance(final long more) {
        go(slots + more, false, (slot, delivered, done) -> true);
    }

    private void go(final long limit, final boolean untilDone, final Watch watch) {
        // If the end of a run was found before the watch stopped it, it continues to that end.
        final boolean isKnown = untilDone && over != RunEnd.NOT_YET;
        slots = workers.run(slots, isKnown ? over + RunEnd.lagSlots(fabric) : limit, watch,
            worker -> new BankWorker(worker, untilDone && !isKnown));
    }

    @Override
    boolean isDone() {
        return workers.isDone();
    }

    /** Returns the number of slots done. */
    public long slots() {
        return slots;
    }

    /** Returns the distribution of queue lengths over time. */
    public QueueLengths lengths() {
        final QueueLengths sum = new QueueLengths(fabric.clos().tiers());
        for (final StardustBank bank : banks) {
            sum.add(bank.devices.lengths());
        }
        return sum;
    }

    /** Clears queue lengths and latencies, at the end of a warm-up. */
    public void clearStatistics() {
        for (final StardustBank bank : banks) {
            bank.devices.lengths().clear();
            bank.egress.latency().clear();
        }
    }

    /** Returns the slots from a cell's first queue to its arrival. */
    public SlotHistogram latency() {
        final SlotHistogram sum = new SlotHistogram();
        for (final StardustBank bank : banks) {
            sum.add(bank.egress.latency());
        }
        return sum;
    }

    /**
     * Returns 64 bits over every packet delivered: a sum of hashes of slot, endpoints, flow and number of the packet.
     */
    public long digest() {
        return sum(bank -> bank.egress.digest());
    }

    /** Returns the bank of an endpoint. */
    private StardustBank bankOf(final int endpoint) {
        final int adapter = endpoint / fabric.hosts().ports();
        int bank = 0;
        while (adapter >= banks[bank].share.end(0)) {
            bank++;
        }
        return banks[bank];
    }

    /** Returns the port of an endpoint, counted in its bank. */
    private int portOf(final int endpoint) {
        return endpoint - bankOf(endpoint).share.first(0) * fabric.hosts().ports();
    }

    /** Returns the payload bytes that the port of an endpoint accepted for its host, in whole packets. */
    public long bytesTo(final int endpoint) {
        return bankOf(endpoint).egress.ports().taken(portOf(endpoint));
    }

    /** Returns the payload bytes that the port of an endpoint has sent to its host: never more than its rate. */
    public long bytesSentTo(final int endpoint) {
        return bytesTo(endpoint) - bankOf(endpoint).egress.ports().backlog(slots, portOf(endpoint));
    }

    /** Returns the payload bytes of a flow that its receiver has without a gap, if hosts speak TCP. */
    public long receivedOf(final int flow) {
        return bankOf(flows.destination(flow)).tcp.received(flow);
    }

    /** Returns the largest number of bytes that the port of an endpoint held. */
    public long maxHeldAt(final int endpoint) {
        return bankOf(endpoint).egress.ports().maxHeld(portOf(endpoint));
    }

    /** Returns the largest number of bytes that an adapter held for others. */
    public long maxWaitingAt(final int adapter) {
        final StardustBank bank = bankOf(adapter * fabric.hosts().ports());
        return bank.ingress.maxHeld(adapter - bank.share.first(0));
    }

    /** Returns the cells that were sent into a port of a device. */
    public long sentInto(final int port) {
        return sum(bank -> bank.devices.sent(port));
    }

    /** Returns the links over which an adapter may send, as its scheduler counts them. */
    int links(final int adapter) {
        return bankOf(adapter * fabric.hosts().ports()).links(adapter);
    }

    /**
     * Checks conservation: every cell cut is delivered, dropped under a name, or held.
     *
     * @return cells held in queues and on links.
     * @throws IllegalStateException if the law is broken.
     */
    public long checkConserved() {
        return conserve(slots);
    }

    /** Runs the slots of one bank. */
    private final class BankWorker implements LockStepWorkers.Worker {
        private final int worker;
        private final StardustBank bank;
        /** Decides the end of the run; null if only its limit ends it, or its end has been found. */
        private RunEnd ending;

        BankWorker(final int worker, final boolean untilDone) {
            this.worker = worker;
            this.bank = banks[worker];
            this.ending = untilDone ? endings[worker] : null;
        }

        @Override
        public boolean step(final long first, final long end) {
            for (long slot = first; slot < end; slot++) {
                bank.step(slot);
                final long next = slot + 1;
                if (check && !workers.await(worker, () -> conserve(next))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            into.set(parity, worker, WorkerSums.COMPLETED, bank.tally.count(NicCounter.FLOWS_COMPLETED));
            into.set(parity, worker, WorkerSums.DELIVERED, bank.tally.count(NicCounter.CELLS_DELIVERED));
            into.set(parity, worker, WorkerSums.SETTLED, bank.tally.settled());
            into.set(parity, worker, WorkerSums.MOVES, bank.moves());
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            if (ending == null || !ending.isOver(slot, settled, moves)) {
                return Long.MAX_VALUE;
            }
            ending = null;
            if (worker == 0) {
                over = slot;
            }
            return slot + RunEnd.lagSlots(fabric);
        }
    }
}
