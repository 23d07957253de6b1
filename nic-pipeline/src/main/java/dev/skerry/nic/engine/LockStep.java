package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Runs a circuit fabric in lock step: in every slot all nodes send, the circuits permute, all nodes receive. Workers
 * share the banks of nodes. A cell is seen P slots after it was sent, so workers synchronise only once per stride of P
 * slots; with P = 0, between sending and receiving. Within a stride a bank receives nothing that other banks send in
 * it. A worker therefore runs each bank through the whole stride while the bank's state is in the near caches, and then
 * takes over banks that others have not started ({@link BankClaims}).
 *
 * <p>The result depends only on the fabric, the flows and the seed, never on the number of workers.
 * {@link LockStepWorkers} owns the threads.
 */
public final class LockStep extends CircuitEngine {
    /** Maximum number of nodes in a bank: one block of the stages, whose state fits the near caches. */
    static final int BANK_NODES = CellBatch.CELLS;

    private final int workers;
    private final LockStepWorkers threads;
    private final BankClaims claims;
    private final boolean check;
    private final Strides strides;
    /** Number of cells of all flows, plus one per bank: see {@link BankWorker#report}. */
    private final long whenDone;

    /** A fabric at slot 0 without faults. */
    public LockStep(final FabricParts parts, final FlowSet flows, final int workers, final boolean check) {
        this(parts, flows, Faults.NONE, workers, check);
    }

    /**
     * Creates a fabric at slot 0.
     *
     * @param parts   parts of the fabric.
     * @param flows   the flows sent across it.
     * @param faults  scheduled faults.
     * @param workers threads that share the nodes, 1 or more; at most one per node is used.
     * @param check   whether every invariant is checked in every slot, and every payload end to end.
     * @throws IllegalArgumentException if the fabric does not support the flows or faults, or faults name a node that
     *                                  does not exist.
     */
    public LockStep(final FabricParts parts, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        this(parts, new Traffic(flows, faults), workers, Idle.SPIN, check);
    }

    /**
     * Creates a fabric at slot 0. If its cells come from outside, a run without a limit continues until the watch ends
     * it, and pauses between slots while there is nothing to do.
     *
     * @param parts   parts of the fabric.
     * @param traffic the flows, the faults, and the edges through which cells of flows on demand enter and leave.
     * @param workers threads that share the nodes, 1 or more; at most one per node is used.
     * @param idle    idle strategy of a worker.
     * @param check   whether every invariant is checked in every slot.
     */
    public LockStep(final FabricParts parts, final Traffic traffic, final int workers, final Idle idle,
        final boolean check) {
        this(parts, traffic, workers, idle, check, System::nanoTime);
    }

    /** Creates a fabric with a clock, which affects only which worker does the work. */
    LockStep(final FabricParts parts, final Traffic traffic, final int workers, final Idle idle, final boolean check,
        final LongSupplier clock) {
        super(parts.fabric(), assembled(parts, traffic, Math.min(workers, parts.fabric().nodes()), check));
        this.workers = Math.min(workers, fabric.nodes());
        this.check = check;
        this.strides = Strides.of(parts, traffic, check);
        this.threads = assembly.hasEdges() ? new LockStepWorkers(assembly.arena, this.workers, strides.slots(),
            assembly.pollers(this.workers, idle), null)
            : new LockStepWorkers(assembly.arena, this.workers, strides.slots(), null, clock);
        this.claims = new BankClaims(assembly.banks());
        this.whenDone = assembly.cellsOfFlows() + assembly.banks();
    }

    private static Assembly assembled(final FabricParts parts, final Traffic traffic, final int workers,
        final boolean check) {
        Assembly.check(parts, traffic);
        final boolean apart = Strides.of(parts, traffic, check).apart();
        final int banksEach = apart ? Math.ceilDiv(parts.fabric().nodes(), workers * BANK_NODES) : 1;
        return new Assembly(new CountedArena(), parts, traffic, Assembly.shares(parts.fabric(), workers * banksEach),
            window(parts.fabric()), (bank, link) -> apart ? parts.packed(link) : parts.scheduled(link), check);
    }

