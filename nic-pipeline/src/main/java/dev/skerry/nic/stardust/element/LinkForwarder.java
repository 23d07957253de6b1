package dev.skerry.nic.stardust.element;

import dev.skerry.codec.StardustControl;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The links of a bank's devices. A cell joins the queue of the link by which it leaves, and every link sends its oldest
 * cell (docs/spec/stardust.md §4), with a mark that depends on the congestion of the link.
 *
 * <p>Cache lines per cell and link: the place in flight costs 1/4 to write and 1/4 to 1 to read, its queue 1/4 and 1,
 * the pool 1/2, the route 1 and the arbiter 1. Not thread-safe.
 */
public final class LinkForwarder implements ForwardingTable.Paused {
    private static final long NEVER = -1;
    private static final int FRACTION_BITS = 16;

    private final DeviceRange share;
    private final FoldedClos clos;
    private final Pipes pipes;
    /** Ports through which the devices of each bank accept nothing, and the banks to which links of this bank lead. */
    private final SlotLists[] pauses;
    private final int[] neighbours;
    private final int propagation;
    /** Last slot in which the link of each port was paused, and whether any link is paused now. */
    private final long[] pausedIn;
    private boolean anyPaused;
    private long now;
    /** Null if cells carry no payload bytes. */
    private final CellFrames frames;
    private final BankCounters tally;
    private final LinkRules rules;
    private final LinkQueues queues;
    /** Ports with queued cells, counted from the first one; if cells cost bytes, a port remains set one slot longer. */
    private final QueueBits busy;
    private final QueueLengths lengths;
    /** First port of the bank, at which arrays by port start. */
    private final int basePort;
    private final Backpressure backpressure;
    /** Ports of a device, by tier. */
    private final int[] downPorts;
    private final int[] upPorts;
    private final long mostOfAdapter;
    private final long[] sent;
    /**
     * For each device from {@code base} on: cells queued at its links, their maximum, and the number from which limits
     * are checked.
     */
    private final int base;
    private final int[] held;
    private final int[] mostHeld;
    private final int[] noted;
    /** Cost of a cell on a link, and bytes saved for the next cell of each port; null if a cell takes a slot. */
    private final LinkCharge charge;
    private final long[] pots;
    /**
     * Bytes of control messages on each port since it was idle, and the slot in which it last had a cell
     * (docs/spec/stardust.md §4); null if messages use no bandwidth. A message is sent before the cells: if a cell
     * takes a slot, a link skips a slot whenever its messages add up to the bytes of a full cell. A link without cells
     * carries messages at no cost.
     */
    private final int[] owed;
    private final long[] usedIn;
    private final int slotBytes;
    /** Last slot in which links sent. */
    private long sending;
    /** Null if control messages use no link bandwidth. */
    private ControlRides rides;

