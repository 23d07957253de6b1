package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

/** What a script of faults does to the cells that come to a bank's devices. One thread. */
public final class Wires {
    private final FoldedClos clos;
    private final FaultState faults;
    private final StardustReach reach;
    private final BankCounters tally;

    public Wires(final FoldedClos clos, final FaultState faults, final StardustReach reach, final BankCounters tally) {
        this.clos = clos;
        this.faults = faults;
        this.reach = reach;
        this.tally = tally;
    }

    /** Whether a cell that was sent into one port does not come out of another; it is counted. */
    public boolean loses(final long slot, final int from, final int port) {
        if (!faults.any()) {
            return false;
        }
        final int device = clos.deviceOf(port);
        if (faults.isLost(clos.deviceOf(from), device)) {
            tally.drop(NicCounter.DROPPED_ON_WAY, slot, device);
            return true;
        }
        if (faults.isDamaged(from, 0)) {
            tally.increment(NicCounter.CELLS_DAMAGED);
            tally.drop(NicCounter.DROPPED_DAMAGED, slot, device);
            reach.onDamage(device, port);
            return true;
        }
        return false;
    }

    /** Whether a cell that came in by a link from above would go up again, which could go round for ever. */
    boolean turnsUp(final int device, final int in, final int out) {
        final int up = clos.firstPort(device) + clos.downPorts(device);
        return in >= up && out >= up;
    }
}
