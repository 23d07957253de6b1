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
 * Forwards the packets of a port: to one port, or by destination MAC address like an Ethernet switch. The choice may
 * change while the fabric runs. Each port learns source addresses in a table of its own, so that no table is shared.
 * Packets to an unknown or group address go to every other port. The address of a port consists of the byte 02, 8 bits
 * with its number at its node, 00:00 and 16 bits with the node; packets to this address reach the port before the
 * address has been learned. Not thread-safe; used by the thread of the port.
 */
final class MacForwarding implements PortForwarding {
    /** Value that selects forwarding by address instead of a port. */
    static final int BY_ADDRESS = Integer.MIN_VALUE;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HEADER_BYTES = 14;
    private static final int SOURCE = 6;
    private static final long REST_MASK = 0xFFFF_FFFFL;

    private final int own;
    /** Index of a port by its address; see {@link #portAt}. */
    private final Long2LongHashMap portAt;
    /** Null if a map determines all destinations. */
    private final MacTable table;
    private int to;

    /**
     * Creates the forwarding of a port; by address if it has a table.
     *
     * @param own    index of the port.
     * @param portAt result of {@link #portAt}.
     * @param table  MAC table of this port; null for none.
     */
    MacForwarding(final int own, final Long2LongHashMap portAt, final MacTable table) {
        this.own = own;
        this.portAt = portAt;
        this.table = table;
        this.to = BY_ADDRESS;
    }

    /** Returns a forwarding to a fixed port, or to {@link PortForwarding#NOWHERE}. */
    static MacForwarding toPort(final int to) {
        final MacForwarding forwarding = new MacForwarding(NOWHERE, null, null);
        forwarding.send(to);
        return forwarding;
    }

    /** Returns the index of each port by its address; {@link PortForwarding#NOWHERE} for other addresses. */
    static Long2LongHashMap portAt(final List<PortPlace> places) {
        final Long2LongHashMap portAt = new Long2LongHashMap(NOWHERE);
        for (int port = 0; port < places.size(); port++) {
            final long mac = PortPlace.macOf(places.get(port).node(), places.get(port).number());
            // An address has 16 bits for the node. Packets to a port at a higher node are flooded until the port has
            // sent a packet.
            if (PortPlace.ofMac(mac).equals(places.get(port))) {
                portAt.put(mac, port);
            }
        }
        return portAt;
    }

    /** Changes the destination to a port, or to {@link #BY_ADDRESS}, which requires a table. */
    void send(final int port) {
        to = port;
    }

    /** Returns the MAC table of this port; null if there is none. */
    MacTable table() {
        return table;
    }

    /** Returns the port that receives all packets, or {@link #BY_ADDRESS}. Do not call this while the fabric runs. */
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
     * Maps each MAC address to the index of the port that last sent from it. The table is set-associative with {@link
     * #SETS} sets of 8 entries. A new address uses a free entry of its set, or else replaces the least recently seen
     * one. Memory is therefore bounded: a flood of addresses only evicts other addresses, which are flooded and learned
     * again. Not thread-safe; does not allocate.
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
         * @param startNs start time in ns; no later call may have an earlier time.
         */
        MacTable(final long ageNs, final long startNs) {
            this.ageNs = ageNs;
            this.startNs = startNs;
            Arrays.fill(address, EMPTY);
            Arrays.fill(seen, Long.MIN_VALUE);
        }

        /** Returns the port of an address, or {@link #UNKNOWN}. */
        int find(final long mac, final long nowNs) {
            final int set = set(mac);
            for (int at = set; at < set + WAYS; at++) {
                if (address[at] == mac) {
                    return seen[at] == FIXED || nowNs - startNs - seen[at] <= ageNs ? port[at] : UNKNOWN;
                }
            }
            return UNKNOWN;
        }

        /** Learns the port of an address. Fixed addresses do not change. */
        void see(final long mac, final int at, final long nowNs) {
            final int place = place(mac);
            if (address[place] != mac || seen[place] != FIXED) {
                write(place, mac, at, nowNs - startNs);
            }
        }

        /** Adds an address that neither changes nor expires. Returns false if fixed addresses fill its set. */
        boolean fix(final long mac, final int at) {
            final int place = place(mac);
            if (address[place] != mac && seen[place] == FIXED) {
                return false;
            }
            write(place, mac, at, FIXED);
            return true;
        }

        /** Removes an address, fixed or learned. */
        void forget(final long mac) {
            final int place = place(mac);
            if (address[place] == mac) {
                clear(place);
            }
        }

        /** Removes all addresses that were learned at a port. */
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

        /** Returns the entry of an address, or the entry to replace. */
        private int place(final long mac) {
            final int set = set(mac);
            int oldest = set;
            for (int at = set; at < set + WAYS; at++) {
                if (address[at] == mac) {
                    return at;
                }
                // Empty entries have the lowest time stamp.
                oldest = seen[at] < seen[oldest] ? at : oldest;
            }
            return oldest;
        }

        private static int set(final long mac) {
            return ((int) CounterRandom.mix(mac) & SETS - 1) * WAYS;
        }
    }

