package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.dataplane.worker.ProcessorSeparation;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Engine;
import org.agrona.concurrent.IdleStrategy;

import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The workers of a fabric in lock step. Each runs through a stride of slots, then all synchronise and exchange
 * {@link WorkerSums}, and the first one reports to the watch. The caller of {@link #run} is worker 0; the others are
 * threads that have been joined when it returns, in all cases. If barriers cost more than they save
 * ({@link SpeedAccount}), the first worker continues alone for a while.
 *
 * <p>The first failure of any worker stops all of them. An interrupt of the caller stops the run at the next barrier
 * and stays set; an interrupt while it joins the others only stays set, because the run is already over.
 */
public final class LockStepWorkers {
    private final SlotBarrier barrier;
    private final int workers;
    private final long stride;
    /** Poller of each worker; null if no cells come from outside. */
    private final EdgePoller[] edges;
    private final ThreadFactory factory;
    /** Decides when the first worker continues alone; null: never. */
    private final SpeedAccount account;
    private final LongSupplier clock;
    /** Whether the run continues after the barrier, by parity. Written by worker 0, read by all after the barrier. */
    private final boolean[] goOn = new boolean[2];
    /** Whether worker 0 continues alone after the barrier, by parity. Accessed like {@link #goOn}. */
    private final boolean[] alone = new boolean[2];
    /** Position at which the other workers resume when worker 0 calls them; worker 0 writes it before the call. */
    private final SlotProgress called = new SlotProgress(0, 0);
    private ParkedWorkers parked;
    private WorkerSums sums;
    /** Whether worker 0 continues alone; used by worker 0 only. */
    private boolean isAlone;
    /** Number of workers at the last barrier; used by worker 0 only. */
    private int parties;
    /** Slots done; written by worker 0. */
    private long slots;
    private boolean interrupted;
    private boolean watching;
    private boolean isDone;

    /** The work of one worker in a run. Called by the worker's thread. */
    public interface Worker {
        /**
         * Runs its banks through at least one slot. Slots in which all banks are idle are skipped.
         *
         * @return false if another worker failed, detected when all {@linkplain #await synchronise} within the stride.
         */
        boolean step(long first, long end);

        /** Sets its numbers before a barrier after some slots. */
        void report(WorkerSums into, int parity, long slot);

        /**
         * Returns, after a barrier, the slot before which the run ends. All workers must derive the same slot from the
         * sums.
         *
         * @param slot    slots done.
         * @param settled sum of {@link WorkerSums#SETTLED}.
         * @param moves   sum of {@link WorkerSums#MOVES}.
         * @return the slot, or {@link Long#MAX_VALUE} if it is not known yet.
         */
        long end(long slot, long settled, long moves);

        /** Returns, before a barrier, the slot from which the worker must be stepped again, at least {@code slot}. */
        default long idleUntil(final long slot) {
            return slot;
        }

        /**
         * Called after a barrier at which this changes: the first worker continues alone with all banks, or each worker
         * with its own. A worker that is left behind is not notified.
         */
        default void goOn(final boolean isAlone) {
        }
    }

    /**
     * Creates workers without starting them.
     *
     * @param memory  memory of the barrier, off-heap, shared; freed after the last run.
     * @param workers at least 1.
     * @param stride  slots between two barriers, at least 1.
     * @param edges   poller of each worker if cells come from outside; otherwise null.
     * @param clock   nanoseconds, to measure the cost of slots; null if the first worker never continues alone, as with
     *                edges and without {@link Worker#goOn}.
     */
    public LockStepWorkers(final SegmentAllocator memory, final int workers, final long stride,
        final EdgePoller[] edges, final LongSupplier clock) {
        this(memory, workers, stride, edges, clock, Thread.ofPlatform().daemon().factory());
    }

    /** Creates workers with a thread factory, so that tests can make it fail. */
    LockStepWorkers(final SegmentAllocator memory, final int workers, final long stride, final EdgePoller[] edges,
        final LongSupplier clock, final ThreadFactory factory) {
        // With edges, workers also wait for packets.
        this.barrier = edges == null ? new SlotBarrier(memory, workers, new ProcessorSeparation(workers)::onLongWait)
            : new SlotBarrier(memory, workers);
        this.workers = workers;
        this.stride = stride;
        this.edges = edges;
        this.factory = factory;
        this.clock = clock;
        this.account = clock == null || workers == 1 ? null : new SpeedAccount();
    }

    /**
     * Runs to an end. An exception of the watch ends the run and is rethrown unchanged.
     *
     * @param from  the first slot.
     * @param limit the slot before which to stop, if no worker ends the run earlier.
     * @param watch called at every barrier.
     * @param maker creates a worker by its number; called on the worker's thread.
     * @return slots done.
     * @throws IllegalStateException if a worker failed, with the worker's exception as its cause, or if the caller was
     *                               interrupted. After a failure, every later run throws it again.
     */
    public long run(final long from, final long limit, final Engine.Watch watch, final IntFunction<Worker> maker) {
        final Thread[] threads = new Thread[workers];
        parked = new ParkedWorkers(threads);
        sums = new WorkerSums(workers);
        slots = from;
        interrupted = false;
        watching = false;
        isDone = false;
        try {
            for (int w = 1; w < workers; w++) {
                final int worker = w;
                threads[w] = factory.newThread(() -> work(worker, from, limit, watch, maker));
                threads[w].setName("skerry-worker-" + w);
                threads[w].start();
            }
            isDone = work(0, from, limit, watch, maker);
        } catch (final Throwable failure) {
            // The watch failed, or a thread could not be started: the threads already started must not wait for the
            // others.
            barrier.abort(failure);
            throw failure;
        } finally {
            parked.dismiss();
            join(threads);
        }
        final Throwable failure = barrier.failure();
        if (failure != null) {
            throw new IllegalStateException(failure.getMessage(),
                failure.getCause() == null ? failure : failure.getCause());
        }
        if (!isDone && interrupted) {
            throw new IllegalStateException("interrupted");
        }
        return slots;
    }

    /**
     * Synchronises with the other workers within a stride.
     *
     * @return false if one of them failed.
     */
    public boolean await(final int worker) {
        return workers == 1 || worker == 0 && isAlone || barrier.await(worker);
    }

    /**
     * Synchronises with the other workers within a stride; the first worker then runs an action while all others wait.
     *
     * @return false if one of them failed.
     */
    public boolean await(final int worker, final Runnable action) {
        if (!await(worker)) {
            return false;
        }
        if (worker == 0) {
            action.run();
        }
        return await(worker);
    }

    /** Whether the last run reached its end; false if its watch stopped it. Not during a run. */
    public boolean isDone() {
        return isDone;
    }

    /** Nanoseconds that all workers have slept at barriers. Any thread may call. */
    public long waitedNs() {
        return IntStream.range(0, workers).mapToLong(barrier::waitedNs).sum();
    }

    /** Nanoseconds that the first worker has continued alone because barriers cost more. Not during a run. */
    public long aloneNs() {
        return account == null ? 0 : account.aloneNs;
    }

    /** Whether the run reached its end; false if it was stopped. Rethrows only exceptions of the watch. */
    private boolean work(final int worker, final long from, final long limit, final Engine.Watch watch,
        final IntFunction<Worker> maker) {
        try {
            return strides(worker, maker.apply(worker), from, limit, watch);
        } catch (final Throwable failure) {
            if (worker == 0 && watching) {
                throw failure;
            }
            barrier.abort(new IllegalStateException("worker " + worker + " failed: " + failure, failure));
            return false;
        }
    }

    private boolean strides(final int worker, final Worker of, final long from, final long limit,
        final Engine.Watch watch) {
        final EdgePoller poller = edges == null ? null : edges[worker];
        final SlotProgress at = new SlotProgress(from, limit);
        if (worker == 0) {
            begin();
        }
        long until = poller == null ? Long.MAX_VALUE : from;
        while (at.isBeforeEnd()) {
            if (!at.step(of, stride, until, poller)) {
                return false;
            }
            final int parity = at.parity;
            of.report(sums, parity, at.slot);
            if (poller != null) {
                sums.set(parity, worker, WorkerSums.GO_TO, poller.poll(at.slot));
            }
            sums.set(parity, worker, WorkerSums.IDLE_UNTIL, of.idleUntil(at.slot));
            if (worker == 0) {
                look(watch, at);
            }
            if (!await(worker)) {
                return false;
            }
            final int count = worker == 0 && isAlone ? 1 : workers;
            at.leave(of.end(at.slot, sums.sum(parity, WorkerSums.SETTLED, count),
                sums.sum(parity, WorkerSums.MOVES, count)), sums.min(parity, WorkerSums.IDLE_UNTIL, count));
            if (at.isBeforeEnd() && !goOn[parity]) {
                return false;
            }
            until = poller == null ? Long.MAX_VALUE : sums.max(parity, WorkerSums.GO_TO, count);
            if (at.isBeforeEnd() && alone[parity] != (worker == 0 && isAlone) && !change(worker, of, at)) {
                return false;
            }
        }
        return true;
    }

    private void begin() {
        isAlone = false;
        parties = workers;
        if (account != null) {
            account.begin(clock.getAsLong());
        }
    }

    /** Switches between worker 0 alone and all workers; false at the end of the run. */
    private boolean change(final int worker, final Worker of, final SlotProgress at) {
        if (worker == 0 && isAlone) {
            isAlone = false;
            called.join(at);
            parked.call();
        } else {
            // Worker 0 will overwrite the data of the last barrier without waiting for the others.
            if (!barrier.await(worker)) {
                return false;
            }
            if (worker > 0) {
                if (!parked.park(worker)) {
                    return false;
                }
                at.join(called);
            } else {
                isAlone = true;
            }
        }
        of.goOn(worker == 0 && isAlone);
        return true;
    }

    /** Reports the sums of the previous barrier to the watch, because those of this barrier are not complete yet. */
    private void look(final Engine.Watch watch, final SlotProgress at) {
        slots = at.slot;
        watching = true;
        final int last = at.parity ^ 1;
        final boolean wanted = watch.onProgress(slots, sums.sum(last, WorkerSums.DELIVERED, parties),
            sums.sum(last, WorkerSums.COMPLETED, parties));
        watching = false;
        parties = isAlone ? 1 : workers;
        interrupted = Thread.currentThread().isInterrupted();
        goOn[at.parity] = wanted && !interrupted;
        alone[at.parity] = account != null && account.goesAlone(at.stepped, clock.getAsLong());
    }

    /** Waits for all threads that were started; restores an interrupt afterwards. */
    private static void join(final Thread[] threads) {
        boolean interrupted = false;
        for (final Thread thread : threads) {
            while (thread != null && thread.isAlive()) {
                try {
                    thread.join();
                } catch (final InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Accounts for the time that workers in lock step save by working together. If barriers cost more than they save,
     * because another program uses one of the processors or because there is little work per slot, the first worker
     * continues alone; later all try again. Called by the first worker's thread once per barrier. The decision never
     * changes a result, only who computes it.
     *
     * <p>Time is measured in rounds. A round alone measures the cost of a slot for one worker; a round together saves
     * or loses the difference from that cost. Savings cover later losses, up to some rounds. When the account is
     * overdrawn by more than a round, the first worker continues alone for {@value #LOSS_SHARE} times the debt, so
     * working together never loses more than 1/32 of the time, whatever the machine does. The first second is an
     * exception: the time alone is at most the time since the first run began, because the compilers stall rounds then.
     * Periodically, two rounds alone renew the measurement: in the first one, data used by other workers is still in
     * their caches.
     */
    static final class SpeedAccount {
        /** Reciprocal of the maximum share of the time that working together may lose. */
        static final int LOSS_SHARE = 32;
        /** Minimum length of a round: many barriers, but less than a time slice of the scheduler. */
        static final long ROUND_NS = 500_000;
        /** Maximum time alone: one stall of the machine must not affect the workers for long. */
        static final long MOST_ALONE_NS = 1_000_000_000;
        /** Number of rounds together after which rounds alone renew the measurement. */
        static final int MEASURE_ROUNDS = 64;
        /** Number of rounds together before the first measurement. */
        private static final int FIRST_ROUNDS = 4;
        /** Savings are limited to this many rounds, which outlast some time slices of the scheduler of 3 ms each. */
        private static final int KEPT_ROUNDS = 32;
        /** Number of rounds alone that are not measured. */
        private static final int COLD_ROUNDS = 1;
        /** Weight of a new round alone relative to earlier ones. */
        private static final double NEWEST = 0.25;

        private boolean isAlone;
        /** Start of the first run. */
        private long firstNs = Long.MAX_VALUE;
        private long roundNs;
        private long roundSlots;
        /** Cost of a slot for the first worker alone; 0 until it is known. */
        private double aloneSlotNs;
        /** Time saved by rounds together; negative if lost. */
        private double savedNs;
        /** Number of rounds together until the next measurement. */
        private int measureIn = FIRST_ROUNDS;
        /** Time after which the last round alone ends and all try again. */
        private double aloneUntilNs;
        /** Number of rounds since the first worker continued alone. */
        private int roundsAlone;
        /** Nanoseconds that the first worker has been alone. */
        long aloneNs;

        /**
         * Starts a run with all workers. Earlier measurements and savings are kept; a measurement that the end of the
         * last run cut short is repeated.
         */
        void begin(final long nowNs) {
            measureIn = isAlone ? FIRST_ROUNDS : measureIn;
            firstNs = Math.min(firstNs, nowNs);
            isAlone = false;
            roundNs = nowNs;
            roundSlots = 0;
            savedNs = Math.max(0, savedNs);
        }

        /**
         * Whether the first worker continues alone after a barrier.
         *
         * @param slots slots stepped since the last barrier.
         * @param nowNs the time in nanoseconds.
         */
        boolean goesAlone(final long slots, final long nowNs) {
            roundSlots += slots;
            final long ns = nowNs - roundNs;
            if (ns < ROUND_NS || roundSlots == 0) {
                return isAlone;
            }
            if (isAlone) {
                alone(ns, nowNs);
            } else {
                together(ns, nowNs);
            }
            roundNs = nowNs;
            roundSlots = 0;
            return isAlone;
        }

        private void alone(final long ns, final long nowNs) {
            final double slotNs = (double) ns / roundSlots;
            aloneNs += ns;
            roundsAlone++;
            if (roundsAlone <= COLD_ROUNDS) {
                return;
            }
            aloneSlotNs = roundsAlone == COLD_ROUNDS + 1 ? slotNs : aloneSlotNs + NEWEST * (slotNs - aloneSlotNs);
            if (nowNs >= aloneUntilNs) {
                isAlone = false;
                measureIn = MEASURE_ROUNDS;
            }
        }

        private void together(final long ns, final long nowNs) {
            final double expected = aloneSlotNs * roundSlots;
            if (aloneSlotNs > 0) {
                savedNs = Math.min(savedNs + expected - ns, KEPT_ROUNDS * expected);
            }
            if (savedNs < -expected) {
                goAlone(nowNs + Math.min(-savedNs * LOSS_SHARE, Math.min(nowNs - firstNs, MOST_ALONE_NS)));
                savedNs = 0;
            } else if (--measureIn == 0) {
                goAlone(nowNs);
            }
        }

        private void goAlone(final double untilNs) {
            isAlone = true;
            roundsAlone = 0;
            aloneUntilNs = untilNs;
        }
    }

    /** Position of a worker of a {@link LockStepWorkers} between barriers. Used by its own thread. */
    private static final class SlotProgress {
        /** Slots done. */
        private long slot;
        /** The slot before which the run ends, if known. */
        private long end;
        /** The slot until which all banks are idle. */
        private long rest;
        /** Slots stepped before the last barrier. */
        private long stepped;
        /** Parity of the next barrier. */
        private int parity;

        SlotProgress(final long slot, final long end) {
            this.slot = slot;
            this.end = end;
            this.rest = slot;
        }

        /** Moves to the position of another worker. */
        void join(final SlotProgress other) {
            slot = other.slot;
            end = other.end;
            rest = other.rest;
            parity = other.parity;
        }

        /**
         * Advances to the next barrier. Workers synchronise at the slots at which they would if no bank were idle, so
         * that a run ends in the same slot; and before they continue, so that the watch can stop an idle fabric.
         *
         * @param stride slots between two barriers.
         * @param until  the slot to which the edges allow the worker to proceed.
         * @param poller poller of edges, which idles if no progress is allowed; null if there are no edges.
         * @return false if another worker failed.
         */
        boolean step(final Worker worker, final long stride, final long until, final EdgePoller poller) {
            final long last = Math.min(until, end);
            final long next = Math.min(rest, last);
            final long start = next == Long.MAX_VALUE ? slot : Math.max(slot, next);
            final long rested = (start - slot) / stride * stride;
            final long meet = rested > 0 ? slot + rested : Math.max(start, Math.min(slot + stride, last));
            stepped = 0;
            if (meet == slot) {
                poller.idle();
            } else if (rested == 0 && meet > start) {
                stepped = meet - start;
                if (!worker.step(start, meet)) {
                    return false;
                }
            }
            slot = meet;
            return true;
        }

        /** Updates the position after a barrier. */
        void leave(final long endsBefore, final long idleUntil) {
            end = Math.min(end, endsBefore);
            rest = idleUntil;
            parity ^= 1;
        }

        /** Whether the run continues, as far as known. */
        boolean isBeforeEnd() {
            return slot < end;
        }
    }

    /**
     * Parks workers while the first one continues alone. It calls them back to a stride; every other worker answers
     * each call once, before the barrier at the end of that stride, so at most one call is open.
     *
     * <p>Actions of the first worker before {@link #call} happen-before actions of another worker after {@link #park}
     * has returned true (R1, A1). Blocking: a waiting worker is parked.
     */
    public static final class ParkedWorkers {
        private static final long OVER = Long.MAX_VALUE;

        private final Thread[] threads;
        /** Number of calls that each worker has answered; used by its own thread only. */
        private final long[] answered;
        /** Number of calls made, or {@link #OVER}. */
        private final AtomicLong calls = new AtomicLong();

        /**
         * Creates an object with no parked workers.
         *
         * @param threads by worker; the first one is not used. All others are set before a call.
         */
        public ParkedWorkers(final Thread[] threads) {
            this.threads = threads;
            this.answered = new long[threads.length];
        }

        /** Calls all other workers. Called by the first worker's thread. */
        public void call() {
            wake(calls.getPlain() + 1);
        }

        /**
         * Releases all parked workers; workers that try to park later return immediately. Called by the first worker's
         * thread, or by the owner's thread after it.
         */
        public void dismiss() {
            wake(OVER);
        }

        /**
         * Parks until the next call; returns immediately if it has already been made.
         *
         * @param worker not the first.
         * @return false if the run is over.
         */
        public boolean park(final int worker) {
            long made = calls.getAcquire(); // A1: pairs with R1
            while (made <= answered[worker]) {
                LockSupport.park(this);
                // A pending interrupt would end every park immediately; no other code uses these threads.
                Thread.interrupted();
                made = calls.getAcquire(); // A1
            }
            answered[worker]++;
            return made != OVER;
        }

        private void wake(final long made) {
            calls.setRelease(made); // R1: actions before the call; pairs with A1
            for (int worker = 1; worker < threads.length; worker++) {
                LockSupport.unpark(threads[worker]);
            }
        }
    }

    /** Polls the edges of one worker's banks in lock step, at most every few slots. Called by the worker's thread. */
    public static final class EdgePoller {
        private final Edge[] edges;
        private final IdleStrategy strategy;
        private long until;
        private long next;

        /**
         * Creates a poller that has not polled.
         *
         * @param edges    edges of the worker's banks.
         * @param strategy idle strategy while no edge has work.
         */
        public EdgePoller(final Edge[] edges, final IdleStrategy strategy) {
            this.edges = edges;
            this.strategy = strategy;
        }

        /** Polls all edges if one may have changes; returns the slot before which the fabric must stop. */
        public long poll(final long slot) {
            if (slot >= next || slot >= until) {
                next = slot + FreeRunning.NicAgent.BATCH_SLOTS;
                until = 0;
                for (final Edge edge : edges) {
                    until = Math.max(until, edge.poll(slot));
                }
                if (until > slot) {
                    strategy.reset();
                }
            }
            return until;
        }

        /** Idles once. */
        public void idle() {
            strategy.idle();
        }
    }

    /**
     * Numbers that the workers of a {@link LockStepWorkers} exchange at a barrier. A worker writes its own numbers
     * before the barrier and reads the sums after it. Barriers alternate between two parities, so no worker overwrites
     * numbers that another still reads. If the first worker continues alone, numbers of the others are ignored.
     *
     * <pre>
     *   one worker and parity: numbers 0 to 15, two cache lines that no other thread writes
     * </pre>
     */
    public static final class WorkerSums {
        /** Flows completed. */
        public static final int COMPLETED = 0;
        /** Cells delivered. */
        public static final int DELIVERED = 1;
        /** Number that decides the end of the run: cells or flows whose fate is known. */
        public static final int SETTLED = 2;
        /** Grows while cells move; for engines that need it. */
        public static final int MOVES = 3;
        /** The slot to which the edges allow the fabric to proceed. */
        static final int GO_TO = 4;
        /** The slot until which the worker's banks are idle. */
        static final int IDLE_UNTIL = 5;

        private static final int NUMBERS_SHIFT = 4;

        private final long[][] numbers;

        /** All zero. */
        WorkerSums(final int workers) {
            this.numbers = new long[2][workers << NUMBERS_SHIFT];
        }

        /** Sets a number of a worker. Called by the worker's thread before the barrier. */
        public void set(final int parity, final int worker, final int number, final long value) {
            numbers[parity][(worker << NUMBERS_SHIFT) + number] = value;
        }

        /** The sum over the first {@code parties} workers. Called by any worker's thread after the barrier. */
        long sum(final int parity, final int number, final int parties) {
            return over(parity, number, parties, 0, Long::sum);
        }

        /** The minimum over the first {@code parties} workers. Called by any worker's thread after the barrier. */
        long min(final int parity, final int number, final int parties) {
            return over(parity, number, parties, Long.MAX_VALUE, Math::min);
        }

        /**
         * The maximum over the first {@code parties} workers, at least 0. Called by any worker's thread after the
         * barrier.
         */
        long max(final int parity, final int number, final int parties) {
            return over(parity, number, parties, 0, Math::max);
        }

        private long over(final int parity, final int number, final int parties, final long none,
            final LongBinaryOperator join) {
            long all = none;
            for (int worker = 0; worker < parties; worker++) {
                all = join.applyAsLong(all, numbers[parity][(worker << NUMBERS_SHIFT) + number]);
            }
            return all;
        }
    }
}