    /** Creates empty queues. */
    public LinkForwarder(final Arena arena, final Stardust fabric, final DeviceRange share, final Pipes pipes,
        final SlotLists[] pauses, final int[] neighbours, final CellFrames frames, final BankCounters tally) {
        this.share = share;
        this.clos = fabric.clos();
        this.pipes = pipes;
        this.pauses = pauses;
        this.neighbours = neighbours;
        this.propagation = fabric.linkSlots();
        this.frames = frames;
        this.tally = tally;
        this.rules = fabric.links();
        this.basePort = clos.firstPort(share.base());
        final int ports = clos.firstPort(share.base() + share.span()) - basePort;
        this.pausedIn = new long[ports];
        Arrays.fill(pausedIn, NEVER);
        this.queues = new LinkQueues(arena, 2 * ports);
        this.busy = new QueueBits(ports);
        this.lengths = new QueueLengths(clos.tiers());
        this.sent = new long[ports];
        this.base = share.base();
        this.held = new int[share.span()];
        this.mostHeld = new int[share.span()];
        this.noted = new int[share.span()];
        this.backpressure = new Backpressure(fabric);
        this.downPorts = new int[clos.tiers() + 1];
        this.upPorts = new int[clos.tiers() + 1];
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            downPorts[tier] = clos.downPorts(clos.tierStart(tier));
            upPorts[tier] = clos.ports(clos.tierStart(tier)) - downPorts[tier];
        }
        this.mostOfAdapter = rules.lossless() ? (long) rules.guaranteed() * upPorts[0] : Long.MAX_VALUE;
        this.charge = rules.charge();
        this.pots = charge == null ? null : new long[ports];
        this.owed = rules.carriesControl() ? new int[ports] : null;
        this.usedIn = owed == null ? null : new long[ports];
        this.slotBytes = (int) fabric.linkBytesPerSlot();
    }

    /** Returns the first of the two queues of a port. */
    private int queue(final int port) {
        return 2 * (port - basePort);
    }

    /** Returns the memory in bytes of the empty queues of all banks. */
    public static long bytes(final FoldedClos clos) {
        return LinkQueues.bytes(2 * clos.ports());
    }

    /** Returns the distribution of queue lengths. */
    public QueueLengths lengths() {
        return lengths;
    }

    /** Returns the number of cells in all queues. */
    public int held() {
        return queues.held();
    }

    /** Returns the maximum number of cells queued at a device of the bank. */
    public int maxHeld(final int device) {
        return mostHeld[device - base];
    }

    /** Returns the maximum number of cells queued at any one link of a device. */
    public int longest(final int device) {
        return IntStream.range(clos.firstPort(device), clos.firstPort(device + 1)).map(this::longestAt).max().orElse(0);
    }

    /** Returns the number of cells queued at a link. */
    public int lengthAt(final int port) {
        return queues.length(queue(port)) + queues.length(queue(port) + 1);
    }

    /** Returns the maximum number of cells queued at a link. */
    public int longestAt(final int port) {
        return Math.max(queues.longest(queue(port)), queues.longest(queue(port) + 1));
    }

    /** Drops all cells of a device that fails. */
    public void lose(final long slot, final int device) {
        for (int port = clos.firstPort(device); port < clos.firstPort(device + 1); port++) {
            for (int queue = queue(port); queue <= queue(port) + 1; queue++) {
                while (queues.length(queue) > 0) {
                    release(queues.dequeue(queue));
                    tally.drop(NicCounter.DROPPED_NODE_DOWN, slot, device);
                }
            }
            if (charge == null) {
                busy.clear(port - basePort);
            }
        }
        held[device - base] = 0;
    }

    /** Returns the number of cells sent into a port of the bank's devices. */
    public long sent(final int port) {
        return sent[port - basePort];
    }

    /** Returns the number of cells sent into all ports. */
    public long sent() {
        long sum = 0;
        for (final long cells : sent) {
            sum += cells;
        }
        return sum;
    }

    /** Frees the payload of a dropped cell, if it has any. */
    public void release(final long first) {
        if (frames != null) {
            frames.release(first);
        }
    }

    /** Determines which links are paused in a slot. Call this before anything is sent in the slot. */
    public void turnTo(final long slot) {
        now = slot;
        anyPaused = false;
        final long said = slot - propagation;
        for (int i = 0; said >= 0 && i < neighbours.length; i++) {
            final int count = pauses[neighbours[i]].count(said);
            final long[] ports = pauses[neighbours[i]].list(said);
            for (int at = 0; at < count; at++) {
                final int own = clos.peer((int) ports[at]) - basePort;
                if (own >= 0 && own < pausedIn.length) {
                    pausedIn[own] = slot;
                    anyPaused = true;
                }
            }
        }
        if (rides != null) {
            rides.turn(slot);
        }
    }

    /** Makes control messages use link bandwidth, if the fabric requires it. */
    public void connect(final Stardust fabric, final SlotLists[] controls, final StardustReach reach) {
        rides = fabric.links().carriesControl() ? new ControlRides(fabric, controls, reach) : null;
    }

    @Override
    public boolean any() {
        return anyPaused;
    }

    @Override
    public boolean isPaused(final int port) {
        return anyPaused && pausedIn[port - basePort] == now;
    }

    /** Tells whether the queues of an adapter's links have reached their common limit. */
    public boolean isFull(final int adapter) {
        return held[adapter - base] >= mostOfAdapter;
    }

    /** Checks that no element holds more cells than its pool has room for. */
    public void checkPools() {
        backpressure.check();
    }

    /** Adds a cell of an adapter to the queue of one of its links. */
    public void enqueue(final long slot, final int device, final int port, final long first, final long second) {
        enqueue(slot, device, port, FoldedClos.NONE, first, second, 0);
    }

    /**
     * Adds a cell to the queue of a link.
     *
     * @param in        port at which the cell arrived.
     * @param roomAhead 1 if the queue has already sent its cell of this slot, otherwise 0.
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
        busy.set(port - basePort);
        if (++held[device - base] >= noted[device - base]) {
            backpressure.onHeld(device);
        }
    }

    /** Sends a cell on every link that has one and may send. */
    public void transmit(final long slot) {
        final int row = pipes.row(slot);
        sending = slot;
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            transmit(row, tier);
        }
        backpressure.pause(slot);
    }

    private void transmit(final int row, final int tier) {
        final boolean always = charge == null && owed == null && !anyPaused;
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
                held[device - base] -= gone;
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
            held[device - base] -= gone;
        }
        final int devices = share.end(tier) - share.first(tier);
        down[0] += (long) devices * downPorts[tier] - downs;
        up[0] += (long) devices * upPorts[tier] - (links - downs);
    }

    /** Tells whether a link may send, if it may be paused or if cells or messages cost bytes. */
    private boolean maySend(final int port, final int length, final int queue) {
        final int at = port - basePort;
        if (length == 0) {
            if (charge != null) {
                pots[at] = 0;
            }
            busy.clear(at);
            return false;
        }
        return clos.peer(port) != FoldedClos.NONE && !isPaused(port) && pay(at, queues.peek(queue));
    }

    private void send(final int row, final int port, final int length, final int queue) {
        sent[port - basePort]++;
        if (length == 1 && charge == null) {
            busy.clear(port - basePort);
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

    /**
     * Charges the link of a port in the bank for a message; there is no charge unless it had a cell one slot before.
     */
    private void carry(final int at, final int bytes) {
        if (at >= 0 && at < owed.length && usedIn[at] >= sending) {
            owed[at] += bytes;
        }
    }

    /** Tells whether a port with a cell may send it in this slot, and charges the port if so. */
    private boolean pay(final int at, final long first) {
        if (owed != null) {
            if (usedIn[at] < sending - 1) {
                owed[at] = 0;
            }
            usedIn[at] = sending;
        }
        if (charge == null) {
            if (owed == null || owed[at] < slotBytes) {
                return true;
            }
            owed[at] -= slotBytes;
            return false;
        }
        final long cost = charge.of(first);
        long pot = pots[at] + charge.perSlot();
        if (owed != null) {
            pot -= (long) owed[at] << FRACTION_BITS;
            owed[at] = 0;
        }
        pots[at] = pot < cost ? pot : Math.min(pot - cost, charge.perSlot());
        return pot >= cost;
    }

    /**
     * Determines which links into a bank's elements are paused (docs/spec/stardust.md §4). From the time a queue is
     * full until it is half empty, each link that brings a cell to it is paused, so no link can feed the queue while
     * others wait. The pool of an element has one part for cells that go down and one for cells that go up; while a
     * part is nearly exhausted, all links that bring such cells are paused. Cells from above never go up again, so
     * there is no cycle of waiting links. Not thread-safe.
     */
    private final class Backpressure {
        private final int inFlight;
        /**
         * Capacity of each part of the pool in cells, by tier, and the numbers from which links are paused; 0 for
         * devices that never pause links.
         */
        private final long[][] bounds;
        private final int[] looksAt;
        /**
         * Ports whose queues have been full and are not yet half empty; ports at which a cell for such a queue arrived,
         * and the port of this queue.
         */
        private final QueueBits fullQueues;
        private final QueueBits stopped;
        private final int[] stoppedBy;
        /** Devices whose pools may be nearly exhausted, and whether each part of their pools is. */
        private final QueueBits filling;
        private final boolean[][] full;
        private boolean anyFull;
        private boolean any;

        /** Creates the state without full queues. */
        Backpressure(final Stardust fabric) {
            this.inFlight = 2 * fabric.linkSlots() + 2;
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
            this.fullQueues = new QueueBits(ports);
            this.stopped = new QueueBits(ports);
            this.stoppedBy = new int[ports];
            this.filling = new QueueBits(looksAt.length);
            this.full = new boolean[2][looksAt.length];
        }

        /**
         * Returns the capacity of a part of a pool in cells: the guaranteed cells of each outgoing link, or, if this is
         * more, a quarter of that plus the cells that may be in flight to it.
         *
         * @param out number of links by which these cells leave.
         * @param in  number of links by which these cells arrive.
         */
        private long part(final int out, final int in) {
            final long usual = (long) out * rules.guaranteed();
            return out == 0 ? 0 : Math.max(usual, (usual + 3) / 4 + (long) in * inFlight);
        }

        /**
         * Returns the number of cells in a part of a pool from which links are paused, such that cells in flight still
         * fit.
         */
        private long threshold(final int device, final int part) {
            final int in = part == 0 ? clos.ports(device) : clos.downPorts(device);
            return Math.max(1, Math.min(Integer.MAX_VALUE, bounds[clos.tierOf(device)][part] - (long) in * inFlight));
        }

        /**
         * Checks that no element holds more cells than its pool has room for.
         *
         * @throws IllegalStateException for the first element that does.
         */
        void check() {
            for (int tier = 1; rules.lossless() && tier <= clos.tiers(); tier++) {
                final long most = bounds[tier][0] + bounds[tier][1];
                for (int element = share.first(tier); element < share.end(tier); element++) {
                    Laws.brokenIf(held[element - base] > most, "element ", element, " holds ", held[element - base],
                        " cells and its pool has room for ", most);
                }
            }
        }

        /** Records that a device holds more cells than before, or enough cells to pause links into it. */
        void onHeld(final int device) {
            final int at = device - base;
            mostHeld[at] = Math.max(mostHeld[at], held[at]);
            noted[at] = Math.min(mostHeld[at] + 1, looksAt[at]);
            if (held[at] >= looksAt[at]) {
                filling.set(at);
                any = true;
            }
        }

        /**
         * Records that a cell joins a queue.
         *
         * @param port   port of the queue.
         * @param length length of the queue before.
         * @param in     port at which the cell arrived; {@link FoldedClos#NONE} for a cell of the device itself.
         */
        void onCell(final int port, final int length, final int in) {
            if (in == FoldedClos.NONE
                || length < rules.limitCells() && (!anyFull || !fullQueues.isSet(port - basePort))) {
                return;
            }
            fullQueues.set(port - basePort);
            anyFull = true;
            any = true;
            if (!stopped.isSet(in - basePort) || !fullQueues.isSet(stoppedBy[in - basePort] - basePort)) {
                stoppedBy[in - basePort] = port;
            }
            stopped.set(in - basePort);
        }

        /** Publishes the links that are paused. */
        void pause(final long slot) {
            pauses[share.bank()].begin(slot);
            if (!any) {
                return;
            }
            anyFull = false;
            final int ports = stoppedBy.length;
            for (int at = fullQueues.next(0, ports); at < ports; at = fullQueues.next(at + 1, ports)) {
                if (isHalfEmpty(at)) {
                    fullQueues.clear(at);
                } else {
                    anyFull = true;
                }
            }
            any = anyFull;
            for (int at = stopped.next(0, ports); at < ports; at = stopped.next(at + 1, ports)) {
                if (fullQueues.isSet(stoppedBy[at] - basePort)) {
                    recordPause(slot, at);
                } else {
                    stopped.clear(at);
                }
            }
            for (int at = filling.next(0, looksAt.length); at < looksAt.length; at = filling.next(at + 1,
                looksAt.length)) {
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
                if (clos.peer(port) != FoldedClos.NONE && !stopped.isSet(port - basePort)) {
                    recordPause(slot, port - basePort);
                }
            }
            any = true;
            if (!down && !up && held[device - base] < looksAt[at] / 2) {
                filling.clear(at);
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

        private void recordPause(final long slot, final int at) {
            any = true;
            pauses[share.bank()].add(slot, at + basePort);
            tally.increment(NicCounter.PAUSES);
        }

        private boolean isHalfEmpty(final int at) {
            return 2 * queues.length(2 * at) < rules.limitCells() && 2 * queues.length(2 * at + 1) < rules.limitCells();
        }
    }

    /**
     * Charges the links that carry requests and credits for their bytes (docs/spec/stardust.md §4): up from the issuer
     * and down to the target, over links drawn for each message, across as many tiers as they are apart. The charge
     * does not affect the arrival times of messages, because these use a separate crossbar. Links are charged some
     * delays later, when every bank may read the messages of all others. A link that is down carries its part without
     * charge. Not thread-safe; used by the thread of the bank.
     */
    private final class ControlRides {
        private static final long GOLDEN = 0x9E3779B97F4A7C15L;
        private static final int CHOICE_BITS = 16;
        private static final int FRAME_BYTES = StardustControl.frameBytes(StardustControl.REQUEST);
        private static final int REACH_BYTES = StardustControl.frameBytes(StardustControl.REACHABILITY);

        private final long delay;
        /** Messages of each bank that has adapters. */
        private final SlotLists[] controls;

        /**
         * Creates the state without messages in flight; {@code reach} sends reachability messages, and is null if
         * nothing can fail.
         */
        ControlRides(final Stardust fabric, final SlotLists[] controls, final StardustReach reach) {
            this.delay = 2L * clos.tiers() * fabric.linkSlots();
            this.controls = controls;
            if (reach != null) {
                reach.connect(port -> carry(port - basePort, REACH_BYTES));
            }
        }

        /** Charges links for the messages that were sent some delays before a slot. */
        void turn(final long slot) {
            final long sent = slot - delay;
            for (int bank = 0; sent >= 0 && bank < controls.length; bank++) {
                final long[] messages = controls[bank].list(sent);
                final int count = controls[bank].count(sent);
                for (int i = 0; i < count; i++) {
                    ride(Control.issuer(messages[i]), Control.target(messages[i]),
                        CounterRandom.mix(messages[i] + sent * GOLDEN));
                }
            }
        }

        /**
         * Charges the links of a message. The same choices lead from both ends to the device where the two paths meet.
         */
        private void ride(final int issuer, final int target, final long choices) {
            int from = issuer;
            int to = target;
            for (long left = choices; from != to; left >>>= CHOICE_BITS) {
                final int up = choose(from, left);
                final int down = choose(to, left);
                if (clos.peer(up) == FoldedClos.NONE || clos.peer(down) == FoldedClos.NONE) {
                    return;
                }
                carry(up - basePort, FRAME_BYTES);
                carry(clos.peer(down) - basePort, FRAME_BYTES);
                from = clos.deviceOf(clos.peer(up));
                to = clos.deviceOf(clos.peer(down));
                if (clos.ports(from) == clos.downPorts(from)) {
                    return;
                }
            }
        }

        private int choose(final int device, final long choice) {
            final int down = clos.downPorts(device);
            final int up = clos.ports(device) - down;
            return clos.firstPort(device) + down + (int) ((choice & (1 << CHOICE_BITS) - 1) * up >>> CHOICE_BITS);
        }
    }

    /**
     * The shallow queues of the links (docs/spec/stardust.md §4), with one FIFO for each port of a bank's devices and
     * each fabric priority. Cells are in a shared pool, linked in order of arrival, so an empty queue costs only a
     * record. The pool reuses the cells released last, which are still in the cache.
     *
     * <pre>
     *   one queue   0      4      8        12
     *               +------+------+--------+---------+
     *               | head | tail | length | longest |
     *               +------+------+--------+---------+
     * </pre>
     *
     * <p>Not thread-safe.
     */
    static final class LinkQueues {
        private static final int QUEUE_SHIFT = 4;
        private static final int HEAD = 0;
        private static final int LENGTH = 2;
        private static final int LONGEST = 3;

        private final Region region;
        private final SpillPool pool;
        private long second;

        LinkQueues(final Arena arena, final int queues) {
            this.region = Region.allocate(arena, bytes(queues));
            this.pool = new SpillPool(arena, Integer.MAX_VALUE >>> 1);
        }

        /** Returns the memory in bytes of empty queues. */
        static long bytes(final int queues) {
            return (long) queues << QUEUE_SHIFT;
        }

        /** Returns the number of cells in a queue. */
        int length(final int queue) {
            return region.getInt((long) queue << QUEUE_SHIFT, LENGTH);
        }

        /** Returns the maximum length of a queue. */
        int longest(final int queue) {
            return region.getInt((long) queue << QUEUE_SHIFT, LONGEST);
        }

        /** Returns the number of cells in all queues. */
        int held() {
            return pool.used();
        }

        /** Returns the first word of the oldest cell of a queue, which must not be empty, without removing the cell. */
        long peek(final int queue) {
            return pool.first(region.getInt((long) queue << QUEUE_SHIFT, HEAD));
        }

        /** Appends a cell. */
        void enqueue(final int queue, final long first, final long with) {
            final long at = (long) queue << QUEUE_SHIFT;
            final int length = region.getInt(at, LENGTH) + 1;
            pool.append(region, at, length == 1, first, with);
            region.setInt(at, LENGTH, length);
            if (length > region.getInt(at, LONGEST)) {
                region.setInt(at, LONGEST, length);
            }
        }

        /**
         * Removes the oldest cell of a queue, which must not be empty. Returns its first word; {@link #second()}
         * returns the other one.
         */
        long dequeue(final int queue) {
            final long at = (long) queue << QUEUE_SHIFT;
            final int record = pool.poll(region, at);
            second = pool.second(record);
            region.setInt(at, LENGTH, region.getInt(at, LENGTH) - 1);
            return pool.first(record);
        }

        /** Returns the second word of the cell removed last. */
        long second() {
            return second;
        }
    }
}
