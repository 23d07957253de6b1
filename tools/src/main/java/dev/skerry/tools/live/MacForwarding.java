package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Forwards by destination MAC address like an Ethernet switch. Each port learns source addresses in a table of its own,
 * so no table is shared. Packets to an unknown or group address go to every other port. The address of a node,
 * 02:00:00:00 and 16 bits of node number, leads to that node before it is learned. One thread, the port's.
 */
final class MacForwarding implements PortForwarding {
    /** Address of node 0; adding a node's number gives its address. */
    static final long NODE_ADDRESS = 0x0200_0000_0000L;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HEADER_BYTES = 14;
    private static final int SOURCE = 6;
    private static final long NODES = 1 << Short.SIZE;

    private final int own;
    private final boolean[] hasPort;
    private final MacTable table;

    /**
     * Creates the forwarding of a port.
     *
     * @param own     node of the port.
     * @param hasPort whether a node has a port, by node.
     * @param table   table of this port.
     */
    MacForwarding(final int own, final boolean[] hasPort, final MacTable table) {
        this.own = own;
        this.hasPort = hasPort;
        this.table = table;
    }

    /** The addresses that this port knows. */
    MacTable table() {
        return table;
    }

    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        if (length < HEADER_BYTES) {
            return NO_ADDRESS;
        }
        see(own, bytes, offset, nowNs);
        final long mac = bytes.get(LONG, offset) >>> Short.SIZE;
        if (MacTable.isGroup(mac)) {
            return FLOOD;
        }
        final int node = table.find(mac, nowNs);
        if (node != MacTable.UNKNOWN) {
            return node;
        }
        final long number = mac - NODE_ADDRESS;
        return number >= 0 && number < Math.min(NODES, hasPort.length) && hasPort[(int) number] && number != own
            ? (int) number : FLOOD;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        see(source, bytes, offset, nowNs);
    }

    private void see(final int node, final MemorySegment bytes, final long offset, final long nowNs) {
        final long mac = (long) (bytes.get(INT, offset + SOURCE) >>> Short.SIZE) << Integer.SIZE
            | bytes.get(INT, offset + SOURCE + Short.BYTES) & 0xFFFF_FFFFL;
        if (!MacTable.isGroup(mac)) {
            table.see(mac, node, nowNs);
        }
    }
}
