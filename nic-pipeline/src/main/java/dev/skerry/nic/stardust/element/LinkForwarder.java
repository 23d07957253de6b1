package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.Arena;

/**
 * The links of a bank's devices: a cell joins the queue of the link it leaves by, and every link sends the oldest cell
 * in front of it (docs/spec/stardust.md §4), marked by how congested the link is.
 *
 * <p>Cache lines of a cell and link: its place among what is under way 1/4 written and 1/4 to 1 read, its queue 1/4 and
 * 1, the pool 1/2, the route 1 and the arbiter 1. One thread.
 */
public final class LinkForwarder {
    private final DeviceRange share;
    private final FoldedClos clos;
    private final Pipes pipes;
    private final Pauses pauses;
    private final BankCounters tally;
    private final LinkRules rules;
    private final LinkQueues queues;
    private final QueueLengths lengths;
    private final int propagation;
    /** The lowest device of the bank and its first port: arrays by device and port begin there. */
    private final int base;
    private final int basePort;
    /** Banks whose devices may pause links of the bank. */
    private final int[] neighbours;
    private final Backpressure backpressure;
    private final long[] sent;
    private final int[] held;
    private final int[] maxHeld;
    /** Cost of a cell on a link, and by port the bytes saved for the next cell; null where a cell takes a slot. */
    private final LinkCharge charge;
    private final long[] pots;

    /** Empty queues. */
    public LinkForwarder(final Arena arena, final Stardust fabric, final DeviceRange share, final Pipes pipes,
        final Pauses pauses, final BankCounters tally) {
        final FoldedClos all = fabric.clos();
        final int span = share.span();
        this.share = share;
        this.clos = all;
        this.pipes = pipes;
        this.pauses = pauses;
        this.tally = tally;
        this.rules = fabric.links();
        this.base = share.base();
        this.basePort = all.firstPort(base);
        this.neighbours = pauses.neighbours(share.bank());
        final int ports = all.firstPort(base + span) - basePort;
        this.queues = new LinkQueues(arena, 2 * ports, Integer.MAX_VALUE >>> 1);
        this.lengths = new QueueLengths(clos.tiers());
        this.propagation = fabric.linkSlots();
        this.sent = new long[ports];
        this.held = new int[span];
        this.maxHeld = new int[span];
        this.backpressure = new Backpressure(fabric, share, pauses, queues, held, tally);
        this.charge = rules.charge();
        this.pots = charge == null ? null : new long[ports];
    }

    /** The first of the two queues of a port. */
    private int queue(final int port) {
        return 2 * (port - basePort);
    }

    /** Memory in bytes of the empty queues of all banks. */
    public static long bytes(final FoldedClos clos) {
        return LinkQueues.bytes(2 * clos.ports());
    }

    /** How long the queues were. */
    public QueueLengths lengths() {
        return lengths;
    }

    /** Cells in all queues. */
    public int held() {
        return queues.held();
    }

    /** Most cells that a device of the bank held. */
    public int maxHeld(final int device) {
        return maxHeld[device - base];
    }

    /** Most cells in front of one of a device's links. */
    public int longest(final int device) {
        int longest = 0;
        for (int queue = queue(clos.firstPort(device)); queue < queue(clos.firstPort(device + 1)); queue++) {
            longest = Math.max(longest, queues.longest(queue));
        }
        return longest;
    }

    /** Most cells in front of a link. */
    public int longestAt(final int port) {
        return Math.max(queues.longest(queue(port)), queues.longest(queue(port) + 1));
    }

    /** A device fails with all it holds. */
    public void lose(final long slot, final int device) {
        for (int queue = queue(clos.firstPort(device)); queue < queue(clos.firstPort(device + 1)); queue++) {
            while (queues.length(queue) > 0) {
                queues.dequeue(queue);
                tally.drop(NicCounter.DROPPED_NODE_DOWN, slot, device);
            }
        }
        held[device - base] = 0;
    }

    /** Cells that were sent into a port of the bank's devices. */
    public long sent(final int port) {
        return sent[port - basePort];
    }

    /** Cells that were sent into all ports. */
    public long sent() {
        long sum = 0;
        for (final long cells : sent) {
            sum += cells;
        }
        return sum;
    }

    /** A cell joins the queue of a link of a device. */
    public void enqueue(final long slot, final int device, final int port, final long first, final long second) {
        enqueue(slot, device, port, first, second, 0);
    }

