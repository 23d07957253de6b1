package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;

/**
 * Decides when a bank's elements pause the links into them (docs/spec/stardust.md §4): from the first full queue or
 * pool until all are below half of their bounds. One thread.
 */
final class Backpressure {
    private final FoldedClos clos;
    private final DeviceRange share;
    private final LinkRules rules;
    private final Pauses pauses;
    private final LinkQueues queues;
    private final BankCounters tally;
    private final int propagation;
    private final int base;
    private final int basePort;
    /** By device of the bank: cells held, counted by the owner, and cells held at which the device pauses. */
    private final int[] held;
    private final int[] poolCells;
    private final boolean[] full;
    /** Whether a queue that leads down is full: then links from above pause too. */
    private final boolean[] fullBelow;
    private int fullDevices;

    /**
     * Nothing full.
     *
     * @param queues of the bank's ports, two each.
     * @param held   cells by device of the bank, kept by the owner.
     */
    Backpressure(final Stardust fabric, final DeviceRange share, final Pauses pauses, final LinkQueues queues,
        final int[] held, final BankCounters tally) {
        this.clos = fabric.clos();
        this.share = share;
        this.rules = fabric.links();
        this.pauses = pauses;
        this.queues = queues;
        this.tally = tally;
        this.propagation = fabric.linkSlots();
        this.base = share.base();
        this.basePort = clos.firstPort(base);
        this.held = held;
        this.poolCells = new int[held.length];
        Arrays.setAll(poolCells, i -> pool(base + i));
        this.full = new boolean[held.length];
        this.fullBelow = new boolean[held.length];
    }

    /** Cells at which a device, counted in the bank, pauses. */
    int poolCells(final int at) {
        return poolCells[at];
    }

    /** A device holds as many cells as it may. */
    void onFull(final int device) {
        fullDevices += full[device - base] ? 0 : 1;
        full[device - base] = true;
    }

    /** The queue of a port of a device is full. */
    void onFullQueue(final int device, final int port) {
        onFull(device);
        fullBelow[device - base] |= port - clos.firstPort(device) < clos.downPorts(device);
    }

    /** Says which devices pause; one that is below half of its bounds again does not. */
    void pause(final long slot) {
        final boolean say = pauses.begin(slot, share.bank()) || fullDevices > 0;
        for (int tier = 1; say && tier <= clos.tiers(); tier++) {
            for (int device = share.first(tier); device < share.end(tier); device++) {
                final int first = clos.firstPort(device);
                final int at = device - base;
                if (fullBelow[at] && isHalfEmpty(first, first + clos.downPorts(device))) {
                    fullBelow[at] = false;
                }
                if (full[at] && isHalfEmpty(first, clos.firstPort(device + 1)) && held[at] < poolCells[at] / 2) {
                    full[at] = false;
                    fullDevices--;
                }
                pauses.set(slot, share.bank(), device, full[at], fullBelow[at]);
                tally.add(NicCounter.PAUSES, full[at] ? 1 : 0);
            }
        }
    }

    /** Cells that an element holds when it pauses: its share for each link, less the cells still under way to it. */
    private int pool(final int device) {
        return !rules.lossless() || device < clos.fas() ? Integer.MAX_VALUE
            : clos.ports(device) * Math.max(1, rules.guaranteed() - 2 * propagation - 2);
    }

    private boolean isHalfEmpty(final int from, final int to) {
        for (int queue = 2 * (from - basePort); queue < 2 * (to - basePort); queue++) {
            if (2 * queues.length(queue) >= rules.limitCells()) {
                return false;
            }
        }
        return true;
    }
}
