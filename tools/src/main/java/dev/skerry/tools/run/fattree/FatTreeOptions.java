package dev.skerry.tools.run.fattree;

import static dev.skerry.tools.input.Choices.inRange;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.nic.fattree.FatTree;
import dev.skerry.nic.fattree.FatTree.SwitchRules;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.HostOptions;
import picocli.CommandLine.Option;

import java.util.Map;

/** Options of packet-switched networks; {@link FatTreeChoice} evaluates them. Not thread-safe. */
public final class FatTreeOptions {
    private static final int QUEUE_PACKETS = 100;
    /** As in the NDP paper. */
    private static final int TRIMMED_PACKETS = 8;
    private static final double LINK_GBPS = 25;
    private static final double MOST_GBPS = 1e5;
    private static final double REROUTE_US = 1000;
    private static final double MOST_US = 1e7;
    private static final int MOST_RTO_SLOTS = 1 << 24;
    private static final double NS_PER_US = 1e3;

    @Option(names = "--leaves", paramLabel = "L",
        description = "fattree: use a leaf-spine network of L leaves. L divides --nodes (default: a fat tree of three "
            + "tiers).")
    Integer leaves;

    @Option(names = "--link-gbps", paramLabel = "R",
        description = "fattree: rate of a host's link, in Gb/s (default: 25, or the rate that follows from "
            + "--slot-ns).")
    Double linkGbps;

    @Option(names = "--uplink-gbps", paramLabel = "R",
        description = "fattree: rate of a link between switches, in Gb/s (default: the rate of a host's link; in a "
            + "fat tree, divided by --oversubscription).")
    Double uplinkGbps;

    @Option(names = "--oversubscription", paramLabel = "F",
        description = "fattree: capacity of a leaf's host links over that of its uplinks. From 1 to 100; in a fat "
            + "tree it reduces the rate of links between switches, in a leaf-spine network the number of "
            + "uplinks (default: 1).")
    Double oversubscription;

    @Option(names = "--buffer-bytes", paramLabel = "B",
        description = "fattree: buffer of a switch port, in bytes. If links are paused, this is the buffer of an "
            + "incoming link, headroom included, unless --pause-bytes sets it. With --hosts ndp it holds segments, "
            + "and headers have a second buffer of this size (default: 100 packets; ndp: 8).")
    public Long bufferBytes;

    @Option(names = "--window", paramLabel = "W",
        description = "fattree: maximum segments in flight per connection, 2 to 16384 (default: 100; ndp: 256).")
    public Integer window;

    @Option(names = "--initial-window", paramLabel = "W",
        description = "fattree: segments that a connection sends before its first ACK (default: 10; ndp: 30).")
    public Integer initialWindow;

    @Option(names = "--min-rto-us", paramLabel = "X",
        description = "fattree: minimum retransmission timeout, in us. With ndp, the timeout is constant (default: "
            + "10000; dcqcn: 500000; ndp: 1000).")
    public Double minRtoUs;

    @Option(names = "--reroute-us", paramLabel = "X",
        description = "fattree: time in us until other switches learn of a failure. The devices next to it learn of "
            + "it at once (default: 1000).")
    Double rerouteUs;

    /** Creates options with no values set. */
    public FatTreeOptions() {
    }

    /**
     * Returns a number of leaves close to the number of hosts per leaf, without oversubscription; null if there is no
     * such network.
     */
    static Integer leavesOf(final int nodes) {
        for (int count = (int) Math.sqrt(nodes); count > 1; count--) {
            if (nodes % count == 0 && FatTree.ofLeaves(nodes, count, nodes / count) != null) {
                return count;
            }
        }
        return null;
    }

    /** Returns the rate of a host's link in Gb/s. */
    double linkGbps() {
        return rate("--link-gbps", linkGbps, LINK_GBPS);
    }

    private static double rate(final String option, final Double typed, final double otherwise) {
        Choices.refuseIf(typed != null && !(typed > 0 && typed <= MOST_GBPS), option, typed, "not a rate above 0 "
            + "and up to " + (int) MOST_GBPS + " Gb/s", "give for example 25");
        return typed == null ? otherwise : typed;
    }

    /** Returns the ratio of a leaf's capacity to its hosts to that of its uplinks. */
    double oversubscription() {
        Choices.refuseIf(oversubscription != null && !(oversubscription >= 1 && oversubscription <= 100),
            "--oversubscription", oversubscription, "not a ratio from 1 to 100",
            "give for example 4");
        return oversubscription == null ? 1 : oversubscription;
    }

    /** Returns the ratio of the rate of a link between switches to that of a host's link. */
    double upShare(final double hostGbps) {
        Choices.refuse("--oversubscription", leaves == null && uplinkGbps != null ? oversubscription : null,
            "in a fat tree, --uplink-gbps sets it", "leave one of them out");
        return uplinkGbps == null ? leaves == null ? 1 / oversubscription() : 1
            : rate("--uplink-gbps", uplinkGbps, hostGbps) / hostGbps;
    }

    /** Returns the ratio of the uplink capacity of a leaf to the capacity of its hosts, at most 1. */
    double share(final double upShare) {
        return leaves == null ? Math.min(1, upShare) : 1 / oversubscription();
    }

