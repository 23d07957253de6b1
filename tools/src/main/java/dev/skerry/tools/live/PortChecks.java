package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifAddress;
import dev.skerry.tools.port.MemifRole;
import dev.skerry.tools.port.PeeredPort;
import dev.skerry.tools.port.generator.FieldRange;
import dev.skerry.tools.port.generator.GeneratorSettings;
import dev.skerry.tools.port.pcap.PcapPort;
import dev.skerry.tools.port.pcap.PcapSettings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks ports against each other and the fabric before any of them is opened: what would silently lose packets. */
final class PortChecks {
    /** Bytes of a frame besides what an MTU counts: an Ethernet header and two VLAN tags. */
    static final int HEADERS = 14 + 2 * 4;

    private static final String WHAT = "--port";

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
     * @param fixed   place by MAC address, of {@code --mac-table}; null where {@code --map} replaces addresses.
     * @param mtu     of --mtu.
     * @return warnings, a line each.
     * @throws InputException if a port is wrong in itself, two write one file, or a generator sends only to itself, to
     *     no node, or packets that are too long.
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
     * Looks at the captures that ports read, before any port is opened and others see it.
     *
     * @throws InputException if one cannot be read.
     */
    static void checkInputs(final List<PortChoice> choices) {
        for (final PortChoice choice : choices) {
            if (PcapSettings.isOne(choice.text())) {
                PcapPort.checkInput(PcapSettings.parse(choice.text()));
            }
        }
    }

    /**
     * Refuses a single port; what is wrong with the port itself is to be said before.
     *
     * @throws InputException if there is only one.
     */
    static void checkCount(final List<PortChoice> choices) {
        if (choices.size() < 2) {
            throw wrong(choices.getFirst(), "packets need two ports to travel between", "give --port twice, "
                + PortChoice.ADVICE);
        }
    }

    private void port(final PortChoice choice, final int nodes, final Map<Long, PortPlace> fixed, final int mtu) {
        if (GeneratorSettings.isOne(choice.text()) && choice.generator().sizes().most() > mtu + HEADERS) {
            throw wrong(choice, String.format(Locale.ROOT, "its packets of %,d bytes are longer than the %,d bytes "
                + "that --mtu %d lets pass", choice.generator().sizes().most(), mtu + HEADERS, mtu),
                "give a larger --mtu or shorter packets");
        }
        if (fixed != null && GeneratorSettings.isOne(choice.text())) {
            destinations(choice, nodes, fixed);
        }
        if (MemifAddress.isOne(choice.text())) {
            buffers(choice, mtu);
        }
    }

    /** Warns, in at most one line, of an interface that may send longer packets than pass. */
    static List<String> checkMtu(final PortChoice choice, final PacketPort port, final int mtu) {
        return port instanceof final PeeredPort peered && peered.interfaceMtu() > mtu
            ? List.of("port " + choice + ": its interface's MTU of " + peered.interfaceMtu() + " is above --mtu " + mtu
                + ": longer packets will be dropped; give --mtu " + peered.interfaceMtu()
                + ", or ip link set mtu " + mtu)
            : List.of();
    }

    private void files() {
        final Map<Path, PortPlace> written = new HashMap<>();
        for (final PortChoice choice : choices) {
            final Path out = PcapSettings.isOne(choice.text()) ? PcapSettings.parse(choice.text()).out() : null;
            // A device takes what several write.
            final PortPlace other = out == null || Files.exists(out) && !Files.isRegularFile(out) ? null
                : written.put(plain(out), choice.place());
            if (other != null) {
                throw wrong(choice, "the port of node " + other + " writes this file too",
                    "give each a file of its own");
            }
        }
        for (final PortChoice choice : choices) {
            final Path in = PcapSettings.isOne(choice.text()) ? PcapSettings.parse(choice.text()).in() : null;
            if (in != null && written.containsKey(plain(in))) {
                throw wrong(choice, "the port of node " + written.get(plain(in)) + " writes the file that it reads",
                    "write another file");
            }
        }
    }

    private static Path plain(final Path file) {
        try {
            return file.toRealPath();
        } catch (final IOException e) {
            // It is not there yet.
            return file.toAbsolutePath().normalize();
        }
    }

    /** Where a generator sends by the addresses of nodes. */
    private void destinations(final PortChoice choice, final int nodes, final Map<Long, PortPlace> fixed) {
        final FieldRange macs = choice.generator().headers().destinationMac();
        final Set<PortPlace> without = new LinkedHashSet<>();
        boolean isElsewhere = false;
        boolean isToItself = false;
        for (int flow = 0; flow < Math.min(macs.size(), 1 << Short.SIZE); flow++) {
            final long mac = macs.at(flow);
            final PortPlace to = MacForwarding.placeOf(mac);
            if (fixed.containsKey(mac) || to.equals(PortPlace.NONE) || taken.contains(to)
                && !to.equals(choice.place())) {
                isElsewhere = true;
            } else if (to.node() >= nodes) {
                throw wrong(choice, "there is no node " + to.node() + " to send to", "nodes are 0 to " + (nodes - 1));
            } else if (to.equals(choice.place())) {
                isToItself = true;
            } else {
                without.add(to);
            }
        }
        if (isToItself && !isElsewhere && without.isEmpty()) {
            throw wrong(choice, "it sends to itself, and packets do not go back to the port they came from",
                "give to= another node");
        }
        if (isToItself) {
            warn(choice, "some of its packets are for itself and will be dropped");
        }
        if (!without.isEmpty()) {
            warn(choice, "no port is at node " + list(without) + ": packets for it go to every other port");
        }
    }

    private void buffers(final PortChoice choice, final int mtu) {
        final MemifAddress address = MemifAddress.parse(choice.text());
        if (address.role() == MemifRole.CLIENT && address.bufferBytes() < mtu + HEADERS) {
            warn(choice, "its buffers of " + address.bufferBytes() + " bytes are shorter than the frames of "
                + (mtu + HEADERS) + " bytes that --mtu " + mtu + " lets pass: longer packets lie in "
                + "several, which not every peer takes; give buffer= or --mtu");
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
        warnings.add("port " + choice.place() + "=" + choice.shown() + ": " + what);
    }

    private static InputException wrong(final PortChoice choice, final String why, final String advice) {
        return new InputException(WHAT, choice.place() + "=" + choice.shown(), why, advice);
    }
}
