package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.live.PortSlot.VacantPort;
import dev.skerry.tools.port.DevicePort.TapPort;
import dev.skerry.tools.port.DevicePort.TapPort.TapSettings;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders.FieldRange;
import dev.skerry.tools.port.InterfacePort;
import dev.skerry.tools.port.InterfacePort.InterfaceSettings;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.LoopPort;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.port.PacketFilter;
import dev.skerry.tools.port.PcapPort;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.port.PortText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A port of the command line, {@code NODE=KIND:...} or {@code NODE.NUMBER=KIND:...}.
 *
 * @param place node and number of the port.
 * @param text  kind and settings, in the syntax of that kind.
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
     * @throws InputException if a text is invalid; the message contains it.
     */
    static List<PortChoice> parse(final List<String> texts, final int nodes) {
        final Set<PortPlace> taken = new HashSet<>();
        final List<PortChoice> choices = new ArrayList<>();
        for (final String text : texts) {
            final PortChoice choice = parse(text, nodes);
            Choices.refuseIf(!taken.add(choice.place), WHAT, text, "node " + choice.place + " already has a port",
                "give each port a node of its own, or a number at its node, as " + choice.node() + "."
                + (choice.place.number() + 1) + "=");
            choices.add(choice);
        }
        Choices.refuseIf(choices.size() > 1 && choices.stream().mapToInt(PortChoice::node).distinct().count() == 1,
            WHAT, String.join(" ", texts), "all ports are at node " + choices.getFirst().node()
            + ", so no packet would cross the fabric", "give one to another node");
        return choices;
    }

    /**
     * Parses a port.
     *
     * @param nodes number of nodes.
     * @throws InputException if the text has no node, or the node does not exist.
     */
    static PortChoice parse(final String text, final int nodes) {
        final PortPlace place = place(text);
        Choices.refuseIf(place.equals(PortPlace.NONE), WHAT, text, "it does not begin with NODE=", ADVICE);
        Choices.refuseIf(place.node() >= nodes, WHAT, text, "there is no node " + place.node(), "nodes are 0 to "
            + (nodes - 1));
        final String port = text.substring(text.indexOf('=') + 1).strip();
        return new PortChoice(place, PortText.isOne(GeneratorSettings.KIND, port)
            ? port.replaceFirst("(?<=[:,])to=all(?=,|$)", "to=0-" + (nodes - 1)) : port);
    }

    /** Returns the maximum number of ports at a node. Invalid texts are ignored. */
    static int mostAtANode(final List<String> texts) {
        return texts.stream().map(text -> place(text).node()).filter(node -> node != PortPlace.NONE.node())
            .collect(Collectors.groupingBy(node -> node, Collectors.counting())).values().stream()
            .mapToInt(Long::intValue).max().orElse(1);
    }

    private static PortPlace place(final String text) {
        return PortPlace.of(text.substring(0, Math.max(0, text.indexOf('='))).strip());
    }

    /** Returns an edge port at this place. */
    EdgePort at(final PacketPort port, final PortForwarding forwarding) {
        return new EdgePort(place.node(), place.number(), shown(), port, forwarding);
    }

    /** Tells whether the port is of a kind. */
    boolean is(final String kind) {
        return PortText.isOne(kind, text);
    }

    /** Returns the settings of a generator. */
    GeneratorSettings generator() {
        return GeneratorSettings.parse(text, place.node(), place.number());
    }

    /**
     * Returns the filter for packets from the port; empty for none, and for captures, which filter packets themselves.
     */
    String filter() {
        return is(PcapSettings.KIND) ? "" : PortText.filter(text);
    }

    /** Returns the node of the port. */
    int node() {
        return place.node();
    }

    /** Returns the port as it was typed, with its secret hidden. */
    @Override
    public String toString() {
        return place + "=" + shown();
    }

    /** Returns the text with its secret hidden. */
    String shown() {
        return PortText.shown(text);
    }

    /**
     * Checks the text without opening the port.
     *
     * @throws InputException if the text is invalid.
     */
    void check() {
        try {
            reading(null);
            PacketFilter.compile(PortText.filter(text));
        } catch (final IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    /**
     * Opens the port.
     *
     * @param sockets sockets of the memif ports of the run.
     * @throws InputException if the text is invalid or the port cannot be opened.
     */
    LivePort open(final MemifSockets sockets) {
        try {
            return reading(sockets).get();
        } catch (final IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private InputException wrong(final IllegalArgumentException e) {
        return new InputException(WHAT, toString(), e.getMessage(), ADVICE);
    }

    /** Parses the text; the returned supplier opens the port. */
    private Supplier<LivePort> reading(final MemifSockets sockets) {
        if (text.equals(VacantPort.KIND)) {
            return VacantPort::new;
        }
        return switch (text.replaceFirst("(?s):.*", "")) {
            case MemifAddress.KIND -> opening(MemifAddress.parse(text), address -> sockets.open(address));
            case PcapSettings.KIND -> opening(PcapSettings.parse(text), PcapPort::open);
            case GeneratorSettings.KIND -> opening(generator(), GeneratorPort::open);
            case TapSettings.KIND -> opening(TapSettings.parse(text), TapPort::open);
            case InterfaceSettings.KIND -> opening(InterfaceSettings.parse(text), InterfacePort::open);
            case LoopSettings.KIND -> opening(LoopSettings.parse(text), LoopPort::open);
            default -> throw new InputException(WHAT, toString(), "there is no such kind of port",
                "use memif:, tap:, packet:, pcap:, gen:, loop or none, " + ADVICE);
        };
    }

    private static <S> Supplier<LivePort> opening(final S settings, final Function<S, LivePort> open) {
        return () -> open.apply(settings);
    }

    /**
     * Checks ports against each other and the fabric before any port is opened, to find configurations that would
     * silently lose packets.
     */
    static final class PortChecks {
        /** Bytes of a frame that an MTU does not count: an Ethernet header and two VLAN tags. */
        static final int HEADERS = 14 + 2 * 4;

        private final List<PortChoice> choices;
        private final Set<PortPlace> taken;
        private final List<String> warnings = new ArrayList<>();

        private PortChecks(final List<PortChoice> choices) {
            this.choices = choices;
            this.taken = choices.stream().map(PortChoice::place).collect(Collectors.toSet());
        }

        /**
         * Checks ports.
         *
         * @param choices ports of the command line.
         * @param nodes   number of nodes.
         * @param fixed   place by MAC address, from {@code --mac-table}; null if {@code --map} replaces addresses.
         * @param mtu     value of {@code --mtu}.
         * @return warnings, one per line.
         * @throws InputException if a port is invalid, two ports write the same file, or a generator sends only to
         *     itself, to no node, or packets that are too long.
         */
        static List<String> check(final List<PortChoice> choices, final int nodes, final Map<Long, PortPlace> fixed,
            final int mtu) {
            final PortChecks checks = new PortChecks(choices);
            choices.forEach(PortChoice::check);
            checks.files();
            for (final PortChoice choice : choices) {
                checks.port(choice, nodes, fixed, mtu);
            }
            if (fixed != null) {
                checks.table(fixed);
            }
            return checks.warnings;
        }

        /**
         * Checks the captures that ports read, before any port is opened and becomes visible to its peer.
         *
         * @throws InputException if a capture cannot be read.
         */
        static void checkInputs(final List<PortChoice> choices) {
            for (final PortChoice choice : choices) {
                if (choice.is(PcapSettings.KIND)) {
                    PcapPort.checkInput(PcapSettings.parse(choice.text()));
                }
            }
        }

        /**
         * Refuses a single port. Call this after the check of the port itself, whose errors come first.
         *
         * @throws InputException if there is only one port.
         */
        static void checkCount(final List<PortChoice> choices) {
            Choices.refuseIf(choices.size() < 2, WHAT, choices.getFirst(), "at least two ports are required",
                "give --port twice, " + ADVICE);
        }

        private void port(final PortChoice choice, final int nodes, final Map<Long, PortPlace> fixed, final int mtu) {
            if (choice.is(GeneratorSettings.KIND)) {
                final int most = choice.generator().sizes().most();
                Choices.refuseIf(most > mtu + HEADERS, WHAT, choice, String.format(Locale.ROOT, "its packets of %,d "
                    + "bytes exceed the maximum of %,d bytes with --mtu %d", most, mtu + HEADERS, mtu),
                    "give a larger --mtu or shorter packets");
                if (fixed != null) {
                    destinations(choice, nodes, fixed);
                }
            }
            if (choice.is(MemifAddress.KIND)) {
                buffers(choice, mtu);
            }
        }

        /** Returns a warning if the interface of a port may send longer packets than the fabric accepts. */
        static List<String> checkMtu(final PortChoice choice, final LivePort port, final int mtu) {
            return port.interfaceMtu() > mtu
                ? List.of("port " + choice + ": its interface's MTU of " + port.interfaceMtu() + " is above --mtu "
                    + mtu + ": longer packets will be dropped; give --mtu " + port.interfaceMtu()
                    + ", or ip link set mtu " + mtu)
                : List.of();
        }

        private void files() {
            final Map<PortChoice, PcapSettings> captures = new LinkedHashMap<>();
            choices.stream().filter(choice -> choice.is(PcapSettings.KIND))
                .forEach(choice -> captures.put(choice, PcapSettings.parse(choice.text())));
            final Map<Path, PortPlace> written = new HashMap<>();
            final Map<Path, PortPlace> read = new HashMap<>();
            captures.forEach((choice, capture) -> {
                // Several ports may write to the same device, such as /dev/null.
                final PortPlace other = capture.output() == null || isSpecial(capture.output().file()) ? null
                    : written.put(plain(capture.output().file()), choice.place());
                Choices.refuseIf(other != null, WHAT, choice, "the port of node " + other + " writes this file too",
                    "give each a file of its own");
            });
            captures.forEach((choice, capture) -> {
                for (final Path in : capture.input() == null ? List.<Path>of() : capture.input().files()) {
                    Choices.refuseIf(written.containsKey(plain(in)), WHAT, choice, "the port of node "
                        + written.get(plain(in)) + " writes the file that it reads", "write another file");
                    final PortPlace other = isSpecial(in) ? read.put(plain(in), choice.place()) : null;
                    Choices.refuseIf(other != null, WHAT, choice, "the port of node " + other
                        + " reads it too, and each packet can be read only once", "give each an input of its own");
                }
            });
        }

        private static boolean isSpecial(final Path file) {
            return Files.exists(file) && !Files.isRegularFile(file);
        }

        private static Path plain(final Path file) {
            try {
                return file.toRealPath();
            } catch (final IOException e) {
                // The file does not exist yet. Its folder may, under several names.
                final Path named = file.toAbsolutePath().normalize();
                return named.getParent() == null ? named : plain(named.getParent()).resolve(named.getFileName());
            }
        }

        /** Checks the destinations of a generator that sends by MAC address. */
        private void destinations(final PortChoice choice, final int nodes, final Map<Long, PortPlace> fixed) {
            final FieldRange macs = choice.generator().headers().destinationMac();
            final Set<PortPlace> without = new LinkedHashSet<>();
            boolean isElsewhere = false;
            boolean isToItself = false;
            for (int flow = 0; flow < Math.min(macs.size(), 1 << Short.SIZE); flow++) {
                final long mac = macs.at(flow);
                final PortPlace to = PortPlace.ofMac(mac);
                if (fixed.containsKey(mac) || to.equals(PortPlace.NONE) || taken.contains(to)
                    && !to.equals(choice.place())) {
                    isElsewhere = true;
                } else if (to.equals(choice.place())) {
                    isToItself = true;
                } else {
                    Choices.refuseIf(to.node() >= nodes, WHAT, choice, "there is no node " + to.node() + " to send to",
                        "nodes are 0 to " + (nodes - 1));
                    without.add(to);
                }
            }
            Choices.refuseIf(isToItself && !isElsewhere && without.isEmpty(), WHAT, choice,
                "it sends to itself, but packets are not returned to their source port", "give to= another node");
            if (isToItself) {
                warn(choice, "some of its packets have this port as destination and will be dropped");
            }
            if (!without.isEmpty()) {
                warn(choice, "no port is at node " + list(without) + ": packets for it are flooded to all other ports");
            }
        }

        private void buffers(final PortChoice choice, final int mtu) {
            final MemifAddress address = MemifAddress.parse(choice.text());
            if (address.role() == MemifRole.CLIENT && address.bufferBytes() < mtu + HEADERS) {
                warn(choice, "its buffers of " + address.bufferBytes() + " bytes are shorter than the frames of "
                    + (mtu + HEADERS) + " bytes that --mtu " + mtu + " allows: longer packets span several buffers, "
                    + "which not every peer accepts; set buffer= or --mtu");
            }
        }

        private void table(final Map<Long, PortPlace> fixed) {
            final Set<PortPlace> without = new LinkedHashSet<>(fixed.values());
            without.removeAll(taken);
            if (!without.isEmpty()) {
                warnings.add("--mac-table: no port is at node " + list(without) + ": packets for its addresses are "
                    + "dropped");
            }
        }

        private static String list(final Set<PortPlace> places) {
            return places.stream().sorted(Comparator.comparingInt(PortPlace::node).thenComparingInt(PortPlace::number))
                .map(PortPlace::toString).collect(Collectors.joining(", "));
        }

        private void warn(final PortChoice choice, final String what) {
            warnings.add("port " + choice + ": " + what);
        }
    }
}
