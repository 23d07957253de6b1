package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.util.Arrays;

/** A permutation of 432 hosts that speak TCP New Reno: Stardust Figure 10a (docs/spec/stardust.md §10 row 12). */
public final class StardustPermutation {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig10a", "Figure 10a",
        "permutation of 432 hosts, TCP New Reno", 7, 1.3, StardustPermutation::measure);

    /** What the paper prints: 9.44 Gb/s on 96 % of the flows. */
    private static final double FAST_SHARE = 0.96;
    private static final double PRINTED_GBPS = 9.44;

    private StardustPermutation() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final double share = effort.quick() ? 1 : FlowRates.SEEDS / (FlowRates.SEEDS + 2.0);
        final FlowRates rates = measure(StardustTcp.PAPER, FlowRates.SEEDS, found, effort.part(0, share));
        rates.addStardust(found);
        final String paper = "Stardust, cells of 512 B";
        final Plot plot = FlowRates.plot();
        rates.addTo(plot, paper);
        plot.addPublished(paper, "as printed", new double[] {StardustTcp.HOSTS * (1 - FAST_SHARE), StardustTcp.HOSTS},
            new double[] {PRINTED_GBPS, PRINTED_GBPS});
        if (!effort.quick()) {
            final FlowRates small = measure(StardustTcp.SMALL, 1, found, effort.part(share, 1));
            found.reported("  mean rate, share of 10 Gb/s", "", small.means().mean())
                .reported("  slowest flow, Gb/s", "", small.slowest())
                .remark("Of cells of 256 B and 16 of header 0.941 are payload, so that 0.94 is out of their reach.");
            small.addTo(plot, "Stardust, cells of 256 B, one permutation");
        }
        return found.add(plot).remark("A pod whose 36 hosts all hear from other pods gets 9.1 to 9.2 Gb/s for each: "
            + "without speed-up the links into it are as full as those to its hosts, and all of them mark.")
            .remark("DCTCP, DCQCN and MPTCP are stardust-fig10a-peers.");
    }

    private static FlowRates measure(final StardustTcp tcp, final int seeds, final Findings found,
        final Effort effort) {
        final FlowRates rates = FlowRates.measure(seeds, effort,
            seeded -> numbers(tcp, seeded));
        found.exactly("payload of " + tcp.payloadBytes() + " B: cells and packets dropped", 0,
            rates.others()[0].most());
        found.exactly("  segments sent again", 0, rates.others()[1].most());
        return rates;
    }

    /** Rates of the flows, what was dropped, and segments sent again. */
    private static double[] numbers(final StardustTcp tcp, final Effort effort) {
        final int warmUp = tcp.slots(effort.either(8, 12));
        final int slots = tcp.slots(effort.either(4, 10));
        final double before = (double) warmUp / (warmUp + slots);
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(StardustTcp.HOSTS, tcp.payloadBytes(),
            1, effort.seed());
        try (StardustEngine engine = new StardustEngine(tcp.fabric(effort.seed()), flows, effort.threads())) {
            effort.part(0, before).advance(engine::advance, warmUp);
            final double[] rates = new double[StardustTcp.HOSTS];
            Arrays.setAll(rates, engine::receivedOf);
            effort.part(before, 1).advance(engine::advance, slots);
            Arrays.setAll(rates, flow -> (engine.receivedOf(flow) - rates[flow]) / (tcp.slotBytes() * slots)
                * StardustTcp.GBPS);
            engine.checkConserved();
            return FlowRates.numbers(rates, StardustRuns.dropped(engine), engine.count(NicCounter.PACKETS_RESENT));
        }
    }
}