    /** Returns the shape of the network. */
    FoldedClosConfig config(final int nodes, final double upShare) {
        if (leaves == null) {
            final FoldedClosConfig tree = FatTree.ofPods(nodes);
            Choices.refuseIf(tree == null, "--nodes", nodes, "not the size of a fat tree, which has k²/4 hosts in "
                + "each pod and a number of pods that divides k", "give for example 16, 64, 128, 256, 432, 512 or "
                + "1024, or add --leaves");
            return tree;
        }
        Choices.refuseIf(leaves < 2 || nodes % leaves != 0 || nodes / leaves < 1, "--leaves", leaves, nodes
            + " hosts cannot be spread evenly over the leaves", "give a divisor of --nodes, 2 or more");
        final double up = nodes / leaves / (upShare * oversubscription());
        final int links = (int) Math.round(up);
        final FoldedClosConfig config = links < 1 || Math.abs(up - links) > 1e-6 ? null
            : FatTree.ofLeaves(nodes, leaves, links);
        Choices.refuseIf(config == null, "--leaves", leaves, "a leaf with " + nodes / leaves + " hosts would have " + up
            + " uplinks, which cannot be spread evenly over spines", "change --leaves, --oversubscription or "
            + "--uplink-gbps");
        return config;
    }

    /** Returns the buffers, marks and pauses of the switches. */
    SwitchRules rules(final HostOptions hosts, final HostModel model, final int linkSlots, final double most) {
        final int packetBytes = hosts.packetBytes();
        final long buffer = bufferBytes != null ? bufferBytes
            : (long) (HostOptions.pulls(model) ? TRIMMED_PACKETS : QUEUE_PACKETS) * packetBytes;
        Choices.refuse("--pause-bytes", HostOptions.pulls(model) ? hosts.pauseBytes : null,
            "switches that trim packets do not pause links", "leave it out");
        Choices.refuseIf(buffer < packetBytes, "--buffer-bytes", buffer, "smaller than a packet", "give at least "
            + packetBytes);
        Choices.refuse("--buffer-bytes", hosts.pauseBytes == null ? null : bufferBytes,
            "--pause-bytes and the headroom set the buffer of a link that is paused", "leave one of them out");
        hosts.checkPause(2L * packetBytes, "a switch holds at least two packets of a link before it pauses the link");
        final long headroom = SwitchRules.headroom(packetBytes, linkSlots, most);
        final boolean pauses = hosts.pauseBytes != null || HostOptions.rates(model);
        Choices.refuseIf(pauses && hosts.pauseBytes == null && buffer - headroom < 2L * packetBytes, "--buffer-bytes",
            buffer, "a switch that pauses links needs room for two packets and " + headroom
            + " bytes of headroom", "give at least " + (headroom + 2L * packetBytes));
        return new SwitchRules(packetBytes, buffer, hosts.marks(model, packetBytes), !pauses ? Long.MAX_VALUE
            : hosts.pauseBytes == null ? buffer - headroom : hosts.pauseBytes);
    }

    /** Returns the host model with the typed windows and timers. */
    Reno hosts(final Reno usual, final double slotNs) {
        final int most = inRange("--window", window, 2, Reno.MAX_WINDOW, usual.windowPackets());
        final int first = inRange("--initial-window", initialWindow, 1, most, Math.min(most,
            HostOptions.pulls(usual) ? usual.initialPackets() : Reno.USUAL_FIRST));
        Choices.refuseIf(minRtoUs != null && !(minRtoUs > 0 && minRtoUs <= MOST_US), "--min-rto-us", minRtoUs,
            "not a time above 0 and up to 10 seconds", "give a time in us, for example 1000");
        final int rto = minRtoUs == null ? usual.minRtoSlots()
            : Math.clamp(Math.round(minRtoUs * NS_PER_US / slotNs), 1, MOST_RTO_SLOTS);
        return new Reno(most, first, usual.queuePackets(), usual.ackBytes(), rto, usual.wireSlots(),
            usual.congestion());
    }

    /** Returns the number of slots until a switch learns of a failure elsewhere. */
    int rerouteSlots(final double slotNs) {
        Choices.refuseIf(rerouteUs != null && !(rerouteUs >= 0 && rerouteUs <= MOST_US), "--reroute-us", rerouteUs,
            "not a time from 0 to 10 seconds", "give a time in us, for example 1000");
        return (int) Math.min(Integer.MAX_VALUE, Math.ceil((rerouteUs == null ? REROUTE_US : rerouteUs) * NS_PER_US
            / slotNs));
    }

    /** Adds the typed options to the settings. */
    void describe(final Map<String, String> settings) {
        put(settings, "leaves", leaves);
        put(settings, "uplink-gbps", uplinkGbps);
        put(settings, "oversubscription", oversubscription);
        put(settings, "buffer-bytes", bufferBytes);
        put(settings, "window", window);
        put(settings, "initial-window", initialWindow);
        put(settings, "min-rto-us", minRtoUs);
        put(settings, "reroute-us", rerouteUs);
    }

    /** Refuses a rate if the length of a slot determines it. */
    void refuseRate(final Double slotNs) {
        if (slotNs != null && linkGbps != null) {
            throw new InputException("--link-gbps", linkGbps.toString(), "the rate follows from the length of a slot",
                "leave out --link-gbps or --slot-ns");
        }
    }
}
