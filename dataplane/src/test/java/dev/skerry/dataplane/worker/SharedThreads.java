package dev.skerry.dataplane.worker;

import org.agrona.concurrent.Agent;

import java.util.List;
import java.util.stream.IntStream;

/** Agents shared out over threads, for tests. */
public final class SharedThreads {
    private SharedThreads() {
    }

    /** Agent a on thread a mod threads, on as many threads as there are agents for. */
    public static List<List<Agent>> shares(final List<? extends Agent> agents, final int threads) {
        return IntStream.range(0, Math.min(threads, agents.size())).mapToObj(thread -> IntStream
            .iterate(thread, agent -> agent < agents.size(), agent -> agent + threads).<Agent>mapToObj(agents::get)
            .toList()).toList();
    }

    public static AgentThreads of(final List<? extends Agent> agents, final int threads, final Idle idle,
        final int... cpus) {
        return new AgentThreads(shares(agents, threads), idle, cpus);
    }
}
