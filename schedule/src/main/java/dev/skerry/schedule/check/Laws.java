package dev.skerry.schedule.check;

/** Checks of invariants that hold in every run; a broken one is a bug in the program. Pure functions, any thread. */
public final class Laws {
    private Laws() {
    }

    /**
     * Stops the run if an invariant is broken.
     *
     * @param broken whether the invariant is broken.
     * @param law    the invariant and what broke it, in parts that are joined only then.
     * @throws IllegalStateException if {@code broken}.
     */
    public static void brokenIf(final boolean broken, final Object... law) {
        if (broken) {
            throw new IllegalStateException(Bounds.text(law));
        }
    }
}
