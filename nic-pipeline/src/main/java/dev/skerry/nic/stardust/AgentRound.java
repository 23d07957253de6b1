package dev.skerry.nic.stardust;

import org.agrona.concurrent.Agent;

import java.util.List;

/** Agents that one agent calls in turn until all are done: the elements of a thread. */
final class AgentRound implements Agent {
    private final StardustAgent[] agents;
    private final String name;
    private int live;

    /** One or more agents. */
    AgentRound(final List<StardustAgent> agents) {
        this.agents = agents.toArray(StardustAgent[]::new);
        this.live = this.agents.length;
        this.name = agents.getFirst().roleName() + ".." + agents.getLast().roleName();
    }

    @Override
    public int doWork() {
        int work = 0;
        int kept = 0;
        for (int i = 0; i < live; i++) {
            final int done = agents[i].doWork();
            if (done != StardustAgent.DONE) {
                agents[kept++] = agents[i];
                work += done;
            }
        }
        live = kept;
        return live == 0 ? StardustAgent.DONE : work;
    }

    @Override
    public String roleName() {
        return name;
    }
}
