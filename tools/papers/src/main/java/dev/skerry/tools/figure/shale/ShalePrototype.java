package dev.skerry.tools.figure.shale;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The 16 nodes of the prototype, each sending to the next: Shale §5.1, Figure 8, with the throughput and queues of the
 * authors' simulator beside ours (docs/spec/shale.md §10.3).
 */
public final class ShalePrototype {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig8", "Figure 8",
        "throughput and queues of the prototype of 16 nodes", 0.5, 0.2, ShalePrototype::measure);

    private static final int NODES = 16;
    private static final int PROPAGATION_SLOTS = 6;
    private static final double CELL_GBPS = 9.412;
    private static final int SLOTS = 100_000;
    private static final int SEEDS = 5;
    /** By phases (2, 4), then tokens (1, 2): what the authors' simulator delivered, and its longest queue. */
    private static final double[][] DELIVERED = {{0.276, 0.321}, {0.194, 0.216}};
    private static final int[][] LONGEST = {{5, 7}, {5, 6}};

    private ShalePrototype() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final List<String> names = new ArrayList<>();
        final Sample[][] values = new Sample[2][4];
        for (int i = 0; i < values[0].length; i++) {
            final int phases = 2 * (i / 2 + 1);
            final int tokens = i % 2 + 1;
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, values[0].length), seeded -> {
                final CircuitRuns.Steady steady = run(phases, tokens, seeded);
                return new double[] {steady.rate(NODES), CircuitRuns.max(steady.outcome().nodes().queueLength())};
            });
            add(found, phases, tokens, of[0], of[1]);
            names.add("h = " + phases + ", T = " + tokens);
            values[0][i] = new Sample(Arrays.stream(of[0].values()).map(rate -> rate * CELL_GBPS).toArray());
            values[1][i] = of[1];
        }
        final Plot rate = new Plot("throughput", "Throughput of 16 nodes", "schedule and tokens", names, "Gb/s",
            Plot.Scale.LINEAR);
        Sample.drawBars(rate, "throughput", values[0]);
        final Plot queue = new Plot("queues", "Maximum queue length of 16 nodes", "schedule and tokens", names, "cells",
            Plot.Scale.LINEAR);
        Sample.drawBars(queue, "longest queue", values[1]);
        final double[] x = IntStream.range(0, names.size()).asDoubleStream().toArray();
        return found.add(rate
            .addPublished("throughput", "authors' simulator", x, Arrays.stream(DELIVERED)
                .flatMapToDouble(Arrays::stream).map(each -> each * CELL_GBPS).toArray())
            .add("guarantee of h = 2, as printed", Plot.Style.BOUND, Arrays.copyOf(x, 2), new double[] {2.353, 2.353})
            .add("guarantee of h = 4, as printed", Plot.Style.BOUND, Arrays.copyOfRange(x, 2, 4),
                new double[] {1.176, 1.176}))
            .add(queue.addPublished("longest queue", "authors' simulator", x, Arrays.stream(LONGEST)
                .flatMapToInt(Arrays::stream).asDoubleStream().toArray()))
            .remark("Expected cells per slot and queues: the authors' simulator; its runs differ by chance.");
    }

    private static void add(final Findings found, final int phases, final int tokens, final Sample rate,
        final Sample queue) {
        final String of = "h = " + phases + ", T = " + tokens;
        final double expected = DELIVERED[phases / 2 - 1][tokens - 1];
        final int longest = LONGEST[phases / 2 - 1][tokens - 1];
        found.atLeast(of + ": cells per node and slot, the guarantee", Check.text(0.5 / phases), 0.5 / phases, rate);
        found.between("  the same, the authors' simulator", Check.text(expected), 0.99 * expected, 1.01 * expected,
            rate);
        found.between("  longest queue, cells", Integer.toString(longest), longest - 1, longest + 1, queue);
    }

    private static CircuitRuns.Steady run(final int phases, final int tokens, final Effort effort) {
        final Shale shale = ShaleRuns.fabric(phases, phases == 2 ? 4 : 2, 0, Mechanisms.HBH_SPRAY, tokens,
            PROPAGATION_SLOTS, effort.seed());
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < NODES; node++) {
            CircuitRuns.endless(flows, node, (node + 1) % NODES);
        }
        return CircuitRuns.steady(shale, flows, SLOTS / 10, SLOTS, effort);
    }
}
