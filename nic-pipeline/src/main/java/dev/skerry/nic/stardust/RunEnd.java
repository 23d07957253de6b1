package dev.skerry.nic.stardust;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;

/**
 * Decides when a run without a limit is over: when every flow is complete or has failed, or when nothing has moved for
 * long. It is decided for slots that are multiples of the link delay, from what adapters had done before them, so every
 * engine and each of its threads decides the same. All devices go on for {@link #lagSlots} after that slot; by then
 * every free-running agent has found it. One thread.
 */
final class RunEnd {
    /** Instead of a slot. */
    static final long NOT_YET = -1;
    /** A run is over when nothing moves for this many times the longest wait. */
    private static final int PATIENCE = 4;

    private final int flows;
    /** Slot of the last start of a flow or of the last fault. */
    private final long lastEvent;
    private final long patienceSlots;
    final int lag;
    private long lastMove;
    private long before = -1;

    /** At slot 0. */
    RunEnd(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing) {
        this.flows = flows.size();
        long last = flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1);
        for (final Fault fault : faults.plan().faults()) {
            last = Math.max(last, fault.slot());
        }
        this.lastEvent = last;
        // Requests that faults may lose are sent again.
        this.patienceSlots = (long) PATIENCE * fabric.mostWaitSlots()
            + (healing.speaks(faults) ? 2L * healing.refreshSlots() : 0)
            + (fabric.credits().voqs().givesUp() ? 2 * fabric.credits().voqs().waitSlots() : 0)
            + (healing.bringUp() ? healing.bringUpSlots(fabric.clos(), fabric.linkSlots()) : 0);
        this.lag = lagSlots(fabric);
    }

    /**
     * Slots done after the end. Agents are at most one link delay apart for each link to the nearest adapter, and two
     * between adapters; one more delay covers the slots before the end itself.
     */
    static int lagSlots(final Stardust fabric) {
        return (fabric.clos().tiers() + 3) * fabric.linkSlots();
    }

    /**
     * Whether the run is over before a slot; slots come in order, a propagation delay apart.
     *
     * @param settled flows that were complete or had failed before the slot.
     * @param moves   grows while cells move.
     */
    boolean isOver(final long slot, final long settled, final long moves) {
        lastMove = moves == before ? lastMove : slot;
        before = moves;
        return settled == flows || slot - Math.max(lastMove, lastEvent) > patienceSlots;
    }
}
