package dev.skerry.tools.live;

import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How packets find their node, as the command line says: by a map of ports, or by destination addresses, of which a
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
        if (map != null) {
            final int[] to = PortMap.parse(map, choices, nodes);
            choices.forEach(choice -> forwarding.add(ForwardingSeat.of(to[choice.node()])));
            return forwarding;
        }
        final boolean[] hasPort = new boolean[nodes];
        choices.forEach(choice -> hasPort[choice.node()] = true);
        final Map<Long, Integer> fixed = macTable == null ? Map.of() : MacTableFile.read(macTable, nodes);
        for (final PortChoice choice : choices) {
            final MacTable table = new MacTable(macAgeNs, System.nanoTime());
            fixed.forEach((mac, node) -> {
                if (!table.fix(mac, node)) {
                    throw new InputException("--mac-table", macTable.toString(), "too many of its addresses fall into "
                        + "one set of the table", "give fewer");
                }
            });
            forwarding.add(ForwardingSeat.of(new MacForwarding(choice.node(), hasPort, table)));
        }
        return forwarding;
    }
}
