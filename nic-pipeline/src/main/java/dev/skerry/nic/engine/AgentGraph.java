package dev.skerry.nic.engine;

import org.agrona.concurrent.Agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The agents of a fabric and the fibres between them, which say who shares a thread. A {@link Threading} is a layout:
 * agent a belongs to thread a mod threads. Threads that have no processor of their own are carried by one thread, so
 * that no agent waits a time slice for another. Agents joined by links form a Kahn network, so the result stays the
 * same. Immutable.
 *
 * @param agents those with banks of NICs first.
 * @param loads  by agent, its work in a slot; any unit.
 * @param fibres by agent and agent, fibres between the two in both directions; 0 from an agent to itself.
 * @param batch  slots that an agent does before another one has to follow.
 */
public record AgentGraph(List<? extends Agent> agents, long[] loads, int[][] fibres, int batch) {
    /** A batch for which every processor is of use. */
    public static final int ANY_BATCH = 1 << 20;

    /** Work that takes about as long as two threads take to hand slots to each other, in loads of a circuit fabric. */
    private static final int HAND_OVER_LOAD = 16_000;

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
            carriers.computeIfAbsent(carrierOf[agent % threads], c -> new ArrayList<>()).add(agents.get(agent));
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
     * Threads with banks share the processors in order. Each other thread goes where most of its fibres end and there
     * is room for its load, else where there is least to do.
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

    /**
     * Agents that one agent calls in turn, such as the circuit switches of a thread. An agent that returns a negative
     * number is done and not called again; the group is done when all are.
     */
    public static final class AgentGroup implements Agent {
        private static final int DONE = -1;

        private final Agent[] agents;
        private final String name;
        private int live;

        /** One or more agents. */
        public AgentGroup(final List<? extends Agent> agents) {
            this.agents = agents.toArray(Agent[]::new);
            this.live = this.agents.length;
            this.name = agents.getFirst().roleName() + ".." + agents.getLast().roleName();
        }

        @Override
        public int doWork() throws Exception {
            int work = 0;
            int kept = 0;
            for (int i = 0; i < live; i++) {
                final int done = agents[i].doWork();
                if (done >= 0) {
                    agents[kept++] = agents[i];
                    work += done;
                }
            }
            live = kept;
            return live == 0 ? DONE : work;
        }

        @Override
        public String roleName() {
            return name;
        }
    }
}