    /**
     * A cell joins the queue of a link of a device.
     *
     * @param roomAhead 1 if the queue has already sent its cell of this slot, else 0.
     */
    void enqueue(final long slot, final int device, final int port, final long first, final long second,
        final int roomAhead) {
        final int queue = queue(port) + StardustCell.order(first);
        if (queues.length(queue) - roomAhead >= rules.limitCells()) {
            if (!rules.lossless()) {
                tally.drop(NicCounter.DROPPED_TAIL, slot, device);
                return;
            }
            backpressure.onFullQueue(device, port);
        }
        queues.enqueue(queue, first, second);
        final int at = device - base;
        final int now = ++held[at];
        maxHeld[at] = Math.max(maxHeld[at], now);
        if (now >= backpressure.poolCells(at)) {
            backpressure.onFull(device);
        }
    }

    /** Every link sends a cell, if it has one and may. */
    public void transmit(final long slot) {
        final long row = pipes.row(slot);
        final boolean anyPaused = slot >= propagation && pauses.any(slot - propagation, neighbours);
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            final long[] down = lengths.stage(tier, true);
            final long[] up = lengths.stage(tier, false);
            for (int device = share.first(tier); device < share.end(tier); device++) {
                final int first = clos.firstPort(device);
                final int middle = first + clos.downPorts(device);
                final int end = clos.firstPort(device + 1);
                if (charge != null) {
                    transmitByBytes(slot, row, device, first, end, anyPaused);
                } else if (anyPaused) {
                    transmitUnpaused(slot, row, device, first, end);
                } else {
                    transmit(row, device, first, middle, down);
                    transmit(row, device, middle, end, up);
                }
            }
        }
        backpressure.pause(slot);
    }

    private void transmit(final long row, final int device, final int from, final int to, final long[] counts) {
        int sent = 0;
        for (int port = from; port < to; port++) {
            final int queue = queue(port);
            final int before = queues.length(queue);
            final int length = before + queues.length(queue + 1);
            counts[Math.min(length, QueueLengths.MOST)]++;
            if (length == 0) {
                pipes.idle(row, port);
            } else {
                send(row, port, length, before > 0 ? queue : queue + 1);
                sent++;
            }
        }
        held[device - base] -= sent;
    }

    /** The same where the other end may have paused a link. */
    private void transmitUnpaused(final long slot, final long row, final int device, final int from, final int to) {
        for (int port = from; port < to; port++) {
            final int queue = queue(port);
            final int before = queues.length(queue);
            final int length = before + queues.length(queue + 1);
            final boolean down = port - from < clos.downPorts(device);
            lengths.stage(clos.tierOf(device), down)[Math.min(length, QueueLengths.MOST)]++;
            final int other = clos.peer(port);
            if (length == 0 || other == FoldedClos.NONE
                || pauses.isPaused(slot - propagation, clos.deviceOf(other), down)) {
                pipes.idle(row, port);
            } else {
                send(row, port, length, before > 0 ? queue : queue + 1);
                held[device - base]--;
            }
        }
    }

    /** The same where a cell costs bytes: a link sends a cell once it has saved its bytes. */
    private void transmitByBytes(final long slot, final long row, final int device, final int from, final int to,
        final boolean anyPaused) {
        for (int port = from; port < to; port++) {
            final int first = queue(port);
            final int before = queues.length(first);
            final int length = before + queues.length(first + 1);
            final boolean down = port - from < clos.downPorts(device);
            lengths.stage(clos.tierOf(device), down)[Math.min(length, QueueLengths.MOST)]++;
            final int other = clos.peer(port);
            final int queue = before > 0 ? first : first + 1;
            if (length == 0) {
                // An idle link saves nothing up.
                pots[port - basePort] = 0;
                pipes.idle(row, port);
            } else if (other == FoldedClos.NONE
                || anyPaused && pauses.isPaused(slot - propagation, clos.deviceOf(other), down)) {
                pipes.idle(row, port);
            } else {
                final long cost = charge.of(queues.peek(queue));
                final long pot = pots[port - basePort] + charge.perSlot();
                if (pot < cost) {
                    pipes.idle(row, port);
                    pots[port - basePort] = pot;
                } else {
                    pots[port - basePort] = Math.min(pot - cost, charge.perSlot());
                    send(row, port, length, queue);
                    held[device - base]--;
                }
            }
        }
    }

    private void send(final long row, final int port, final int length, final int queue) {
        sent[port - basePort]++;
        final long first = queues.dequeue(queue);
        final int level = rules.level(length);
        if (level == 0) {
            pipes.put(row, port, first, queues.second());
        } else {
            tally.increment(NicCounter.CELLS_MARKED);
            pipes.put(row, port, StardustCell.marked(first, level), queues.second());
        }
    }
}
