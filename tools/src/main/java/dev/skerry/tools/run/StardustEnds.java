package dev.skerry.tools.run;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSignals;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Locale;
import java.util.Map;

/** Options of Stardust that say how hosts send. */
public final class StardustEnds {
    private static final double MIN_RTO_NS = 10e6;
    /** As in the artefact of NDP. */
    private static final int MARK_PACKETS = 15;
    private static final long MOST_MARK = 1L << 40;
    private static final int MOST_SUBFLOWS = 64;

    /** How hosts send. */
    private enum Hosts {
        /** The bytes of a flow are at its adapter when it starts. */
        IDEAL,
        /** At the rate of their port. */
        PACED,
        /** TCP with New Reno. */
        TCP,
        /** TCP with DCTCP. */
        DCTCP,
        /** TCP over several connections with linked increases. */
        MPTCP
    }

    @Option(names = "--hosts", paramLabel = "NAME",
        description = "Stardust: how hosts send. ideal: a flow is at its adapter when it starts; paced: packets of its "
            + "flows in turn at the rate of the port; tcp: a New Reno connection for each flow; dctcp: the same "
            + "with DCTCP; mptcp: several connections for each flow, with linked increases (default: ideal).")
    String hosts;

    @Option(names = "--mark-bytes", paramLabel = "B",
        description = "Stardust, hosts that read marks (dctcp): an adapter marks a segment that joins a queue with "
            + "more bytes than this, of those that wait for credits and of those of its ports (default: 15 packets).")
    Long markBytes;

    @Option(names = "--pause-bytes", paramLabel = "B",
        description = "Stardust: an adapter that holds more bytes than this for others pauses its hosts until it holds "
            + "less than half; hosts must send at a rate (paced, tcp, dctcp, mptcp) (default: no pauses).")
    Long pauseBytes;

    @Option(names = "--subflows", paramLabel = "N",
        description = "Stardust with --hosts mptcp: connections of a flow, 2 to 64 (default: 8).")
    Integer subflows;

    /** How hosts send in a fabric of such slots. */
    HostModel model(final double wholeSlotNs) {
        final Hosts chosen = Choices.of("--hosts", hosts, Hosts.IDEAL, Hosts.values());
        if (chosen != Hosts.MPTCP) {
            Choices.refuse("--subflows", subflows, "flows have one connection", "add --hosts mptcp, or leave it out");
        }
        final Reno tcp = Reno.usual((int) Math.max(1, MIN_RTO_NS / wholeSlotNs));
        return switch (chosen) {
            case IDEAL -> HostModel.IDEAL;
            case PACED -> HostModel.PACED;
            case TCP -> tcp;
            case DCTCP -> tcp.with(Congestion.Dctcp.USUAL);
            case MPTCP -> tcp.with(subflows == null ? Congestion.Mptcp.USUAL
                : new Congestion.Mptcp(inRange("--subflows", subflows, 2, MOST_SUBFLOWS)));
        };
    }

    /**
     * What adapters tell such hosts.
     *
     * @param packetBytes of the longest packet.
     */
    HostSignals signals(final HostModel model, final int packetBytes) {
        final HostSignals marks = marks(model, packetBytes);
        if (pauseBytes == null) {
            return marks;
        }
        if (model == HostModel.IDEAL) {
            throw new InputException("--pause-bytes", pauseBytes.toString(), "hosts that hand over whole flows can not "
                + "be paused", "add --hosts paced, or leave it out");
        }
        if (pauseBytes < packetBytes || pauseBytes > MOST_MARK) {
            throw new InputException("--pause-bytes", pauseBytes.toString(), "an adapter holds a packet before it "
                + "pauses anybody", "give " + packetBytes + " to " + MOST_MARK);
        }
        return marks.pausing(pauseBytes);
    }

    private HostSignals marks(final HostModel model, final int packetBytes) {
        final boolean reads = model instanceof final Reno tcp && tcp.congestion().readsMarks();
        if (markBytes == null) {
            return reads ? HostSignals.marking((long) MARK_PACKETS * packetBytes) : HostSignals.NONE;
        }
        if (!reads) {
            throw new InputException("--mark-bytes", markBytes.toString(), "hosts that read no marks are not marked "
                + "anything", "add --hosts dctcp, or leave it out");
        }
        if (markBytes < 1 || markBytes > MOST_MARK) {
            throw new InputException("--mark-bytes", markBytes.toString(), "a queue holds some bytes", "give 1 to "
                + MOST_MARK);
        }
        return HostSignals.marking(markBytes);
    }

    /** What was chosen, as it would be typed. */
    void describe(final Map<String, String> settings) {
        if (hosts != null) {
            settings.put("hosts", hosts.toLowerCase(Locale.ROOT));
        }
        if (pauseBytes != null) {
            settings.put("pause-bytes", pauseBytes.toString());
        }
        if (subflows != null) {
            settings.put("subflows", subflows.toString());
        }
        if (markBytes != null) {
            settings.put("mark-bytes", markBytes.toString());
        }
    }
}
