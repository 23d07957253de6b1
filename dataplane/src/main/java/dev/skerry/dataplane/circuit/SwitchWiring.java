package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.circuit.CircuitSwitch.Inlet;
import dev.skerry.dataplane.circuit.CircuitSwitch.Outlet;
import dev.skerry.dataplane.ring.LinkBundle;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Groups the links of a switch that must advance together because the table moves cells between them. For set-up:
 * checks the links and makes the stages. Inlets are links 0 to {@code inlets.size() - 1}, outlets follow.
 */
final class SwitchWiring {
    private static final int NO_LINK = -1;

    private final String name;
    private final RegisterTable table;
    private final List<Inlet> inlets;
    private final List<Outlet> outlets;
    private final int[] linkOfInput;
    private final int[] linkOfOutput;
    private final int[] group;

    SwitchWiring(
        final String name,
        final RegisterTable table,
        final List<Inlet> inlets,
        final List<Outlet> outlets
    ) {
        this.name = name;
        this.table = table;
        this.inlets = inlets;
        this.outlets = outlets;
        this.linkOfInput = unlinked(table.ports());
        this.linkOfOutput = unlinked(table.ports());
        this.group = IntStream.range(0, inlets.size() + outlets.size()).toArray();
        if (group.length == 0) {
            throw refused("no links", "ports=" + table.ports());
        }
        for (int i = 0; i < inlets.size(); i++) {
            final Inlet inlet = inlets.get(i);
            plug(linkOfInput, "input", inlet.ports(), i, inlet.link().lanes(), inlet.link().slot());
        }
        for (int i = 0; i < outlets.size(); i++) {
            final Outlet outlet = outlets.get(i);
            plug(
                linkOfOutput, "output", outlet.ports(), inlets.size() + i, outlet.link().lanes(), outlet.link().slot());
        }
        for (int output = 0; output < table.ports(); output++) {
            // The row held before the start is among these, at the output's phase.
            for (int slot = 0; slot < table.epochSlots(); slot++) {
                join(table.input(slot, output), output, slot);
            }
        }
    }

    /** One stage a group, in the order of their first links. */
    SwitchStage[] stages(final Arena arena) {
        return IntStream.range(0, group.length)
            .filter(link -> group[link] == link)
            .mapToObj(first -> stage(arena, first))
            .toArray(SwitchStage[]::new);
    }

    private SwitchStage stage(final Arena arena, final int first) {
        final int[] members = IntStream.range(0, group.length).filter(link -> find(link) == first).toArray();
        final Inlet[] in = Arrays.stream(members)
            .filter(link -> link < inlets.size()).mapToObj(inlets::get).toArray(Inlet[]::new);
        final Outlet[] out = Arrays.stream(members)
            .filter(link -> link >= inlets.size()).mapToObj(link -> outlets.get(link - inlets.size()))
            .toArray(Outlet[]::new);
        return new SwitchStage(
            arena,
            table,
            Arrays.stream(in).map(Inlet::link).toArray(LinkBundle.Consumer[]::new),
            Arrays.stream(in).flatMapToInt(inlet -> Arrays.stream(inlet.ports())).toArray(),
            Arrays.stream(out).map(Outlet::link).toArray(LinkBundle.Producer[]::new),
            Arrays.stream(out).flatMapToInt(outlet -> Arrays.stream(outlet.ports())).toArray());
    }

    private void plug(
        final int[] linkOf,
        final String side,
        final int[] ports,
        final int link,
        final int lanes,
        final long slot
    ) {
        final long first = inlets.isEmpty() ? outlets.get(0).link().slot() : inlets.get(0).link().slot();
        if (ports.length != lanes) {
            throw refused("a link needs a port for each lane", side + "s=" + ports.length + " lanes=" + lanes);
        }
        if (slot != first) {
            throw refused(
                "links must be at the same slot", side + "=" + ports[0] + " slot=" + slot + " first=" + first);
        }
        for (final int port : ports) {
            if (port < 0 || port >= linkOf.length) {
                throw refused("no such " + side, side + "=" + port + " ports=" + linkOf.length);
            }
            if (linkOf[port] != NO_LINK) {
                throw refused("two links at one port", side + "=" + port);
            }
            linkOf[port] = link;
        }
    }

    private void join(final int input, final int output, final int slot) {
        if (input == RegisterTable.DARK) {
            return;
        }
        if (linkOfInput[input] == NO_LINK || linkOfOutput[output] == NO_LINK) {
            throw refused("the table uses a port without a link", "slot=" + slot + " input=" + input
                + " output=" + output);
        }
        final int one = find(linkOfInput[input]);
        final int other = find(linkOfOutput[output]);
        group[Math.max(one, other)] = Math.min(one, other);
    }

    /** The first link of a link's group. */
    private int find(final int link) {
        int first = link;
        while (group[first] != first) {
            first = group[first];
        }
        return first;
    }

    private IllegalArgumentException refused(final String why, final String where) {
        return new IllegalArgumentException(why + ": switch=" + name + " " + where);
    }

    private static int[] unlinked(final int ports) {
        final int[] links = new int[ports];
        Arrays.fill(links, NO_LINK);
        return links;
    }
}
