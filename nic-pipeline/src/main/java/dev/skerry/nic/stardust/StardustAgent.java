package dev.skerry.nic.stardust;

import dev.skerry.dataplane.circuit.SlotCounts;
import dev.skerry.dataplane.circuit.SlotGate;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.AgentCrew;
import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.Agent;

/**
 * A bank, an element or some adapters, as an agent. It does a slot when everything that arrives in it has come on all
 * its links, control messages included; it never blocks. Every link carries every slot once and in order, so what a
 * bank does does not depend on thread timing.
 */
final class StardustAgent implements Agent {
    /** Result of {@link #doWork} after the last slot. */
    static final int DONE = -1;
    /** Most slots of one call, so that the thread's other agents get their turn. */
    private static final int BATCH_SLOTS = 16;

    private final StardustBank bank;
    private final int number;
    private final SlotCounts counts;
    private final SlotGate gate;
    private final Run run;
    private final AgentCrew.Member member;
    private final RunEnd ending;
    /** Says how far to go if packets come from outside; null without, and for elements. */
    private final Edge edge;
    private long slot;
    private long nextMilestone;
    private long nextLook;
    private boolean untilDone;
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
     * @param bank   the bank.
     * @param counts slots done by every bank.
     * @param gate   says how far this bank may go.
     * @param run    shared with the other agents.
     * @param member says where to stop, and is told how far the agent is.
     * @param ending ends a run without a limit.
     * @param edge   where the bank's packets enter and leave, or null.
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
        this.nextLook = ending.lagSlots() + run.progress.stride();
    }

    /** Before a part of the run. Whether the run ends by itself, not by its limit alone. */
    void begin(final boolean endsByItself) {
        untilDone = endsByItself;
    }

    @Override
    public int doWork() {
        final long limit = member.limit();
        if (limit == AgentCrew.PAUSE) {
            member.stopBefore(slot);
            return 0;
        }
        // A run that is being ended goes to its last slot, whatever the edge says.
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

    /** Whether the run ended by itself; after the agent has stopped. */
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

    /** Whether the run ended at least {@link RunEnd#lagSlots} ago, so that all agents find it. */
    private boolean isOver() {
        if (!untilDone || slot != nextLook) {
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
