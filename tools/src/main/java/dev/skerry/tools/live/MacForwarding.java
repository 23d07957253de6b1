package dev.skerry.tools.live;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortPlace;
import org.agrona.collections.Long2LongHashMap;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HEADER_BYTES = 14;
    private static final int SOURCE = 6;
    private static final long REST_MASK = 0xFFFF_FFFFL;

    private final int own;
    /** See {@link #portAt}. */
    private final Long2LongHashMap portAt;
    /** Null where a map said from the start where packets go. */
    private final MacTable table;
    private int to;

    /**
     * Creates the forwarding of a port, by address where it has a table.
     *
     * @param own    number of the port.
     * @param portAt what {@link #portAt} gives.
     * @param table  table of this port.
     */
    MacForwarding(final int own, final Long2LongHashMap portAt, final MacTable table) {
        this.own = own;
        this.portAt = portAt;
        this.table = table;
        this.to = BY_ADDRESS;
    }

    /** Always to one port, or {@link PortForwarding#NOWHERE}. */
    static MacForwarding toPort(final int to) {
        final MacForwarding forwarding = new MacForwarding(NOWHERE, null, null);
        forwarding.send(to);
        return forwarding;
    }

    /** By its address, the number of a port; {@link PortForwarding#NOWHERE} for other addresses. */
    static Long2LongHashMap portAt(final List<PortPlace> places) {
        final Long2LongHashMap portAt = new Long2LongHashMap(NOWHERE);
        for (int port = 0; port < places.size(); port++) {
            final long mac = PortPlace.macOf(places.get(port).node(), places.get(port).number());
            // An address has 16 bits for the node. Packets to a port of a higher one go everywhere until it has sent.
            if (PortPlace.ofMac(mac).equals(places.get(port))) {
                portAt.put(mac, port);
            }
        }
        return portAt;
    }

    /** Sends to a port from now on; {@link #BY_ADDRESS}: by address, which needs a table. */
    void send(final int port) {
        to = port;
    }

    /** The addresses that this port knows; null where there is no table. */
    MacTable table() {
        return table;
    }

    /** The port to which all packets go, or {@link #BY_ADDRESS}. Not while the fabric runs. */
    int to() {
        return to;
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
        if (PortPlace.isGroup(mac)) {
            return FLOOD;
        }
        final int port = table.find(mac, nowNs);
        return port != MacTable.UNKNOWN ? port : unlearned(mac);
    }

    private int unlearned(final long mac) {
        final int port = (int) portAt.get(mac);
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
        if (!PortPlace.isGroup(mac)) {
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

    /**
     * How packets find their port, as the command line says: by a map of ports, or by destination addresses, of which a
     * file may name some.
     *
     * @param map      where the packets of each port go, or null: by address.
     * @param macTable addresses known from the start, or null.
     * @param macAgeNs how long a learned address is known.
     */
    record ForwardingChoice(String map, Path macTable, long macAgeNs) {
        private static final String TABLE = "--mac-table";
        private static final String ADVICE = "write an address and a node, for example 02:00:00:00:00:07 3";

        /** Forwarding of each port, made anew. */
        List<MacForwarding> of(final List<PortChoice> choices, final int nodes) {
            final List<MacForwarding> forwarding = new ArrayList<>();
            final List<PortPlace> places = choices.stream().map(PortChoice::place).toList();
            if (map != null) {
                final Map<PortPlace, PortPlace> to = map(map, choices);
                places.forEach(place -> forwarding.add(MacForwarding.toPort(portAt(places, to.get(place)))));
                return forwarding;
            }
            final Long2LongHashMap portAt = MacForwarding.portAt(places);
            final Map<Long, PortPlace> fixed = table(macTable, nodes);
            for (int port = 0; port < choices.size(); port++) {
                final MacTable table = new MacTable(macAgeNs, System.nanoTime());
                fixed.forEach((mac, place) -> refuseIf(!table.fix(mac, portAt(places, place)), macTable,
                    "too many of its addresses fall into one set of the table", "give fewer"));
                forwarding.add(new MacForwarding(port, portAt, table));
            }
            return forwarding;
        }

        /** The number of the port at a place, or nowhere. */
        private static int portAt(final List<PortPlace> places, final PortPlace place) {
            final int port = places.indexOf(place);
            return port < 0 ? PortForwarding.NOWHERE : port;
        }

        /**
         * Reads fixed MAC addresses from a file. Each line holds an address and a node, or a port of one as 3.1,
         * separated by blanks or a comma. Empty lines and {@code #} comments are allowed.
         *
         * @param file  file to read; null: no addresses.
         * @param nodes number of nodes; node numbers have to be below it.
         * @return place of each address.
         * @throws InputException naming the wrong line.
         */
        static Map<Long, PortPlace> table(final Path file, final int nodes) {
            final List<String> lines;
            try {
                lines = file == null ? List.of() : Files.readAllLines(file);
            } catch (final MalformedInputException e) {
                throw new InputException(TABLE, file.toString(), "it is not text", ADVICE);
            } catch (final IOException e) {
                throw new InputException(TABLE, file.toString(), "it cannot be read: " + e.getClass().getSimpleName(),
                    "check name and permissions");
            }
            final Map<Long, PortPlace> table = new LinkedHashMap<>();
            for (int number = 1; number <= lines.size(); number++) {
                final String line = lines.get(number - 1).replaceFirst("#.*", "").strip();
                if (!line.isEmpty()) {
                    read(line, file + ":" + number, nodes, table);
                }
            }
            return table;
        }

        private static void read(final String line, final String where, final int nodes,
            final Map<Long, PortPlace> table) {
            final String[] fields = line.split("[\\s,]+");
            final long mac = fields.length != 2 ? -1 : PortPlace.mac(fields[0].replace('-', ':'));
            refuseIf(mac < 0, where, "it is no address and node", ADVICE);
            refuseIf(PortPlace.isGroup(mac), where, fields[0] + " is the address of a group", "leave it out");
            final PortPlace place = PortPlace.of(fields[1]);
            refuseIf(place.equals(PortPlace.NONE), where, fields[1] + " is no node", ADVICE);
            refuseIf(place.node() >= nodes, where, "there is no node " + place.node(), "nodes are 0 to " + (nodes - 1));
            refuseIf(table.putIfAbsent(mac, place) != null, where, fields[0] + " stands there before",
                "give each address once");
        }

        private static void refuseIf(final boolean wrong, final Object where, final String why, final String advice) {
            Choices.refuseIf(wrong, TABLE, where, why, advice);
        }

        /**
         * Parses the map from each port to the destination of its packets, {@code 0:1,1:0}.
         *
         * @param text  text of the command line.
         * @param ports ports of the fabric.
         * @return by port that the map names, its destination; packets of other ports go nowhere.
         */
        static Map<PortPlace, PortPlace> map(final String text, final List<PortChoice> ports) {
            final Map<PortPlace, PortPlace> to = new LinkedHashMap<>();
            for (final String part : text.split(",", -1)) {
                final String[] pair = part.split(":", -1);
                refuseMapIf(pair.length != 2, text, "'" + part + "' is no pair of nodes");
                final PortPlace from = place(text, pair[0].strip(), ports);
                final PortPlace target = place(text, pair[1].strip(), ports);
                refuseMapIf(to.put(from, target) != null, text, "node " + from + " is listed twice");
                refuseMapIf(from.equals(target), text, "node " + from + " cannot send to itself");
            }
            return to;
        }

        private static PortPlace place(final String text, final String part, final List<PortChoice> ports) {
            final Optional<PortPlace> found = ports.stream().map(PortChoice::place)
                .filter(place -> place.toString().equals(part)).findFirst();
            refuseMapIf(found.isEmpty(), text, "'" + part + "' is no node with a port");
            return found.orElseThrow();
        }

        private static void refuseMapIf(final boolean wrong, final String text, final String why) {
            Choices.refuseIf(wrong, "--map", text, why, "write pairs from:to of nodes with ports, for example 0:1,1:0");
        }
    }
}
