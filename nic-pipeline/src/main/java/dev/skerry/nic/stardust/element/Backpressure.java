package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;

/**
 * Decides which links into a bank's elements are paused (docs/spec/stardust.md §4). From the moment that a queue is
 * full until it is half empty, each link that brings a cell to it is paused; so none feeds it while others wait. The
 * pool of an element has a part for cells that go down and one for cells that go up: while a part is nearly used up,
 * all links that bring such cells are paused. Cells from above never go up again, so no cycle of waiting forms. One
 * thread.
 */
final class Backpressure {
    private final FoldedClos clos;
    private final DeviceRange share;
    private final LinkRules rules;
    private final Pauses pauses;
    private final LinkQueues queues;
    private final BankCounters tally;
    private final int inFlight;
    private final int base;
    private final int basePort;
    private final DeviceCells held;
    /** By tier: cells of either part of the pool, and those at which links are paused; 0 for those who never pause. */
    private final long[][] bounds;
    private final int[] looksAt;
    /** Ports whose queues have been full and are not half empty; ports by which a cell came to one, and to which. */
    private final IndexSet fullQueues;
    private final IndexSet stopped;
    private final int[] stoppedBy;
    /** Devices whose pools may be nearly used up; by device, whether each part is. */
    private final IndexSet filling;
    private final boolean[][] full;
    private boolean anyFull;
    private boolean any;

    /**
     * Nothing full.
     *
     * @param queues of the bank's ports, two each.
     * @param held   cells in them by device, counted by the owner.
     */
    Backpressure(final Stardust fabric, final DeviceRange share, final Pauses pauses, final LinkQueues queues,
        final DeviceCells held, final BankCounters tally) {
        this.clos = fabric.clos();
        this.share = share;
        this.rules = fabric.links();
        this.pauses = pauses;
        this.queues = queues;
        this.tally = tally;
        this.inFlight = 2 * fabric.linkSlots() + 2;
        this.base = share.base();
        this.basePort = clos.firstPort(base);
        this.held = held;
        this.bounds = new long[clos.tiers() + 1][2];
        this.looksAt = new int[share.span()];
        Arrays.fill(looksAt, Integer.MAX_VALUE);
        for (int tier = 1; tier <= clos.tiers(); tier++) {
            final int of = clos.tierStart(tier);
            bounds[tier][0] = part(clos.downPorts(of), clos.ports(of));
            bounds[tier][1] = part(clos.ports(of) - clos.downPorts(of), clos.downPorts(of));
            for (int device = share.first(tier); rules.lossless() && device < share.end(tier); device++) {
                looksAt[device - base] = (int) Math.min(threshold(device, 0), bounds[tier][1] == 0
                    ? Integer.MAX_VALUE : threshold(device, 1));
            }
        }
        final int ports = clos.firstPort(base + share.span()) - basePort;
        this.fullQueues = new IndexSet(ports);
        this.stopped = new IndexSet(ports);
        this.stoppedBy = new int[ports];
        this.filling = new IndexSet(looksAt.length);
        this.full = new boolean[2][looksAt.length];
    }

    /**
     * Cells of a part of a pool: the share of each link that they leave by, or a quarter of that and what may be under
     * way to it.
     *
     * @param out links that they leave by.
     * @param in  links that they come by.
     */
    private long part(final int out, final int in) {
        final long usual = (long) out * rules.guaranteed();
        return out == 0 ? 0 : Math.max(usual, (usual + 3) / 4 + (long) in * inFlight);
    }

    /** Cells in a part of a pool at which links are paused: what is under way still finds room. */
    private long threshold(final int device, final int part) {
        final int in = part == 0 ? clos.ports(device) : clos.downPorts(device);
        return Math.max(1, Math.min(Integer.MAX_VALUE, bounds[clos.tierOf(device)][part] - (long) in * inFlight));
    }

