package dev.skerry.dataplane.worker;

import dev.skerry.dataplane.circuit.SlotBarrier;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadFactory;

/**
 * Runs agents on threads: shares them out, starts them together, stops them together.
 *
 * <p>Agent a runs on thread a mod threads, and the agents of a thread are called in the order given, one {@code
 * doWork()} after the other. An agent must not wait in it; it says 0 when it had nothing to do, and the thread idles
 * when all its agents say so. It says a negative number when it is done: it is not called again then, and a thread ends
 * when all its agents are done.
 *
 * <p>Guarantees:
 * <ul>
 *   <li>Every agent's {@code onStart} has returned before the first {@code doWork} of any.</li>
 *   <li>{@code onStart}, {@code doWork} and {@code onClose} of an agent are called on one thread. {@code onClose} is
 *       called once, when that thread ends, if and only if {@code onStart} returned.</li>
 *   <li>An exception from any of them stops all threads. The owner gets the first one from {@link #await} or
 *       {@link #close}, with the others suppressed in it, when all threads have been joined.</li>
 *   <li>What the owner did before {@link #start} happens-before what the agents do; what they did happens-before what
 *       the owner does after {@code await} has returned true or {@code close} has returned.</li>
 *   <li>Threads that are to stop and do not, for they are held up in something that can be interrupted, are
 *       interrupted after a second. Only an agent that neither returns nor heeds an interrupt can keep the owner
 *       waiting.</li>
 * </ul>
 * One thread, the owner, constructs, starts, awaits and closes; it is none of the agents' threads. The threads are
 * daemons.
 */
public final class AgentThreads implements AutoCloseable {
    /** How long a stopping thread may take before it is interrupted, and again before it is interrupted anew. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** How often a waiting owner looks whether the threads are to stop. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final SlotBarrier gate;
    private final Failures failures;
    private final List<Thread> threads = new ArrayList<>();
    private boolean started;
    private boolean reported;

    /**
     * Threads that have not started.
     *
     * @param agents  what to run, at least one.
     * @param threads how many threads, at least 1; no more than there are agents are used.
     * @param idle    what a thread does when it has nothing to do.
     * @param cpus    none, or a processor for each thread used, as Linux numbers them.
     * @throws UnsupportedOperationException if processors are named and the system is not Linux.
     */
    public AgentThreads(
        final List<? extends Agent> agents,
        final int threads,
        final Idle idle,
        final int... cpus
    ) {
        this(agents, threads, idle, Thread.ofPlatform().name("skerry-agents-", 0).daemon().factory(), cpus);
    }

    /** Threads from a factory, so that tests can have one that fails. */
    AgentThreads(
        final List<? extends Agent> agents,
        final int threads,
        final Idle idle,
        final ThreadFactory factory,
        final int... cpus
    ) {
        if (agents.isEmpty()) {
            throw new IllegalArgumentException("agents must not be empty");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1: threads=" + threads);
        }
        final List<Agent> all = List.copyOf(agents);
        final int count = Math.min(threads, all.size());
        if (cpus.length > 0 && cpus.length < count) {
            throw new IllegalArgumentException(
                "cpus must name one for each thread: cpus=" + cpus.length + " threads=" + count);
        }
        CpuAffinity.check(cpus, System.getProperty("os.name"));
        this.gate = new SlotBarrier(Arena.ofAuto(), count);
        this.failures = new Failures(gate);
        for (int t = 0; t < count; t++) {
            this.threads.add(factory.newThread(new AgentWorker(share(all, t, count), idle.strategy(),
                cpus.length == 0 ? AgentWorker.ANY_CPU : cpus[t], gate, t, failures)));
        }
    }

    /** Starts the threads. Called once; after {@link #stop} they end at once. */
    public void start() {
        if (started) {
            throw new IllegalStateException("started already");
        }
        started = true;
        try {
            threads.forEach(Thread::start);
        } catch (final Throwable e) {
            // No more threads to be had: the gate would wait for ever for those that were not started.
            gate.abort(e);
            join();
            throw e;
        }
    }

    /**
     * Waits until all threads have ended.
     *
     * @throws IllegalStateException if an agent failed; its cause is what the agent threw.
     * @throws InterruptedException  if the owner is interrupted; all threads have been stopped and joined then, and a
     *                               failure is suppressed in it.
     */
    public void await() throws InterruptedException {
        await(Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * Waits until all threads have ended, or for some time.
     *
     * @param patience how long.
     * @return whether they have ended.
     * @throws IllegalStateException if an agent failed; its cause is what the agent threw.
     * @throws InterruptedException  if the owner is interrupted; all threads have been stopped and joined then, and a
     *                               failure is suppressed in it.
     */
    public boolean await(final Duration patience) throws InterruptedException {
        checkOwner();
        if (!started) {
            throw new IllegalStateException("not started");
        }
        try {
            if (!awaitEnd(patience)) {
                return false;
            }
        } catch (final InterruptedException e) {
            stop();
            join();
            reported = true;
            if (failures.first() != null) {
                e.addSuppressed(failures.first());
            }
            throw e;
        }
        reported = true;
        if (failures.first() != null) {
            throw failures.first();
        }
        return true;
    }

    /** Asks all threads to end, and does not wait for it. Any thread may call, an agent too, as often as it likes. */
    public void stop() {
        gate.abort(new CancellationException("stopped"));
    }

    /** Whether the threads are to end: after {@link #stop} or a failure. Any thread may call. */
    public boolean isStopping() {
        return gate.isBroken();
    }

    /**
     * Stops all threads and waits until they have ended. An interrupt of the owner is kept for later.
     *
     * @throws IllegalStateException if an agent failed and {@link #await} has not said so before.
     */
    @Override
    public void close() {
        checkOwner();
        stop();
        join();
        if (!reported && failures.first() != null) {
            reported = true;
            throw failures.first();
        }
    }

    private boolean awaitEnd(final Duration patience) throws InterruptedException {
        final long start = System.nanoTime();
        for (final Thread thread : threads) {
            while (thread.isAlive()) {
                final long left = patience.toNanos() - (System.nanoTime() - start);
                if (isStopping()) {
                    joinInterruptibly();
                } else if (left <= 0) {
                    return false;
                } else {
                    thread.join(Duration.ofNanos(Math.min(left, LOOK.toNanos())));
                }
            }
        }
        return true;
    }

    private void joinInterruptibly() throws InterruptedException {
        for (final Thread thread : threads) {
            while (thread.isAlive() && !thread.join(GRACE)) {
                threads.forEach(Thread::interrupt);
            }
        }
    }

    private void join() {
        boolean interrupted = false;
        boolean joined = false;
        while (!joined) {
            try {
                joinInterruptibly();
                joined = true;
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkOwner() {
        if (threads.contains(Thread.currentThread())) {
            throw new IllegalStateException("an agent cannot wait for its own thread: "
                + Thread.currentThread().getName());
        }
    }

    private static Agent[] share(final List<Agent> agents, final int thread, final int threads) {
        final List<Agent> share = new ArrayList<>();
        for (int a = thread; a < agents.size(); a += threads) {
            share.add(agents.get(a));
        }
        return share.toArray(Agent[]::new);
    }
}
