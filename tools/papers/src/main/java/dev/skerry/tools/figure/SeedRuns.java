package dev.skerry.tools.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Runs of one point of a figure, one for each seed: its numbers, apart from what is drawn and judged of them. Pure
 * functions; any thread.
 */
public final class SeedRuns {
    /**
     * A point of a figure with one seed.
     *
     * @param <T> what is known of it then.
     */
    @FunctionalInterface
    public interface Run<T> {
        /**
         * Measures it.
         *
         * @param effort   with the seed of this run.
         * @param progress of this run.
         */
        T measure(Effort effort, FigureProgress progress);
    }

    /** What is kept of a run. */
    record Numbers(double[] values) {
    }

    private SeedRuns() {
    }

    /**
     * Measures a point with some seeds, from that of the effort on.
     *
     * @param seeds how many, 1 or more.
     * @param run   gives its numbers, always the same ones in the same order; NaN for what this run does not have.
     * @return each of its numbers over the seeds.
     */
    public static Sample[] of(final int seeds, final Effort effort, final FigureProgress progress,
        final Run<double[]> run) {
        return samples(each(Numbers.class, seeds, effort, progress,
            (seeded, part) -> new Numbers(run.measure(seeded, part))).stream().map(Numbers::values)
            .toArray(double[][]::new));
    }

    /**
     * The same for a point of which more is known than numbers.
     *
     * @param type of the result: a public record that {@link RecordFile} can write.
     * @return the result of each seed.
     */
    public static <T extends Record> List<T> each(final Class<T> type, final int seeds, final Effort effort,
        final FigureProgress progress, final Run<T> run) {
        final List<T> results = new ArrayList<>();
        for (int i = 0; i < seeds; i++) {
            final Effort seeded = effort.seeded(i);
            final FigureProgress part = progress.turn(i, seeds);
            results.add(effort.kept().numbers(type, "seed " + seeded.seed(), () -> run.measure(seeded, part)));
        }
        return results;
    }

    /** Each number over the seeds, from the numbers of each seed. */
    public static Sample[] samples(final double[][] bySeed) {
        return IntStream.range(0, bySeed[0].length)
            .mapToObj(number -> new Sample(Arrays.stream(bySeed).mapToDouble(each -> each[number]).toArray()))
            .toArray(Sample[]::new);
    }
}
