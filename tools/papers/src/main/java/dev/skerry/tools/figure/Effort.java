package dev.skerry.tools.figure;

import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The work that a figure, or a part of it, may take, and the receiver of its progress. Immutable.
 *
 * @param quick whether a short version is enough: fewer seeds, shorter runs or a smaller fabric, for a first look and
 *              for tests. Its rules are those of the whole figure.
 * @param seed first seed; a figure with n seeds takes {@code seed} to {@code seed + n - 1}.
 * @param extent choice among the runs of a figure, and their length.
 * @param threads workers of an engine; the values do not depend on them.
 * @param kept runs that were completed earlier.
 * @param progress receiver of the progress of this part of the work.
 */
public record Effort(boolean quick, long seed, Extent extent, int threads, KeptRuns kept, Progress progress) {
    /** Seeds of a point, unless the figure states another number. */
    static final int SEEDS = 5;
    private static final int STEPS = 200;

    /** Receives the progress of a figure, on the thread that measures. */
    @FunctionalInterface
    public interface Progress {
        /** Ignores the progress. */
        Progress NONE = share -> { };

        /**
         * Reports progress. Called about once a second.
         *
         * @param share completed share of all the work, 0 to 1.
         * @throws StoppedException if the user stops the figure, which then closes what it opened and passes the
         *                          exception on.
         */
        void done(double share);
    }

