package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What credits do for a port: Stardust §4.1, §5.4, §6.2 and Figures 7 and 12 (docs/spec/stardust.md §7, §10 rows 3, 15
 * and 22).
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

    /**
     * A megabyte from each of 128 adapters at once to one port of 50 Gb/s: what waits at its source is not lost, with
     * 32 MB before the port it is (Stardust §5.4, docs/spec/stardust.md §10 row 15). 64 elements of 128 links in one
     * tier; ports send the payload of cells at 50 Gb/s, links have their headers' share more.
     */
    public static final Figure INCAST_BUFFER = new Figure("stardust-incast-buffer", "Section 5.4",
        "1 MB from each of 128 adapters to a port, pulled and pushed", 1.5, 0.3, StardustCredits::absorption);

    private static final FoldedClosConfig THREE = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
    private static final int A = 4;
    private static final int B = 5;
    private static final int BYTES = 512;
    private static final CellCut CUT = new CellCut(BYTES, BYTES, false, Packing.CONTINUOUS);
    private static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final double LINK_BYTES = NETWORK.faLinks() * (double) CELL_BYTES;
    private static final int[] SIZES = {1024, 2048, 4096, 8192, 16_384};
    private static final double LOAD = 0.95;
    private static final int SEEDS = 5;
    private static final int ADAPTERS = 128;
    private static final long ABSORPTION_BYTES = 1_000_000;
    private static final long BUFFER_BYTES = 32_000_000;
    private static final double GBPS = 50;
    private static final double SLOT_US = CELL_BYTES * Byte.SIZE / GBPS / 1e3;
    private static final int LINK_SLOTS = 13;
    private static final double ROUND_US = (double) ADAPTERS * Credits.USUAL_BYTES * Byte.SIZE / GBPS / 1e3;
    /** Port 0 of the first adapter; the senders are the other ports of all. */
    private static final int PORTS = 2;

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
            final double port = BYTES / 1.1;
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
        final Sample[][] of = Sample.sweep(SEEDS, effort, SIZES, StardustCredits::numbers);
        final Sample[] held = of[1];
        for (int i = 0; i < SIZES.length; i++) {
            found.near("credits of " + SIZES[i] + " B: share of the links in use", LOAD, 0.01, of[0][i])
                .reported("  most that a port held, B", "", held[i])
                .exactly("  cells dropped", 0, of[2][i].most());
        }
        found.atLeast("least that a port's memory grows by as credits double", "it grows", 1,
            IntStream.range(1, SIZES.length).mapToDouble(i -> held[i].mean() / held[i - 1].mean()).min().orElseThrow());
        return found.add(Sample.draw(new Plot("memory", "Most that a port held", "credit size (B)",
            Plot.Scale.LOGARITHMIC, "memory of a port (B)", Plot.Scale.LOGARITHMIC), "port",
            Arrays.stream(SIZES).asDoubleStream().toArray(), held));
    }

    /** The share of the links that was in use, the most that a port held, and cells dropped. */
    private static double[] numbers(final int credit, final Effort effort) {
        final int slots = effort.either(1_000, 4_000);
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(NETWORK)), 1,
            HostSide.of(1, 1, 0.97 * LINK_BYTES), new CellCut(SIZES[0], CELL_BYTES, false, Packing.CONTINUOUS),
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

    private static Findings absorption(final Effort effort) {
        final Findings found = new Findings();
        final int senders = effort.either(ADAPTERS / 4, ADAPTERS);
        pullMegabytes(found, senders, effort.part(0, 0.9));
        if (!effort.quick()) {
            pushMegabytes(found, effort.part(0.9, 1));
        }
        return found;
    }

    private static void pullMegabytes(final Findings found, final int senders, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pulled(effort.seed()), flows(senders), effort.threads())) {
            final Outcome outcome = CircuitRuns.complete(engine, senders, effort);
            final int done = outcome.completedIn().length;
            final double optimum = senders * ABSORPTION_BYTES * Byte.SIZE / GBPS / 1e3;
            final double last = done < senders ? Double.NaN : (outcome.completedIn()[senders - 1] + 1) * SLOT_US;
            final double first = done < senders ? Double.NaN : (outcome.completedIn()[0] + 1) * SLOT_US;
            double peak = 0;
            for (int adapter = 1; adapter < senders; adapter++) {
                peak = Math.max(peak, engine.maxWaitingAt(adapter) / 1e6);
            }
            found.between("all drained, ms over " + Check.text(optimum / 1e3), "1", 1, 1.01, last / optimum)
                .near("most that an adapter holds for it, MB", 1 - 1.0 / senders, 0.01, peak)
                .atMost("first to last, rounds of credits of " + Check.text(ROUND_US * senders / ADAPTERS)
                    + " us", "3", 3, (last - first) / (ROUND_US * senders / ADAPTERS))
                .exactly("cells and packets dropped", 0, CircuitRuns.dropped(engine))
                .exactly("pauses", 0, engine.count(NicCounter.PAUSES));
        }
    }

    /** Adapters send at once what comes in; the elements lose nothing, the port what it has no room for. */
    private static void pushMegabytes(final Findings found, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pushed(effort.seed()), flows(ADAPTERS), effort.threads())) {
            // All of it is at the port: half as fast as it comes in, as the adapters have twice the links.
            effort.advance(engine::advance, 4 * ABSORPTION_BYTES / CELL_BYTES);
            engine.checkConserved();
            found.between("pushed through a buffer of 32 MB: MB lost", "94", 0.98 * 94, 1.02 * 94,
                (double) engine.count(NicCounter.PACKETS_LOST) * CELL_BYTES / 1e6);
        }
    }

    private static FlowSet flows(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int adapter = 0; adapter < senders; adapter++) {
            flows.add(adapter, PORTS * adapter + 1, 0, ABSORPTION_BYTES, (int) (ABSORPTION_BYTES / CELL_BYTES) + 1, 0);
        }
        return flows;
    }

    private static Stardust pulled(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, 1 << 17, 1 << 16, HostModel.PACED),
            new CellCut(1500, CELL_BYTES, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 1.02 * CELL_BYTES, 0, 0, 1, true), LinkRules.USUAL, true, seed);
    }

    private static Stardust pushed(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, BUFFER_BYTES / 2, BUFFER_BYTES / 4, HostModel.PACED),
            new CellCut(CELL_BYTES, CELL_BYTES, false, Packing.CONTINUOUS), Credits.paced(CELL_BYTES),
            LinkRules.dropping(1 << 20, Spraying.RENEWED), false, seed);
    }

    private static Deployment network() {
        return Deployment.full(new FoldedClos(new FoldedClosConfig(ADAPTERS, 64, 1, ADAPTERS, 0, List.of())));
    }
}
