package dev.skerry.dataplane.worker;

import dev.skerry.dataplane.circuit.SlotBarrier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;

/** The work of one thread of {@link AgentThreads}, from start to end. */
final class AgentWorker implements Runnable {
    /** Not pinned to a processor. */
    static final int ANY_CPU = -1;

    private final Agent[] agents;
    private final IdleStrategy idle;
    private final int cpu;
    private final SlotBarrier gate;
    private final int party;
    private final Failures failures;
    private int started;

    /**
     * A worker that has not started.
     *
     * @param agents   its agents, in order.
     * @param idle     its own strategy.
     * @param cpu      the processor to run on, or {@link #ANY_CPU}.
     * @param gate     meeting of all threads when their agents are ready; broken to stop them.
     * @param party    its number at the gate.
     * @param failures receives exceptions.
     */
    AgentWorker(
        final Agent[] agents,
        final IdleStrategy idle,
        final int cpu,
        final SlotBarrier gate,
        final int party,
        final Failures failures
    ) {
        this.agents = agents;
        this.idle = idle;
        this.cpu = cpu;
        this.gate = gate;
        this.party = party;
        this.failures = failures;
    }

    @Override
    public void run() {
        try {
            if (cpu != ANY_CPU) {
                CpuAffinity.pin(cpu);
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
            started++;
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
        for (int i = 0; i < started; i++) {
            try {
                agents[i].onClose();
            } catch (final Throwable e) {
                failures.add(name(agents[i]), "onClose", e);
            }
        }
    }

    private static String name(final Agent agent) {
        try {
            return agent.roleName();
        } catch (final Throwable e) {
            return agent.getClass().getName();
        }
    }
}
