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
 * @param slots   of each run of a figure that {@linkplain Figure#takesSlots takes} them, 0 for the figure's own.
 * @param threads workers of an engine; the values do not depend on them.
 * @param kept    runs that are done already.
 */
public record Effort(boolean quick, long seed, int slots, int threads, KeptRuns kept) {
    /** Checks slots and threads. */
    public Effort {
        Bounds.atLeast("slots", slots, 0);
        Bounds.atLeast("threads", threads, 1);
    }

    /** A figure's own slots; nothing is done already. */
    public Effort(final boolean quick, final long seed, final int threads) {
        this(quick, seed, 0, threads, KeptRuns.NONE);
    }

    /** The same for one figure, whose runs are counted from its first on. */
    Effort of(final Figure figure) {
        return new Effort(quick, seed, slots, threads, kept.of(figure.about().name(), this));
    }

    /** The same with another seed, counted from the first. */
    public Effort seeded(final int number) {
        return new Effort(quick, seed + number, slots, threads, kept);
    }

    /** Slots of a run: those asked for, or the figure's own. */
    public int slots(final int ifQuick, final int ifWhole) {
        return slots > 0 ? slots : either(ifQuick, ifWhole);
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
