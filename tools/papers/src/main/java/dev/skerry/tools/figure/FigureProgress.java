package dev.skerry.tools.figure;

import java.util.Arrays;

/** Hears how far a figure has come. Called by the thread that measures. */
@FunctionalInterface
public interface FigureProgress {
    /** Nobody listens. */
    FigureProgress NONE = share -> { };

    /**
     * Some of the work is done. To be called every second or so.
     *
     * @param share of all the figure's work, 0 to 1.
     * @throws StoppedException if the user wants no more of it; the figure lets it pass and closes what it opened.
     */
    void done(double share);

    /** A part of the work as if it were all of it: its 0 is {@code from} here, its 1 is {@code to}. */
    default FigureProgress part(final double from, final double to) {
        return share -> done(from + (to - from) * share);
    }

    /** One of several equal parts of the work, counted from 0. */
    default FigureProgress turn(final int part, final int parts) {
        return part((double) part / parts, (part + 1.0) / parts);
    }

    /**
     * One of several parts of the work, counted from 0.
     *
     * @param weights what each takes, in any unit.
     */
    default FigureProgress turn(final int part, final double... weights) {
        final double all = Arrays.stream(weights).sum();
        final double before = Arrays.stream(weights, 0, part).sum();
        return part(before / all, (before + weights[part]) / all);
    }

    /** The user stopped a figure. */
    final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** One stop. */
        public StoppedException() {
            super("stopped", null, false, false);
        }
    }
}
