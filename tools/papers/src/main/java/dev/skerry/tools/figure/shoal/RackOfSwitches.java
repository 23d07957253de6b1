package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.switched.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchRules;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.report.Quantiles;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The packet-switched rack of Shoal §7.3 as our models have it: links of 50 Gb/s, packets of 1,500 bytes, queues of 100
 * packets, a way for each flow by a hash, windows of 35 packets, DCTCP. It is a fat tree of 14-port switches with room
 * for 686 hosts, full bisection as the paper's Clos. Pure functions.
 */
final class RackOfSwitches {
    private static final int RADIX = 14;
    private static final int PACKET_BYTES = 1500;
    private static final double SLOT_NS = 9.6;
    private static final double SLOT_BYTES = SLOT_NS * ParetoFlows.GBPS / Byte.SIZE;
    private static final int QUEUE_PACKETS = 100;
    private static final int MARK_PACKETS = 15;
    private static final int WINDOW = 35;
    /** 15 ns across a rack, in whole slots. */
    private static final int LINK_SLOTS = 2;
    private static final double MIN_RTO_NS = 200e3;

    private RackOfSwitches() {
    }

    /** Mean and 99.9 % of short flows in us, goodput of long ones in Gb/s, over seeds. */
    static Sample[] dctcp(final double load, final int count, final Effort effort) {
        return Sample.of(ParetoRuns.SEEDS, effort, seeded -> {
            final FlowSet flows = new ParetoFlows(ParetoRuns.NODES, load, PACKET_BYTES, SLOT_NS).draw(count, 0,
                ParetoFlows.Pairs.UNIFORM, seeded.seed());
            final Reno usual = Reno.usual((int) (MIN_RTO_NS / SLOT_NS));
            final Reno hosts = new Reno(WINDOW, usual.initialPackets(), usual.queuePackets(), usual.ackBytes(),
                usual.minRtoSlots(), usual.wireSlots(), Congestion.Dctcp.USUAL);
            try (Arena arena = Arena.ofConfined()) {
                final SwitchedNetwork network = new SwitchedNetwork(arena, flows, hosts,
                    new SwitchRules(PACKET_BYTES, LINK_SLOTS, (long) QUEUE_PACKETS * PACKET_BYTES,
                        MarkLaw.above((long) MARK_PACKETS * PACKET_BYTES), false),
                    new FatTreeRoutes(RADIX, SLOT_BYTES, flows, 1, seeded.seed()));
                seeded.advance(network::advance, ParetoRuns.lastSlot(flows, SLOT_NS));
                network.checkConserved();
                return numbers(times(flows, network));
            }
        });
    }

    private static FlowTimes times(final FlowSet flows, final SwitchedNetwork network) {
        final long[] end = new long[flows.size()];
        final long[] received = new long[flows.size()];
        Arrays.setAll(end, flow -> network.completedBefore(flow) == 0 ? FlowTimes.OPEN
            : network.completedBefore(flow));
        Arrays.setAll(received, network::receivedOf);
        return new FlowTimes(SLOT_NS, flows, end, received, network.slot());
    }

    private static double[] numbers(final FlowTimes times) {
        final double[] brief = times.shortUs();
        return new double[] {Arrays.stream(brief).average().orElse(Double.NaN), Quantiles.of(brief, 0.999),
            times.goodputGbps()};
    }
}
