package dev.skerry.nic.stardust;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;

/**
 * When a run without a limit is over: once every flow is complete or can never be, or nothing has moved for long. It is
 * looked at in slots that are a multiple of the propagation delay, by what adapters had done before them, so that every
 * engine and each of its threads finds the same. All devices go on for {@link #lagSlots} after that slot: by then
 * everybody knows, however far apart the free-running agents are. One thread.
 */
final class RunEnd {
    /** Instead of a slot. */
    static final long NOT_YET = -1;
    /** Times the longest wait after which a fabric in which nothing moves is done. */
    private static final int PATIENCE = 4;

    private final int flows;
    /** The last start of a flow or turn of a fault. */
    private final long lastEvent;
    private final long patienceSlots;
    private final int lag;
    private long lastMove;
    private long before = -1;

    /** Nothing has moved. */
    RunEnd(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing) {
        this.flows = flows.size();
        long last = flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1);
        for (final Fault fault : faults.plan().faults()) {
            last = Math.max(last, fault.slot());
        }
        this.lastEvent = last;
        // Where requests may be lost, they are sent again.
        this.patienceSlots = (long) PATIENCE * fabric.mostWaitSlots()
            + (faults.isEmpty() ? 0 : 2L * healing.refreshSlots());
        this.lag = lagSlots(fabric);
    }

    /**
     * Slots from the end to the last one done. Agents are never further apart than a delay for each link to the nearest
     * adapter, and two between adapters; one more is for what was done in the end's slots themselves.
     */
    static int lagSlots(final Stardust fabric) {
        return (fabric.clos().tiers() + 3) * fabric.linkSlots();
    }

    /** The same for the fabric at hand. */
    int lagSlots() {
        return lag;
    }

    /**
     * Whether the run is over before a slot; slots come in order, a propagation delay apart.
     *
     * @param settled flows that were complete, or could never be, before the slot.
     * @param moves   a number that grows as long as any cells move.
     */
    boolean isOver(final long slot, final long settled, final long moves) {
        lastMove = moves == before ? lastMove : slot;
        before = moves;
        return settled == flows || slot - Math.max(lastMove, lastEvent) > patienceSlots;
    }
}
