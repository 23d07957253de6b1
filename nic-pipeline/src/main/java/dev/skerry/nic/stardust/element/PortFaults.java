package dev.skerry.nic.stardust.element;

import dev.skerry.codec.HeaderFault;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.LinkFaults;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

/** Applies link faults to the cells that come in by the ports of a bank's devices. One thread. */
public final class PortFaults {
    private final FoldedClos clos;
    private final LinkFaults links;
    private final StardustReach reach;
    /** Null where cells are no bytes. */
    private final CellFrames frames;
    private final BankCounters tally;

    /** No cell has come. */
    public PortFaults(final FoldedClos clos, final FaultState faults, final StardustReach reach,
        final CellFrames frames, final BankCounters tally) {
        this.clos = clos;
        this.links = new LinkFaults(faults);
        this.reach = reach;
        this.frames = frames;
        this.tally = tally;
    }

    /**
     * Whether a cell that was sent into one port does not come out of another; it is counted.
     *
     * @param word its first word.
     * @throws IllegalStateException if a byte of it was changed and its check did not find out.
     */
    public boolean loses(final long slot, final int from, final int port, final long word) {
        final boolean isLost = links.any() && isLost(slot, from, port, word);
        if (isLost && frames != null) {
            frames.release(word);
        }
        return isLost;
    }

    private boolean isLost(final long slot, final int from, final int port, final long word) {
        final int device = clos.deviceOf(port);
        return switch (links.fate(clos.deviceOf(from), device, from, 0, true)) {
            case INTACT -> false;
            case LOST, OUT_OF_WINDOW -> {
                tally.drop(NicCounter.DROPPED_ON_WAY, slot, device);
                yield true;
            }
            case DAMAGED -> {
                damage(from, word);
                tally.increment(NicCounter.CELLS_DAMAGED);
                tally.drop(NicCounter.DROPPED_DAMAGED, slot, device);
                reach.onDamage(slot, device, port);
                yield true;
            }
        };
    }

    private void damage(final int from, final long word) {
        if (frames != null) {
            frames.damage(word, links.noise(from, 0));
            if (frames.fault(word) == HeaderFault.NONE) {
                throw new IllegalStateException("a byte of a cell from adapter " + StardustCell.from(word) + " to "
                    + StardustCell.to(word) + " was changed on its way, and its check finds nothing");
            }
        }
    }
}
