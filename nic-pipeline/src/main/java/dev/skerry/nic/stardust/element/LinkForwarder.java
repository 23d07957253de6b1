package dev.skerry.nic.stardust.element;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.reach.StardustReach;
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
    private final PausedLinks paused;
    /** Null where cells are no bytes. */
    private final CellFrames frames;
    private final BankCounters tally;
    private final LinkRules rules;
    private final LinkQueues queues;
    /** Ports, from the first, with a cell in front of them; where cells cost bytes, until one slot later. */
    private final IndexSet busy;
    private final QueueLengths lengths;
    /** The bank's first port: arrays by port begin there. */
    private final int basePort;
    private final Backpressure backpressure;
    /** By tier, ports of a device. */
    private final int[] downPorts;
    private final int[] upPorts;
    private final long mostOfAdapter;
    private final long[] sent;
    private final DeviceCells held;
    private final LinkPots pots;
    /** Null where control messages take nothing of links. */
    private ControlRides rides;

    /** Empty queues. */
    public LinkForwarder(final Arena arena, final Stardust fabric, final DeviceRange share, final Pipes pipes,
        final Pauses pauses, final CellFrames frames, final BankCounters tally) {
        this.share = share;
        this.clos = fabric.clos();
        this.pipes = pipes;
        this.paused = new PausedLinks(fabric, share, pauses);
        this.frames = frames;
        this.tally = tally;
        this.rules = fabric.links();
        this.basePort = clos.firstPort(share.base());
        final int ports = clos.firstPort(share.base() + share.span()) - basePort;
        this.queues = new LinkQueues(arena, 2 * ports, Integer.MAX_VALUE >>> 1);
        this.busy = new IndexSet(ports);
        this.lengths = new QueueLengths(clos.tiers());
        this.sent = new long[ports];
        this.held = new DeviceCells(share.base(), share.span());
        this.backpressure = new Backpressure(fabric, share, pauses, queues, held, tally);
        this.downPorts = new int[clos.tiers() + 1];
        this.upPorts = new int[clos.tiers() + 1];
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            downPorts[tier] = clos.downPorts(clos.tierStart(tier));
            upPorts[tier] = clos.ports(clos.tierStart(tier)) - downPorts[tier];
        }
        this.mostOfAdapter = rules.lossless() ? (long) rules.guaranteed() * upPorts[0] : Long.MAX_VALUE;
        this.pots = new LinkPots(fabric, ports);
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
        return held.most(device);
    }

    /** Most cells in front of one of a device's links. */
    public int longest(final int device) {
        int longest = 0;
        for (int queue = queue(clos.firstPort(device)); queue < queue(clos.firstPort(device + 1)); queue++) {
            longest = Math.max(longest, queues.longest(queue));
        }
        return longest;
    }

    /** Cells in front of a link. */
    public int lengthAt(final int port) {
        return queues.length(queue(port)) + queues.length(queue(port) + 1);
    }

    /** Most cells in front of a link. */
    public int longestAt(final int port) {
        return Math.max(queues.longest(queue(port)), queues.longest(queue(port) + 1));
    }

    /** A device fails with all it holds. */
    public void lose(final long slot, final int device) {
        for (int port = clos.firstPort(device); port < clos.firstPort(device + 1); port++) {
            for (int queue = queue(port); queue <= queue(port) + 1; queue++) {
                while (queues.length(queue) > 0) {
                    release(queues.dequeue(queue));
                    tally.drop(NicCounter.DROPPED_NODE_DOWN, slot, device);
                }
            }
            if (!pots.charge()) {
                busy.remove(port - basePort);
            }
        }
        held.clear(device);
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

    /** A cell is dropped: its bytes are free, if it has any. */
    public void release(final long first) {
        if (frames != null) {
            frames.release(first);
        }
    }

    /** Hears which links are paused in a slot, before anything is sent in it. */
    public void turnTo(final long slot) {
        paused.turnTo(slot);
        if (rides != null) {
            rides.turn(slot);
        }
    }

    /** Control messages take their bytes of the links, if the fabric says so. */
    public void connect(final Stardust fabric, final Control[] controls, final StardustReach reach) {
        rides = fabric.links().carriesControl() ? new ControlRides(fabric, controls, reach, pots, basePort) : null;
    }

    /** Links that are paused. */
    public PausedLinks paused() {
        return paused;
    }

    /** Whether the links of an adapter have as many cells in front of them as they have room for. */
    public boolean isFull(final int adapter) {
        return held.of(adapter) >= mostOfAdapter;
    }

    /** Checks that no element holds more cells than its pool has room for. */
    public void checkPools() {
        backpressure.check();
    }

    /** A cell of an adapter joins the queue of one of its links. */
    public void enqueue(final long slot, final int device, final int port, final long first, final long second) {
        enqueue(slot, device, port, FoldedClos.NONE, first, second, 0);
    }

    /**
     * A cell joins the queue of a link.
     *
     * @param in        the port that it came by.
     * @param roomAhead 1 if the queue has already sent its cell of this slot, else 0.
     */
    void enqueue(final long slot, final int device, final int port, final int in, final long first, final long second,
        final int roomAhead) {
        final int queue = queue(port) + StardustCell.order(first);
        final int length = queues.length(queue);
        if (rules.lossless()) {
            backpressure.onCell(port, length, in);
        } else if (length - roomAhead >= rules.limitCells()) {
            tally.drop(NicCounter.DROPPED_TAIL, slot, device);
            release(first);
            return;
        }
        queues.enqueue(queue, first, second);
        busy.add(port - basePort);
        if (held.add(device)) {
            backpressure.onHeld(device);
        }
    }

    /** Every link sends a cell, if it has one and may. */
    public void transmit(final long slot) {
        final int row = pipes.row(slot);
        final boolean anyPaused = paused.any();
        pots.turnTo(slot);
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            transmit(row, tier, anyPaused);
        }
        backpressure.pause(slot);
    }

    private void transmit(final int row, final int tier, final boolean anyPaused) {
        final boolean always = pots.areFree() && !anyPaused;
        final long[] down = lengths.stage(tier, true);
        final long[] up = lengths.stage(tier, false);
        final int last = clos.firstPort(share.end(tier)) - basePort;
        int device = share.first(tier);
        int middle = 0;
        int end = 0;
        int links = 0;
        int downs = 0;
        int gone = 0;
        for (int at = busy.next(clos.firstPort(share.first(tier)) - basePort, last); at < last;
            at = busy.next(at + 1, last)) {
            final int port = at + basePort;
            if (port >= end) {
                held.remove(device, gone);
                gone = 0;
                device = clos.deviceOf(port);
                end = clos.firstPort(device + 1);
                middle = clos.firstPort(device) + downPorts[tier];
            }
            final int before = queues.length(2 * at);
            final int length = before + queues.length(2 * at + 1);
            final int queue = before > 0 ? 2 * at : 2 * at + 1;
            (port < middle ? down : up)[Math.min(length, QueueLengths.MOST)]++;
            downs += port < middle ? 1 : 0;
            links++;
            if (always || maySend(port, length, queue)) {
                send(row, port, length, queue);
                gone++;
            }
        }
        if (gone > 0) {
            held.remove(device, gone);
        }
        final int devices = share.end(tier) - share.first(tier);
        down[0] += (long) devices * downPorts[tier] - downs;
        up[0] += (long) devices * upPorts[tier] - (links - downs);
    }

    /** Whether a link may send where the other end may have paused it, or where cells or messages cost bytes. */
    private boolean maySend(final int port, final int length, final int queue) {
        final int at = port - basePort;
        if (length == 0) {
            pots.clear(at);
            busy.remove(at);
            return false;
        }
        return clos.peer(port) != FoldedClos.NONE && !paused.isPaused(port) && pots.pay(at, queues.peek(queue));
    }

    private void send(final int row, final int port, final int length, final int queue) {
        sent[port - basePort]++;
        if (length == 1 && !pots.charge()) {
            busy.remove(port - basePort);
        }
        final long first = queues.dequeue(queue);
        final int level = rules.level(length);
        if (level == 0) {
            pipes.put(row, port, first, queues.second());
        } else {
            tally.increment(NicCounter.CELLS_MARKED);
            if (frames != null) {
                frames.mark(first, level);
            }
            pipes.put(row, port, StardustCell.marked(first, level), queues.second());
        }
    }
}
