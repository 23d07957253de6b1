package dev.skerry.tools.run;

import java.util.Set;

/** What a run measures in addition if the command line does not say what to run. Stateless; any thread may call. */
final class DefaultRun {
    /** Flows of each size that also run alone; they take less than a second. */
    private static final int ALONE = 20;

    /** Options that say how something is run or where its results go, and not what. */
    private static final Set<String> NOT_WHAT = Set.of("--seed", "--mode", "--threads", "--nic-threads",
        "--switch-threads", "--idle", "--pin", "--check", "--json", "--out", "--snapshot-slots", "--checkpoint",
        "--checkpoint-every", "--resume", "--trust-checkpoint", "--verbose");

    private DefaultRun() {
    }

    /**
     * Adds the slowdown, if the command line does not say what to run.
     *
     * @return whether it did.
     */
    static boolean choose(final RunOptions options) {
        final boolean chosen = options.areAllTypedIn(NOT_WHAT);
        if (chosen) {
            options.arrivals.measureAlone(ALONE);
        }
        return chosen;
    }
}
