package dev.skerry.tools.figure;

import dev.skerry.dataplane.check.Bounds;

/**
 * How much a figure is worth to who asks for it.
 *
 * @param quick   whether a short version will do: fewer seeds, shorter runs or a smaller fabric, for a look and for
 *                tests. Its rules may be wider, never absent.
 * @param seed    the first of the seeds that it runs with; a figure that takes n of them takes {@code seed} to
 *                {@code seed + n - 1}.
 * @param threads workers of an engine; the values do not depend on them.
 * @param kept    runs that are done already.
 */
public record Effort(boolean quick, long seed, int threads, KeptRuns kept) {
    /** Checks the threads. */
    public Effort {
        Bounds.atLeast("threads", threads, 1);
    }

    /** Nothing is done already. */
    public Effort(final boolean quick, final long seed, final int threads) {
        this(quick, seed, threads, KeptRuns.NONE);
    }

    /** The same for one figure, whose runs are counted from its first on. */
    Effort of(final Figure figure) {
        return new Effort(quick, seed, threads, kept.of(figure.about().name(), this));
    }

    /** The same with another seed, counted from the first; its runs are counted among those of this effort. */
    public Effort seeded(final int number) {
        return new Effort(quick, seed + number, threads, kept);
    }

    /** The value for the short version, or that for the whole one. */
    public int either(final int ifQuick, final int ifWhole) {
        return quick ? ifQuick : ifWhole;
    }
}
