package dev.skerry.tools.port.generator;

/**
 * Values of a header field: flow f has the f-th of them, and after the last the first again.
 *
 * @param first value of flow 0.
 * @param last  at least first, both unsigned and below 2^48.
 */
public record FieldRange(long first, long last) {
    private static final long MAX = (1L << 48) - 1;

    /** Checks both. */
    public FieldRange {
        if (first < 0 || last < first || last > MAX) {
            throw new IllegalArgumentException("a range must go up and stay below 2^48: first=" + first + " last="
                + last);
        }
    }

    /** One value. */
    public static FieldRange of(final long value) {
        return new FieldRange(value, value);
    }

    /** How many values there are. */
    public long size() {
        return last - first + 1;
    }

    /** The value of a flow. */
    public long at(final int flow) {
        return first + flow % size();
    }
}
