package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.util.Arrays;

/**
 * A permutation of the 432 hosts of Stardust Figure 10a with sources that always have something to send, which isolates
 * the fabric from the transport (docs/spec/stardust.md §10 row 12): cells of 496 and 16 bytes, credits 3 % above the
 * port, marks from 64 cells on.
 */
public final class StardustHosts {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig10a-fabric", "Figure 10a",
        "permutation of 432 hosts, sources without a transport", 1.5, 0.1, StardustHosts::measure);

    static final int HOSTS = 432;
    static final double PORT_BYTES = 512;
    static final double GBPS = 10;
    private static final int PACKET_BYTES = 8926;

    private StardustHosts() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final FlowRates rates = FlowRates.measure(FlowRates.SEEDS, effort, StardustHosts::numbers);
        found.exactly("cells and packets dropped", 0, rates.others()[0].most());
        rates.addStardust(found);
        final Plot plot = FlowRates.plot();
        rates.addTo(plot, "Stardust");
        return found.add(plot);
    }

    /** Rates of the flows, and what was dropped. */
    private static double[] numbers(final Effort effort) {
        final int warmUp = effort.either(10_000, 40_000);
        final int slots = effort.either(8_000, 60_000);
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(HOSTS, 496, 1, effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric(6, effort.seed()), flows, effort.threads())) {
            effort.part(0, (double) warmUp / (warmUp + slots)).advance(engine::advance, warmUp);
            final double[] rates = StardustRuns.bytes(engine, HOSTS);
            effort.part((double) warmUp / (warmUp + slots), 1).advance(engine::advance, slots);
            final double[] after = StardustRuns.bytes(engine, HOSTS);
            Arrays.setAll(rates, host -> (after[host] - rates[host]) / (PORT_BYTES * slots) * GBPS);
            engine.checkConserved();
            return FlowRates.numbers(rates, StardustRuns.dropped(engine));
        }
    }

    /** The fat tree with a queue for each pair of an adapter's port and a host of another. */
    static Stardust fabric(final int queuesPerPort, final long seed) {
        return new Stardust(Deployment.full(new FoldedClos(FoldedClosConfig.N432)), 4,
            new HostSide(6, queuesPerPort, 1, PORT_BYTES, 1 << 16, 1 << 15, false),
            new CellCut(PACKET_BYTES, 496, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, PORT_BYTES * 1.03, 0, 0, 1, true), LinkRules.USUAL.marking(64), true,
            seed);
    }
}
