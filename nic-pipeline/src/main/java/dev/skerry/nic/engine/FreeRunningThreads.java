package dev.skerry.nic.engine;

import dev.skerry.dataplane.worker.AgentThreads;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.check.Laws;
import org.agrona.concurrent.Agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/**
 * The threads of a free-running fabric. The agent of a bank is a {@link Member}: it queries the slot at which to stop,
 * and reports its progress. The owner of the run periodically checks all members, reports to the watch, and halts the
 * members before one common slot. Other agents, such as circuit switches, are not members and continue until the run
 * ends.
 *
 * <p>The caller of {@link #run} is the owner; the threads have been joined when it returns, in all cases. The first
 * failure of an agent stops all of them, and so does an interrupt of the owner, which stays set.
 */
public final class FreeRunningThreads {
    /** Value of the limit that makes a member pause and report its slot. */
    public static final long PAUSE = -1;
    /** Interval at which the owner checks a run. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Threading threading;
    private final List<Member> members = new ArrayList<>();
    private final AtomicLong limit = new AtomicLong();
    private boolean isDone;
    private int carriers;

    /** The agent of a bank, as seen by the owner of the run. */
    public static final class Member {
        private final AtomicLong limit;
        private final AtomicLong slots = new AtomicLong();
        private final AtomicLong delivered = new AtomicLong();
        private final AtomicLong completed = new AtomicLong();
        private final AtomicLong stopped = new AtomicLong(PAUSE);

        private Member(final AtomicLong limit) {
            this.limit = limit;
        }

        /** The slot before which to stop, or {@link #PAUSE}. Called by the agent's thread. */
        public long limit() {
            return limit.get();
        }

        /** Reports that the agent has stopped before a slot, finally or for a pause. Called by the agent's thread. */
        public void stopBefore(final long slot) {
            stopped.set(slot);
        }

        /**
         * Reports progress. Called by the agent's thread.
         *
         * @param done           slots done.
         * @param cellsDelivered cells delivered by its bank.
         * @param flowsCompleted flows completed by its bank.
         */
        public void publish(final long done, final long cellsDelivered, final long flowsCompleted) {
            delivered.setRelease(cellsDelivered);
            completed.setRelease(flowsCompleted);
            slots.setRelease(done); // R1: the numbers published for these slots; pairs with A1
        }

        /** Slots done; the other published numbers include at least these slots. Any thread may call. */
        long slots() {
            return slots.getAcquire(); // A1: pairs with R1
        }
    }

    /** Creates threads without starting them. */
    public FreeRunningThreads(final Threading threading) {
        this.threading = threading;
    }

    /** Adds a member at slot 0. Called before the run. */
    public Member join() {
        final Member member = new Member(limit);
        members.add(member);
        return member;
    }

