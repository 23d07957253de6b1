package dev.skerry.schedule.check;

/** Laws that hold in every run; where one is broken, the program is wrong. Pure functions, any thread. */
public final class Laws {
    private Laws() {
    }

    /**
     * Stops at a law that is broken.
     *
     * @param law which one, and by what, in parts that are put together only then.
     * @throws IllegalStateException if it is broken.
     */
    public static void brokenIf(final boolean broken, final Object... law) {
        if (broken) {
            throw new IllegalStateException(Bounds.text(law));
        }
    }
}