    /**
     * Forwarding as selected on the command line: by a map of ports, or by destination address, with some addresses
     * known from a file.
     *
     * @param map      map of ports; null to forward by address.
     * @param macTable file of addresses with known ports; null for none.
     * @param macAgeNs time in ns after which a learned address expires.
     */
    record ForwardingChoice(String map, Path macTable, long macAgeNs) {
        private static final String TABLE = "--mac-table";
        private static final String ADVICE = "write an address and a node, for example 02:00:00:00:00:07 3";

        /** Creates the forwarding of each port. */
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
                    "too many of its addresses belong to the same set of the table", "give fewer"));
                forwarding.add(new MacForwarding(port, portAt, table));
            }
            return forwarding;
        }

        /** Returns the index of the port at a place, or {@link PortForwarding#NOWHERE}. */
        private static int portAt(final List<PortPlace> places, final PortPlace place) {
            final int port = places.indexOf(place);
            return port < 0 ? PortForwarding.NOWHERE : port;
        }

        /**
         * Reads fixed MAC addresses from a file. Each line has an address and a port, such as 3 or 3.1, separated by
         * blanks or a comma. Empty lines and {@code #} comments are allowed.
         *
         * @param file  file to read; null for no addresses.
         * @param nodes number of nodes.
         * @return place of each address.
         * @throws InputException if a line is invalid; the message names the line.
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
            refuseIf(mac < 0, where, "it is not an address and a node", ADVICE);
            refuseIf(PortPlace.isGroup(mac), where, fields[0] + " is the address of a group", "leave it out");
            final PortPlace place = PortPlace.of(fields[1]);
            refuseIf(place.equals(PortPlace.NONE), where, fields[1] + " is not a node", ADVICE);
            refuseIf(place.node() >= nodes, where, "there is not a node " + place.node(), "nodes are 0 "
                + "to " + (nodes - 1));
            refuseIf(table.putIfAbsent(mac, place) != null, where, fields[0] + " is listed twice",
                "give each address once");
        }

        private static void refuseIf(final boolean wrong, final Object where, final String why, final String advice) {
            Choices.refuseIf(wrong, TABLE, where, why, advice);
        }

        /**
         * Parses the map of ports, for example {@code 0:1,1:0}.
         *
         * @param text  text of the command line.
         * @param ports ports of the fabric.
         * @return destination of each port that the map names; packets of other ports are dropped.
         */
        static Map<PortPlace, PortPlace> map(final String text, final List<PortChoice> ports) {
            final Map<PortPlace, PortPlace> to = new LinkedHashMap<>();
            for (final String part : text.split(",", -1)) {
                final String[] pair = part.split(":", -1);
                refuseMapIf(pair.length != 2, text, "'" + part + "' is not a pair of nodes");
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
            refuseMapIf(found.isEmpty(), text, "'" + part + "' is not a node with a port");
            return found.orElseThrow();
        }

        private static void refuseMapIf(final boolean wrong, final String text, final String why) {
            Choices.refuseIf(wrong, "--map", text, why, "write pairs from:to of nodes with ports, for example 0:1,1:0");
        }
    }
}
