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
 * slots; with P = 0, between sending and receiving. Within a stride a bank sees nothing of the others, so a worker
 * takes each bank through the whole stride while its state is in the near caches, and then takes over banks that others
 * have not come to ({@link BankClaims}).
 *
 * <p>The result depends on the fabric, the flows and the seed alone, never on the number of workers.
 * {@link LockStepWorkers} owns the threads.
 */
public final class LockStep extends CircuitEngine {
    /** Most nodes of a bank: one block of the stages, whose state fits the near caches. */
    static final int BANK_NODES = CellBatch.CELLS;

    private final int workers;
    private final LockStepWorkers threads;
    private final BankClaims claims;
    private final boolean check;
    private final Strides strides;
    /** Cells of all flows, and a one for each bank: see {@link BankWorker#report}. */
    private final long whenDone;

    /** A fabric at slot 0 in which nothing ever fails. */
    public LockStep(final FabricParts parts, final FlowSet flows, final int workers, final boolean check) {
        this(parts, flows, Faults.NONE, workers, check);
    }

    /**
     * A fabric at slot 0.
     *
     * @param parts   of the fabric.
     * @param flows   what is sent across it.
     * @param faults  what fails, and when.
     * @param workers threads that share the nodes, 1 or more; at most one per node is used.
     * @param check   whether every invariant is checked in every slot, and every payload end to end.
     * @throws IllegalArgumentException if the fabric does not support the flows or faults, or lacks a node that fails
     */
    public LockStep(final FabricParts parts, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        this(parts, new Traffic(flows, faults), workers, Idle.SPIN, check);
    }

    /**
     * A fabric at slot 0. Where its cells come from outside, a run without a limit goes on until the watch ends it, and
     * pauses between slots while there is nothing to do.
     *
     * @param parts   of the fabric.
     * @param traffic the flows, what fails, and the edges where cells of flows on demand enter and leave.
     * @param workers threads that share the nodes, 1 or more; at most one per node is used.
     * @param idle    how a worker waits while there is nothing to do.
     * @param check   whether every invariant is checked in every slot.
     */
    public LockStep(final FabricParts parts, final Traffic traffic, final int workers, final Idle idle,
        final boolean check) {
        this(parts, traffic, workers, idle, check, System::nanoTime);
    }

    /** With a clock, which decides nothing but who does the work. */
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

    /** Off-heap bytes of a fabric with faults at slot 0. */
    public static long bytes(final FabricParts parts, final FlowSet flows, final Faults faults) {
        return Assembly.bytes(parts, new Traffic(flows, faults), window(parts.fabric()));
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        go(end(slotLimit), slotLimit == 0, watch);
        settle(slotLimit, isDone(), assembly.lastCompletion(), stepped, conserved());
    }

    /** Advances by a number of slots, for callers that step a fabric. Fails as {@link #run}. */
    public void advance(final long more) {
        go(stepped + more, false, (slot, delivered, done) -> true);
        settle(0, false, 0, stepped, held);
    }

    private void go(final long limit, final boolean untilDone, final Watch watch) {
        stepped = threads.run(stepped, limit, watch, worker -> new BankWorker(worker, untilDone));
    }

    /** Fills a log from now on; before a run. */
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

    /** Takes the banks of one worker through their slots. */
    private final class BankWorker implements LockStepWorkers.Worker {
        private final int worker;
        /** Whether the run ends with its last flow. */
        private final boolean endsWithFlows;
        /** Its own banks; all while it goes on alone. */
        private int first;
        private int end;
        /** Banks of the last stride, {@code count} of them; no other worker uses them before the next. */
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
         * Sums up its banks. One that lets the run end counts as a cell settled. Cells are settled only for a run that
         * ends with its last flow.
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

        /** A checked run steps every slot. */
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

        /** Its own banks, then banks that others have not come to. A bank with an edge stays with its worker. */
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

        /** Takes a bank through all slots of a stride, as it sees nothing that is sent in them. */
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
         * Takes its banks through a slot with the others; false if one of them failed. One barrier a slot is enough:
         * what is sent in the next slot lies beside what others may still be reading, and the slot after that begins
         * when all have read.
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
     * How lock step goes from barrier to barrier, and the slots in which a run without a limit may end.
     *
     * <p>Such a run ends once all cells are settled and all banks are idle. Where nodes exchange and count messages for
     * as long as a run lasts, it ends at a multiple of {@code ends}, so that no counter depends on when the engine
     * noticed.
     *
     * @param apart whether each bank goes through a stride by itself, as it sees nothing that is sent in it.
     * @param slots between two barriers, at least 1.
     * @param ends  slots between two at which a run may end, where banks never become idle: a multiple of every
     *              engine's stride.
     */
    record Strides(boolean apart, long slots, long ends) {
        private static final long END_SLOTS = 1024;
        /** Slots per stride when workers also synchronise in every slot. */
        private static final int LOOK_SLOTS = 16;

        static Strides of(final FabricParts parts, final Traffic traffic, final boolean check) {
            final int propagation = parts.fabric().propagationSlots();
            final boolean apart = !check && propagation > 1 && !parts.meetsInEverySlot();
            // Otherwise banks share more than the link, or edges bring cells in every slot.
            final boolean linkAlone = propagation != 1 && !check && traffic.edges() == null
                && traffic.faults() == Faults.NONE && !parts.resends(traffic);
            final long delay = Math.max(1, propagation);
            return new Strides(apart, apart ? propagation : linkAlone ? LOOK_SLOTS : 1,
                Math.ceilDiv(END_SLOTS, delay) * delay);
        }

        /** Whether a bank lets a run without a limit end before a slot, once all cells are settled. */
        boolean mayEnd(final Bank bank, final long slot) {
            return bank.canIdle() ? bank.isIdle(slot) : slot % ends == 0;
        }
    }

    /**
     * Which banks have been taken in a stride. A worker takes its own banks in ascending order, then what others have
     * left, from their last one down. So a worker without a processor holds one bank, not all of its own, and while all
     * workers run each keeps its banks in its caches.
     *
     * <p>A bank belongs to the worker that took it until the next barrier, which orders one worker's stride before
     * another's. Nothing in a bank depends on who takes it.
     */
    public static final class BankClaims {
        /** Longs between the words of two banks: no two on neighbouring cache lines. */
        private static final int SPACING = 16;
        private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);

        /** By bank, the end of the last stride it was taken in. */
        private final long[] takenUntil;

        /** No bank taken. */
        public BankClaims(final int banks) {
            takenUntil = new long[banks * SPACING];
        }

        /**
         * Takes a bank for the caller's thread.
         *
         * @param bank        number of the bank.
         * @param endOfStride slot at which all workers synchronise, later in every stride.
         * @return false if another worker has it.
         */
        public boolean take(final int bank, final long endOfStride) {
            final long before = (long) LONG.getOpaque(takenUntil, bank * SPACING);
            return before < endOfStride && LONG.compareAndSet(takenUntil, bank * SPACING, before, endOfStride);
        }
    }
}
