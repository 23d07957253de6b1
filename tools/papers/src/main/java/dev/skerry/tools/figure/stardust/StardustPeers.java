package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The permutation of Stardust Figure 10a over packet switches, with the transports that the paper compares Stardust
 * with (docs/spec/stardust.md §10 row 12).
 */
public final class StardustPeers {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig10a-peers", "Figure 10a",
        "permutation of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP", 3, 0.8, StardustPeers::measure);

    private static final double WARM_UP_MS = 60;
    private static final double MEASURED_MS = 20;

    private StardustPeers() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = FlowRates.plot();
        measure(found, plot, PeerTree.DCTCP, 0.49, effort.part(0, 0.25));
        measure(found, plot, PeerTree.DCQCN, 0.47, effort.part(0.25, 0.5));
        measure(found, plot, PeerTree.MPTCP, 0.90, effort.part(0.5, 1));
        return found.add(plot).remark("DCTCP and DCQCN have one way for each flow, MPTCP eight, by hashes: flows that "
            + "share a link get less. Stardust is stardust-fig10a.");
    }

    private static void measure(final Findings found, final Plot plot, final PeerTree peer, final double paper,
        final Effort effort) {
        final double share = effort.quick() ? 0.75 : 1;
        final FlowRates rates = FlowRates.measure(FlowRates.SEEDS, effort,
            seeded -> numbers(peer, share, seeded));
        found.near(peer.name() + ": mean rate, share of 10 Gb/s", paper, 0.15, rates.means())
            .reported("  slowest flow, Gb/s", "", rates.slowest())
            .atMost("  fastest flow, Gb/s", "10 and a packet at most", StardustTcp.GBPS
                + StardustTcp.PACKET_BYTES * Byte.SIZE / (share * MEASURED_MS * 1e6), rates.fastest());
        peer.addLosses(found, "", rates.others());
        rates.addTo(plot, peer.name());
    }

    /** Rates of the flows and what was lost. */
    private static double[] numbers(final PeerTree peer, final double share, final Effort effort) {
        final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(StardustTcp.HOSTS,
            times.payloadBytes(), 1, effort.seed());
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = peer.network(arena, flows, StardustTcp.FIRST_PACKETS, effort.seed());
            final int slots = times.slots(share * MEASURED_MS);
            effort.part(0, 0.75).advance(network::advance, times.slots(share * WARM_UP_MS));
            final double[] rates = new double[StardustTcp.HOSTS];
            Arrays.setAll(rates, network::receivedOf);
            effort.part(0.75, 1).advance(network::advance, slots);
            Arrays.setAll(rates, flow -> (network.receivedOf(flow) - rates[flow]) / (times.slotBytes() * slots)
                * StardustTcp.GBPS);
            network.checkConserved();
            return FlowRates.numbers(rates, PeerTree.losses(network));
        }
    }
}
