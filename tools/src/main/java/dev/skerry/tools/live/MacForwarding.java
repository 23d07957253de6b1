package dev.skerry.tools.live;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.ctl.PortPlace;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Forwards the packets of a port: to one port, or by destination MAC address like an Ethernet switch, which may change
 * while the fabric runs. Each port learns source addresses in a table of its own,
 * so no table is shared. Packets to an unknown or group address go to every other port. The address of a port,
 * 02, 8 bits of its number at its node, 00:00 and 16 bits of node number, leads there before it is learned. One thread,
 * the port's.
 */
final class MacForwarding implements PortForwarding {
    /** In place of a port. */
    static final int BY_ADDRESS = Integer.MIN_VALUE;
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
    /** Null where a map said from the start where packets go. */
    private final MacTable table;
    private int to;

    /**
     * Creates the forwarding of a port by address.
     *
     * @param own    number of the port.
     * @param portAt what {@link #portAt} gives.
     * @param table  table of this port.
     */
    MacForwarding(final int own, final int[][] portAt, final MacTable table) {
        this.own = own;
        this.portAt = portAt;
        this.table = table;
        this.to = BY_ADDRESS;
    }

    private MacForwarding(final int to) {
        this.own = NOWHERE;
        this.portAt = null;
        this.table = null;
        this.to = to;
    }

    /** Always to one port, or {@link PortForwarding#NOWHERE}. */
    static MacForwarding toPort(final int to) {
        return new MacForwarding(to);
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

    /** Sends to a port from now on; {@link #BY_ADDRESS}: by address, which needs a table. */
    void send(final int port) {
        to = port;
    }

    /** The addresses that this port knows; null where there is no table. */
    MacTable table() {
        return table;
    }

    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        if (to != BY_ADDRESS) {
            return to;
        }
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
        if (table != null) {
            see(source, bytes, offset, nowNs);
        }
    }

    private void see(final int port, final MemorySegment bytes, final long offset, final long nowNs) {
        final long mac = (long) (bytes.get(INT, offset + SOURCE) >>> Short.SIZE) << Integer.SIZE
            | bytes.get(INT, offset + SOURCE + Short.BYTES) & REST_MASK;
        if (!MacTable.isGroup(mac)) {
            table.see(mac, port, nowNs);
        }
    }

    /**
     * Maps a MAC address to the port, by its number, that last sent from it. The table is set-associative: {@link
     * #SETS} sets of 8 entries. A new address takes a free entry of its set, or else replaces the one seen least
     * recently. Memory is bounded: a flood of addresses only evicts other addresses, which are then flooded and learned
     * again. One thread; allocates nothing.
     */
    static final class MacTable {
        /** Result for an unknown address. */
        static final int UNKNOWN = Integer.MIN_VALUE;
        static final int SETS = 1 << 10;

        private static final int WAYS = 8;
        private static final long EMPTY = -1;
        /** Time stamp of an entry that never expires. */
        private static final long FIXED = Long.MAX_VALUE;
        private static final long GROUP_BIT = 1L << 40;

        private final long ageNs;
        private final long startNs;
        private final long[] address = new long[SETS * WAYS];
        private final int[] port = new int[SETS * WAYS];
        private final long[] seen = new long[SETS * WAYS];

        /**
         * Creates an empty table.
         *
         * @param ageNs   time in ns after which an address expires.
         * @param startNs lower bound of all later times, in ns.
         */
        MacTable(final long ageNs, final long startNs) {
            this.ageNs = ageNs;
            this.startNs = startNs;
            Arrays.fill(address, EMPTY);
            Arrays.fill(seen, Long.MIN_VALUE);
        }

        /** Whether an address is a multicast or broadcast address. */
        static boolean isGroup(final long mac) {
            return (mac & GROUP_BIT) != 0;
        }

        /** Port of an address, or {@link #UNKNOWN}. */
        int find(final long mac, final long nowNs) {
            final int set = set(mac);
            for (int at = set; at < set + WAYS; at++) {
                if (address[at] == mac) {
                    return seen[at] == FIXED || nowNs - startNs - seen[at] <= ageNs ? port[at] : UNKNOWN;
                }
            }
            return UNKNOWN;
        }

        /** Learns that an address is at a port. Does not move a fixed address. */
        void see(final long mac, final int at, final long nowNs) {
            final int place = place(mac);
            if (address[place] != mac || seen[place] != FIXED) {
                write(place, mac, at, nowNs - startNs);
            }
        }

        /** Adds an address that neither moves nor expires. Returns false if fixed addresses fill its set. */
        boolean fix(final long mac, final int at) {
            final int place = place(mac);
            if (address[place] != mac && seen[place] == FIXED) {
                return false;
            }
            write(place, mac, at, FIXED);
            return true;
        }

        /** Forgets an address, fixed or learned. */
        void forget(final long mac) {
            final int place = place(mac);
            if (address[place] == mac) {
                clear(place);
            }
        }

        /** Forgets the addresses that were learned to be at a port. */
        void forgetPort(final int at) {
            for (int place = 0; place < address.length; place++) {
                if (port[place] == at && seen[place] != FIXED) {
                    clear(place);
                }
            }
        }

        private void clear(final int place) {
            address[place] = EMPTY;
            seen[place] = Long.MIN_VALUE;
        }

        private void write(final int place, final long mac, final int at, final long when) {
            address[place] = mac;
            port[place] = at;
            seen[place] = when;
        }

        /** Entry of an address, or the entry to replace. */
        private int place(final long mac) {
            final int set = set(mac);
            int oldest = set;
            for (int at = set; at < set + WAYS; at++) {
                if (address[at] == mac) {
                    return at;
                }
                // An empty one has never been seen.
                oldest = seen[at] < seen[oldest] ? at : oldest;
            }
            return oldest;
        }

        private static int set(final long mac) {
            return ((int) CounterRandom.mix(mac) & SETS - 1) * WAYS;
        }
    }
}
