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
 * How much a figure, or a part of its work, is worth to who asks for it, and who hears how far it is. Immutable.
 *
 * @param quick    whether a short version will do: fewer seeds, shorter runs or a smaller fabric, for a look and for
 *                 tests. Its rules are those of the whole figure.
 * @param seed     the first of the seeds that it runs with; a figure that takes n of them takes {@code seed} to
 *                 {@code seed + n - 1}.
 * @param extent   which runs of a figure, and how long.
 * @param threads  workers of an engine; the values do not depend on them.
 * @param kept     runs that are done already.
 * @param progress hears how far this part of the work is.
 */
public record Effort(boolean quick, long seed, Extent extent, int threads, KeptRuns kept, Progress progress) {
    /** Seeds of a point of a figure, where the figure does not say otherwise. */
    static final int SEEDS = 5;
    private static final int STEPS = 200;

    /** Hears how far a figure has come. Called by the thread that measures. */
    @FunctionalInterface
    public interface Progress {
        /** Nobody listens. */
        Progress NONE = share -> { };

        /**
         * Some of the work is done. To be called every second or so.
         *
         * @param share of all the work, 0 to 1.
         * @throws StoppedException if the user wants no more of it; the figure lets it pass and closes what it opened.
         */
        void done(double share);
    }

    /** The user stopped a figure. */
    public static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** One stop. */
        public StoppedException() {
            super("stopped", null, false, false);
        }
    }

    /** What is kept of a run. */
    record Numbers(double[] values) {
    }

    /** What a figure may let its user choose. */
    public enum Choice {
        /** Slots of each run. */
        SLOTS("--slots"),
        /** Nodes of the fabric. */
        NODES("--nodes"),
        /** Runs by h. */
        PHASES("--h"),
        /** Runs by mechanism. */
        MECHANISMS("--cc");

        /** As it is typed. */
        final String option;

        Choice(final String option) {
            this.option = option;
        }
    }

    /**
     * How long the runs of a figure are and which of them are measured, for figures of hours. Immutable.
     *
     * @param slots      of each run, 0 for as many as the figure has.
     * @param nodes      of the fabric, 0 for as many as the figure has.
     * @param phases     h of the runs, empty for all that the figure has.
     * @param mechanisms of the runs by their names on the command line, empty for all that the figure has.
     */
    public record Extent(int slots, int nodes, SortedSet<Integer> phases, SortedSet<String> mechanisms) {
        /** All of a figure. */
        public static final Extent ALL = new Extent(0, 0, new TreeSet<>(), new TreeSet<>());

        /** Checks the numbers, copies the rest. */
        public Extent {
            Bounds.atLeast("slots", slots, 0);
            Bounds.atLeast("nodes", nodes, 0);
            phases = Collections.unmodifiableSortedSet(new TreeSet<>(phases));
            mechanisms = Collections.unmodifiableSortedSet(new TreeSet<>(mechanisms));
        }

        /** What of it was chosen. */
        public Set<Choice> chosen() {
            return Arrays.stream(Choice.values()).filter(choice -> !words(choice).isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        }

        /** What was chosen, as it is typed; empty if nothing was. */
        public String words(final Choice choice) {
            return switch (choice) {
                case SLOTS -> slots > 0 ? Integer.toString(slots) : "";
                case NODES -> nodes > 0 ? Integer.toString(nodes) : "";
                case PHASES -> phases.stream().map(String::valueOf).collect(Collectors.joining(","));
                case MECHANISMS -> String.join(",", mechanisms);
            };
        }

        /** Whether runs of h phases are measured. */
        public boolean has(final int h) {
            return phases.isEmpty() || phases.contains(h);
        }

        /** Whether runs of a mechanism are measured. */
        public boolean has(final String mechanism) {
            return mechanisms.isEmpty() || mechanisms.contains(mechanism);
        }
    }

    /** Checks the threads. */
    public Effort {
        Bounds.atLeast("threads", threads, 1);
    }

    /** All of a figure; nothing is done already, and nobody listens. */
    public Effort(final boolean quick, final long seed, final int threads) {
        this(quick, seed, Extent.ALL, threads, KeptRuns.NONE, Progress.NONE);
    }

    /** The same for one figure, whose runs are counted from its first on. */
    Effort of(final Figure figure) {
        return new Effort(quick, seed, extent, threads, kept.of(figure.name(), this), progress);
    }

    /** The same for another listener. */
    public Effort heardBy(final Progress listener) {
        return new Effort(quick, seed, extent, threads, kept, listener);
    }

    /** The same for a part of the work that nobody listens to. */
    public Effort silent() {
        return heardBy(Progress.NONE);
    }

    /** The same with another seed, counted from the first. */
    public Effort seeded(final int number) {
        return new Effort(quick, seed + number, extent, threads, kept, progress);
    }

    /** Slots of a run: those asked for, or the figure's own. */
    public int slots(final int ifQuick, final int ifWhole) {
        return extent.slots() > 0 ? extent.slots() : either(ifQuick, ifWhole);
    }

    /** The value for the short version, or that for the whole one. */
    public int either(final int ifQuick, final int ifWhole) {
        return quick ? ifQuick : ifWhole;
    }

    /** Says how far this part of the work is; see {@link Progress#done}. */
    public void done(final double share) {
        progress.done(share);
    }

    /** A part of the work as if it were all of it: its 0 is {@code from} here, its 1 is {@code to}. */
    public Effort part(final double from, final double to) {
        return heardBy(share -> progress.done(from + (to - from) * share));
    }

    /** One of several equal parts of the work, counted from 0. */
    public Effort turn(final int part, final int parts) {
        return part((double) part / parts, (part + 1.0) / parts);
    }

    /**
     * One of several parts of the work, counted from 0.
     *
     * @param weights what each takes, in any unit.
     */
    public Effort turn(final int part, final double... weights) {
        final double all = Arrays.stream(weights).sum();
        final double before = Arrays.stream(weights, 0, part).sum();
        return part(before / all, (before + weights[part]) / all);
    }

    /** Measures some things one after the other, in equal parts of the work. */
    public <T> void each(final List<T> all, final BiConsumer<T, Effort> measure) {
        for (int i = 0; i < all.size(); i++) {
            measure.accept(all.get(i), turn(i, all.size()));
        }
    }

    /**
     * Measures a point of a figure with {@value #SEEDS} seeds, from that of the effort on.
     *
     * @param run gives its numbers with one seed, always the same ones in the same order; NaN for what this run does
     *            not have.
     * @return each of its numbers over the seeds.
     */
    Sample[] sample(final Function<Effort, double[]> run) {
        return sample(SEEDS, run);
    }

    /** The same with another number of seeds. */
    Sample[] sample(final int seeds, final Function<Effort, double[]> run) {
        return Sample.columns(runs(Numbers.class, seeds, seeded -> new Numbers(run.apply(seeded))).stream()
            .map(Numbers::values).toList());
    }

    /** The numbers of a run in which nothing is random. */
    double[] once(final Function<Effort, double[]> run) {
        return runs(Numbers.class, 1, seeded -> new Numbers(run.apply(seeded))).getFirst().values();
    }

    /**
     * The same for a point of which more is known than numbers.
     *
     * @param type of the result: a public record that {@link KeptRuns} can write.
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
     * @param points what is swept.
     * @param run    gives the numbers of a point with one seed, as in {@link #sample}.
     * @return by number and point.
     */
    Sample[][] sweep(final int[] points, final BiFunction<Integer, Effort, double[]> run) {
        return sweep(SEEDS, points, run);
    }

    /** The same with another number of seeds. */
    Sample[][] sweep(final int seeds, final int[] points, final BiFunction<Integer, Effort, double[]> run) {
        return sweep(seeds, points, Arrays.stream(points).mapToDouble(_ -> 1).toArray(), run);
    }

    /** The same in parts of the work by their weights. */
    Sample[][] sweep(final int seeds, final int[] points, final double[] weights,
        final BiFunction<Integer, Effort, double[]> run) {
        final Sample[][] byPoint = IntStream.range(0, points.length).mapToObj(i ->
            turn(i, weights).sample(seeds, seeded -> run.apply(points[i], seeded))).toArray(Sample[][]::new);
        return IntStream.range(0, byPoint[0].length).mapToObj(number ->
            Arrays.stream(byPoint).map(of -> of[number]).toArray(Sample[]::new)).toArray(Sample[][]::new);
    }

    /**
     * Advances an engine in steps, which are all of this part of the work.
     *
     * @param engine takes the slots of a step.
     * @param slots  in all.
     */
    public void advance(final LongConsumer engine, final long slots) {
        final long step = Math.max(1, Math.ceilDiv(slots, STEPS));
        for (long done = 0; done < slots; done += step) {
            progress.done((double) done / slots);
            engine.accept(Math.min(step, slots - done));
        }
    }
}
