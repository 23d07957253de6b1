package dev.skerry.tools.figure;

import dev.skerry.dataplane.check.Bounds;

import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * How much a figure, or a part of its work, is worth to who asks for it, and who hears how far it is. Immutable.
 *
 * @param quick    whether a short version will do: fewer seeds, shorter runs or a smaller fabric, for a look and for
 *                 tests. Its rules may be wider, never absent.
 * @param seed     the first of the seeds that it runs with; a figure that takes n of them takes {@code seed} to
 *                 {@code seed + n - 1}.
 * @param extent   which runs of a figure, and how long.
 * @param threads  workers of an engine; the values do not depend on them.
 * @param kept     runs that are done already.
 * @param progress hears how far this part of the work is.
 */
public record Effort(boolean quick, long seed, Extent extent, int threads, KeptRuns kept, Progress progress) {
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

    /** What a figure may let its user choose. */
    public enum Choice {
        /** Slots of each run. */
        SLOTS("--slots"),
        /** Runs by h. */
        PHASES("--h"),
        /** Runs by mechanism. */
        MECHANISMS("--cc");

        private final String option;

        Choice(final String option) {
            this.option = option;
        }

        /** Its option. */
        public String option() {
            return option;
        }
    }

    /**
     * How long the runs of a figure are and which of them are measured, for figures of hours. Immutable.
     *
     * @param slots      of each run, 0 for as many as the figure has.
     * @param phases     h of the runs, empty for all that the figure has.
     * @param mechanisms of the runs by their names on the command line, empty for all that the figure has.
     */
    public record Extent(int slots, SortedSet<Integer> phases, SortedSet<String> mechanisms) {
        /** All of a figure. */
        public static final Extent ALL = new Extent(0, new TreeSet<>(), new TreeSet<>());

        /** Checks the slots, copies the rest. */
        public Extent {
            Bounds.atLeast("slots", slots, 0);
            phases = Collections.unmodifiableSortedSet(new TreeSet<>(phases));
            mechanisms = Collections.unmodifiableSortedSet(new TreeSet<>(mechanisms));
        }

        /** What of it was chosen. */
        public Set<Choice> chosen() {
            final Set<Choice> chosen = new TreeSet<>();
            if (slots > 0) {
                chosen.add(Choice.SLOTS);
            }
            if (!phases.isEmpty()) {
                chosen.add(Choice.PHASES);
            }
            if (!mechanisms.isEmpty()) {
                chosen.add(Choice.MECHANISMS);
            }
            return chosen;
        }

        /** What was chosen, as it is typed. */
        public String words(final Choice choice) {
            return switch (choice) {
                case SLOTS -> Integer.toString(slots);
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
