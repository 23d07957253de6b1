package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.switched.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchRules;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;

import java.lang.foreign.Arena;

/**
 * The fat tree of packet switches that Figure 10 compares Stardust with (docs/spec/stardust.md §10 rows 12 to 14): 432
 * hosts, links of 10 Gb/s and 1 us, packets of 9,000 bytes, queues of 100 packets that mark from 15 on, a way for each
 * connection by a hash. For DCQCN switches pause links before they drop anything, a link may fill 100 packets of the
 * switch behind it, and marks are those of its paper. Slots are those of {@link StardustTcp}.
 *
 * @param name       of the transport.
 * @param congestion what the windows of its hosts do.
 */
record PeerTree(String name, Congestion congestion) {
    static final PeerTree DCTCP = new PeerTree("DCTCP", Congestion.Dctcp.USUAL);
    static final PeerTree MPTCP = new PeerTree("MPTCP", Congestion.Mptcp.USUAL);

    private static final StardustTcp TIMES = StardustTcp.PAPER;
    static final PeerTree DCQCN = new PeerTree("DCQCN", Congestion.Dcqcn.usual(TIMES.slotNs()));
    private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
    private static final int RADIX = 12;
    private static final int QUEUE_PACKETS = 100;
    private static final int MARK_PACKETS = 15;
    private static final double FIBRE_MS = 1e-3;
    private static final double MIN_RTO_MS = 10;
    /** Nothing is lost where links are paused, so the timer outlasts all waiting; RoCE gives up after about as long. */
    private static final double PAUSED_RTO_MS = 500;

    /**
     * The network with its hosts; nothing has started.
     *
     * @param firstPackets segments that a host sends before anything is acknowledged.
     */
    SwitchedNetwork network(final Arena arena, final FlowSet flows, final int firstPackets, final long seed) {
        final int bytes = StardustTcp.PACKET_BYTES;
        final boolean pauses = congestion instanceof Congestion.Dcqcn;
        return new SwitchedNetwork(arena, flows,
            Reno.usual(TIMES.slots(pauses ? PAUSED_RTO_MS : MIN_RTO_MS)).initial(firstPackets).with(congestion),
            new SwitchRules(bytes, TIMES.slots(FIBRE_MS), (long) QUEUE_PACKETS * bytes,
                pauses ? RED : MarkLaw.above((long) MARK_PACKETS * bytes), pauses),
            new FatTreeRoutes(RADIX, TIMES.slotBytes(), flows, congestion.subflows(), seed));
    }

    /** Packets dropped, segments sent again, and pauses of links. */
    static double[] losses(final SwitchedNetwork network) {
        return new double[] {network.dropped(), network.resent(), network.pauses()};
    }

    /**
     * Where switches pause links: that nothing was dropped or sent again, and how often they did.
     *
     * @param losses of several seeds.
     */
    void addLosses(final Findings found, final String of, final Sample... losses) {
        if (congestion instanceof Congestion.Dcqcn) {
            found.exactly(name + of + ": packets dropped", 0, losses[0].most())
                .exactly("  segments sent again", 0, losses[1].most())
                .reported("  pauses", "", losses[2]);
        }
    }
}
