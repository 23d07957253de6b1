package dev.skerry.nic.shale;

/**
 * What a node takes for a failure and how it takes it (docs/spec/shale.md §8).
 *
 * @param missLimit      cells in a row that a link must fail to bring before it is down, 1 to {@value #MAX_MISSES}.
 * @param resprayLastHop whether cells that wait for their last hop over a link that has failed start anew, as their
 *                       destination may still be reached by another; the paper drops them.
 */
public record FailureRules(int missLimit, boolean resprayLastHop) {
    /** Largest limit of misses: as many silent epochs pass before the first probe. */
    public static final int MAX_MISSES = 8;
    /** As in the paper: one missing cell, and last hops are dropped (Shale App. A). */
    public static final FailureRules PAPER = new FailureRules(1, false);

    /** Checks the bounds. */
    public FailureRules {
        if (missLimit < 1 || missLimit > MAX_MISSES) {
            throw new IllegalArgumentException("missLimit must be 1 to " + MAX_MISSES + ": missLimit=" + missLimit);
        }
    }
}
