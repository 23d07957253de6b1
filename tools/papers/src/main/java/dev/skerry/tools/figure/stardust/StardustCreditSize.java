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
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Larger credits carry no more but fill the port that they are for: Stardust §4.1 and §6.2 (docs/spec/stardust.md §10
 * row 22). The network of Figure 9, packets of 1,024 bytes, all to all; credits at 95 % and a port at 97 % of the rate
 * of an adapter's links.
 */
public final class StardustCreditSize {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-credit-size", "Sections 4.1, 6.2",
        "throughput and memory of a port by the size of credits", 15, 2.1, StardustCreditSize::measure);

    private static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final double LINK_BYTES = NETWORK.faLinks() * (double) CELL_BYTES;
    private static final int[] SIZES = {1024, 2048, 4096, 8192, 16_384};
    private static final double LOAD = 0.95;
    private static final double PORT = 0.97;
    private static final int SEEDS = 5;

    private StardustCreditSize() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Sample[] held = new Sample[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            final int credit = SIZES[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, SIZES.length),
                seeded -> numbers(credit, seeded));
            held[i] = of[1];
            found.near("credits of " + credit + " B: share of the links in use", LOAD, 0.01, of[0])
                .reported("  most that a port held, B", "", held[i])
                .exactly("  cells dropped", 0, of[2].most());
        }
        found.atLeast("least that a port's memory grows by as credits double", "it grows", 1,
            IntStream.range(1, SIZES.length).mapToDouble(i -> held[i].mean() / held[i - 1].mean()).min().orElseThrow());
        final Plot plot = new Plot("memory", "Most that a port held", "credit size (B)", Plot.Scale.LOGARITHMIC,
            "memory of a port (B)", Plot.Scale.LOGARITHMIC);
        Sample.draw(plot, "port", Arrays.stream(SIZES).asDoubleStream().toArray(), held);
        return found.add(plot);
    }

    /** The share of the links that was in use, the most that a port held, and cells dropped. */
    private static double[] numbers(final int credit, final Effort effort) {
        final int slots = effort.either(1_000, 4_000);
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(NETWORK)), 1,
            HostSide.of(1, 1, PORT * LINK_BYTES), new CellCut(SIZES[0], CELL_BYTES, false, Packing.CONTINUOUS),
            Credits.paced(LOAD * LINK_BYTES).of(credit), LinkRules.UNLIMITED, true, effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, allToAll(), effort.threads())) {
            effort.part(0, 0.3).advance(engine::advance, slots / 2);
            final double before = Arrays.stream(StardustRuns.bytes(engine, NETWORK.fas())).sum();
            effort.part(0.3, 1).advance(engine::advance, slots);
            engine.checkConserved();
            final double after = Arrays.stream(StardustRuns.bytes(engine, NETWORK.fas())).sum();
            final double most = IntStream.range(0, NETWORK.fas()).mapToDouble(engine::maxHeldAt).max().orElseThrow();
            return new double[] {(after - before) / LINK_BYTES / NETWORK.fas() / slots, most,
                StardustRuns.dropped(engine)};
        }
    }

    private static FlowSet allToAll() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NETWORK.fas(); from++) {
            for (int to = 0; to < NETWORK.fas(); to++) {
                if (from != to) {
                    CircuitRuns.endless(flows, from, to);
                }
            }
        }
        return flows;
    }
}
