package dev.skerry.tools.live;

import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads fixed MAC addresses from a file. Each line holds an address and a node, or a port of one as 3.1, separated by
 * blanks or a comma. Empty lines and {@code #} comments are allowed.
 */
final class MacTableFile {
    private static final String WHAT = "--mac-table";
    private static final String ADVICE = "write an address and a node, for example 02:00:00:00:00:07 3";
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}");
    private static final int HEX = 16;

    private MacTableFile() {
    }

    /**
     * Reads a file.
     *
     * @param file  file to read.
     * @param nodes number of nodes; node numbers have to be below it.
     * @return place of each address.
     * @throws InputException naming the wrong line.
     */
    static Map<Long, PortPlace> read(final Path file, final int nodes) {
        final List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (final MalformedInputException e) {
            throw new InputException(WHAT, file.toString(), "it is not text", ADVICE);
        } catch (final IOException e) {
            throw new InputException(WHAT, file.toString(), "it cannot be read: " + e.getClass().getSimpleName(),
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
            throw new InputException(WHAT, where, "it is no address and node", ADVICE);
        }
        final long mac = Long.parseLong(fields[0].replaceAll("[:-]", ""), HEX);
        if (MacTable.isGroup(mac)) {
            throw new InputException(WHAT, where, fields[0] + " is the address of a group", "leave it out");
        }
        final PortPlace place = PortPlace.of(fields[1]);
        if (place.equals(PortPlace.NONE)) {
            throw new InputException(WHAT, where, fields[1] + " is no node", ADVICE);
        }
        if (place.node() >= nodes) {
            throw new InputException(WHAT, where, "there is no node " + place.node(), "nodes are 0 to " + (nodes - 1));
        }
        if (table.putIfAbsent(mac, place) != null) {
            throw new InputException(WHAT, where, fields[0] + " stands there before", "give each address once");
        }
    }
}
