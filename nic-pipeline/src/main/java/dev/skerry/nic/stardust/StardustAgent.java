package dev.skerry.nic.stardust;

import dev.skerry.dataplane.circuit.SlotCounts;
import dev.skerry.dataplane.circuit.SlotGate;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.AgentCrew;
import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.Agent;

/**
 * A bank of a fabric as an agent, an element or some adapters: it does a slot when all its links, and those of control
 * messages, have brought what comes in it, and never waits.
 *
 * <p>Every link carries every slot once and in order, so what a bank does does not depend on who runs when.
 */
final class StardustAgent implements Agent {
    /** What {@link #doWork} returns when the last slot is done. */
    static final int DONE = -1;
    /** Slots a call does at most, so that the other agents of its thread have their turn. */
    private static final int BATCH_SLOTS = 16;

    private final StardustBank bank;
    private final int number;
    private final SlotCounts counts;
    private final SlotGate gate;
    private final Run run;
    private final AgentCrew.Member member;
    private final RunEnd ending;
    /** Says how far to go where packets come from outside; else null, as where there are no adapters. */
    private final Edge edge;
    private long slot;
    private long nextMilestone;
    private long nextLook;
    private boolean over;

    /**
     * What the agents of a run share.
     *
     * @param progress     what adapters had done.
     * @param adapterBanks banks with adapters, the first ones.
     * @param elements     cells of each bank after these, for edges; null if there are none.
     */
    record Run(ProgressLog progress, int adapterBanks, ElementCells elements) {
    }

    /**
     * An agent at slot 0.
     *
     * @param bank   what it steps.
     * @param counts how far all banks are, by number.
     * @param gate   how far this one may go.
     * @param run    shared with the other agents.
     * @param member says where to stop, and is told how far the agent is.
     * @param ending ends the run by itself; null if only the limit does.
     * @param edge   where the bank's packets come from and go to; null for none.
     */
    StardustAgent(final StardustBank bank, final SlotCounts counts, final SlotGate gate, final Run run,
        final AgentCrew.Member member, final RunEnd ending, final Edge edge) {
        this.bank = bank;
        this.number = bank.share().bank();
        this.counts = counts;
        this.gate = gate;
        this.run = run;
        this.member = member;
        this.ending = ending;
        this.edge = edge;
        this.nextMilestone = run.progress.stride();
        this.nextLook = ending == null ? Long.MAX_VALUE : ending.lagSlots() + run.progress.stride();
    }

    @Override
    public int doWork() {
        final long limit = member.limit();
        if (limit == AgentCrew.PAUSE) {
            member.stopBefore(slot);
            return 0;
        }
        // At its end a run goes to the slot it is told to, whatever comes from outside.
        final long end = edge == null || limit != Edge.ANY_SLOT ? limit : edge.poll(slot);
        int steps = 0;
        over = isOver();
        while (!over && slot < end && steps < BATCH_SLOTS && gate.isOpen(slot)) {
            step();
            over = isOver();
            steps++;
        }
        if (steps > 0) {
            member.publish(slot, bank.count(NicCounter.CELLS_DELIVERED), bank.count(NicCounter.FLOWS_COMPLETED));
            if (run.elements != null && number >= run.adapterBanks) {
                run.elements.post(number - run.adapterBanks, bank.devices().sent(), bank.held());
            }
        }
        if (!over && slot < limit) {
            return steps;
        }
        member.stopBefore(slot);
        return DONE;
    }

    @Override
    public String roleName() {
        return bank.share().hasAdapters() ? "adapters-" + bank.share().base() : "element-" + bank.share().base();
    }

    /** Whether it found that the run was over before its limit; once the agent has stopped. */
    boolean isRunOver() {
        return over;
    }

    private void step() {
        bank.step(slot++);
        if (slot == nextMilestone) {
            nextMilestone += run.progress.stride();
            if (bank.share().hasAdapters()) {
                run.progress.post(number, slot, bank);
            }
        }
        counts.publish(number, slot);
    }

    /** Whether the run was over so long ago that everybody knows. */
    private boolean isOver() {
        if (slot != nextLook) {
            return false;
        }
        final long then = slot - ending.lagSlots();
        if (ending.isOver(then, run.progress.settled(then), run.progress.moves(then))) {
            return true;
        }
        nextLook += run.progress.stride();
        return false;
    }
}
