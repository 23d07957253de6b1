package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.tools.ctl.PortPlace;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Forwards by destination MAC address like an Ethernet switch. Each port learns source addresses in a table of its own,
 * so no table is shared. Packets to an unknown or group address go to every other port. The address of a port,
 * 02, 8 bits of its number at its node, 00:00 and 16 bits of node number, leads there before it is learned. One thread,
 * the port's.
 */
final class MacForwarding implements PortForwarding {
    /** Address of the first port of node 0; adding a node's number gives its address. */
    static final long NODE_ADDRESS = 0x0200_0000_0000L;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HEADER_BYTES = 14;
    private static final int SOURCE = 6;
    private static final int NODE_MASK = (1 << Short.SIZE) - 1;
    private static final long REST_MASK = 0xFFFF_FFFFL;

    private final int own;
    /** By node and number at the node, see {@link #portAt}. */
    private final int[][] portAt;
    private final MacTable table;

    /**
     * Creates the forwarding of a port.
     *
     * @param own    number of the port.
     * @param portAt what {@link #portAt} gives.
     * @param table  table of this port.
     */
    MacForwarding(final int own, final int[][] portAt, final MacTable table) {
        this.own = own;
        this.portAt = portAt;
        this.table = table;
    }

    /** By node, and by number at the node: the number of the port, {@link PortForwarding#NOWHERE} for none. */
    static int[][] portAt(final List<PortPlace> places, final int nodes) {
        final int[][] portAt = new int[nodes][0];
        for (int port = 0; port < places.size(); port++) {
            final PortPlace place = places.get(port);
            final int before = portAt[place.node()].length;
            if (place.number() >= before) {
                portAt[place.node()] = Arrays.copyOf(portAt[place.node()], place.number() + 1);
                Arrays.fill(portAt[place.node()], before, place.number() + 1, NOWHERE);
            }
            portAt[place.node()][place.number()] = port;
        }
        return portAt;
    }

    /** The place whose address this is; {@link PortPlace#NONE} for other addresses. */
    static PortPlace placeOf(final long mac) {
        final long rest = mac - NODE_ADDRESS;
        final long number = rest >>> Integer.SIZE;
        return number > PortPlace.MOST_NUMBER || (rest & REST_MASK) > NODE_MASK ? PortPlace.NONE
            : new PortPlace((int) rest & NODE_MASK, (int) number);
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
        final int port = table.find(mac, nowNs);
        return port != MacTable.UNKNOWN ? port : byNumber(mac - NODE_ADDRESS);
    }

    private int byNumber(final long rest) {
        final long node = rest & REST_MASK;
        final long number = rest >>> Integer.SIZE;
        if (node > NODE_MASK || node >= portAt.length || number >= portAt[(int) node].length) {
            return FLOOD;
        }
        final int port = portAt[(int) node][(int) number];
        return port == NOWHERE || port == own ? FLOOD : port;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        see(source, bytes, offset, nowNs);
    }

    private void see(final int port, final MemorySegment bytes, final long offset, final long nowNs) {
        final long mac = (long) (bytes.get(INT, offset + SOURCE) >>> Short.SIZE) << Integer.SIZE
            | bytes.get(INT, offset + SOURCE + Short.BYTES) & REST_MASK;
        if (!MacTable.isGroup(mac)) {
            table.see(mac, port, nowNs);
        }
    }
}
