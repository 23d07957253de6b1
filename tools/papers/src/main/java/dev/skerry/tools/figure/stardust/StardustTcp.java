package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.switched.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchRules;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;

import java.lang.foreign.Arena;

/**
 * The fat tree of Stardust Figure 10 with hosts that speak TCP New Reno (docs/spec/stardust.md §10 rows 12 to 14): 432
 * hosts, ports and links of 10 Gb/s, 1 us a link, packets of 9,000 bytes, a queue for each pair of hosts, credits 3 %
 * above the port, marks from 64 cells on. A slot is an eighth of a full cell, and links are charged by bytes: the cell
 * of an acknowledgement, of 58, takes a slot of 64. A queue keeps what is left of a credit when it runs empty:
 * otherwise each acknowledgement, which comes alone, costs its port a whole one, and two thirds of the rate is all that
 * is left.
 *
 * @param payloadBytes of a cell, whose header has 16 more.
 * @param creditBytes  what a credit is worth.
 */
record StardustTcp(int payloadBytes, int creditBytes) {
    /** Cells of 512 bytes, credits of 4096: Appendix G. */
    static final StardustTcp PAPER = new StardustTcp(496, 4096);
    /** Cells of 256 bytes and their header, credits of 2048. */
    static final StardustTcp SMALL = new StardustTcp(256, 2048);
    static final int HOSTS = 432;
    static final double GBPS = 10;
    static final int PACKET_BYTES = 9000;
    /** Segments that a host sends before anything is acknowledged. */
    static final int FIRST_PACKETS = 2;

    private static final int HEADER_BYTES = 16;
    private static final int SLOTS_PER_CELL = 8;
    private static final int PORTS = 6;
    private static final double FIBRE_NS = 1000;
    private static final double MIN_RTO_NS = 10e6;
    private static final double EPSILON = 0.03;
    private static final int MARK_CELLS = 64;
    /** Half of a queue, so that the segments and acknowledgements of two hosts that send to each other have room. */
    private static final int WINDOW_PACKETS = 50;

    /** Bytes of a link in a slot. */
    double slotBytes() {
        return (payloadBytes + HEADER_BYTES) / (double) SLOTS_PER_CELL;
    }

    double slotNs() {
        return slotBytes() * Byte.SIZE / GBPS;
    }

    /** Slots of a time. */
    int slots(final double ms) {
        return (int) Math.ceil(ms * 1e6 / slotNs());
    }

    double ms(final long slots) {
        return slots * slotNs() / 1e6;
    }

    /** The fabric and its hosts, which send two segments before anything is acknowledged. */
    Stardust fabric(final long seed) {
        return fabric(seed, FIRST_PACKETS);
    }

    /** The same with hosts that send other segments before anything is acknowledged. */
    Stardust fabric(final long seed, final int firstPackets) {
        final double bytes = slotBytes();
        final int linkSlots = (int) Math.ceil(FIBRE_NS / slotNs()) + SLOTS_PER_CELL;
        return new Stardust(Deployment.full(new FoldedClos(FoldedClosConfig.N432)), linkSlots,
            new HostSide(PORTS, PORTS, 1, bytes, 1 << 16, 1 << 15,
                Reno.usual((int) (MIN_RTO_NS / slotNs())).window(WINDOW_PACKETS).initial(firstPackets)),
            new CellCut(PACKET_BYTES, payloadBytes, true, Packing.CONTINUOUS),
            new Credits(creditBytes, bytes * (1 + EPSILON), creditBytes, 0, 1, true),
            LinkRules.USUAL.marking(MARK_CELLS).charging(new LinkCharge(bytes, HEADER_BYTES, 0)), true, seed);
    }

    /**
     * The fat tree of packet switches that Figure 10 compares Stardust with (docs/spec/stardust.md §10 rows 12 to 14):
     * 432 hosts, links of 10 Gb/s and 1 us, packets of 9,000 bytes, queues of 100 packets that mark from 15 on, a way
     * for each connection by a hash. For DCQCN switches pause links before they drop anything, a link may fill 100
     * packets of the switch behind it, and marks are those of its paper. Slots are those of {@link StardustTcp}.
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
        /**
         * Nothing is lost where links are paused, so the timer outlasts all waiting; RoCE gives up after about as long.
         */
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
}
