package dev.skerry.bench.fabric;

import com.sun.management.ThreadMXBean;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * {@code skerry bench load}: measures the time of a link in a slot by the load, and the part of it that remains without
 * any cell.
 */
@Command(
    name = "load",
    description = {
        "Measures the CPU time of a link per slot and of a cell per hop, at loads from zero to full.",
        "",
        "With one channel, a link-slot is a node-slot. The workload is flows of 32 cells between random nodes; a "
            + "load is a share of the guaranteed throughput. For each fabric, it prints a line ns = a + b x hops, "
            + "fitted to loads of 1 %% and more, a plot of the points (#) and the line (|), and the points that "
            + "deviate from the line by more than a quarter; below 1 %%, only those above it.",
        ""
    }, footer = {
        "",
        "Example, the fabrics of 256 nodes:",
        "  ./skerry bench load --nodes 256"
    })
public final class Load extends ToolCommand {
    /** Slots of links between two readings of the CPU time. */
    private static final int LINK_SLOTS = 1 << 16;
    private static final int WINDOWS = 5;
    private static final double FITTED_FROM = 0.01;
    private static final double TOLERANCE = 0.25;
    private static final int COLUMNS = 50;
    /** Full load first, because it compiles the most code. */
    private static final double[] UTILISATIONS = {0.96, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0};
    private static final List<String> FABRICS = List.of(
        "--fabric shale --h 2 --nodes 16 --propagation-slots 6 --first-hop-tokens 4",
        "--fabric shale --h 2 --nodes 256",
        "--fabric shale --h 2 --nodes 1024", "--fabric shale --h 2 --nodes 10000", "--fabric shale --h 4 --nodes 10000",
        "--fabric shoal --channels 1 --nodes 16", "--fabric shoal --channels 1 --nodes 256",
        "--fabric shoal --channels 1 --nodes 1024",
        "--fabric stardust --nodes 16", "--fabric stardust --nodes 256", "--fabric stardust --nodes 1024",
        "--fabric stardust --topology n62");

    @Option(names = "--fabric", paramLabel = "NAME", description = "Only this fabric: shale, shoal or stardust.")
    private String fabric;

    @Option(names = "--nodes", paramLabel = "N", description = "Only fabrics of N nodes: 16, 256, 1024 or 10000.")
    private Integer nodes;

    @Option(names = "--ms", paramLabel = "MS", defaultValue = "500",
        description = "CPU time in ms for which each load is measured, after a warm-up of the same length (default: "
            + "${DEFAULT-VALUE}).")
    private int ms;

    private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    @Override
    public Integer call() {
        final List<String> chosen = FABRICS.stream()
            .filter(one -> fabric == null || one.startsWith("--fabric " + fabric + " "))
            .filter(one -> nodes == null || (one + " ").contains("--nodes " + nodes + " ")).toList();
        Choices.refuseIf(chosen.isEmpty(), "bench load", (fabric == null ? "" : "--fabric " + fabric + " ")
            + (nodes == null ? "" : "--nodes " + nodes), "no such fabric is measured",
            "give --fabric shale, shoal or stardust, --nodes 16, 256, 1024 or 10000, or neither");
        Choices.inRange("--ms", ms, 10, 60_000);
        for (final String one : chosen) {
            final List<LoadCurve.Point> points = new ArrayList<>();
            for (final double utilisation : UTILISATIONS) {
                points.addFirst(measured(one, utilisation));
            }
            print(one, points);
        }
        return 0;
    }

    private LoadCurve.Point measured(final String options, final double utilisation) {
        try (LoadRun run = new LoadRun(options, utilisation)) {
            final int slots = (int) Math.max(1, LINK_SLOTS / run.links());
            final double[] costs = new double[WINDOWS];
            final double[] hops = new double[1];
            window(run, slots, ms, hops);
            for (int window = 0; window < WINDOWS; window++) {
                costs[window] = window(run, slots, ms / (double) WINDOWS, hops);
            }
            Arrays.sort(costs);
            return new LoadCurve.Point(utilisation, hops[0], costs[WINDOWS / 2]);
        }
    }

