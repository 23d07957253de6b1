package dev.skerry.tools.port.generator;

/**
 * Values of a header field. Flow f has the f-th value, modulo the size of the range.
 *
 * @param first value of flow 0.
 * @param last  at least first; both unsigned and below 2^48.
 */
public record FieldRange(long first, long last) {
    private static final long MAX = (1L << 48) - 1;

    /**
     * Checks both bounds.
     *
     * @throws IllegalArgumentException if one is out of range.
     */
    public FieldRange {
        if (first < 0 || last < first || last > MAX) {
            throw new IllegalArgumentException("a range must go up and stay below 2^48: first=" + first + " last="
                + last);
        }
    }

    /** A range of one value. */
    public static FieldRange of(final long value) {
        return new FieldRange(value, value);
    }

    /** Number of values. */
    public long size() {
        return last - first + 1;
    }

    /** Value of a flow, from 0. */
    public long at(final int flow) {
        return first + flow % size();
    }
}
