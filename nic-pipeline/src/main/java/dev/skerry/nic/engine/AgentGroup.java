package dev.skerry.nic.engine;

import org.agrona.concurrent.Agent;

import java.util.List;

/** Agents that one agent calls in turn: the circuit switches of a thread. They go on until the thread is stopped. */
final class AgentGroup implements Agent {
    private final Agent[] agents;

    AgentGroup(final List<Agent> agents) {
        this.agents = agents.toArray(Agent[]::new);
    }

    @Override
    public int doWork() throws Exception {
        int work = 0;
        for (final Agent agent : agents) {
            work += agent.doWork();
        }
        return work;
    }

    @Override
    public String roleName() {
        return agents[0].roleName() + ".." + agents[agents.length - 1].roleName();
    }
}
