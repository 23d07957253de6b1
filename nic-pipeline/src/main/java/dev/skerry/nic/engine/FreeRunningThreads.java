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
 * The threads of a fabric whose banks run free. A bank's agent is a {@link Member}: it asks how far to go
 * and reports how far it is. The owner of the run looks at all members now and then, reports to the watch, and halts
 * them before one common slot. Other agents, such as circuit switches, are members of nothing and go on until the run
 * is over.
 *
 * <p>The caller of {@link #run} is the owner; the threads have been joined when it returns, whatever happened. The
 * first failure of an agent stops all of them, and so does an interrupt of the owner, which stays set.
 */
public final class FreeRunningThreads {
    /** Instead of a slot to stop before: pause and say where. */
    public static final long PAUSE = -1;
    /** How often the owner looks at a run. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Threading threading;
    private final List<Member> members = new ArrayList<>();
    private final AtomicLong limit = new AtomicLong();
    private boolean isDone;
    private int carriers;

    /** A bank's agent as the owner of the run knows it. */
    public static final class Member {
        private final AtomicLong limit;
        private final AtomicLong slots = new AtomicLong();
        private final AtomicLong delivered = new AtomicLong();
        private final AtomicLong completed = new AtomicLong();
        private final AtomicLong stopped = new AtomicLong(PAUSE);

        private Member(final AtomicLong limit) {
            this.limit = limit;
        }

        /** The slot to stop before, or {@link #PAUSE}. The agent's thread. */
        public long limit() {
            return limit.get();
        }

        /** The agent has stopped before a slot, for good or for a pause. The agent's thread. */
        public void stopBefore(final long slot) {
            stopped.set(slot);
        }

        /**
         * Says how far the agent is. The agent's thread.
         *
         * @param done           slots done.
         * @param cellsDelivered by its bank.
         * @param flowsCompleted by its bank.
         */
        public void publish(final long done, final long cellsDelivered, final long flowsCompleted) {
            delivered.setRelease(cellsDelivered);
            completed.setRelease(flowsCompleted);
            slots.setRelease(done); // R1: what was published of these slots before; pairs with A1
        }

        /** Slots done; the other published numbers include at least these. Any thread. */
        long slots() {
            return slots.getAcquire(); // A1: pairs with R1
        }
    }

    /** Threads that have not started. */
    public FreeRunningThreads(final Threading threading) {
        this.threading = threading;
    }

    /** One more member, at slot 0; before the run. */
    public Member join() {
        final Member member = new Member(limit);
        members.add(member);
        return member;
    }

    /**
     * Runs until all members have stopped; may be called again, to go on. What the watch throws ends the run and is
     * thrown on as it is.
     *
     * @param graph  the agents of the members, and others.
     * @param end    the slot to stop before.
     * @param watch  called at every look; if it says no, all stop before the slot that the furthest is at.
     * @param over   asked at every look, given a slot that all have done; true has the same effect.
     * @return the slot before which all members have stopped.
     * @throws IllegalStateException if an agent failed, the cause being what it threw, if the owner was interrupted,
     *                               or if members stopped before different slots.
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
     * Ends a run where it is: every member pauses and says before which slot; all go on to the furthest of these, so
     * that the fabric is left between two slots. Threads that have all ended have stopped their members.
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

    /** Threads that carried the agents of the last run; 0 before it. Not during a run. */
    public int carriers() {
        return carriers;
    }

    /** Whether the last run came to its end; false if its watch stopped it. Not during a run. */
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
     * The agents of a fabric and the fibres between them, which say who shares a thread. A {@link Threading} is a
     * layout: agent a belongs to thread a mod threads. Threads that have no processor of their own are carried by one
     * thread, so that no agent waits a time slice for another. Agents joined by links form a Kahn network, so the
     * result stays the same. Immutable.
     *
     * @param agents those with banks of NICs first, one each; then those that stay together, such as switches.
     * @param loads  by group, its work in a slot; any unit.
     * @param fibres by group and group, fibres between the two in both directions; 0 from a group to itself.
     * @param batch  slots that an agent does before another one has to follow.
     */
    public record AgentGraph(List<List<? extends Agent>> agents, long[] loads, int[][] fibres, int batch) {
        /** A batch for which every processor is of use. */
        public static final int ANY_BATCH = 1 << 20;

        /**
         * Work that takes about as long as two threads take to hand slots to each other, in loads of a circuit fabric.
         */
        private static final int HAND_OVER_LOAD = 16_000;

        /**
         * Agents with nothing to do and no fibres.
         *
         * @param banks  an agent each.
         * @param others in groups that follow each other, an agent each.
         * @param most   groups at most.
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

        /** By bank, and behind them by others: the agent that it is, or is a part of. */
        public int[] agentOf() {
            return IntStream.range(0, agents.size())
                .flatMap(agent -> agents.get(agent).stream().mapToInt(part -> agent)).toArray();
        }

        /** Adds fibres from an agent to another one; there are none from an agent to itself. */
        public void connect(final int from, final int to, final int more) {
            fibres[from][to] += from == to ? 0 : more;
        }

        /**
         * Assigns agents to the threads that carry them.
         *
         * @param threading  the layout; its threads pinned to the same processor are carried by one.
         * @param processors there are, 1 or more; asked if no thread is pinned.
         * @return by carrying thread, its agents in ascending order; ascending by {@link #cpus} if pinned.
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

        /** By carrying thread, the processor it is pinned to; empty if none is. */
        int[] cpus(final Threading threading) {
            return Arrays.stream(threading.cpus()).limit(threads(threading)).sorted().distinct().toArray();
        }

        private int threads(final Threading threading) {
            return Math.min(threading.threads(), agents.size());
        }

        /** How many processors are of use: a thread must have more to do between two hand-overs than these cost. */
        private int useful(final int processors) {
            final long work = Arrays.stream(loads).sum() * batch;
            return Math.clamp(work / HAND_OVER_LOAD, 1, processors);
        }

        /**
         * Threads with banks share the processors in order. Each other thread goes where most of its fibres end and
         * there is room for its load, else where there is least to do.
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

        /** Fibres between a thread and the threads that a carrier has. */
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