    /**
     * Runs until all members have stopped; a further call resumes. An exception of the watch ends the run and is
     * rethrown unchanged.
     *
     * @param graph  the agents of the members, and others.
     * @param end    the slot before which to stop.
     * @param watch  called at every check; if it returns false, all members stop before the slot of the furthest one.
     * @param over   evaluated at every check with a slot that all have done; true has the same effect.
     * @return the slot before which all members have stopped.
     * @throws IllegalStateException if an agent failed, with the agent's exception as its cause, if the owner was
     *                               interrupted, or if members stopped before different slots.
     */
    public long run(final AgentGraph graph, final long end, final Engine.Watch watch,
        final LongPredicate over) {
        limit.set(end);
        isDone = true;
        members.forEach(member -> member.stopped.set(PAUSE));
        final int processors = Runtime.getRuntime().availableProcessors();
        final List<List<Agent>> carried = graph.carriers(threading, processors);
        carriers = carried.size();
        try (AgentThreads threads = new AgentThreads(carried, threading.idle(), graph.cpus(threading))) {
            threads.start();
            look(threads, watch, over);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        final long common = slots();
        for (final Member member : members) {
            Laws.brokenIf(member.stopped.get() == PAUSE || member.slots() != common,
                "agents stopped before different slots: ", member.slots(), " and ", common);
        }
        return common;
    }

    private void look(final AgentThreads threads, final Engine.Watch watch, final LongPredicate over)
        throws InterruptedException {
        while (!haveStopped() && !threads.await(LOOK)) {
            final long slot = slots();
            long delivered = 0;
            long completed = 0;
            for (final Member member : members) {
                delivered += member.delivered.getAcquire();
                completed += member.completed.getAcquire();
            }
            isDone = watch.onProgress(slot, delivered, completed);
            if (!isDone || over.test(slot)) {
                halt(threads);
                return;
            }
        }
    }

    /**
     * Ends a run early. Every member pauses and reports its slot; all continue to the furthest of these slots, so that
     * the fabric stops between two slots. If all threads have already ended, the members have stopped.
     */
    private void halt(final AgentThreads threads) throws InterruptedException {
        limit.set(PAUSE);
        long furthest = 0;
        for (final Member member : members) {
            boolean ended = false;
            while (!ended && member.stopped.get() == PAUSE) {
                ended = threads.await(LOOK);
            }
            furthest = Math.max(furthest, member.stopped.get());
        }
        limit.set(furthest);
        for (final Member member : members) {
            boolean ended = false;
            while (!ended && member.slots() < furthest) {
                ended = threads.await(LOOK);
            }
        }
    }

    /** Number of threads that carried the agents of the last run; 0 before it. Not during a run. */
    public int carriers() {
        return carriers;
    }

    /** Whether the last run reached its end; false if its watch stopped it. Not during a run. */
    public boolean isDone() {
        return isDone;
    }

    private boolean haveStopped() {
        for (final Member member : members) {
            if (member.stopped.get() == PAUSE) {
                return false;
            }
        }
        return true;
    }

    /** Slots that all members have done. */
    private long slots() {
        long slots = Long.MAX_VALUE;
        for (final Member member : members) {
            slots = Math.min(slots, member.slots());
        }
        return slots;
    }

    /**
     * The agents of a fabric and the fibres between them, which determine which agents share a thread. A
     * {@link Threading} is a layout: agent a belongs to thread a mod threads. If there are more threads than
     * processors, one thread carries several of them, so that no agent waits a time slice for another. Agents connected
     * by links form a Kahn network, so the assignment does not change the result. Immutable.
     *
     * @param agents first the banks of NICs, one each; then groups of agents that stay together, such as switches.
     * @param loads  work per slot of each group, in any unit.
     * @param fibres number of fibres between each pair of groups, in both directions; 0 from a group to itself.
     * @param batch  slots that an agent performs before another one has to follow.
     */
    public record AgentGraph(List<List<? extends Agent>> agents, long[] loads, int[][] fibres, int batch) {
        /** A batch size for which every processor is useful. */
        public static final int ANY_BATCH = 1 << 20;

        /**
         * Load that takes about as long as two threads take to hand slots to each other, in units of a circuit fabric.
         */
        private static final int HAND_OVER_LOAD = 16_000;

        /**
         * Creates a graph of agents with no load and no fibres.
         *
         * @param banks  one agent each.
         * @param others distributed over contiguous groups.
         * @param most   maximum number of groups.
         */
        public static AgentGraph of(final List<? extends Agent> banks, final List<? extends Agent> others,
            final int most, final int batch) {
            final int groups = Math.min(most, others.size());
            final List<List<? extends Agent>> agents = new ArrayList<>();
            banks.forEach(bank -> agents.add(List.of(bank)));
            for (int group = 0; group < groups; group++) {
                final NodeRange of = NodeRange.share(others.size(), group, groups);
                agents.add(List.copyOf(others.subList(of.first(), of.end())));
            }
            return new AgentGraph(agents, new long[agents.size()], new int[agents.size()][agents.size()], batch);
        }

        /** Index of the agent or group of each bank, followed by those of the others. */
        public int[] agentOf() {
            return IntStream.range(0, agents.size())
                .flatMap(agent -> agents.get(agent).stream().mapToInt(part -> agent)).toArray();
        }

        /** Adds fibres from one agent to another; fibres from an agent to itself are ignored. */
        public void connect(final int from, final int to, final int more) {
            fibres[from][to] += from == to ? 0 : more;
        }

        /**
         * Assigns agents to the threads that carry them.
         *
         * @param threading  the layout; threads pinned to the same processor are carried by one thread.
         * @param processors number of available processors, at least 1; used if no thread is pinned.
         * @return agents of each carrying thread, in ascending order; ordered by {@link #cpus} if pinned.
         */
        List<List<Agent>> carriers(final Threading threading, final int processors) {
            final int threads = threads(threading);
            final int[] carrierOf;
            if (threading.cpus().length > 0) {
                carrierOf = threading.cpus();
            } else if (threads > processors) {
                carrierOf = share(threads, Math.min(threads, threading.banks()), useful(processors));
            } else {
                carrierOf = new int[threads];
                Arrays.setAll(carrierOf, thread -> thread);
            }
            final Map<Integer, List<Agent>> carriers = new TreeMap<>();
            for (int agent = 0; agent < agents.size(); agent++) {
                carriers.computeIfAbsent(carrierOf[agent % threads], c -> new ArrayList<>()).addAll(agents.get(agent));
            }
            return List.copyOf(carriers.values());
        }

        /** The processor to which each carrying thread is pinned; empty if none is. */
        int[] cpus(final Threading threading) {
            return Arrays.stream(threading.cpus()).limit(threads(threading)).sorted().distinct().toArray();
        }

        private int threads(final Threading threading) {
            return Math.min(threading.threads(), agents.size());
        }

        /** Number of useful processors: between two hand-overs a thread must have more work than a hand-over costs. */
        private int useful(final int processors) {
            final long work = Arrays.stream(loads).sum() * batch;
            return Math.clamp(work / HAND_OVER_LOAD, 1, processors);
        }

        /**
         * Assigns threads to processors. Threads with banks are distributed in order. Each other thread is assigned to
         * the processor to which it has most fibres and where its load fits, or else to the least loaded one.
         */
        private int[] share(final int threads, final int banks, final int processors) {
            final long full = Math.ceilDiv(Arrays.stream(loads).sum(), processors);
            final long[] load = new long[processors];
            final int[] carrierOf = new int[threads];
            Arrays.fill(carrierOf, -1);
            for (int thread = 0; thread < threads; thread++) {
                final long more = load(thread, threads);
                int best = (int) ((long) thread * processors / Math.max(banks, processors));
                if (thread >= banks) {
                    final long[] merit = new long[processors];
                    for (int c = 0; c < processors; c++) {
                        merit[c] = load[c] + more > full ? -1 - load[c] : fibres(thread, threads, c, carrierOf);
                    }
                    best = best(merit, load);
                }
                carrierOf[thread] = best;
                load[best] += more;
            }
            return carrierOf;
        }

        private static int best(final long[] merit, final long[] load) {
            int best = 0;
            for (int c = 1; c < merit.length; c++) {
                if (merit[c] > merit[best] || merit[c] == merit[best] && load[c] < load[best]) {
                    best = c;
                }
            }
            return best;
        }

        private long load(final int thread, final int threads) {
            long load = 0;
            for (int agent = thread; agent < loads.length; agent += threads) {
                load += loads[agent];
            }
            return load;
        }

        /** Number of fibres between a thread and the threads of a carrier. */
        private long fibres(final int thread, final int threads, final int carrier, final int[] carrierOf) {
            long sum = 0;
            for (int agent = thread; agent < loads.length; agent += threads) {
                for (int other = 0; other < loads.length; other++) {
                    sum += carrierOf[other % threads] == carrier ? fibres[agent][other] : 0;
                }
            }
            return sum;
        }
    }
}
