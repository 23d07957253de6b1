package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
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
import java.util.List;
import java.util.stream.IntStream;

/**
 * What credits do for a port: Stardust §4.1, §6.2 and Figures 7 and 12 (docs/spec/stardust.md §7, §10 rows 3 and 22).
 */
public final class StardustCredits {
    /**
     * Pushing against pulling: three edge devices, two in the middle, hosts 0 and 2 send to port A, host 1 to port B:
     * Stardust Figures 7 and 12 (docs/spec/stardust.md §7, §10 row 3).
     */
    public static final Figure FIG7 = new Figure("stardust-fig7", "Figures 7, 12",
        "what a port gets beside one that is overloaded, pushed and pulled", 0.1, 0.1, StardustCredits::starvation);
    /**
     * Larger credits carry no more but fill the port that they are for: Stardust §4.1 and §6.2 (docs/spec/stardust.md
     * §10 row 22). The network of Figure 9, packets of 1,024 bytes, all to all; credits at 95 % and a port at 97 % of
     * the rate of an adapter's links.
     */
    public static final Figure CREDIT_SIZE = new Figure("stardust-credit-size", "Sections 4.1, 6.2",
        "throughput and memory of a port by the size of credits", 15, 2.1, StardustCredits::creditSize);

    private static final FoldedClosConfig THREE = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
    private static final int A = 4;
    private static final int B = 5;
    private static final int BYTES = 512;
    private static final double SPEED_UP = 1.1;
    private static final CellCut CUT = new CellCut(BYTES, BYTES, false, Packing.CONTINUOUS);
    private static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final double LINK_BYTES = NETWORK.faLinks() * (double) CELL_BYTES;
    private static final int[] SIZES = {1024, 2048, 4096, 8192, 16_384};
    private static final double LOAD = 0.95;
    private static final double PORT = 0.97;
    private static final int SEEDS = 5;

    private StardustCredits() {
    }

    private static Findings starvation(final Effort effort) {
        final Findings found = new Findings();
        final int slots = effort.either(60_000, 600_000);
        for (int classes = 1; classes <= 2; classes++) {
            final String of = classes == 1 ? "" : ", A's traffic of the higher class";
            try (StardustEngine engine = run(push(classes, effort), classes, slots, effort)) {
                found.within("push" + of + ": A, % of the port", 100, 1, rate(engine, A, BYTES, slots));
                found.within("push" + of + ": B, % of the port", classes == 1 ? 66.7 : 0, 1,
                    rate(engine, B, BYTES, slots));
            }
            effort.done(classes / 2.0 - 0.25);
            final double port = BYTES / SPEED_UP;
            try (StardustEngine engine = run(pull(classes, port, effort), classes, slots, effort)) {
                found.within("pull" + of + ": A, % of the port", 100, 1, rate(engine, A, port, slots));
                found.within("pull" + of + ": B, % of the port", 100, 1, rate(engine, B, port, slots));
                found.exactly("pull" + of + ": cells dropped", 0, CircuitRuns.dropped(engine));
                found.exactly("pull" + of + ": pauses", 0, engine.count(NicCounter.PAUSES));
            }
            effort.done(classes / 2.0);
        }
        return found;
    }

    private static Stardust push(final int classes, final Effort effort) {
        return new Stardust(Deployment.full(new FoldedClos(THREE)), 2,
            new HostSide(2, 2, classes, BYTES, 1 << 16, 1 << 15, true), CUT, Credits.paced(BYTES).of(BYTES),
            LinkRules.dropping(LinkRules.USUAL.limitCells(), Spraying.RENEWED), false, effort.seed());
    }

    private static Stardust pull(final int classes, final double port, final Effort effort) {
        return new Stardust(Deployment.full(new FoldedClos(THREE)), 2,
            new HostSide(2, 2, classes, port, 1 << 17, 1 << 16, true), CUT,
            new Credits(Credits.USUAL_BYTES, 1.02 * port, 0, 0, 1, true), LinkRules.USUAL, true, effort.seed());
    }

    private static StardustEngine run(final Stardust fabric, final int classes, final int slots, final Effort effort) {
        final FlowSet flows = new FlowSet();
        final int[][] pairs = {{0, A}, {1, B}, {2, A}};
        for (final int[] pair : pairs) {
            CircuitRuns.endless(flows, pair[0], pair[1]);
            flows.setClass(pair[1] == A ? 0 : classes - 1);
        }
        final StardustEngine engine = new StardustEngine(fabric, flows, effort.threads());
        engine.advance(slots);
        engine.checkConserved();
        return engine;
    }

    private static double rate(final StardustEngine engine, final int port, final double bytesPerSlot,
        final int slots) {
        return 100 * engine.bytesTo(port) / bytesPerSlot / slots;
    }

    private static Findings creditSize(final Effort effort) {
        final Findings found = new Findings();
        final Sample[] held = new Sample[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            final int credit = SIZES[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, SIZES.length), seeded -> numbers(credit, seeded));
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
        try (StardustEngine engine = new StardustEngine(fabric, CircuitRuns.endless(NETWORK.fas(), 1,
            (from, to) -> true), effort.threads())) {
            effort.part(0, 0.3).advance(engine::advance, slots / 2);
            final double before = CircuitRuns.sent(engine, NETWORK.fas());
            effort.part(0.3, 1).advance(engine::advance, slots);
            engine.checkConserved();
            final double after = CircuitRuns.sent(engine, NETWORK.fas());
            final double most = IntStream.range(0, NETWORK.fas()).mapToDouble(engine::maxHeldAt).max().orElseThrow();
            return new double[] {(after - before) / LINK_BYTES / NETWORK.fas() / slots, most,
                CircuitRuns.dropped(engine)};
        }
    }
}
