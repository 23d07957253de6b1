package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Rates of the flows of a permutation, of several seeds: Stardust Figure 10a.
 *
 * @param ordered Gb/s of the slowest flow of each seed, of the next one, and so on.
 * @param others  the other numbers of a run.
 */
record FlowRates(Sample[] ordered, Sample[] others) {
    static final int SEEDS = 5;
    private static final double GBPS = 10;
    private static final double FAST_GBPS = 9.4;

    /**
     * Measures some permutations.
     *
     * @param run gives {@link #numbers}.
     */
    static FlowRates measure(final int seeds, final Effort effort,
        final Function<Effort, double[]> run) {
        final Sample[] all = Sample.of(seeds, effort, run);
        return new FlowRates(Arrays.copyOf(all, StardustTcp.HOSTS),
            Arrays.copyOfRange(all, StardustTcp.HOSTS, all.length));
    }

    /** The numbers of one permutation, from the Gb/s of its flows, which are sorted, and others. */
    static double[] numbers(final double[] rates, final double... others) {
        Arrays.sort(rates);
        final double[] all = Arrays.copyOf(rates, rates.length + others.length);
        System.arraycopy(others, 0, all, rates.length, others.length);
        return all;
    }

    /** Mean rate of each permutation as a share of the links. */
    Sample means() {
        return bySeed(rates -> Arrays.stream(rates).average().orElseThrow() / GBPS);
    }

    /** Flows of 9.4 Gb/s and more of each permutation, in percent. */
    Sample fast() {
        return bySeed(rates -> 100.0 * Arrays.stream(rates).filter(rate -> rate >= FAST_GBPS).count() / rates.length);
    }

    double slowest() {
        return ordered[0].least();
    }

    double fastest() {
        return ordered[ordered.length - 1].most();
    }

    private Sample bySeed(final ToDoubleFunction<double[]> value) {
        return new Sample(IntStream.range(0, ordered[0].values().length)
            .mapToDouble(seed -> value.applyAsDouble(Arrays.stream(ordered).mapToDouble(of -> of.values()[seed])
                .toArray())).toArray());
    }

    /** What the paper says of Stardust's rates, as the means over permutations. */
    void addStardust(final Findings found) {
        found.atLeast("mean rate, share of 10 Gb/s", "0.94", 0.94, means())
            .atLeast("flows of 9.4 Gb/s and more, %", "96", 96, fast()).spread("that", fast())
            .reported("slowest flow, Gb/s", "", slowest());
    }

    /** Figure 10a without lines, of {@link #SEEDS} permutations. */
    static Plot plot() {
        return new Plot("rates", "Throughput of each flow, mean of " + SEEDS + " permutations",
            "flow, in increasing order", "throughput (Gb/s)");
    }

    /** Adds the flows by their rates, those of the same place in each permutation together. */
    void addTo(final Plot plot, final String name) {
        plot.add(name, Plot.Style.LINE, IntStream.rangeClosed(1, ordered.length).asDoubleStream().toArray(),
            Arrays.stream(ordered).mapToDouble(Sample::mean).toArray());
    }
}
