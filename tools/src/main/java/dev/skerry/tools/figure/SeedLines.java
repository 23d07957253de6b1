package dev.skerry.tools.figure;

import dev.skerry.tools.report.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Lines of a plot from samples: what is drawn of numbers over seeds. Pure functions; the plot's thread. */
public final class SeedLines {
    private SeedLines() {
    }

    /** Adds the means at some x; seeds that do not have a value are left out of it. */
    public static void add(final Plot plot, final String name, final double[] x, final Sample... y) {
        plot.add(name, Plot.Style.DOTS, x, Arrays.stream(y).mapToDouble(sample -> sample.known().mean()).toArray());
    }

    /** The same over names. */
    public static void add(final Plot plot, final String name, final Sample... y) {
        add(plot, name, IntStream.range(0, y.length).asDoubleStream().toArray(), y);
    }
}
