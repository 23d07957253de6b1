package dev.skerry.nic.engine;

import org.agrona.concurrent.Agent;

import java.util.List;

/**
 * Agents that one agent calls in turn, such as the circuit switches of a thread. An agent that returns a negative
 * number is done and not called again; the group is done when all are.
 */
public final class AgentGroup implements Agent {
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
