package dev.skerry.tools.run;

import static dev.skerry.tools.input.Choices.inRange;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Locale;
import java.util.Map;

/** Options of fabrics with packet hosts: congestion control, ECN and pauses. Not thread-safe. */
public final class HostOptions {
    /** Default ECN threshold in packets, as in the simulator of NDP. */
    private static final int MARK_PACKETS = 15;
    private static final int LEAST_PACKET = 64;
    private static final int MOST_PACKET = 9216;
    private static final int PACKET_BYTES = 1500;
    private static final double MIN_RTO_NS = 10e6;
    /** Paused hosts lose no packets, so their timer exceeds any queueing delay. */
    private static final double PAUSED_RTO_NS = 500e6;
    /** As in the NDP paper, except for the window, which bounds the memory of a connection. */
    private static final double NDP_RTO_NS = 1e6;
    private static final int NDP_FIRST = 30;
    private static final int NDP_WINDOW = 256;
    private static final int MOST_RTO_SLOTS = 1 << 24;
    private static final long MOST_MARK = 1L << 40;
    private static final int MOST_SUBFLOWS = 64;
    /** As in the DCQCN paper. */
    private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
    private static final int RED_PARTS = 3;

    /** Host models. */
    private enum Hosts {
        /** All bytes of a flow are in its adapter when it starts. */
        IDEAL,
        /** Hosts send packets at the rate of their port. */
        PACED,
        /** TCP with New Reno. */
        TCP,
        /** TCP with DCTCP congestion control. */
        DCTCP,
        /** Multipath TCP with linked increases. */
        MPTCP,
        /** DCQCN with a rate per flow and go-back-N. */
        DCQCN,
        /** NDP with pulls, and switches that trim packets. */
        NDP
    }

    @Option(names = "--hosts", paramLabel = "NAME",
        description = "Stardust, fattree: ideal, paced, tcp, dctcp, mptcp, dcqcn or ndp. How hosts send. ideal: all "
            + "bytes of a flow are at its adapter when it starts; paced: the packets of all flows take turns, at "
            + "the rate of the port; tcp: one TCP New Reno connection per flow; dctcp: the same with DCTCP; mptcp: "
            + "several connections per flow, with linked increases; dcqcn: a rate per flow, reduced by congestion "
            + "notifications; ndp: switches trim packets, and receivers pull them. ideal and paced: Stardust only; "
            + "ndp: fattree only (default: Stardust ideal, fattree dctcp).")
    public String hosts;

    @Option(names = "--packet-bytes", paramLabel = "B",
        description = "Stardust, fattree: size of the packets of a flow in bytes, 64 to 9216 (default: 1500).")
    public Integer packetBytes;

    @Option(names = "--mark-bytes", paramLabel = "B",
        description = "dctcp and dcqcn: ECN marking threshold, in bytes. A segment is marked if it joins a longer "
            + "queue; in Stardust, a queue of an adapter for credits or for a port (default: 15 packets; dcqcn: see "
            + "--mark-red).")
    Long markBytes;

    @Option(names = "--mark-red", paramLabel = "KMIN:KMAX:PMAX",
        description = "dctcp and dcqcn: marking probability by queue length. In place of --mark-bytes: 0 for queues "
            + "of up to KMIN bytes, rising to PMAX at KMAX bytes, and 1 above (default with --hosts dcqcn: "
            + "5000:200000:0.01).")
    String markRed;

    @Option(names = "--pause-bytes", paramLabel = "B",
        description = "Bytes above which senders are paused. Stardust: an adapter that holds more than B bytes for "
            + "other adapters pauses its hosts, and resumes them at B/2; not with --hosts ideal. fattree: a switch "
            + "that holds more than B bytes from a link pauses the link (PFC), and resumes it two packets below B "
            + "(default: no "
            + "pauses; with --hosts dcqcn, whose network must be lossless: Stardust 50 packets, fattree "
            + "--buffer-bytes less headroom for what can still arrive).")
    public Long pauseBytes;

    @Option(names = "--subflows", paramLabel = "N",
        description = "mptcp: connections per flow, 2 to 64 (default: 8).")
    Integer subflows;

    /** Creates options that have not been parsed yet. */
    public HostOptions() {
    }

    /** Returns the size of a full packet in bytes. */
    public int packetBytes() {
        return inRange("--packet-bytes", packetBytes, LEAST_PACKET, MOST_PACKET, PACKET_BYTES);
    }

