package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.InterfacePort;
import dev.skerry.tools.port.InterfaceSettings;
import dev.skerry.tools.port.LoopPort;
import dev.skerry.tools.port.LoopSettings;
import dev.skerry.tools.port.MemifAddress;
import dev.skerry.tools.port.MemifSockets;
import dev.skerry.tools.port.TapPort;
import dev.skerry.tools.port.TapSettings;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorSettings;
import dev.skerry.tools.port.pcap.PcapPort;
import dev.skerry.tools.port.pcap.PcapSettings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A port of the command line, {@code NODE=KIND:...} or {@code NODE.NUMBER=KIND:...}.
 *
 * @param place where it is.
 * @param text  kind and settings, which the reader of that kind parses.
 */
record PortChoice(PortPlace place, String text) {
    private static final String WHAT = "--port";
    static final String ADVICE =
        "write for example 0=memif:/run/skerry0.sock,server or 1=pcap:out.pcap or 2=gen:64B,1Mpps,to=3";

    /**
     * Parses all ports.
     *
     * @param texts texts of the command line.
     * @param nodes number of nodes.
     * @throws InputException naming the wrong text.
     */
    static List<PortChoice> parse(final List<String> texts, final int nodes) {
        final Set<PortPlace> taken = new HashSet<>();
        final List<PortChoice> choices = new ArrayList<>();
        for (final String text : texts) {
            final PortChoice choice = parse(text, nodes);
            if (!taken.add(choice.place)) {
                throw new InputException(WHAT, text, "node " + choice.place + " has a port already",
                    "give each port a node of its own, or a number at its node, as " + choice.node() + "."
                    + (choice.place.number() + 1) + "=");
            }
            choices.add(choice);
        }
        if (choices.size() > 1 && choices.stream().mapToInt(PortChoice::node).distinct().count() == 1) {
            throw new InputException(WHAT, String.join(" ", texts), "all ports are at node "
                + choices.getFirst().node() + ", so no packet would cross the fabric", "give one to another node");
        }
        return choices;
    }

    /**
     * Parses one port.
     *
     * @param nodes number of nodes.
     * @throws InputException if there is no such node.
     */
    static PortChoice parse(final String text, final int nodes) {
        final PortPlace place = place(text);
        if (place.equals(PortPlace.NONE)) {
            throw new InputException(WHAT, text, "it does not begin with a node and =", ADVICE);
        }
        if (place.node() >= nodes) {
            throw new InputException(WHAT, text, "there is no node " + place.node(), "nodes are 0 to " + (nodes - 1));
        }
        return new PortChoice(place, text.substring(text.indexOf('=') + 1).strip());
    }

    /** Most ports that texts of the command line put at one node; wrong ones do not count. */
    static int mostAtANode(final List<String> texts) {
        return texts.stream().map(text -> place(text).node()).filter(node -> node != PortPlace.NONE.node())
            .collect(Collectors.groupingBy(node -> node, Collectors.counting())).values().stream()
            .mapToInt(Long::intValue).max().orElse(1);
    }

    private static PortPlace place(final String text) {
        return PortPlace.of(text.substring(0, Math.max(0, text.indexOf('='))).strip());
    }

    /** The port at its place in a fabric. */
    EdgePort at(final PacketPort port, final PortForwarding forwarding) {
        return new EdgePort(place.node(), place.number(), shown(), port, forwarding);
    }

    /** The settings of a generator. */
    GeneratorSettings generator() {
        return GeneratorSettings.parse(text, place.node(), place.number());
    }

    /** Its node. */
    int node() {
        return place.node();
    }

    /** As it was typed, with its secret hidden. */
    @Override
    public String toString() {
        return place + "=" + shown();
    }

    /** The text with its secret hidden. */
    String shown() {
        return text.replaceAll("secret=[^,]*", "secret=...");
    }

    /**
     * Reads the text and opens nothing.
     *
     * @throws InputException if it is wrong.
     */
    void check() {
        try {
            reading(null);
        } catch (final IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    /**
     * Opens the port.
     *
     * @param sockets where memif ports of the same run listen.
     * @throws InputException if the text is wrong or the port cannot be opened.
     */
    PacketPort open(final MemifSockets sockets) {
        try {
            return reading(sockets).get();
        } catch (final IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private InputException wrong(final IllegalArgumentException e) {
        return new InputException(WHAT, toString(), e.getMessage(), ADVICE);
    }

    /** Reads the text; what is returned opens the port. */
    private Supplier<PacketPort> reading(final MemifSockets sockets) {
        if (MemifAddress.isOne(text)) {
            final MemifAddress address = MemifAddress.parse(text);
            return () -> sockets.open(address);
        }
        if (PcapSettings.isOne(text)) {
            final PcapSettings settings = PcapSettings.parse(text);
            return () -> new FinitePortGuard(PcapPort.open(settings));
        }
        if (GeneratorSettings.isOne(text)) {
            final GeneratorSettings settings = generator();
            return () -> new FinitePortGuard(GeneratorPort.open(settings));
        }
        if (TapSettings.isOne(text)) {
            final TapSettings settings = TapSettings.parse(text);
            return () -> TapPort.open(settings);
        }
        if (InterfaceSettings.isOne(text)) {
            final InterfaceSettings settings = InterfaceSettings.parse(text);
            return () -> InterfacePort.open(settings);
        }
        if (LoopSettings.isOne(text)) {
            final LoopSettings settings = LoopSettings.parse(text);
            return () -> LoopPort.open(settings);
        }
        if (text.equals(VacantPort.KIND)) {
            return VacantPort::new;
        }
        throw new InputException(WHAT, toString(), "there is no such kind of port",
            "use memif:, tap:, packet:, pcap:, gen:, loop or none, " + ADVICE);
    }
}
