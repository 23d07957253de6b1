package dev.skerry.nic.edge;

import dev.skerry.nic.fabric.Intake;
import dev.skerry.nic.fabric.PacketEdge;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketFormat;

import java.lang.foreign.MemorySegment;

/**
 * The edge of a bank of adapters, which cut packets into cells themselves. A packet's handle is its first cell and its
 * bytes; its cells stay linked as {@link PacketIngress} cut them. Adapters restore the order of packets, so cells are
 * numbered anew where they arrive: nobody waits for those of packets that were lost. One thread.
 *
 * @param ports  the bank's ports.
 * @param memory the cells.
 * @param next   by flow, the number of the next cell that arrives.
 */
record BankPacketEdge(BankPorts ports, EdgeMemory memory, int[] next) implements PacketEdge {
    @Override
    public void join(final Intake intake) {
        ports.join(intake);
    }

    @Override
    public long inject(final long identity, final int cells) {
        final int flow = Cell.flow(identity);
        final int sequence = Cell.sequence(identity);
        final int first = (int) ports.inject(identity);
        for (int index = 1; index < cells; index++) {
            ports.inject(Cell.of(flow, sequence + index));
        }
        return (long) memory.length(first) << Integer.SIZE | first;
    }

    @Override
    public int deliver(final long packet) {
        return end(packet, true);
    }

    @Override
    public int refuse(final long packet) {
        ports.packets().increment(PacketCounter.PACKETS_NO_ROOM);
        return end(packet, false);
    }

    @Override
    public int police(final long packet) {
        ports.packets().increment(PacketCounter.PACKETS_POLICED);
        return end(packet, false);
    }

    @Override
    public int discard(final long packet) {
        ports.packets().increment(PacketCounter.PACKETS_WITH_CELLS);
        return end(packet, false);
    }

    @Override
    public void copy(final long packet, final int offset, final MemorySegment to, final long at, final int bytes) {
        memory.copy((int) packet, offset, to, at, bytes);
    }

    @Override
    public long waitingAt(final int endpoint) {
        return ports.waitingAt(endpoint);
    }

    @Override
    public long poll(final long slot) {
        return ports.poll(slot);
    }

    /** Delivers or discards the cells of a packet one after the other; returns how many they are. */
    private int end(final long packet, final boolean arrived) {
        int cells = 0;
        int cell = (int) packet;
        for (boolean last = false; !last; cells++) {
            // Read before the cell is given away: its new owner links it anew.
            final int following = memory.next(cell);
            last = (memory.flags(cell) & PacketFormat.EOP) != 0;
            if (arrived) {
                final int flow = Cell.flow(memory.identity(cell));
                memory.setIdentity(cell, Cell.of(flow, next[flow]++));
                ports.arrivals().deliver(cell);
            } else {
                ports.arrivals().drop(cell);
            }
            cell = following;
        }
        return cells;
    }
}
