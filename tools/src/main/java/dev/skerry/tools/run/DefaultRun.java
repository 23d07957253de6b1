package dev.skerry.tools.run;

import java.util.Set;

/**
 * The run that a command line stands for if it names none. Flows of the short workload have up to 4 MB. At the usual
 * load the longest take 100,000 slots, so the usual 100,000 slots end before the fabric is steady. This run offers four
 * fifths of the guarantee, twice as long, and measures the second half. Stateless; any thread may call.
 */
final class DefaultRun {
    private static final double LOAD = 0.2;
    private static final long SLOTS = 200_000;
    private static final long WARM_UP = SLOTS / 2;
    /** Flows of each size that also run alone; they take less than a second. */
    private static final int ALONE = 20;

    /** Options that say how something is run or where its results go, and not what. */
    private static final Set<String> NOT_WHAT = Set.of("--seed", "--mode", "--threads", "--nic-threads",
        "--switch-threads", "--idle", "--pin", "--check", "--json", "--out", "--snapshot-slots", "--checkpoint",
        "--checkpoint-every", "--resume", "--trust-checkpoint", "--verbose");

    private DefaultRun() {
    }

    /**
     * Sets the options that the command line stands for, if it does not say what to run.
     *
     * @return a line for the user; null if nothing was set.
     */
    static String choose(final RunOptions options) {
        if (!options.areAllTypedIn(NOT_WHAT)) {
            return null;
        }
        options.load = LOAD;
        options.slots = SLOTS;
        options.arrivals.measure(WARM_UP, ALONE);
        return "the default run stands for --load " + LOAD + " --slots " + SLOTS + " --warm-up " + WARM_UP
            + " --drain --slowdown " + ALONE + ", any option that says what to run replaces all five";
    }
}
