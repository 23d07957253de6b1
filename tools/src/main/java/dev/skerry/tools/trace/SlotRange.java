package dev.skerry.tools.trace;

/**
 * Slots, or operations, that are traced.
 *
 * @param first     the first one.
 * @param end       one past the last.
 * @param untilDone whether it also ends when every flow is done.
 */
public record SlotRange(long first, long end, boolean untilDone) {
    /** Refuses an empty or backward range. */
    public SlotRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException("not a range: first=" + first + " end=" + end);
        }
    }
}
