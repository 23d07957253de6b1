package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.reach.ForwardingTable;
import dev.skerry.schedule.FoldedClos;

/**
 * Takes in the cells that come to a bank's elements: each joins the queue of the link it leaves by
 * (docs/spec/stardust.md §4). An element reads where a cell is going and nothing else. One thread.
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
    /** Null where nothing ever fails. */
    private final PortFaults portFaults;

    /**
     * No cell has come.
     *
     * @param portFaults null where nothing ever fails.
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

    /** The elements take in the cells that come to them in a slot. */
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
     * The links of an ordinary switch are not in step: chance decides which cells of a slot come before its queues have
     * sent, and in which order. Otherwise saturated inputs would always win the freed place.
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
        if (portFaults != null && portFaults.loses(slot, clos.peer(port), port, first)) {
            return;
        }
        final long second = arrivals.second(port);
        final int to = forwarding.port(device, first, second, links.paused());
        if (to == ForwardingTable.NONE || portFaults != null && forwarding.turnsUp(device, port, to)) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
            links.release(first);
        } else {
            links.enqueue(slot, device, to, port, first, second, roomAhead);
        }
    }
}
