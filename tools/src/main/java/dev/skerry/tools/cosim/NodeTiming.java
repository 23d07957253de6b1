package dev.skerry.tools.cosim;

/**
 * How a device counts slots.
 *
 * @param receivesFirst whether what arrives in a slot can change what it sends in the same slot.
 * @param tokenDelay    slots until a token that came back counts, beyond the next slot; 0 or more.
 * @param start         the first slot of the device, as its fabric counts them.
 */
record NodeTiming(boolean receivesFirst, int tokenDelay, long start) {
    /** The model's own. */
    static final NodeTiming USUAL = new NodeTiming(false, 0, 0);
    private static final int MOST_DELAY = 1 << 20;

    NodeTiming {
        if (tokenDelay < 0 || tokenDelay > MOST_DELAY || start < 0) {
            throw new IllegalArgumentException("tokenDelay must be 0 to " + MOST_DELAY
                + ", start 0 or more: tokenDelay=" + tokenDelay + " start=" + start);
        }
    }
}
