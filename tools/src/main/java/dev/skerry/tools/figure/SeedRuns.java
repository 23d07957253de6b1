package dev.skerry.tools.figure;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Runs of one point of a figure, one for each seed: its numbers, apart from what is drawn and judged of them. Pure
 * functions; any thread.
 */
public final class SeedRuns {
    /** A point of a figure with one seed. */
    @FunctionalInterface
    public interface Run {
        /**
         * Measures it.
         *
         * @param effort   with the seed of this run.
         * @param progress of this run.
         * @return its numbers, always the same ones in the same order; NaN for what this run does not have.
         */
        double[] numbers(Effort effort, FigureProgress progress);
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
     * @return each of its numbers over the seeds.
     */
    public static Sample[] of(final int seeds, final Effort effort, final FigureProgress progress, final Run run) {
        final double[][] numbers = new double[seeds][];
        for (int i = 0; i < seeds; i++) {
            final Effort seeded = effort.seeded(i);
            final FigureProgress part = progress.turn(i, seeds);
            numbers[i] = effort.kept().numbers(Numbers.class, "seed " + seeded.seed(),
                () -> new Numbers(run.numbers(seeded, part))).values;
        }
        return samples(numbers);
    }

    /** Each number over the seeds, from the numbers of each seed. */
    public static Sample[] samples(final double[][] bySeed) {
        return IntStream.range(0, bySeed[0].length)
            .mapToObj(number -> new Sample(Arrays.stream(bySeed).mapToDouble(each -> each[number]).toArray()))
            .toArray(Sample[]::new);
    }
}
