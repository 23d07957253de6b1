package dev.skerry.tools.live;

import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.live.MacForwarding.MacTable;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How packets find their port, as the command line says: by a map of ports, or by destination addresses, of which a
 * file may name some.
 *
 * @param map      where the packets of each port go, or null: by address.
 * @param macTable addresses known from the start, or null.
 * @param macAgeNs how long a learned address is known.
 */
record ForwardingChoice(String map, Path macTable, long macAgeNs) {
    private static final String ADVICE = "write an address and a node, for example 02:00:00:00:00:07 3";
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}");
    private static final int HEX = 16;

    /** Forwarding of each port, made anew. */
    List<MacForwarding> of(final List<PortChoice> choices, final int nodes) {
        final List<MacForwarding> forwarding = new ArrayList<>();
        final List<PortPlace> places = choices.stream().map(PortChoice::place).toList();
        if (map != null) {
            final Map<PortPlace, PortPlace> to = map(map, choices);
            places.forEach(place -> forwarding.add(MacForwarding.toPort(portAt(places, to.get(place)))));
            return forwarding;
        }
        final int[][] portAt = MacForwarding.portAt(places, nodes);
        final Map<Long, PortPlace> fixed = table(macTable, nodes);
        for (int port = 0; port < choices.size(); port++) {
            final MacTable table = new MacTable(macAgeNs, System.nanoTime());
            fixed.forEach((mac, place) -> {
                if (!table.fix(mac, portAt(places, place))) {
                    throw wrong(macTable.toString(), "too many of its addresses fall into one set of the table",
                        "give fewer");
                }
            });
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
     * Reads fixed MAC addresses from a file. Each line holds an address and a node, or a port of one as 3.1, separated
     * by blanks or a comma. Empty lines and {@code #} comments are allowed.
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
            throw wrong(file.toString(), "it is not text", ADVICE);
        } catch (final IOException e) {
            throw wrong(file.toString(), "it cannot be read: " + e.getClass().getSimpleName(),
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

    private static void read(final String line, final String where, final int nodes, final Map<Long, PortPlace> table) {
        final String[] fields = line.split("[\\s,]+");
        if (fields.length != 2 || !MAC.matcher(fields[0]).matches()) {
            throw wrong(where, "it is no address and node", ADVICE);
        }
        final long mac = Long.parseLong(fields[0].replaceAll("[:-]", ""), HEX);
        if (MacTable.isGroup(mac)) {
            throw wrong(where, fields[0] + " is the address of a group", "leave it out");
        }
        final PortPlace place = PortPlace.of(fields[1]);
        if (place.equals(PortPlace.NONE)) {
            throw wrong(where, fields[1] + " is no node", ADVICE);
        }
        if (place.node() >= nodes) {
            throw wrong(where, "there is no node " + place.node(), "nodes are 0 to " + (nodes - 1));
        }
        if (table.putIfAbsent(mac, place) != null) {
            throw wrong(where, fields[0] + " stands there before", "give each address once");
        }
    }

    private static InputException wrong(final String where, final String why, final String advice) {
        return new InputException("--mac-table", where, why, advice);
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
            if (pair.length != 2) {
                throw wrongMap(text, "'" + part + "' is no pair of nodes");
            }
            final PortPlace from = place(text, pair[0], ports);
            final PortPlace target = place(text, pair[1], ports);
            if (to.put(from, target) != null) {
                throw wrongMap(text, "node " + from + " is listed twice");
            }
            if (from.equals(target)) {
                throw wrongMap(text, "node " + from + " cannot send to itself");
            }
        }
        return to;
    }

    private static PortPlace place(final String text, final String part, final List<PortChoice> ports) {
        final String stripped = part.strip();
        return ports.stream().map(PortChoice::place).filter(place -> place.toString().equals(stripped)).findFirst()
            .orElseThrow(() -> wrongMap(text, "'" + stripped + "' is no node with a port"));
    }

    private static InputException wrongMap(final String text, final String why) {
        return new InputException("--map", text, why, "write pairs from:to of nodes with ports, for example 0:1,1:0");
    }
}