    /** Off-heap memory of a fabric with faults at slot 0, in bytes. */
    public static long bytes(final FabricParts parts, final FlowSet flows, final Faults faults) {
        return Assembly.bytes(parts, new Traffic(flows, faults), window(parts.fabric()));
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        go(end(slotLimit), slotLimit == 0, watch);
        settle(slotLimit, isDone(), assembly.lastCompletion(), stepped, conserved());
    }

    /** Advances by a number of slots, for callers that step a fabric. Fails like {@link #run}. */
    public void advance(final long more) {
        go(stepped + more, false, (slot, delivered, done) -> true);
        settle(0, false, 0, stepped, held);
    }

    private void go(final long limit, final boolean untilDone, final Watch watch) {
        stepped = threads.run(stepped, limit, watch, worker -> new BankWorker(worker, untilDone));
    }

    /** Fills a log from now on. Called before a run. */
    public LockStep log(final RunLog log) {
        assembly.log(log);
        return this;
    }

    @Override
    boolean isDone() {
        return threads.isDone();
    }

    @Override
    public int threads() {
        return workers;
    }

    @Override
    public long waitedNs() {
        return threads.waitedNs();
    }

    @Override
    public long aloneNs() {
        return threads.aloneNs();
    }

    static int window(final CircuitFabric fabric) {
        return Math.max(2 * fabric.propagationSlots(), 2);
    }

    private NodeRange banksOf(final int worker) {
        return NodeRange.share(assembly.banks(), worker, workers);
    }

    /** Runs the banks of one worker. */
    private final class BankWorker implements LockStepWorkers.Worker {
        private final int worker;
        /** Whether the run ends with its last flow. */
        private final boolean endsWithFlows;
        /** Its own banks; all banks while it continues alone. */
        private int first;
        private int end;
        /** The {@code count} banks of the last stride; no other worker uses them before the next stride. */
        private final int[] taken = new int[assembly.banks()];
        private int count;

        BankWorker(final int worker, final boolean untilDone) {
            this.worker = worker;
            this.endsWithFlows = untilDone && !assembly.hasEdges();
            goOn(false);
        }

        @Override
        public void goOn(final boolean isAlone) {
            first = isAlone ? 0 : banksOf(worker).first();
            end = isAlone ? assembly.banks() : banksOf(worker).end();
            count = end - first;
            Arrays.setAll(taken, i -> first + i);
        }

        @Override
        public boolean step(final long from, final long to) {
            if (strides.apart()) {
                stride(from, to);
                return true;
            }
            boolean whole = true;
            for (long slot = from; slot < to && whole; slot++) {
                whole = step(slot);
            }
            return whole;
        }

        /**
         * Sums up its banks. A bank that allows the run to end counts as one settled cell. Settled cells are reported
         * only for a run that ends with its last flow.
         */
        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            long completed = 0;
            long delivered = 0;
            long settled = 0;
            for (int i = 0; i < count; i++) {
                final Bank bank = assembly.bank(taken[i]);
                completed += bank.count(NicCounter.FLOWS_COMPLETED);
                delivered += bank.count(NicCounter.CELLS_DELIVERED);
                settled += endsWithFlows ? assembly.settled(taken[i], slot) + (strides.mayEnd(bank, slot) ? 1 : 0) : 0;
            }
            into.set(parity, worker, WorkerSums.COMPLETED, completed);
            into.set(parity, worker, WorkerSums.DELIVERED, delivered);
            into.set(parity, worker, WorkerSums.SETTLED, settled);
        }

        /** {@inheritDoc} A checked run steps every slot. */
        @Override
        public long idleUntil(final long slot) {
            long until = check ? slot : Long.MAX_VALUE;
            for (int i = 0; i < count && until > slot; i++) {
                until = Math.min(until, assembly.idleUntil(taken[i], slot));
            }
            return until;
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            return endsWithFlows && settled == whenDone ? slot : Long.MAX_VALUE;
        }

        /** Runs its own banks, then banks that others have not started. A bank with an edge stays with its worker. */
        private void stride(final long from, final long to) {
            count = 0;
            for (int index = first; index < end; index++) {
                stride(index, from, to);
            }
            final int banks = assembly.banks();
            final int others = assembly.hasEdges() ? 0 : banks - (end - first);
            for (int back = 1; back <= others; back++) {
                stride((first - back + banks) % banks, from, to);
            }
        }