    /**
     * Checks that no element holds more cells than its pool has room for.
     *
     * @throws IllegalStateException for the first that does.
     */
    void check() {
        for (int tier = 1; rules.lossless() && tier <= clos.tiers(); tier++) {
            final long most = bounds[tier][0] + bounds[tier][1];
            for (int element = share.first(tier); element < share.end(tier); element++) {
                if (held.of(element) > most) {
                    throw new IllegalStateException("element " + element + " holds " + held.of(element)
                        + " cells and its pool has room for " + most);
                }
            }
        }
    }

    /** A device holds more cells than ever, or enough for links into it to be paused. */
    void onHeld(final int device) {
        if (held.note(device, looksAt[device - base]) >= looksAt[device - base]) {
            filling.add(device - base);
            any = true;
        }
    }

    /**
     * A cell joins a queue.
     *
     * @param port   of the queue.
     * @param length of the queue before.
     * @param in     the port that it came by; {@link FoldedClos#NONE} if it came by none.
     */
    void onCell(final int port, final int length, final int in) {
        if (in == FoldedClos.NONE || length < rules.limitCells() && (!anyFull || !has(fullQueues, port))) {
            return;
        }
        fullQueues.add(port - basePort);
        anyFull = true;
        any = true;
        if (!has(stopped, in) || !has(fullQueues, stoppedBy[in - basePort])) {
            stoppedBy[in - basePort] = port;
        }
        stopped.add(in - basePort);
    }

    private boolean has(final IndexSet ports, final int port) {
        return ports.next(port - basePort, port - basePort + 1) == port - basePort;
    }

    /** Says which links are paused. */
    void pause(final long slot) {
        pauses.begin(slot, share.bank());
        if (!any) {
            return;
        }
        anyFull = false;
        final int ports = stoppedBy.length;
        for (int at = fullQueues.next(0, ports); at < ports; at = fullQueues.next(at + 1, ports)) {
            if (isHalfEmpty(at)) {
                fullQueues.remove(at);
            } else {
                anyFull = true;
            }
        }
        any = anyFull;
        for (int at = stopped.next(0, ports); at < ports; at = stopped.next(at + 1, ports)) {
            if (has(fullQueues, stoppedBy[at])) {
                say(slot, at);
            } else {
                stopped.remove(at);
            }
        }
        for (int at = filling.next(0, looksAt.length); at < looksAt.length; at = filling.next(at + 1, looksAt.length)) {
            pauseAll(slot, base + at);
        }
    }

    /** Pauses the links that bring cells for which a part of the pool has no room. */
    private void pauseAll(final long slot, final int device) {
        final int at = device - base;
        final int first = clos.firstPort(device);
        final int middle = first + clos.downPorts(device);
        final int end = clos.firstPort(device + 1);
        final boolean down = isFull(0, device, first, middle);
        final boolean up = isFull(1, device, middle, end);
        for (int port = first; port < (down ? end : up ? middle : first); port++) {
            if (clos.peer(port) != FoldedClos.NONE && !has(stopped, port)) {
                say(slot, port - basePort);
            }
        }
        any = true;
        if (!down && !up && held.of(device) < looksAt[at] / 2) {
            filling.remove(at);
        }
    }

    private boolean isFull(final int part, final int device, final int from, final int end) {
        if (from == end) {
            return false;
        }
        long cells = 0;
        for (int queue = 2 * (from - basePort); queue < 2 * (end - basePort); queue++) {
            cells += queues.length(queue);
        }
        final long most = threshold(device, part);
        full[part][device - base] = full[part][device - base] ? 2 * cells >= most : cells >= most;
        return full[part][device - base];
    }

    private void say(final long slot, final int at) {
        any = true;
        pauses.add(slot, share.bank(), at + basePort);
        tally.increment(NicCounter.PAUSES);
    }

    private boolean isHalfEmpty(final int at) {
        return 2 * queues.length(2 * at) < rules.limitCells() && 2 * queues.length(2 * at + 1) < rules.limitCells();
    }
}
