package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;

/**
 * A fabric run in lock step: every slot all nodes send, the circuits permute, all nodes receive.
 * Workers share out banks of nodes. A cell is seen its propagation delay after it was sent, so workers need to meet
 * only once in that many slots, a stride; with no delay, once between sending and receiving. Within a stride a bank
 * sees nothing of any other, so each goes through all its slots while its state is in the near caches.
 *
 * <p>The result depends on the fabric, the flows and the seed alone, never on the number of workers. One thread builds,
 * runs and closes it; {@link #run} starts the other workers and has joined them when it returns.
 */
public final class LockStep implements Engine {
    /** Nodes of a bank, at most: a block of the stages, whose state the near caches hold. */
    private static final int BANK_NODES = CellBatch.CELLS;
    /** Slots between two looks at how far all are, where workers meet in every slot. */
    private static final int LOOK_SLOTS = 16;

    /** What workers say where they meet: flows complete, cells delivered and settled, and the slot to go to. */
    private static final int COMPLETED = 0;
    private static final int DELIVERED = 1;
    private static final int SETTLED = 2;
    private static final int GO_TO = 3;

    private final CircuitFabric fabric;
    private final Assembly assembly;
    private final int workers;
    private final SlotBarrier barrier;
    private final boolean check;
    private final Idle idle;
    /** Slots between two meetings at which workers say how far they are. */
    private final long stride;
    /** Whether a bank goes through a stride while the others are elsewhere in it. */
    private final boolean apart;
    private final long cellsOfFlows;
    private final WorkerSums sums;
    private final boolean[] goOn = new boolean[2];
    private long slots;
    private long held;

    /** A fabric at slot 0 in which nothing ever fails. */
    public LockStep(final FabricParts parts, final FlowSet flows, final int workers, final boolean check) {
        this(parts, flows, Faults.NONE, workers, check);
    }

    /**
     * A fabric at slot 0.
     *
     * @param parts   what the fabric is put together from.
     * @param flows   what is sent across it.
     * @param faults  what goes wrong with it.
     * @param workers threads that share the nodes, 1 or more; no more than there are nodes are used.
     * @param check   whether every invariant is checked in every slot, and every payload end to end.
     * @throws IllegalArgumentException if the fabric has not the nodes of the faults, or not what the flows ask for.
     */
    public LockStep(final FabricParts parts, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        this(parts, new Traffic(flows, faults), workers, Idle.SPIN, check);
    }

    /**
     * A fabric at slot 0 whose cells come from outside. Run without a limit, it goes on until it is told to stop, and
     * stands still while there is nothing to do.
     *
     * @param parts   what the fabric is put together from.
     * @param flows   on demand.
     * @param edges   where their cells come from and go to.
     * @param workers threads that share the nodes, 1 or more; no more than there are nodes are used.
     * @param idle    what a worker does while there is nothing to do.
     * @param check   whether every invariant is checked in every slot.
     */
    public LockStep(final FabricParts parts, final FlowSet flows, final Edges edges, final int workers,
        final Idle idle, final boolean check) {
        this(parts, new Traffic(flows, Faults.NONE, edges), workers, idle, check);
    }

    private LockStep(final FabricParts parts, final Traffic traffic, final int workers, final Idle idle,
        final boolean check) {
        Assembly.check(parts, traffic);
        this.fabric = parts.fabric();
        this.workers = Math.min(workers, fabric.nodes());
        this.check = check;
        this.idle = idle;
        this.apart = !check && fabric.propagationSlots() > 1;
        // Banks with faults and those that send again share more than the link; edges are asked for more in every slot.
        final boolean linkAlone = fabric.propagationSlots() == 0 && !check && traffic.edges() == null
            && traffic.faults() == Faults.NONE && !parts.resends(traffic);
        this.stride = apart ? fabric.propagationSlots() : linkAlone ? LOOK_SLOTS : 1;
        final Arena arena = Arena.ofShared();
        final int banksEach = !apart ? 1 : Math.ceilDiv(fabric.nodes(), this.workers * BANK_NODES);
        final NodeRange[] ranges = Assembly.shares(fabric, this.workers * banksEach);
        this.assembly = new Assembly(arena, parts, traffic, ranges, window(fabric),
            (bank, link) -> parts.scheduled(link), check);
        this.barrier = new SlotBarrier(arena, this.workers);
        this.sums = new WorkerSums(this.workers);
        this.cellsOfFlows = assembly.cellsOfFlows();
    }

    /** Bytes of off-heap memory that a fabric takes at the start. */
    public static long bytes(final FabricParts parts, final FlowSet flows) {
        return bytes(parts, flows, Faults.NONE);
    }

    /** Bytes of off-heap memory that a fabric takes at the start in which something goes wrong. */
    public static long bytes(final FabricParts parts, final FlowSet flows, final Faults faults) {
        return Assembly.bytes(parts, new Traffic(flows, faults), window(parts.fabric()));
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        work(slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots(), watch);
        held = slots == 0 ? 0 : assembly.audit().conserve(slots - 1);
        slots = slotLimit == 0 ? assembly.lastCompletion(slots) : Math.min(slots, slotLimit);
    }