    /**
     * Returns the host model for a length of a slot.
     *
     * @param usual value of {@code --hosts} if it was not typed.
     */
    public HostModel model(final double wholeSlotNs, final String usual) {
        final Hosts chosen = Choices.of("--hosts", hosts == null ? usual : hosts, null, Hosts.values());
        if (chosen != Hosts.MPTCP) {
            Choices.refuse("--subflows", subflows, "flows have one connection", "add --hosts mptcp, or leave it "
                + "out");
        }
        final Reno tcp = withTimer(MIN_RTO_NS / wholeSlotNs);
        return switch (chosen) {
            case IDEAL -> HostModel.IDEAL;
            case PACED -> HostModel.PACED;
            case TCP -> tcp;
            case DCTCP -> tcp.with(Congestion.Dctcp.USUAL);
            case DCQCN -> withTimer(PAUSED_RTO_NS / wholeSlotNs).with(Congestion.Dcqcn.usual(wholeSlotNs));
            case NDP -> withTimer(NDP_RTO_NS / wholeSlotNs).window(NDP_WINDOW).initial(NDP_FIRST)
                .with(new Congestion.Ndp());
            case MPTCP -> tcp.with(subflows == null ? Congestion.Mptcp.USUAL
                : new Congestion.Mptcp(inRange("--subflows", subflows, 2, MOST_SUBFLOWS)));
        };
    }

    /** Returns hosts with a minimum retransmission timeout in slots, clamped to the range of a timer. */
    private static Reno withTimer(final double slots) {
        return Reno.usual((int) Math.clamp(slots, 1, MOST_RTO_SLOTS));
    }

    /** Tells whether hosts are rate-based (DCQCN), which requires a lossless network. */
    public static boolean rates(final HostModel model) {
        return model instanceof final Reno tcp && tcp.congestion() instanceof Congestion.Dcqcn;
    }

    /** Tells whether hosts use pulls (NDP), which requires switches that trim packets. */
    public static boolean pulls(final HostModel model) {
        return model instanceof final Reno tcp && tcp.congestion() instanceof Congestion.Ndp;
    }

    /** Checks {@code --pause-bytes}, if it was typed. */
    public void checkPause(final long least, final String why) {
        Choices.refuseIf(pauseBytes != null && (pauseBytes < least || pauseBytes > MOST_MARK), "--pause-bytes",
            pauseBytes, why, "give " + least + " to " + MOST_MARK);
    }

    /** Returns the ECN marking rule for a host model. */
    public MarkLaw marks(final HostModel model, final int longest) {
        final String given = markRed != null ? "--mark-red" : "--mark-bytes";
        final String value = markRed != null ? markRed : String.valueOf(markBytes);
        Choices.refuseIf(markBytes != null && markRed != null, given, value, "--mark-bytes sets the threshold too",
            "leave one of them out");
        final boolean reads = model instanceof final Reno tcp && tcp.congestion().readsMarks();
        if (markBytes == null && markRed == null) {
            return !reads ? MarkLaw.NONE : rates(model) ? RED : MarkLaw.above((long) MARK_PACKETS * longest);
        }
        Choices.refuseIf(!reads, given, value, "hosts that read no marks do not react to ECN",
            "add --hosts dctcp or dcqcn, or leave it out");
        if (markRed != null) {
            return red(markRed);
        }
        Choices.refuseIf(markBytes < 1 || markBytes > MOST_MARK, "--mark-bytes", markBytes, "not a queue length",
            "give 1 to " + MOST_MARK);
        return MarkLaw.above(markBytes);
    }

    private static MarkLaw red(final String text) {
        final String[] parts = text.split(":", -1);
        try {
            if (parts.length == RED_PARTS && Long.parseLong(parts[1]) <= MOST_MARK) {
                return new MarkLaw(Long.parseLong(parts[0]), Long.parseLong(parts[1]),
                    Double.parseDouble(parts[2]));
            }
        } catch (final IllegalArgumentException notNumbers) {
            // Refused below with the same advice as a wrong number of parts.
        }
        throw new InputException("--mark-red", text, "not two lengths and a share", "give KMIN:KMAX:PMAX with 1 <= "
            + "KMIN <= KMAX <= " + MOST_MARK + " bytes and 0 < PMAX <= 1, for example 5000:200000:0.01");
    }

    /** Adds the typed options to the settings. */
    public void describe(final Map<String, String> settings) {
        put(settings, "hosts", hosts == null ? null : hosts.toLowerCase(Locale.ROOT));
        put(settings, "pause-bytes", pauseBytes);
        put(settings, "subflows", subflows);
        put(settings, "mark-bytes", markBytes);
        put(settings, "mark-red", markRed);
    }
}
