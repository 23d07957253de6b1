package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How packets find their port, as the command line says: by a map of ports, or by destination addresses, of which a
 * file may name some.
 *
 * @param map      where the packets of each port go, or null: by address.
 * @param macTable addresses known from the start, or null.
 * @param macAgeNs how long a learned address is known.
 */
record ForwardingChoice(String map, Path macTable, long macAgeNs) {
    /** Forwarding of each port, made anew. */
    List<ForwardingSeat> of(final List<PortChoice> choices, final int nodes) {
        final List<ForwardingSeat> forwarding = new ArrayList<>();
        final List<PortPlace> places = choices.stream().map(PortChoice::place).toList();
        if (map != null) {
            final Map<PortPlace, PortPlace> to = PortMap.parse(map, choices);
            places.forEach(place -> forwarding.add(ForwardingSeat.of(portAt(places, to.get(place)))));
            return forwarding;
        }
        final int[][] portAt = MacForwarding.portAt(places, nodes);
        final Map<Long, PortPlace> fixed = macTable == null ? Map.of() : MacTableFile.read(macTable, nodes);
        for (int port = 0; port < choices.size(); port++) {
            final MacTable table = new MacTable(macAgeNs, System.nanoTime());
            fixed.forEach((mac, place) -> {
                if (!table.fix(mac, portAt(places, place))) {
                    throw new InputException("--mac-table", macTable.toString(), "too many of its addresses fall into "
                        + "one set of the table", "give fewer");
                }
            });
            forwarding.add(ForwardingSeat.of(new MacForwarding(port, portAt, table)));
        }
        return forwarding;
    }

    /** The number of the port at a place, or nowhere. */
    private static int portAt(final List<PortPlace> places, final PortPlace place) {
        final int port = places.indexOf(place);
        return port < 0 ? PortForwarding.NOWHERE : port;
    }
}
