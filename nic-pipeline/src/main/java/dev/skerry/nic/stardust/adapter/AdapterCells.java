package dev.skerry.nic.stardust.adapter;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.credit.EgressScheduler;
import dev.skerry.nic.stardust.element.LinkForwarder;
import dev.skerry.nic.stardust.element.PortArrivals;
import dev.skerry.nic.stardust.element.PortFaults;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.PacketBytes;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.reach.ForwardingTable;
import dev.skerry.schedule.FoldedClos;

/**
 * Moves the cells of a bank's adapters between queues and links: cuts the bursts that credits released and gives each
 * cell its link; takes in cells from links and from the adapter itself. One thread.
 */
public final class AdapterCells {
    private final Stardust fabric;
    private final FoldedClos clos;
    private final PortArrivals arrivals;
    private final ForwardingTable forwarding;
    private final LinkForwarder links;
    private final AdapterIngress ingress;
    private final AdapterEgress egress;
    private final EgressScheduler scheduler;
    private final BankCounters tally;
    private final int first;
    private final Loopback[] loopbacks;
    /** Adapters that have sent cells to themselves. */
    private final IndexSet looping;
    /** Bytes that the links of an adapter may still take, in 1/65536; null where a cell takes a slot. */
    private final long[] pots;
    private final LinkCharge charge;
    /** Null where nothing ever fails. */
    private final PortFaults portFaults;
    /** Null where cells are no bytes. */
    private final CellWriter writer;

    /**
     * The parts of a bank's adapters that cells come from and go to.
     *
     * @param ingress   its queues.
     * @param egress    takes cells in.
     * @param scheduler counts marked cells, and knows the links that work.
     * @param packets   that cells are cut from.
     * @param frames    their bytes; null where cells are no bytes.
     */
    public record Parts(AdapterIngress ingress, AdapterEgress egress, EgressScheduler scheduler, Packets packets,
        CellFrames frames) {
    }

    /**
     * No cell on its way.
     *
     * @param portFaults null where nothing ever fails.
     */
    public AdapterCells(final Stardust fabric, final DeviceRange share, final PortArrivals arrivals,
        final ForwardingTable forwarding, final LinkForwarder links, final Parts parts, final PortFaults portFaults,
        final BankCounters tally) {
        this.fabric = fabric;
        this.clos = fabric.clos();
        this.arrivals = arrivals;
        this.forwarding = forwarding;
        this.links = links;
        this.ingress = parts.ingress;
        this.egress = parts.egress;
        this.scheduler = parts.scheduler;
        this.portFaults = portFaults;
        this.tally = tally;
        this.first = share.first(0);
        final int adapters = share.end(0) - first;
        this.loopbacks = new Loopback[adapters];
        for (int adapter = 0; adapter < adapters; adapter++) {
            loopbacks[adapter] = new Loopback();
        }
        this.looping = new IndexSet(adapters);
        this.writer = parts.frames == null ? null : new CellWriter(parts.frames, parts.packets, first, adapters);
        this.charge = fabric.links().charge();
        this.pots = charge == null ? null : new long[adapters];
    }

    /** Takes the cells that come in a slot off the links. */
    public void receive(final long slot) {
        final int end = clos.firstPort(first + loopbacks.length);
        for (int port = arrivals.take(clos.firstPort(first), end); port < end; port = arrivals.take(port + 1, end)) {
            final long word = arrivals.first(port);
            if (portFaults == null || !portFaults.loses(slot, clos.peer(port), port, word)) {
                final int adapter = clos.deviceOf(port) - first;
                scheduler.onCell(adapter, StardustCell.fci(word));
                egress.receive(slot, adapter, word, arrivals.second(port));
            }
        }
    }

    /** Takes in the cells that adapters sent to themselves. */
    public void loop(final long slot) {
        final int end = loopbacks.length;
        for (int adapter = looping.next(0, end); adapter < end; adapter = looping.next(adapter + 1, end)) {
            final Loopback loopback = loopbacks[adapter];
            for (int i = 0; i < loopback.size(); i++) {
                egress.receive(slot, adapter, loopback.first(i), loopback.second(i));
            }
            loopback.clear();
            looping.remove(adapter);
        }
    }

    /** Cells that adapters sent to themselves and have not taken in. */
    public long looped() {
        long looped = 0;
        for (final Loopback loopback : loopbacks) {
            looped += loopback.size();
        }
        return looped;
    }

    /**
     * An adapter cuts as many cells as the links that are left to it carry.
     *
     * @return whether it may have more to cut in the next slot.
     */
    public boolean cut(final long slot, final int adapter) {
        final Bursts bursts = ingress.bursts();
        final int device = first + adapter;
        if (links.isFull(device)) {
            // Its links are paused: packets wait in their queues, not in front of links.
            return true;
        }
        // One that has lost all links still cuts for itself.
        int room = Math.max(1, scheduler.links(adapter));
        if (pots != null) {
            pots[adapter] = Math.min(pots[adapter], 0) + room * charge.perSlot();
            room = pots[adapter] > 0 ? room : 0;
        }
        while (room > 0 && (bursts.left(adapter) > 0 || begin(slot, adapter))) {
            final int to = bursts.to(adapter);
            final long route = StardustCell.route(to, device, fabric.order(bursts.queue(adapter)));
            while (room > 0 && bursts.left(adapter) > 0) {
                final long second = StardustCell.second(bursts.queue(adapter), bursts.number(adapter),
                    bursts.place(adapter));
                final int bytes = bursts.cut(adapter);
                launch(slot, adapter, to, StardustCell.first(route, bytes, bursts.ends(adapter), slot), second);
                room = pots == null ? room - 1 : charge(adapter, bytes, room);
            }
        }
        return room == 0;
    }

    private boolean begin(final long slot, final int adapter) {
        final boolean begins = ingress.begin(slot, adapter);
        if (begins && writer != null) {
            writer.begin(adapter, ingress.bursts().flow(adapter), ingress.bursts().packet(adapter));
        }
        return begins;
    }

    /** Packets have bytes of their own. */
    public void connect(final PacketBytes real) {
        if (writer != null) {
            writer.connect(real);
        }
    }

    /** Charges an adapter for a cell that it cut: the cells that its links still have room for. */
    private int charge(final int adapter, final int bytes, final int room) {
        pots[adapter] -= charge.of(StardustCell.first(0, bytes, ingress.bursts().ends(adapter), 0));
        return pots[adapter] > 0 ? room - 1 : 0;
    }

    private void launch(final long slot, final int adapter, final int to, final long cell, final long second) {
        final long word = writer == null ? cell : writer.write(slot, adapter, cell, second);
        tally.increment(NicCounter.CELLS_INJECTED);
        final int device = first + adapter;
        if (to == device) {
            loopbacks[adapter].add(word, second);
            looping.add(adapter);
            return;
        }
        final int port = forwarding.port(device, word, second, links.paused());
        if (port == ForwardingTable.NONE) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
            links.release(word);
        } else {
            links.enqueue(slot, device, port, word, second);
        }
    }
}
