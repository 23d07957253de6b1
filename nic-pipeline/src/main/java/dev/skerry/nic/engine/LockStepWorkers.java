package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.SlotBarrier;
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
 * The workers of a fabric in lock step. Each goes through a stride of slots, then all synchronise, exchange {@link
 * WorkerSums}, and the first one reports to the watch. The caller of {@link #run} is worker 0; the others are threads
 * that have been joined when it returns, whatever happened. Where barriers cost more than they save
 * ({@link SpeedAccount}), the first worker goes on alone for a while.
 *
 * <p>The first failure of any worker stops all of them. An interrupt of the caller stops the run at the next barrier
 * and stays set; an interrupt while it joins only stays set, as the run is over then.
 */
public final class LockStepWorkers {
    private final SlotBarrier barrier;
    private final int workers;
    private final long stride;
    /** By worker; null where no cells come from outside. */
    private final EdgePoller[] edges;
    private final ThreadFactory factory;
    /** Says when the first worker goes on alone; null: never. */
    private final SpeedAccount account;
    private final LongSupplier clock;
    /** By parity: whether the run goes on after the barrier. Worker 0 writes, all read after the barrier. */
    private final boolean[] goOn = new boolean[2];
    /** By parity: whether worker 0 goes on alone after the barrier. As above. */
    private final boolean[] alone = new boolean[2];
    /** Where the others begin that worker 0 calls; it writes before the call. */
    private final SlotProgress called = new SlotProgress(0, 0);
    private ParkedWorkers parked;
    private WorkerSums sums;
    /** Whether worker 0 goes on alone; only it asks. */
    private boolean isAlone;
    /** Number of workers at the last barrier; only worker 0 asks. */
    private int parties;
    /** Slots done; worker 0 writes. */
    private long slots;
    private boolean interrupted;
    private boolean watching;
    private boolean isDone;

    /** What a worker does in a run. Its own thread calls. */
    public interface Worker {
        /**
         * Takes its banks through slots, at least one. Slots in which all banks are idle are skipped.
         *
         * @return false if another worker failed, seen where all {@linkplain #await synchronise} within the stride.
         */
        boolean step(long first, long end);

        /** Sets its numbers before a barrier after some slots. */
        void report(WorkerSums into, int parity, long slot);

        /**
         * After a barrier, the slot before which the run ends. All workers must find the same from the sums.
         *
         * @param slot    slots done.
         * @param settled sum of {@link WorkerSums#SETTLED}.
         * @param moves   sum of {@link WorkerSums#MOVES}.
         * @return the slot, or {@link Long#MAX_VALUE} if it is not known yet.
         */
        long end(long slot, long settled, long moves);

        /** Before a barrier, the slot from which the worker has to be stepped again, {@code slot} or later. */
        default long idleUntil(final long slot) {
            return slot;
        }

        /**
         * After a barrier that changes it: the first worker goes on alone with all banks, or each with its own.
         * A worker that is left behind is not notified.
         */
        default void goOn(final boolean isAlone) {
        }
    }

    /**
     * Workers that have not started.
     *
     * @param memory  of the barrier, off-heap, shared; freed after the last run.
     * @param workers at least 1.
     * @param stride  slots between two barriers, at least 1.
     * @param edges   by worker, where cells come from outside; else null.
     * @param clock   nanoseconds, for what slots cost; null if the first worker never goes on alone, as with edges and
     *                without {@link Worker#goOn}.
     */
    public LockStepWorkers(final SegmentAllocator memory, final int workers, final long stride,
        final EdgePoller[] edges, final LongSupplier clock) {
        this(memory, workers, stride, edges, clock, Thread.ofPlatform().daemon().factory());
    }

    /** Threads from a factory, so that a test can have one that fails. */
    LockStepWorkers(final SegmentAllocator memory, final int workers, final long stride, final EdgePoller[] edges,
        final LongSupplier clock, final ThreadFactory factory) {
        this.barrier = new SlotBarrier(memory, workers);
        this.workers = workers;
        this.stride = stride;
        this.edges = edges;
        this.factory = factory;
        this.clock = clock;
        this.account = clock == null || workers == 1 ? null : new SpeedAccount();
    }

    /**
     * Runs to an end. A watch that throws ends the run; what it threw is thrown on as it is.
     *
     * @param from  the first slot.
     * @param limit the slot to stop before, if no worker ends the run earlier.
     * @param watch called at every barrier.
     * @param maker makes a worker by its number; called on the worker's thread.
     * @return slots done.
     * @throws IllegalStateException if a worker failed, the cause being what it threw, or if the caller was
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
            // From the watch, or no more threads to be had: those started must not wait for the others.
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

    /** Whether the last run came to its end; false if its watch stopped it. Not during a run. */
    public boolean isDone() {
        return isDone;
    }

    /** Nanoseconds that all workers have slept at barriers. Any thread may call. */
    public long waitedNs() {
        return IntStream.range(0, workers).mapToLong(barrier::waitedNs).sum();
    }

    /** Nanoseconds that the first worker has gone on alone, as barriers cost more. Not during a run. */
    public long aloneNs() {
        return account == null ? 0 : account.aloneNs;
    }

    /** Whether the run came to its end; false if it was stopped. Only what the watch throws is thrown. */
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

    /** From here on worker 0 goes on alone, or all together; false at the end of the run. */
    private boolean change(final int worker, final Worker of, final SlotProgress at) {
        if (worker == 0 && isAlone) {
            isAlone = false;
            called.join(at);
            parked.call();
        } else {
            // What the last barrier was about is overwritten by one who does not wait for the others.
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

    /** Reports to the watch what the sums of the last barrier say, as those of this one are not complete yet. */
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

    /** Waits for all threads that were started; an interrupt is kept for later. */
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
     * The account of time that workers in lock step have saved by going together. Where barriers cost more than they
     * save, because another program has one of the processors or because there is little to do in a slot, the first
     * worker goes on alone; later all try again. The first worker's thread asks once per barrier. What it answers never
     * changes a result, only who computes it.
     *
     * <p>Time is measured in rounds. A round alone says what a slot costs one worker; a round together saves or loses
     * what it took less or more than that. Savings cover later losses, up to some rounds. When the account is overdrawn
     * by more than a round, the first worker goes on alone for {@value #LOSS_SHARE} times the debt, so together never
     * lose more than that share of the time, whatever the machine does. Now and then two rounds alone renew the
     * measure: in the first one, what others have worked on is still in their caches.
     */
    static final class SpeedAccount {
        /** Going together may cost at most this part of the time. */
        static final int LOSS_SHARE = 32;
        /** Length of a round, at least: many barriers, and less than a time slice of the scheduler. */
        static final long ROUND_NS = 500_000;
        /** Longest time alone: one stall of the machine is not held against the workers for ever. */
        static final long MOST_ALONE_NS = 1_000_000_000;
        /** Rounds together, after which some alone measure again. */
        static final int MEASURE_ROUNDS = 64;
        /** Rounds together before the first measure. */
        private static final int FIRST_ROUNDS = 4;
        /** Savings are kept for as many rounds' time: they outlast some turns of the scheduler, of 3 ms each. */
        private static final int KEPT_ROUNDS = 32;
        /** Rounds alone that are no measure. */
        private static final int COLD_ROUNDS = 1;
        /** Weight of a new round alone among those before it. */
        private static final double NEWEST = 0.25;

        private boolean isAlone;
        private long roundNs;
        private long roundSlots;
        /** What a slot costs the first worker alone; 0 before it is known. */
        private double aloneSlotNs;
        /** Of rounds together; negative if lost. */
        private double savedNs;
        /** Rounds together until the next measure. */
        private int measureIn = FIRST_ROUNDS;
        /** The last round alone before all try again ends after this time. */
        private double aloneUntilNs;
        /** Rounds since the first worker went alone. */
        private int roundsAlone;
        /** Nanoseconds that the first worker has been alone. */
        long aloneNs;

        /** A run begins; all go together. What was measured and saved before stays. */
        void begin(final long nowNs) {
            isAlone = false;
            roundNs = nowNs;
            roundSlots = 0;
            savedNs = Math.max(0, savedNs);
        }

        /**
         * Whether the first worker goes on alone after a barrier.
         *
         * @param slots that have been stepped since the last barrier.
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
                goAlone(nowNs + Math.min(-savedNs * LOSS_SHARE, MOST_ALONE_NS));
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

    /** Where a worker of a {@link LockStepWorkers} is, between barriers. Its own thread. */
    private static final class SlotProgress {
        /** Slots done. */
        private long slot;
        /** The slot before which the run ends, as far as it is known. */
        private long end;
        /** All banks are idle until this slot. */
        private long rest;
        /** Slots stepped on the way to the last barrier. */
        private long stepped;
        /** Of the next barrier. */
        private int parity;

        SlotProgress(final long slot, final long end) {
            this.slot = slot;
            this.end = end;
            this.rest = slot;
        }

        /** Goes where another one is. */
        void join(final SlotProgress other) {
            slot = other.slot;
            end = other.end;
            rest = other.rest;
            parity = other.parity;
        }

        /**
         * Goes to the next barrier. Workers synchronise where they would if no bank were idle, so that a run ends in
         * the same slot; and before they go on, so that the watch can stop an idle fabric.
         *
         * @param stride slots between two barriers.
         * @param until  the slot that edges allow to go to.
         * @param poller of edges, which idles if that is nowhere; null if there are none.
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

        /** After a barrier. */
        void leave(final long endsBefore, final long idleUntil) {
            end = Math.min(end, endsBefore);
            rest = idleUntil;
            parity ^= 1;
        }

        /** Whether the run goes on, as far as it is known. */
        boolean isBeforeEnd() {
            return slot < end;
        }
    }

    /**
     * Parks workers while the first one goes on alone. It calls them to a stride; every call is answered by every
     * other worker, once, before the barrier at the end of that stride, so there is never more than one open call.
     *
     * <p>What the first worker did before {@link #call} happens-before what another does after {@link #park} has
     * returned true (R1, A1). Blocking: a waiting worker is parked.
     */
    public static final class ParkedWorkers {
        private static final long OVER = Long.MAX_VALUE;

        private final Thread[] threads;
        /** By worker, calls it has answered; only its own thread uses them. */
        private final long[] answered;
        /** Calls made, or {@link #OVER}. */
        private final AtomicLong calls = new AtomicLong();

        /**
         * No worker is parked.
         *
         * @param threads by worker; the first one's is not used. All are set before a call.
         */
        public ParkedWorkers(final Thread[] threads) {
            this.threads = threads;
            this.answered = new long[threads.length];
        }

        /** Calls all others. The first worker's thread. */
        public void call() {
            wake(calls.getPlain() + 1);
        }

        /**
         * Releases all parked workers; workers that try to park later return immediately. The first worker's thread, or
         * the owner's after it.
         */
        public void dismiss() {
            wake(OVER);
        }

        /**
         * Parks until the next call; returns at once if it has already been made.
         *
         * @param worker not the first.
         * @return false if the run is over.
         */
        public boolean park(final int worker) {
            long made = calls.getAcquire(); // A1: pairs with R1
            while (made <= answered[worker]) {
                LockSupport.park(this);
                // An interrupt would end every park at once; no other code knows these threads.
                Thread.interrupted();
                made = calls.getAcquire(); // A1
            }
            answered[worker]++;
            return made != OVER;
        }

        private void wake(final long made) {
            calls.setRelease(made); // R1: all that was done before the call; pairs with A1
            for (int worker = 1; worker < threads.length; worker++) {
                LockSupport.unpark(threads[worker]);
            }
        }
    }

    /** Polls the edges of one worker's banks in lock step, at most every few slots. The worker's thread. */
    public static final class EdgePoller {
        private final Edge[] edges;
        private final IdleStrategy strategy;
        private long until;
        private long next;

        /**
         * Edges that have not been polled.
         *
         * @param edges    of the worker's banks.
         * @param strategy idles while no edge has work.
         */
        public EdgePoller(final Edge[] edges, final IdleStrategy strategy) {
            this.edges = edges;
            this.strategy = strategy;
        }

        /** Polls all edges if one may have changes; returns the slot up to which the fabric may go, not included. */
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
     * Numbers that the workers of a {@link LockStepWorkers} exchange at a barrier. A worker writes its own before the
     * barrier and reads the sums after it. Barriers alternate between two parities, so no worker overwrites what
     * another still reads. Where the first worker goes on alone, what the others have left does not count.
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
        /** What the end of the run is decided by: cells or flows whose fate is known. */
        public static final int SETTLED = 2;
        /** Grows while cells move; for engines that need it. */
        public static final int MOVES = 3;
        /** The slot that edges allow the fabric to go to. */
        static final int GO_TO = 4;
        /** The slot until which the worker's banks are idle. */
        static final int IDLE_UNTIL = 5;

        private static final int NUMBERS_SHIFT = 4;

        private final long[][] numbers;

        /** All zero. */
        WorkerSums(final int workers) {
            this.numbers = new long[2][workers << NUMBERS_SHIFT];
        }

        /** Sets a number of a worker. The worker's thread, before the barrier. */
        public void set(final int parity, final int worker, final int number, final long value) {
            numbers[parity][(worker << NUMBERS_SHIFT) + number] = value;
        }

        /** The sum over the first {@code parties} workers. Any worker's thread, after the barrier. */
        long sum(final int parity, final int number, final int parties) {
            return over(parity, number, parties, 0, Long::sum);
        }

        /** The minimum over the first {@code parties} workers. Any worker's thread, after the barrier. */
        long min(final int parity, final int number, final int parties) {
            return over(parity, number, parties, Long.MAX_VALUE, Math::min);
        }

        /** The maximum over the first {@code parties} workers, at least 0. Any worker's thread, after the barrier. */
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
