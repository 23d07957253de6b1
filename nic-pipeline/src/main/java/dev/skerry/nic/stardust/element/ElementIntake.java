package dev.skerry.nic.stardust.element;

import dev.skerry.codec.HeaderFault;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.LinkFaults;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClos;

/**
 * Receives the cells that arrive at a bank's elements and adds each to the queue of the link by which it leaves
 * (docs/spec/stardust.md §4). An element reads only the destination of a cell. Not thread-safe.
 */
public final class ElementIntake {
    private static final int USE_SENDS = 3;
    private static final int USE_COMES = 4;

    private final DeviceRange share;
    private final FoldedClos clos;
    private final PortArrivals arrivals;
    private final ForwardingTable forwarding;
    private final LinkForwarder links;
    private final BankCounters tally;
    private final LinkRules rules;
    private final long seed;
    /** Null if nothing can fail. */
    private final PortFaults portFaults;

    /**
     * Creates the intake.
     *
     * @param portFaults faults of links; null if nothing can fail.
     */
    public ElementIntake(final Stardust fabric, final DeviceRange share, final PortArrivals arrivals,
        final ForwardingTable forwarding, final LinkForwarder links, final PortFaults portFaults,
        final BankCounters tally) {
        this.share = share;
        this.clos = fabric.clos();
        this.arrivals = arrivals;
        this.forwarding = forwarding;
        this.links = links;
        this.tally = tally;
        this.rules = fabric.links();
        this.seed = fabric.seed();
        this.portFaults = portFaults;
    }

    /** Receives the cells that arrive at the elements in a slot. */
    public void receive(final long slot) {
        for (int tier = 1; tier <= clos.tiers(); tier++) {
            final int end = clos.firstPort(share.end(tier));
            int port = arrivals.next(clos.firstPort(share.first(tier)), end);
            while (port < end) {
                final int device = clos.deviceOf(port);
                final int after = clos.firstPort(device + 1);
                if (rules.lossless()) {
                    receive(slot, device, port, after);
                } else {
                    receiveOutOfStep(slot, device);
                }
                port = arrivals.next(after, end);
            }
        }
    }

    private void receive(final long slot, final int device, final int from, final int end) {
        for (int port = arrivals.take(from, end); port < end; port = arrivals.take(port + 1, end)) {
            receiveAt(slot, device, port, 0);
        }
    }

    /**
     * Receives the cells of a device in random order. The links of a packet switch are not synchronised, so it is
     * random which cells of a slot arrive before its queues have sent, and in which order. Otherwise, saturated inputs
     * would always win the place that becomes free.
     */
    private void receiveOutOfStep(final long slot, final int device) {
        final long key = CounterRandom.slotKey(seed, slot);
        final long sends = CounterRandom.bits(key, device, USE_SENDS);
        final int first = clos.firstPort(device);
        final int ports = clos.ports(device);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < ports; i++) {
                final int port = first + ((sends & 1) == 0 ? i : ports - 1 - i);
                if (CounterRandom.bits(key, port, USE_COMES) >>> 1 < sends >>> 1 == (pass == 0)
                    && arrivals.takes(port)) {
                    receiveAt(slot, device, port, pass);
                }
            }
        }
    }

    private void receiveAt(final long slot, final int device, final int port, final int roomAhead) {
        final long first = arrivals.first(port);
        if (portFaults != null && portFaults.loses(slot, port, first)) {
            return;
        }
        final long second = arrivals.second(port);
        final int to = forwarding.port(device, first, second, links);
        if (to == ForwardingTable.NONE || portFaults != null && forwarding.turnsUp(device, port, to)) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
            links.release(first);
        } else {
            links.enqueue(slot, device, to, port, first, second, roomAhead);
        }
    }

    /**
     * The cells that arrive at the ports of a bank's devices in a slot, in the order of the ports. Not thread-safe;
     * used by the thread of the bank.
     */
    public static final class PortArrivals {
        private final Pipes pipes;
        private final int bank;
        private final int base;
        private final int propagation;
        private final QueueBits ports;
        /** Place of the cell at each port. */
        private final int[] places;

        /** Creates an object without arrivals. */
        public PortArrivals(final Stardust fabric, final DeviceRange share, final Pipes pipes) {
            final FoldedClos clos = fabric.clos();
            this.pipes = pipes;
            this.bank = share.bank();
            this.base = clos.firstPort(share.base());
            this.propagation = fabric.linkSlots();
            this.places = new int[clos.firstPort(share.base() + share.span()) - base];
            this.ports = new QueueBits(places.length);
        }

        /** Determines the arrivals in a slot. Those of the previous slot must have been taken. */
        public void turnTo(final long slot) {
            if (slot >= propagation) {
                pipes.take(pipes.row(slot - propagation), bank, base, ports, places);
            }
        }

        /**
         * Takes and returns the first port at or after a given one at which a cell arrives; {@code end} if there is
         * none.
         */
        public int take(final int port, final int end) {
            return ports.take(port - base, end - base) + base;
        }

        /** Takes the arrival at a port; returns false if there is none. */
        boolean takes(final int port) {
            return take(port, port + 1) == port;
        }

        /** Returns the first port at or after a given one at which a cell arrives; {@code end} if there is none. */
        int next(final int port, final int end) {
            return ports.next(port - base, end - base) + base;
        }

        /** Returns the first word of the cell that arrives at a port. */
        public long first(final int port) {
            return pipes.first(places[port - base]);
        }

        /** Returns the second word of the cell that arrives at a port. */
        public long second(final int port) {
            return pipes.second(places[port - base]);
        }
    }

    /** Applies link faults to the cells that arrive at the ports of a bank's devices. Not thread-safe. */
    public static final class PortFaults {
        private final FoldedClos clos;
        private final LinkFaults links;
        private final StardustReach reach;
        /** Null if cells carry no payload bytes. */
        private final CellFrames frames;
        private final BankCounters tally;

        /** Creates the faults of a run at its start. */
        public PortFaults(final FoldedClos clos, final FaultState faults, final StardustReach reach,
            final CellFrames frames, final BankCounters tally) {
            this.clos = clos;
            this.links = new LinkFaults(faults);
            this.reach = reach;
            this.frames = frames;
            this.tally = tally;
        }

        /**
         * Tells whether a cell that was sent to a port is lost in transit, and counts the loss.
         *
         * @param word first word of the cell.
         * @throws IllegalStateException if a byte of the cell was changed and its check did not detect this.
         */
        public boolean loses(final long slot, final int port, final long word) {
            final boolean isLost = links.any() && isLost(slot, clos.peer(port), port, word);
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
}
