package dev.skerry.tools.figure;

import dev.skerry.dataplane.check.Bounds;

import java.util.Locale;

/**
 * How much a figure is worth to who asks for it.
 *
 * @param quick   whether a short version will do: fewer seeds, shorter runs or a smaller fabric, for a look and for
 *                tests. Its rules may be wider, never absent.
 * @param seed    the first of the seeds that it runs with; a figure that takes n of them takes {@code seed} to
 *                {@code seed + n - 1}.
 * @param extent  which runs of a figure, and how long.
 * @param threads workers of an engine; the values do not depend on them.
 * @param kept    runs that are done already.
 */
public record Effort(boolean quick, long seed, Extent extent, int threads, KeptRuns kept) {
    /** Checks the threads. */
    public Effort {
        Bounds.atLeast("threads", threads, 1);
    }

    /** All of a figure; nothing is done already. */
    public Effort(final boolean quick, final long seed, final int threads) {
        this(quick, seed, Extent.ALL, threads, KeptRuns.NONE);
    }

    /** The same for one figure, whose runs are counted from its first on. */
    Effort of(final Figure figure) {
        return new Effort(quick, seed, extent, threads, kept.of(figure.about().name(), this));
    }

    /** The same with another seed, counted from the first. */
    public Effort seeded(final int number) {
        return new Effort(quick, seed + number, extent, threads, kept);
    }

    /** Slots of a run: those asked for, or the figure's own. */
    public int slots(final int ifQuick, final int ifWhole) {
        return extent.slots() > 0 ? extent.slots() : either(ifQuick, ifWhole);
    }

    /** The slots that replace a figure's own, beside the paper's, as a sentence. */
    public String beside(final String paper, final int ifWhole) {
        return String.format(Locale.ROOT, "%,d slots where the paper has %s.", slots(ifWhole, ifWhole), paper);
    }

    /** The value for the short version, or that for the whole one. */
    public int either(final int ifQuick, final int ifWhole) {
        return quick ? ifQuick : ifWhole;
    }
}
