package dev.skerry.tools.run.stardust;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Locale;
import java.util.Map;

/** Options of Stardust that say how hosts send. */
public final class StardustEnds {
    private static final double MIN_RTO_NS = 10e6;
    /** Hosts that are paused lose nothing, so their timer outlasts all waiting. */
    private static final double PAUSED_RTO_NS = 500e6;
    private static final int MOST_RTO_SLOTS = 1 << 24;
    /** As in the artefact of NDP. */
    private static final int MARK_PACKETS = 15;
    private static final long MOST_MARK = 1L << 40;
    private static final int MOST_SUBFLOWS = 64;
    /** Half of a queue of a host's adapter, as what waits for others has to fit in too. */
    private static final int PAUSE_PACKETS = 50;
    /** As in the paper of DCQCN. */
    private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
    private static final int RED_PARTS = 3;

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
        MPTCP,
        /** DCQCN: rates, and go-back-N. */
        DCQCN
    }

    @Option(names = "--speed-up", paramLabel = "FS",
        description = "Stardust: what an adapter's links carry by what its ports do (default: 1.1).")
    Double speedUp;

    @Option(names = "--packet-bytes", paramLabel = "B",
        description = "Stardust: flows are cut into packets of this size, 64 to 9216 (default: 1500).")
    Integer packetBytes;

    @Option(names = "--weights", paramLabel = "W0,W1,...",
        description = "Stardust: a weight for each traffic class, 0 to 127: 0 for a class that goes before all after "
            + "it, else its share of the credits that are left (default: all go before the next one).")
    String weights;

    @Option(names = "--hosts", paramLabel = "NAME",
        description = "Stardust: how hosts send. ideal: a flow is at its adapter when it starts; paced: packets of its "
            + "flows in turn at the rate of the port; tcp: a New Reno connection for each flow; dctcp: the same "
            + "with DCTCP; mptcp: several connections for each flow, with linked increases; dcqcn: a rate for each "
            + "flow, cut by notifications of marks (default: ideal).")
    String hosts;

    @Option(names = "--mark-bytes", paramLabel = "B",
        description = "Stardust, hosts that read marks (dctcp, dcqcn): an adapter marks a segment that joins a queue "
            + "with more bytes than this, of those that wait for credits and of those of its ports (default: 15 "
            + "packets).")
    Long markBytes;

    @Option(names = "--mark-red", paramLabel = "KMIN:KMAX:PMAX",
        description = "Stardust, hosts that read marks, instead of --mark-bytes: an adapter marks no segment that "
            + "joins a queue of up to KMIN bytes, all that join one of more than KMAX, and in between a share "
            + "that grows to PMAX (default with --hosts dcqcn: 5000:200000:0.01).")
    String markRed;

    @Option(names = "--pause-bytes", paramLabel = "B",
        description = "Stardust: an adapter that holds more bytes than this for others pauses its hosts until it holds "
            + "less than half; hosts must send at a rate, so not ideal (default: no pauses; with --hosts dcqcn, whose "
            + "network must not lose packets, 50 packets).")
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
            case DCQCN -> Reno.usual((int) Math.min(MOST_RTO_SLOTS, PAUSED_RTO_NS / wholeSlotNs))
                .with(Congestion.Dcqcn.usual(wholeSlotNs));
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
        final HostSignals marks = HostSignals.marking(marks(model, packetBytes));
        if (pauseBytes == null) {
            return rates(model) ? marks.pausing((long) PAUSE_PACKETS * packetBytes) : marks;
        }
        Choices.refuseIf(model == HostModel.IDEAL, "--pause-bytes", pauseBytes, "hosts that hand over whole flows can "
            + "not be paused", "add --hosts paced, or leave it out");
        Choices.refuseIf(pauseBytes < packetBytes || pauseBytes > MOST_MARK, "--pause-bytes", pauseBytes,
            "an adapter holds a packet before it pauses anybody", "give " + packetBytes + " to " + MOST_MARK);
        return marks.pausing(pauseBytes);
    }

    /** Whether hosts have rates. */
    private static boolean rates(final HostModel model) {
        return model instanceof final Reno tcp && tcp.congestion() instanceof Congestion.Dcqcn;
    }

    private MarkLaw marks(final HostModel model, final int packetBytes) {
        final String given = markRed != null ? "--mark-red" : "--mark-bytes";
        final String value = markRed != null ? markRed : String.valueOf(markBytes);
        Choices.refuseIf(markBytes != null && markRed != null, given, value, "--mark-bytes says too what is marked",
            "leave one of them out");
        final boolean reads = model instanceof final Reno tcp && tcp.congestion().readsMarks();
        if (markBytes == null && markRed == null) {
            return !reads ? MarkLaw.NONE : rates(model) ? RED : MarkLaw.above((long) MARK_PACKETS * packetBytes);
        }
        Choices.refuseIf(!reads, given, value, "hosts that read no marks are not marked anything",
            "add --hosts dctcp or dcqcn, or leave it out");
        if (markRed != null) {
            return red(markRed);
        }
        Choices.refuseIf(markBytes < 1 || markBytes > MOST_MARK, "--mark-bytes", markBytes, "a queue holds some bytes",
            "give 1 to " + MOST_MARK);
        return MarkLaw.above(markBytes);
    }

    private static MarkLaw red(final String text) {
        final String[] parts = text.split(":", -1);
        try {
            if (parts.length == RED_PARTS && Long.parseLong(parts[1]) <= MOST_MARK) {
                return new MarkLaw(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Double.parseDouble(parts[2]));
            }
        } catch (final IllegalArgumentException notNumbers) {
            // The same advice as for a wrong count of parts.
        }
        throw new InputException("--mark-red", text, "not two lengths and a share", "give KMIN:KMAX:PMAX with 1 <= "
            + "KMIN <= KMAX <= " + MOST_MARK + " bytes and 0 < PMAX <= 1, as 5000:200000:0.01");
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
        if (markRed != null) {
            settings.put("mark-red", markRed);
        }
    }
}
