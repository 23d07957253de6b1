package dev.skerry.nic.stardust;

import dev.skerry.dataplane.circuit.SlotCounts;
import dev.skerry.dataplane.circuit.SlotGate;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.Agent;

import java.util.concurrent.atomic.AtomicLong;

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
    private final RunEnd ending;
    /** Says how far to go where packets come from outside; else null, as where there are no adapters. */
    private final Edge edge;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong settled = new AtomicLong();
    private final AtomicLong pausedAt = new AtomicLong(Run.PAUSE);
    private long slot;
    private long nextMilestone;
    private long nextLook;

    /** What the agents of a run have in common. Any thread may call. */
    static final class Run {
        /** Instead of the slot to stop before: stop where you are and say where that is. */
        static final long PAUSE = -1;

        private final ProgressLog milestones;
        private final int adapterBanks;
        private final ElementCells elements;
        private final AtomicLong limit = new AtomicLong();

        /**
         * A run before its first slot.
         *
         * @param milestones   what adapters had done.
         * @param adapterBanks banks with adapters, the first ones.
         * @param elements     of which cells are to be known, by bank after these; null if nobody looks.
         */
        Run(final ProgressLog milestones, final int adapterBanks, final ElementCells elements) {
            this.milestones = milestones;
            this.adapterBanks = adapterBanks;
            this.elements = elements;
        }

        /** The slot to stop before, or {@link #PAUSE}. The owner of the run calls. */
        void setLimit(final long slot) {
            limit.set(slot);
        }
    }

    /**
     * An agent at slot 0.
     *
     * @param bank   what it steps.
     * @param counts how far all banks are, by number.
     * @param gate   how far this one may go.
     * @param run    where to stop.
     * @param ending when; null for nowhere but at the limit.
     * @param edge   where the bank's packets come from and go to; null for none.
     */
    StardustAgent(final StardustBank bank, final SlotCounts counts, final SlotGate gate, final Run run,
        final RunEnd ending, final Edge edge) {
        this.bank = bank;
        this.number = bank.share().bank();
        this.counts = counts;
        this.gate = gate;
        this.run = run;
        this.ending = ending;
        this.edge = edge;
        this.nextMilestone = run.milestones.stride();
        this.nextLook = ending == null ? Long.MAX_VALUE : ending.lagSlots() + run.milestones.stride();
    }

    @Override
    public int doWork() {
        final long limit = run.limit.get();
        if (limit == Run.PAUSE) {
            pausedAt.set(slot);
            return 0;
        }
        // At its end a run goes to the slot it is told to, whatever comes from outside.
        final long end = edge == null || limit != Edge.ANY_SLOT ? limit : edge.poll(slot);
        int steps = 0;
        boolean over = isOver();
        while (!over && slot < end && steps < BATCH_SLOTS && gate.isOpen(slot)) {
            step();
            over = isOver();
            steps++;
        }
        if (steps > 0) {
            delivered.setRelease(bank.count(NicCounter.CELLS_DELIVERED));
            settled.setRelease(bank.settled());
            if (run.elements != null && number >= run.adapterBanks) {
                run.elements.post(number - run.adapterBanks, bank.devices().sent(), bank.held());
            }
        }
        if (!over && slot < limit) {
            return steps;
        }
        pausedAt.set(slot);
        return DONE;
    }

    @Override
    public String roleName() {
        return bank.share().hasAdapters() ? "adapters-" + bank.share().base() : "element-" + bank.share().base();
    }

    /** Slots done. Any thread may call. */
    long slots() {
        return counts.slots(number);
    }

    /** The slot it has stopped before, {@link Run#PAUSE} if it has not. Any thread may call. */
    long pausedAt() {
        return pausedAt.get();
    }

    /** Cells delivered, a little behind. Any thread may call. */
    long delivered() {
        return delivered.getAcquire();
    }

    /** Flows settled, a little behind. Any thread may call. */
    long settled() {
        return settled.getAcquire();
    }

    private void step() {
        bank.step(slot++);
        if (slot == nextMilestone) {
            nextMilestone += run.milestones.stride();
            if (bank.share().hasAdapters()) {
                run.milestones.post(number, slot, bank);
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
        if (ending.isOver(then, run.milestones.settled(then), run.milestones.moves(then))) {
            return true;
        }
        nextLook += run.milestones.stride();
        return false;
    }
}