        /** Runs a bank through all slots of a stride; it receives nothing that is sent in them. */
        private void stride(final int index, final long from, final long to) {
            if (!claims.take(index, to)) {
                return;
            }
            taken[count++] = index;
            for (long slot = from; slot < to; slot++) {
                assembly.send(index, slot);
                assembly.receive(index, slot);
            }
        }

        /**
         * Runs its banks through a slot together with the other workers; false if one of them failed. One barrier per
         * slot is sufficient: cells sent in the next slot are stored separately from those that others may still be
         * reading, and the slot after that starts when all have finished reading.
         */
        private boolean step(final long slot) {
            for (int index = first; index < end; index++) {
                assembly.send(index, slot);
            }
            if (!threads.await(worker)) {
                return false;
            }
            for (int index = first; index < end; index++) {
                assembly.receive(index, slot);
            }
            return !check || threads.await(worker, () -> assembly.audit.check(slot));
        }
    }

    /**
     * Slots between the barriers of lock step, and the slots at which a run without a limit may end.
     *
     * <p>Such a run ends once all cells are settled and all banks are idle. If nodes exchange and count messages for as
     * long as a run lasts, it ends at a multiple of {@code ends}, so that no counter depends on when the engine noticed
     * the end.
     *
     * @param apart whether each bank runs through a stride independently, because it receives nothing that is sent in
     *              it.
     * @param slots slots between two barriers, at least 1.
     * @param ends  interval of the slots at which a run may end, if banks never become idle: a multiple of every
     *              engine's stride.
     */
    record Strides(boolean apart, long slots, long ends) {
        private static final long END_SLOTS = 1024;
        /** Slots per stride if workers also synchronise in every slot. */
        private static final int LOOK_SLOTS = 16;

        static Strides of(final FabricParts parts, final Traffic traffic, final boolean check) {
            final int propagation = parts.fabric().propagationSlots();
            final boolean apart = !check && propagation > 1 && !parts.meetsInEverySlot();
            // Otherwise banks share more than the link, or edges deliver cells in every slot.
            final boolean linkAlone = propagation != 1 && !check && traffic.edges() == null
                && traffic.faults() == Faults.NONE && !parts.resends(traffic);
            final long delay = Math.max(1, propagation);
            return new Strides(apart, apart ? propagation : linkAlone ? LOOK_SLOTS : 1,
                Math.ceilDiv(END_SLOTS, delay) * delay);
        }

        /** Whether a bank allows a run without a limit to end before a slot, once all cells are settled. */
        boolean mayEnd(final Bank bank, final long slot) {
            return bank.canIdle() ? bank.isIdle(slot) : slot % ends == 0;
        }
    }

    /**
     * Tracks the banks taken in a stride. A worker takes its own banks in ascending order, then those that others have
     * not started, from their last one down. A worker without a processor therefore blocks only one bank, and while all
     * workers run each keeps its banks in its caches.
     *
     * <p>A bank belongs to the worker that took it until the next barrier, which orders one worker's stride before
     * another's. The state of a bank does not depend on who takes it.
     */
    public static final class BankClaims {
        /** Distance in longs between the words of two banks, which keeps them off adjacent cache lines. */
        private static final int SPACING = 16;
        private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);

        /** End of the last stride in which each bank was taken. */
        private final long[] takenUntil;

        /** Creates claims in which no bank is taken. */
        public BankClaims(final int banks) {
            takenUntil = new long[banks * SPACING];
        }

        /**
         * Takes a bank for the caller's thread.
         *
         * @param bank        number of the bank.
         * @param endOfStride slot at which all workers synchronise; increases with every stride.
         * @return false if another worker has taken it.
         */
        public boolean take(final int bank, final long endOfStride) {
            final long before = (long) LONG.getOpaque(takenUntil, bank * SPACING);
            return before < endOfStride && LONG.compareAndSet(takenUntil, bank * SPACING, before, endOfStride);
        }
    }
}
