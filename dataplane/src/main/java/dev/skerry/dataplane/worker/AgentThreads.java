package dev.skerry.dataplane.worker;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.schedule.check.Bounds;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadFactory;

/**
 * Runs agents on threads: distributes them, starts them together and stops them together.
 *
 * <p>Agents are given by thread. A thread calls {@code doWork()} of its agents in the order given. {@code doWork()}
 * must not wait. It returns 0 if there was nothing to do; a thread idles when all its agents return 0. It returns a
 * negative number when the agent is done: it is not called again, and a thread ends when all its agents are done.
 *
 * <p>Guarantees:
 * <ul>
 *   <li>Every agent's {@code onStart} has returned before the first {@code doWork} of any.</li>
 *   <li>{@code onStart}, {@code doWork} and {@code onClose} of an agent are called on one thread. {@code onClose} is
 *       called once, when that thread ends, if and only if {@code onStart} returned.</li>
 * <li>An exception from any of them stops all threads. Once they are joined, {@link #await} or {@link #close} throws
 * the first one to the owner, with the others suppressed in it.</li>
 * <li>Actions of the owner before {@link #start} happen-before actions of the agents; actions of the agents
 * happen-before actions of the owner after {@code await} has returned true or {@code close} has returned.</li>
 * <li>Threads that do not stop within a second are interrupted. Only an agent that neither returns nor reacts to an
 * interrupt can keep the owner waiting.</li>
 * </ul>
 * One thread, the owner, constructs, starts, awaits and closes; it must not be an agent's thread. The threads are
 * daemons.
 */
public final class AgentThreads implements AutoCloseable {
    /** Time that a stopping thread is given before each interrupt. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** Interval at which a waiting owner checks whether the threads must stop. */
    private static final Duration LOOK = Duration.ofMillis(50);

    /** Value for a thread that is not pinned to a processor. */
    private static final int ANY_CPU = -1;

    /** Barrier at which all threads wait until their agents are ready; broken to stop them. */
    private final SlotBarrier gate;
    private final Failures failures;
    private final List<Thread> threads = new ArrayList<>();
    private boolean started;
    private boolean reported;

    /**
     * Creates threads without starting them.
     *
     * @param agents by thread, at least one each.
     * @param idle   idle strategy of a thread without work.
     * @param cpus   empty, or a processor for each thread, as numbered by Linux.
     * @throws IllegalArgumentException      if there is no thread, a thread has no agent, or there are too few
     *     processors.
     * @throws UnsupportedOperationException if processors are given and the system is not Linux.
     */
    public AgentThreads(final List<List<Agent>> agents, final Idle idle, final int... cpus) {
        this(agents, idle, daemons(), cpus);
    }

    /** Creates threads with a factory, so that tests can make it fail. */
    AgentThreads(final List<List<Agent>> agents, final Idle idle, final ThreadFactory factory,
        final int... cpus) {
        final int count = agents.size();
        Bounds.refuseIf(count == 0 || agents.stream().anyMatch(List::isEmpty), "agents must not be empty");
        Bounds.refuseIf(cpus.length > 0 && cpus.length < count, "cpus must name one for each thread: cpus=",
            cpus.length, " threads=", count);
        Scheduling.checkPin(cpus, System.getProperty("os.name"));
        this.gate = new SlotBarrier(Arena.ofAuto(), count);
        this.failures = new Failures(gate);
        for (int t = 0; t < count; t++) {
            this.threads.add(factory.newThread(new AgentWorker(agents.get(t).toArray(Agent[]::new), idle.strategy(),
                cpus.length == 0 ? ANY_CPU : cpus[t], t)));
        }
    }

    /** Starts the threads. Called once; after {@link #stop} they end immediately. */
    public void start() {
        if (started) {
            throw new IllegalStateException("started already");
        }
        started = true;
        try {
            threads.forEach(Thread::start);
        } catch (final Throwable e) {
            // A thread could not be started: the others would wait for it at the gate forever.
            gate.abort(e);
            join();
            throw e;
        }
    }

