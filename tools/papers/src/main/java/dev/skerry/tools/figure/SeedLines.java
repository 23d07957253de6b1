package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Lines of a plot from samples: what is drawn of numbers over seeds. Pure functions; the plot's thread. */
public final class SeedLines {
    private SeedLines() {
    }

    /** Adds bars over names, with their 95 % intervals. */
    public static void addBars(final Plot plot, final String name, final Sample... y) {
        add(plot, name, Plot.Style.BARS, IntStream.range(0, y.length).asDoubleStream().toArray(), y);
    }

    /** Adds the means at some x with their 95 % intervals; seeds that do not have a value are left out of it. */
    public static void add(final Plot plot, final String name, final double[] x, final Sample... y) {
        add(plot, name, Plot.Style.DOTS, x, y);
    }

    private static void add(final Plot plot, final String name, final Plot.Style style, final double[] x,
        final Sample... y) {
        final double[] mean = Arrays.stream(y).mapToDouble(sample -> sample.known().mean()).toArray();
        final double[] half = Arrays.stream(y).mapToDouble(sample -> sample.known().halfWidth()).toArray();
        plot.add(name, style, x, mean, ends(mean, half, -1), ends(mean, half, 1));
    }

    private static double[] ends(final double[] mean, final double[] half, final int sign) {
        return IntStream.range(0, mean.length).mapToDouble(i -> mean[i] + sign * half[i]).toArray();
    }

    /** The same over names. */
    public static void add(final Plot plot, final String name, final Sample... y) {
        add(plot, name, IntStream.range(0, y.length).asDoubleStream().toArray(), y);
    }
}