    /**
     * Runs for some CPU time; returns ns of it per link-slot, and stores the hops per link-slot in {@code hops}.
     */
    private double window(final LoadRun run, final int slots, final double milliseconds, final double[] hops) {
        long used = 0;
        long linkSlots = 0;
        long crossed = 0;
        while (used < milliseconds * 1e6) {
            run.prepare(slots);
            final long before = threads.getCurrentThreadCpuTime();
            crossed += run.advance(slots);
            used += threads.getCurrentThreadCpuTime() - before;
            linkSlots += slots * run.links();
        }
        hops[0] = (double) crossed / linkSlots;
        return (double) used / linkSlots;
    }

    private void print(final String options, final List<LoadCurve.Point> points) {
        final PrintWriter out = out();
        final LoadCurve line = LoadCurve.fit(points.stream()
            .filter(point -> point.utilisation() >= FITTED_FROM).toList());
        out.printf(Locale.ROOT, "%n%s: a = %.2f ns a link-slot, b = %.1f ns a cell on a link%n",
            options.replace("--", "").replace("fabric ", ""), line.a(), line.b());
        out.printf(Locale.ROOT, "%6s  %10s  %10s  %10s%n", "load", "hops", "ns", "line");
        final double most = points.stream().mapToDouble(point -> Math.max(point.ns(), line.at(point.hops()))).max()
            .orElseThrow();
        for (final LoadCurve.Point point : points) {
            final double excess = line.excess(point);
            final boolean misses = point.utilisation() >= FITTED_FROM ? Math.abs(excess) > TOLERANCE
                : excess > TOLERANCE;
            final char[] plot = " ".repeat(COLUMNS + 1).toCharArray();
            Arrays.fill(plot, 0, (int) Math.round(point.ns() / most * COLUMNS), '#');
            plot[(int) Math.round(line.at(point.hops()) / most * COLUMNS)] = '|';
            out.printf(Locale.ROOT, "%4.1f %%  %10.5f  %10.3f  %10.3f  %s%s%n", 100 * point.utilisation(),
                point.hops(), point.ns(), line.at(point.hops()), new String(plot),
                misses ? String.format(Locale.ROOT, "  %+.0f %%", 100 * excess) : "");
        }
        out.flush();
    }

    /**
     * The CPU time of a link-slot over the cells that cross it, as a straight line: {@code ns = a + b * hops}.
     *
     * @param a CPU time of a link-slot without a cell, ns.
     * @param b CPU time of a cell on a link, ns.
     */
    record LoadCurve(double a, double b) {
        /**
         * One measured load.
         *
         * @param utilisation share of the fabric's guarantee, 0 to 1.
         * @param hops        cells that crossed a link, per link-slot.
         * @param ns          CPU time of a link-slot.
         */
        record Point(double utilisation, double hops, double ns) {
        }

        /** Returns the line with the least sum of squared relative errors, with both coefficients at least zero. */
        static LoadCurve fit(final List<Point> points) {
            double w = 0;
            double wx = 0;
            double wxx = 0;
            double wy = 0;
            double wxy = 0;
            for (final Point point : points) {
                final double weight = 1 / (point.ns * point.ns);
                w += weight;
                wx += weight * point.hops;
                wxx += weight * point.hops * point.hops;
                wy += weight * point.ns;
                wxy += weight * point.hops * point.ns;
            }
            final double b = (w * wxy - wx * wy) / (w * wxx - wx * wx);
            final double a = (wy - b * wx) / w;
            return b < 0 ? new LoadCurve(wy / w, 0) : a < 0 ? new LoadCurve(0, wxy / wxx) : new LoadCurve(a, b);
        }

        /** Returns the value of the line at a load, in ns. */
        double at(final double hops) {
            return a + b * hops;
        }

        /** Returns how far a point lies above the line, as a share of the line. */
        double excess(final Point point) {
            return point.ns / at(point.hops) - 1;
        }
    }
}
