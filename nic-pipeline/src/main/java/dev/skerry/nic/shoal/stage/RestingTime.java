package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

/**
 * When a bank is at rest: after so long without an act that whatever its nodes remember of the last ones has been
 * forgotten turn by turn. Each link has a turn in every epoch. So a bank has then looked at all of its nodes on all
 * links and found no flow, no cell, no ready flow, no queue to tell of and no report to wait for, and all of its places
 * on the link are idle. An act is a node that is taken, or may be, through its turn as a sender or as a receiver. One
 * thread.
 */
final class RestingTime {
    private final long needed;
    private long lastAct = Long.MIN_VALUE / 2;

    /**
     * Of a bank that has not acted yet, and has nothing to remember.
     *
     * @param window slots of cells kept on the link.
     */
    RestingTime(final ShoalSlotPlan plan, final int window) {
        final int epochs = Math.max(plan.sentEpochs(), JoinedQueues.TURNS) + 1;
        this.needed = Math.max((long) epochs * plan.epochSlots(), window);
    }

    /** The bank acts in a slot. */
    void act(final long slot) {
        lastAct = slot;
    }

    /** Whether it is at rest before a slot is sent. */
    boolean hasCome(final long slot) {
        return slot - lastAct > needed;
    }
}
