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
    private final Pipes pipes;
    private final ForwardingTable forwarding;
    private final LinkForwarder links;
    private final BankCounters tally;
    private final LinkRules rules;
    private final long seed;
    private final int propagation;
    /** Null where nothing ever fails. */
    private final PortFaults portFaults;

    /**
     * No cell has come.
     *
     * @param portFaults null where nothing ever fails.
     */
    public ElementIntake(final Stardust fabric, final DeviceRange share, final Pipes pipes,
        final ForwardingTable forwarding, final LinkForwarder links, final PortFaults portFaults,
        final BankCounters tally) {
        this.share = share;
        this.clos = fabric.clos();
        this.pipes = pipes;
        this.forwarding = forwarding;
        this.links = links;
        this.tally = tally;
        this.rules = fabric.links();
        this.seed = fabric.seed();
        this.propagation = fabric.linkSlots();
        this.portFaults = portFaults;
    }

    /** Every element takes in the cells that come to it in a slot. */
    public void receive(final long slot) {
        final long row = pipes.row(slot - propagation);
        for (int tier = 1; tier <= clos.tiers(); tier++) {
            for (int device = share.first(tier); device < share.end(tier); device++) {
                if (rules.lossless()) {
                    receive(slot, row, device, clos.firstPort(device), clos.firstPort(device + 1), 0);
                } else {
                    receiveOutOfStep(slot, row, device);
                }
            }
        }
    }

    /**
     * The links of an ordinary switch are not in step: chance decides which cells of a slot come before its queues have
     * sent, and in which order. Otherwise saturated inputs would always win the freed place.
     */
    private void receiveOutOfStep(final long slot, final long row, final int device) {
        final long key = CounterRandom.slotKey(seed, slot);
        final long sends = CounterRandom.bits(key, device, USE_SENDS);
        final int first = clos.firstPort(device);
        final int ports = clos.ports(device);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < ports; i++) {
                final int port = first + ((sends & 1) == 0 ? i : ports - 1 - i);
                if (CounterRandom.bits(key, port, USE_COMES) >>> 1 < sends >>> 1 == (pass == 0)) {
                    receive(slot, row, device, port, port + 1, pass);
                }
            }
        }
    }

    private void receive(final long slot, final long row, final int device, final int start, final int end,
        final int roomAhead) {
        for (int port = start; port < end; port++) {
            final int from = clos.peer(port);
            final long first = from == FoldedClos.NONE ? 0 : pipes.first(row, from);
            if (first != 0 && (portFaults == null || !portFaults.loses(slot, from, port))) {
                final long second = pipes.second(row, from);
                final int to = forwarding.port(device, first, second);
                if (to == ForwardingTable.NONE || portFaults != null && forwarding.turnsUp(device, port, to)) {
                    tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
                } else {
                    links.enqueue(slot, device, to, first, second, roomAhead);
                }
            }
        }
    }
}
