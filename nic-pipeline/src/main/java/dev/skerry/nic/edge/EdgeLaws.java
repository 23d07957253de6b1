package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.nic.packet.PacketCounter;

/**
 * The laws of conservation of a fabric's edges, checked when all threads have stopped. Cells: every allocated cell is
 * in a queue, in the fabric, in a window or on its way back to its free list, and the places are counted one by one.
 * Packets: taken from ports + copies = handed to ports + held + drops + lost.
 */
final class EdgeLaws {
    private static final PacketCounter[] LOSSES = {
        PacketCounter.PACKETS_RESET, PacketCounter.PACKETS_AFTER_GAP, PacketCounter.PACKETS_NO_START,
        PacketCounter.PACKETS_INTERRUPTED, PacketCounter.PACKETS_WRONG_LENGTH, PacketCounter.PACKETS_TOO_LONG,
        PacketCounter.PACKETS_NO_BUFFER, PacketCounter.PACKETS_WITH_CELLS, PacketCounter.PACKETS_NO_ROOM,
        PacketCounter.PACKETS_POLICED,
    };

    private final PacketEdges plan;
    private final BankPorts[] edges;
    private final int[] bankOf;
    private final EdgeMemory memory;

    EdgeLaws(final PacketEdges plan, final BankPorts[] edges, final int[] bankOf, final EdgeMemory memory) {
        this.plan = plan;
        this.edges = edges;
        this.bankOf = bankOf;
        this.memory = memory;
    }

    long verify(final long inFabric) {
        verifyCells(inFabric);
        long in = 0;
        long out = 0;
        long atPorts = 0;
        for (int port = 0; port < plan.ports(); port++) {
            final EdgeCounts counts = plan.counts(port);
            in += counts.get(EdgeCounter.RX_PACKETS) + counts.get(EdgeCounter.COPIES);
            out += counts.get(EdgeCounter.TX_PACKETS) + counts.dropped();
            atPorts += edges[bankOf[port]].ingressOf(port).pending() + edges[bankOf[port]].egressOf(port).pending();
        }
        long lost = 0;
        for (final PacketCounter loss : LOSSES) {
            lost += plan.count(loss);
        }
        final long between = plan.count(PacketCounter.PACKETS_CUT) - plan.count(PacketCounter.PACKETS_DELIVERED) - lost;
        final long held = atPorts + between;
        if (in != out + lost + held) {
            throw new IllegalStateException("packets are not conserved: in=" + in + " out and dropped=" + out
                + " lost in the fabric=" + lost + " held=" + held);
        }
        if (between < 0 || between > 0 && cellsBetween(inFabric) == 0) {
            throw new IllegalStateException("packets are lost without a name: cut=" + plan.count(
                PacketCounter.PACKETS_CUT) + " delivered=" + plan.count(PacketCounter.PACKETS_DELIVERED) + " lost="
                + lost + " with no cell left in the fabric");
        }
        return held;
    }

    private void verifyCells(final long inFabric) {
        long lent = 0;
        long home = 0;
        for (int port = 0; port < plan.ports(); port++) {
            final FreeList list = memory.list(port);
            list.verify();
            lent += list.held();
            if (memory.shares(port).held() != list.held()) {
                throw new IllegalStateException("cells of a port are not those of its destinations: port=" + port
                    + " handed out=" + list.held() + " by destination=" + memory.shares(port).held());
            }
            home += memory.comingHome(port);
        }
        final long between = cellsBetween(inFabric);
        if (lent != home + between) {
            throw new IllegalStateException("cells are not conserved: handed out=" + lent + " on their way home=" + home
                + " in queues, windows and the fabric=" + between);
        }
    }

    private long cellsBetween(final long inFabric) {
        // Where cells travel by name, the fabric holds copies; what has not come counts instead.
        long cells = plan.areNamed() ? 0 : inFabric;
        cells += plan.lostOnTheirWay();
        for (final BankPorts edge : edges) {
            cells += edge.arrivals().inWindow() + edge.arrivals().missing();
            for (final int port : edge.ports()) {
                cells += edge.ingressOf(port).count() + edge.egressOf(port).count();
            }
        }
        return cells;
    }
}
