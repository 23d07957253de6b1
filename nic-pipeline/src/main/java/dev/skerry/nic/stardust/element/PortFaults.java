package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.LinkFaults;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

/** Applies link faults to the cells that come in by the ports of a bank's devices. One thread. */
public final class PortFaults {
    private final FoldedClos clos;
    private final LinkFaults links;
    private final StardustReach reach;
    private final BankCounters tally;

    /** No cell has come. */
    public PortFaults(final FoldedClos clos, final FaultState faults, final StardustReach reach,
        final BankCounters tally) {
        this.clos = clos;
        this.links = new LinkFaults(faults);
        this.reach = reach;
        this.tally = tally;
    }

    /** Whether a cell that was sent into one port does not come out of another; it is counted. */
    public boolean loses(final long slot, final int from, final int port) {
        if (!links.any()) {
            return false;
        }
        final int device = clos.deviceOf(port);
        return switch (links.fate(clos.deviceOf(from), device, from, 0, true)) {
            case INTACT -> false;
            case LOST, OUT_OF_WINDOW -> {
                tally.drop(NicCounter.DROPPED_ON_WAY, slot, device);
                yield true;
            }
            case DAMAGED -> {
                tally.increment(NicCounter.CELLS_DAMAGED);
                tally.drop(NicCounter.DROPPED_DAMAGED, slot, device);
                reach.onDamage(slot, device, port);
                yield true;
            }
        };
    }
}
