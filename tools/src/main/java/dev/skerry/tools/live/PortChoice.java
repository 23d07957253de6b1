package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
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
import java.util.List;

/**
 * A port of the command line, {@code NODE=KIND:...}.
 *
 * @param node node of the port.
 * @param text kind and settings, which the reader of that kind parses.
 */
record PortChoice(int node, String text) {
    private static final String WHAT = "--port";
    private static final String ADVICE =
        "write for example 0=memif:/run/skerry0.sock,server or 1=pcap:out.pcap or 2=gen:64B,1Mpps,to=3";

    /**
     * Parses all ports.
     *
     * @param texts texts of the command line.
     * @param nodes number of nodes.
     * @throws InputException naming the wrong text.
     */
    static List<PortChoice> parse(final List<String> texts, final int nodes) {
        if (texts.size() < 2) {
            throw new InputException(WHAT, String.join(" ", texts), "packets need two ports to travel between",
                "give --port twice, " + ADVICE);
        }
        final boolean[] taken = new boolean[nodes];
        final List<PortChoice> choices = new ArrayList<>();
        for (final String text : texts) {
            final PortChoice choice = parse(text, nodes);
            if (taken[choice.node]) {
                throw new InputException(WHAT, text, "node " + choice.node + " has a port already",
                    "give each port a node of its own");
            }
            taken[choice.node] = true;
            choices.add(choice);
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
        final int equals = text.indexOf('=');
        final int node;
        try {
            node = Integer.parseInt(text.substring(0, Math.max(0, equals)).strip());
        } catch (final NumberFormatException e) {
            throw new InputException(WHAT, text, "it does not begin with a node and =", ADVICE);
        }
        if (node < 0 || node >= nodes) {
            throw new InputException(WHAT, text, "there is no node " + node, "nodes are 0 to " + (nodes - 1));
        }
        return new PortChoice(node, text.substring(equals + 1).strip());
    }

    /** As it was typed, with its secret hidden. */
    @Override
    public String toString() {
        return node + "=" + shown();
    }

    /** The text with its secret hidden. */
    String shown() {
        return text.replaceAll("secret=[^,]*", "secret=...");
    }

    /**
     * Opens the port.
     *
     * @param sockets where memif ports of the same run listen.
     * @throws InputException if the text is wrong or the port cannot be opened.
     */
    PacketPort open(final MemifSockets sockets) {
        try {
            if (MemifAddress.isOne(text)) {
                return sockets.open(MemifAddress.parse(text));
            }
            if (PcapSettings.isOne(text)) {
                return new FinitePortGuard(PcapPort.open(PcapSettings.parse(text)));
            }
            if (GeneratorSettings.isOne(text)) {
                return new FinitePortGuard(GeneratorPort.open(GeneratorSettings.parse(text, node)));
            }
            if (TapSettings.isOne(text)) {
                return TapPort.open(TapSettings.parse(text));
            }
            if (InterfaceSettings.isOne(text)) {
                return InterfacePort.open(InterfaceSettings.parse(text));
            }
            if (text.equals(VacantPort.KIND)) {
                return new VacantPort();
            }
            if (LoopSettings.isOne(text)) {
                return LoopPort.open(LoopSettings.parse(text));
            }
        } catch (final IllegalArgumentException e) {
            throw new InputException(WHAT, node + "=" + shown(), e.getMessage(), ADVICE);
        }
        throw new InputException(WHAT, node + "=" + text, "there is no such kind of port",
            "use memif:, tap:, packet:, pcap:, gen:, loop or none, " + ADVICE);
    }
}