    /** Thrown when the user stops a figure. */
    public static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** Creates the exception. */
        public StoppedException() {
            super("stopped", null, false, false);
        }
    }

    /** The numbers kept of a run. */
    record Numbers(double[] values) {
    }

    /** The choices that a figure may offer to its user. */
    public enum Choice {
        /** Slots of each run. */
        SLOTS("--slots"),
        /** Nodes of the fabric. */
        NODES("--nodes"),
        /** Runs by h. */
        PHASES("--h"),
        /** Runs by mechanism. */
        MECHANISMS("--cc");

        /** The option as it is typed. */
        final String option;

        Choice(final String option) {
            this.option = option;
        }
    }

    /**
     * The length of the runs of a figure and the choice among them, for figures that take hours. Immutable.
     *
     * @param slots slots of each run, 0 for the figure's own number.
     * @param nodes nodes of the fabric, 0 for the figure's own number.
     * @param phases values of h, empty for all values of the figure.
     * @param mechanisms mechanisms by their names on the command line, empty for all of the figure.
     */
    public record Extent(int slots, int nodes, SortedSet<Integer> phases, SortedSet<String> mechanisms) {
        /** The whole figure. */
        public static final Extent ALL = new Extent(0, 0, new TreeSet<>(), new TreeSet<>());

        /** Checks the numbers and copies the sets. */
        public Extent {
            Bounds.atLeast("slots", slots, 0);
            Bounds.atLeast("nodes", nodes, 0);
            phases = Collections.unmodifiableSortedSet(new TreeSet<>(phases));
            mechanisms = Collections.unmodifiableSortedSet(new TreeSet<>(mechanisms));
        }

        /** Returns the choices that were made. */
        public Set<Choice> chosen() {
            return Arrays.stream(Choice.values()).filter(choice -> !words(choice).isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        }

        /** Returns a choice as it is typed; empty if it was not made. */
        public String words(final Choice choice) {
            return switch (choice) {
                case SLOTS -> slots > 0 ? Integer.toString(slots) : "";
                case NODES -> nodes > 0 ? Integer.toString(nodes) : "";
                case PHASES -> phases.stream().map(String::valueOf).collect(Collectors.joining(","));
                case MECHANISMS -> String.join(",", mechanisms);
            };
        }

        /** Tells whether runs with h phases are measured. */
        public boolean has(final int h) {
            return phases.isEmpty() || phases.contains(h);
        }

        /** Tells whether runs of a mechanism are measured. */
        public boolean has(final String mechanism) {
            return mechanisms.isEmpty() || mechanisms.contains(mechanism);
        }
    }

    /** Checks the threads. */
    public Effort {
        Bounds.atLeast("threads", threads, 1);
    }

    /** Creates the effort of a whole figure, without kept runs and without a receiver of progress. */
    public Effort(final boolean quick, final long seed, final int threads) {
        this(quick, seed, Extent.ALL, threads, KeptRuns.NONE, Progress.NONE);
    }

    /** Returns this effort for one figure, whose runs are counted from its first. */
    Effort of(final Figure figure) {
        return new Effort(quick, seed, extent, threads, kept.of(figure.name(), this), progress);
    }

    /** Returns this effort with another receiver of progress. */
    public Effort heardBy(final Progress listener) {
        return new Effort(quick, seed, extent, threads, kept, listener);
    }

    /** Returns this effort without a receiver of progress. */
    public Effort silent() {
        return heardBy(Progress.NONE);
    }

    /** Returns this effort with another seed, counted from the first. */
    public Effort seeded(final int number) {
        return new Effort(quick, seed + number, extent, threads, kept, progress);
    }

    /** Returns the slots of a run: the number that the user chose, or the figure's own. */
    public int slots(final int ifQuick, final int ifWhole) {
        return extent.slots() > 0 ? extent.slots() : either(ifQuick, ifWhole);
    }

    /** Returns the value of the short version or of the whole one. */
    public int either(final int ifQuick, final int ifWhole) {
        return quick ? ifQuick : ifWhole;
    }

    /** Reports the progress of this part of the work; see {@link Progress#done}. */
    public void done(final double share) {
        progress.done(share);
    }

    /**
     * Returns a part of the work as if it were the whole: its 0 corresponds to {@code from} here, its 1 to {@code to}.
     */
    public Effort part(final double from, final double to) {
        return heardBy(share -> progress.done(from + (to - from) * share));
    }

    /** Returns one of several equal parts of the work, counted from 0. */
    public Effort turn(final int part, final int parts) {
        return part((double) part / parts, (part + 1.0) / parts);
    }

    /**
     * Returns one of several parts of the work, counted from 0.
     *
     * @param weights time of each part, in any unit.
     */
    public Effort turn(final int part, final double... weights) {
        final double all = Arrays.stream(weights).sum();
        final double before = Arrays.stream(weights, 0, part).sum();
        return part(before / all, (before + weights[part]) / all);
    }

    /** Measures several items one after the other, in equal parts of the work. */
    public <T> void each(final List<T> all, final BiConsumer<T, Effort> measure) {
        for (int i = 0; i < all.size(); i++) {
            measure.accept(all.get(i), turn(i, all.size()));
        }
    }

    /**
     * Measures a point of a figure with {@value #SEEDS} seeds, the seed of this effort and the following ones.
     *
     * @param run returns its numbers for one seed, always the same numbers in the same order; NaN for a number that
     *            this run does not have.
     * @return each of its numbers over the seeds.
     */
    Sample[] sample(final Function<Effort, double[]> run) {
        return sample(SEEDS, run);
    }

    /** Measures a point of a figure with another number of seeds. */
    Sample[] sample(final int seeds, final Function<Effort, double[]> run) {
        return Sample.columns(runs(Numbers.class, seeds, seeded -> new Numbers(run.apply(seeded))).stream()
            .map(Numbers::values).toList());
    }

    /** Measures a run without randomness. */
    double[] once(final Function<Effort, double[]> run) {
        return runs(Numbers.class, 1, seeded -> new Numbers(run.apply(seeded))).getFirst().values();
    }

    /**
     * Measures a point of which more than numbers is kept.
     *
     * @param type type of the result: a public record that {@link KeptRuns} can write.
     * @return the result of each seed.
     */
    <T extends Record> List<T> runs(final Class<T> type, final int seeds, final Function<Effort, T> run) {
        final List<T> results = new ArrayList<>();
        for (int i = 0; i < seeds; i++) {
            final Effort seeded = seeded(i).turn(i, seeds);
            results.add(kept.numbers(type, "seed " + seeded.seed, () -> run.apply(seeded)));
        }
        return results;
    }

    /**
     * Measures the points of a figure, in equal parts of its work.
     *
     * @param points points of the sweep.
     * @param run returns the numbers of a point for one seed, as in {@link #sample}.
     * @return values by number and point.
     */
    Sample[][] sweep(final int[] points, final BiFunction<Integer, Effort, double[]> run) {
        return sweep(SEEDS, points, run);
    }

    /** Measures the points of a figure with another number of seeds. */
    Sample[][] sweep(final int seeds, final int[] points, final BiFunction<Integer, Effort, double[]> run) {
        return sweep(seeds, points, Arrays.stream(points).mapToDouble(_ -> 1).toArray(), run);
    }

    /** Measures the points of a figure, in parts of the work by their weights. */
    Sample[][] sweep(final int seeds, final int[] points, final double[] weights,
        final BiFunction<Integer, Effort, double[]> run) {
        final Sample[][] byPoint = IntStream.range(0, points.length).mapToObj(i ->
            turn(i, weights).sample(seeds, seeded -> run.apply(points[i], seeded))).toArray(Sample[][]::new);
        return IntStream.range(0, byPoint[0].length).mapToObj(number ->
            Arrays.stream(byPoint).map(of -> of[number]).toArray(Sample[]::new)).toArray(Sample[][]::new);
    }

    /**
     * Advances an engine in steps, which together are this part of the work.
     *
     * @param engine advances by a number of slots.
     * @param slots slots in total.
     */
    public void advance(final LongConsumer engine, final long slots) {
        final long step = Math.max(1, Math.ceilDiv(slots, STEPS));
        for (long done = 0; done < slots; done += step) {
            progress.done((double) done / slots);
            engine.accept(Math.min(step, slots - done));
        }
    }
}