    /**
     * Goes on by some slots, or to the end of the last flow; for those who step a fabric themselves.
     *
     * @param more slots to go.
     * @throws IllegalStateException if an invariant is broken.
     */
    public void advance(final long more) {
        work(slots + more, (slot, delivered, done) -> true);
    }

    private void work(final long limit, final Watch watch) {
        final long from = slots;
        final Thread[] threads = new Thread[workers];
        for (int w = 1; w < workers; w++) {
            final int worker = w;
            threads[w] = Thread.ofPlatform().name("skerry-worker-" + w).daemon()
                .start(() -> guard(worker, from, limit, watch));
        }
        guard(0, from, limit, watch);
        for (int w = 1; w < workers; w++) {
            join(threads[w]);
        }
        if (barrier.failure() != null) {
            throw new IllegalStateException(barrier.failure().getMessage(), barrier.failure());
        }
    }

    @Override
    public long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    @Override
    public Outcome outcome() {
        return assembly.outcome(slots, held);
    }

    @Override
    public void close() {
        assembly.close();
    }

    private static int window(final CircuitFabric fabric) {
        return Math.max(2 * fabric.propagationSlots(), 2);
    }

    private void guard(final int worker, final long from, final long limit, final Watch watch) {
        try {
            work(worker, from, limit, watch);
        } catch (final Throwable failure) {
            barrier.abort(failure);
        }
    }

    private void work(final int worker, final long from, final long limit, final Watch watch) {
        final NodeRange banks = NodeRange.share(assembly.banks(), worker, workers);
        final EdgePoller edges = assembly.hasEdges() ? new EdgePoller(assembly.edges(banks), idle.strategy()) : null;
        long slot = from;
        long until = edges == null ? limit : from;
        for (int parity = 0;; parity ^= 1) {
            final long end = Math.min(slot + stride, Math.min(until, limit));
            if (edges != null && end <= slot) {
                edges.idle();
            } else if (apart) {
                stride(banks, slot, end);
            } else if (!steps(banks, worker, slot, end)) {
                return;
            }
            slot = Math.max(slot, end);
            tally(banks, parity, worker);
            if (edges != null) {
                sums.set(parity, worker, GO_TO, edges.poll(slot));
            }
            if (worker == 0) {
                goOn[parity] = watch.onProgress(slot, sums.sum(parity ^ 1, DELIVERED), sums.sum(parity ^ 1, COMPLETED));
                slots = slot;
            }
            if (!barrier.await(worker)) {
                return;
            }
            if (!goOn[parity] || slot >= limit || sums.sum(parity, SETTLED) == cellsOfFlows) {
                return;
            }
            until = edges == null ? limit : sums.max(parity, GO_TO);
        }
    }

    /** Takes each bank through the slots in which it sees nothing that is sent in them. */
    private void stride(final NodeRange banks, final long first, final long end) {
        for (int index = banks.first(); index < banks.end(); index++) {
            final Bank bank = assembly.bank(index);
            for (long slot = first; slot < end; slot++) {
                bank.send(slot);
                receive(bank, index, slot);
            }
        }
    }

    /**
     * Takes all banks through slots together; false if another worker failed. One meeting a slot will do: what is sent
     * in the next slot lies beside what others may still be reading, and the one after that begins when all have read.
     */
    private boolean steps(final NodeRange banks, final int worker, final long first, final long end) {
        for (long slot = first; slot < end; slot++) {
            if (!step(banks, worker, slot)) {
                return false;
            }
        }
        return true;
    }

    private boolean step(final NodeRange banks, final int worker, final long slot) {
        for (int index = banks.first(); index < banks.end(); index++) {
            assembly.bank(index).send(slot);
        }
        if (!barrier.await(worker)) {
            return false;
        }
        for (int index = banks.first(); index < banks.end(); index++) {
            receive(assembly.bank(index), index, slot);
        }
        if (!check) {
            return true;
        }
        if (!barrier.await(worker)) {
            return false;
        }
        if (worker == 0) {
            assembly.audit().check(slot);
        }
        return barrier.await(worker);
    }

    private void receive(final Bank bank, final int index, final long slot) {
        final long before = bank.count(NicCounter.CELLS_DELIVERED);
        bank.receive(slot);
        assembly.timeline(index).add(slot, bank.count(NicCounter.CELLS_DELIVERED) - before);
    }

    /** Sums up a worker's banks. Cells from outside are never all settled, so nobody asks how many are. */
    private void tally(final NodeRange banks, final int parity, final int worker) {
        long completed = 0;
        long delivered = 0;
        long settled = 0;
        for (int index = banks.first(); index < banks.end(); index++) {
            final Bank bank = assembly.bank(index);
            completed += bank.count(NicCounter.FLOWS_COMPLETED);
            delivered += bank.count(NicCounter.CELLS_DELIVERED);
            settled += assembly.hasEdges() ? 0 : bank.settled();
        }
        sums.set(parity, worker, COMPLETED, completed);
        sums.set(parity, worker, DELIVERED, delivered);
        sums.set(parity, worker, SETTLED, settled);
    }

    private static void join(final Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