    /**
     * Waits until all threads have ended.
     *
     * @throws IllegalStateException if an agent failed; its cause is the agent's exception.
     * @throws InterruptedException  if the owner is interrupted; all threads have then been stopped and joined, and a
     *                               failure is suppressed in it.
     */
    public void await() throws InterruptedException {
        await(Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * Waits until all threads have ended, or until a time-out.
     *
     * @param patience maximum wait.
     * @return whether all threads have ended.
     * @throws IllegalStateException if an agent failed; its cause is the agent's exception.
     * @throws InterruptedException  if the owner is interrupted; all threads have then been stopped and joined, and a
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

    /** Requests all threads to end, without waiting. Any thread may call, including agents, any number of times. */
    public void stop() {
        gate.abort(new CancellationException("stopped"));
    }

    /** Whether the threads must end, after {@link #stop} or a failure. Any thread may call. */
    public boolean isStopping() {
        return gate.isBroken();
    }

    /**
     * Stops all threads and waits until they have ended. An interrupt of the owner stays set.
     *
     * @throws IllegalStateException if an agent failed and {@link #await} has not reported it.
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

    private static ThreadFactory daemons() {
        return Thread.ofPlatform().name("skerry-agents-", 0).daemon().factory();
    }

    /** The work of one thread, from start to end. */
    private final class AgentWorker implements Runnable {
        private final Agent[] agents;
        private final IdleStrategy idle;
        private final int cpu;
        private final int party;
        private int opened;

        /**
         * Creates a worker that has not started.
         *
         * @param agents its agents, in order.
         * @param idle   a separate strategy instance.
         * @param cpu    the processor to run on, or {@link #ANY_CPU}.
         * @param party  its number at the gate.
         */
        AgentWorker(final Agent[] agents, final IdleStrategy idle, final int cpu, final int party) {
            this.agents = agents;
            this.idle = idle;
            this.cpu = cpu;
            this.party = party;
        }

        @Override
        public void run() {
            try {
                if (cpu != ANY_CPU) {
                    Scheduling.pin(cpu);
                }
                if (open() && gate.await(party)) {
                    work();
                }
            } catch (final Throwable e) {
                failures.add(Thread.currentThread().getName(), "thread", e);
            } finally {
                close();
            }
        }

        private boolean open() {
            for (final Agent agent : agents) {
                if (gate.isBroken()) {
                    return false;
                }
                try {
                    agent.onStart();
                } catch (final Throwable e) {
                    failures.add(name(agent), "onStart", e);
                    return false;
                }
                opened++;
            }
            return true;
        }

        private void work() {
            final Agent[] live = agents.clone();
            int count = live.length;
            while (count > 0 && !gate.isBroken()) {
                int work = 0;
                int kept = 0;
                for (int i = 0; i < count; i++) {
                    final int done;
                    try {
                        done = live[i].doWork();
                    } catch (final Throwable e) {
                        failures.add(name(live[i]), "doWork", e);
                        return;
                    }
                    if (done >= 0) {
                        live[kept++] = live[i];
                        work |= done;
                    }
                }
                if (kept == count) {
                    idle.idle(work);
                }
                count = kept;
            }
        }

        private void close() {
            for (int i = 0; i < opened; i++) {
                try {
                    agents[i].onClose();
                } catch (final Throwable e) {
                    failures.add(name(agents[i]), "onClose", e);
                }
            }
        }

        private String name(final Agent agent) {
            try {
                return agent.roleName();
            } catch (final Throwable e) {
                return agent.getClass().getName();
            }
        }
    }

    /**
     * The failures of all threads. Any thread may add one. The owner builds the messages, because that may fail as
     * well.
     */
    static final class Failures {
        private final SlotBarrier gate;
        private final List<Throwable> later = new ArrayList<>();
        private String who;
        private String where;
        private Throwable first;

        /** Creates an empty record; the first failure breaks the gate. */
        Failures(final SlotBarrier gate) {
            this.gate = gate;
        }

        /**
         * Stops all threads and records the cause.
         *
         * @param agent  name of the agent.
         * @param method the method that failed.
         * @param cause  the exception that it threw.
         */
        synchronized void add(final String agent, final String method, final Throwable cause) {
            gate.abort(cause);
            if (first == null) {
                first = cause;
                who = agent;
                where = method;
            } else {
                later.add(cause);
            }
        }

        /** The first failure with the later ones suppressed in it, or null. */
        synchronized IllegalStateException first() {
            if (first == null) {
                return null;
            }
            final IllegalStateException failure =
                new IllegalStateException(who + " failed in " + where + ": " + first, first);
            later.forEach(failure::addSuppressed);
            return failure;
        }
    }
}
