package dev.skerry.nic.stardust.adapter;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.StardustHeader;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.credit.EgressScheduler;
import dev.skerry.nic.stardust.element.ElementIntake.PortArrivals;
import dev.skerry.nic.stardust.element.ElementIntake.PortFaults;
import dev.skerry.nic.stardust.element.LinkForwarder;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.LongFifo;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.PacketBytes;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.reach.ForwardingTable;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

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
    private final LongFifo[] loopbacks;
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
        this.loopbacks = new LongFifo[adapters];
        Arrays.setAll(loopbacks, adapter -> new LongFifo());
        this.looping = new IndexSet(adapters);
        this.writer = parts.frames == null ? null : new CellWriter(parts.frames, parts.packets, adapters);
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
            final LongFifo loopback = loopbacks[adapter];
            while (loopback.size() > 0) {
                final long word = loopback.first();
                egress.receive(slot, adapter, word, loopback.poll());
            }
            looping.remove(adapter);
        }
    }

    /** Cells that adapters sent to themselves and have not taken in. */
    public long looped() {
        long looped = 0;
        for (final LongFifo loopback : loopbacks) {
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
        final int port = forwarding.port(device, word, second, links);
        if (port == ForwardingTable.NONE) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
            links.release(word);
        } else {
            links.enqueue(slot, device, port, word, second);
        }
    }

    /**
     * Writes the cells that a bank's adapters cut into their frames: lengths and bytes of packets, header and CRC
     * (docs/spec/stardust.md §3.4, §3.5). One thread.
     */
    private final class CellWriter {
        private final CellFrames frames;
        private final Packets packets;
        /**
         * By adapter: the packet that the next cell goes on with, and bytes of it, with its length, that are in cells.
         */
        private final int[] flow;
        private final int[] packet;
        private final int[] done;
        private PacketBytes source = PacketBytes.MADE_UP;

        CellWriter(final CellFrames frames, final Packets packets, final int adapters) {
            this.frames = frames;
            this.packets = packets;
            this.flow = new int[adapters];
            this.packet = new int[adapters];
            this.done = new int[adapters];
        }

        /** Packets have bytes of their own. */
        void connect(final PacketBytes real) {
            source = real;
        }

        /** A burst begins with a packet. */
        void begin(final int adapter, final int of, final int number) {
            flow[adapter] = of;
            packet[adapter] = number;
            done[adapter] = 0;
        }

        /**
         * Writes the next cell of a burst.
         *
         * @param word its first word.
         * @return the word with the number of its frame.
         */
        long write(final long slot, final int adapter, final long word, final long second) {
            final int number = frames.open(first + adapter, slot);
            final MemorySegment chunk = frames.chunk(first + adapter, number);
            final long payload = frames.payload(number);
            final int bytes = StardustCell.bytes(word);
            int start = StardustHeader.NO_START;
            int filled = 0;
            while (filled < bytes) {
                final int length = packets.length(flow[adapter], packet[adapter]);
                if (done[adapter] == 0 && start == StardustHeader.NO_START) {
                    start = filled;
                }
                filled += fill(adapter, length, chunk, payload + filled, bytes - filled);
                if (done[adapter] == length + CellPacker.PREFIX_BYTES) {
                    final boolean last = packets.isLast(flow[adapter], packet[adapter]);
                    flow[adapter] = last ? packets.next(flow[adapter]) : flow[adapter];
                    packet[adapter] = last ? 0 : Packets.after(packet[adapter]);
                    done[adapter] = 0;
                }
            }
            final long framed = StardustCell.framed(word, number);
            frames.seal(framed, second, start);
            return framed;
        }

        /** Writes a byte of the length of a packet, or what of its bytes there is room for; returns how many. */
        private int fill(final int adapter, final int length, final MemorySegment chunk, final long at,
            final int room) {
            final int before = done[adapter];
            int part = 1;
            if (before < CellPacker.PREFIX_BYTES) {
                chunk.set(ValueLayout.JAVA_BYTE, at, (byte) (before == 0 ? length >>> Byte.SIZE : length));
            } else {
                part = Math.min(length + CellPacker.PREFIX_BYTES - before, room);
                source.copy(flow[adapter], packet[adapter], before - CellPacker.PREFIX_BYTES, chunk, at, part);
            }
            done[adapter] = before + part;
            return part;
        }
    }
}
