package dev.skerry.tools.port.generator;

/**
 * Values of a header field. Flow f has the f-th value, modulo the number of values.
 *
 * @param first   least value.
 * @param last    at least first; both unsigned and below 2^48.
 * @param without a value in the range, but not all of it, that no flow has; {@link #NONE} for none.
 */
public record FieldRange(long first, long last, long without) {
    /** No value. */
    public static final long NONE = -1;

    private static final long MAX = (1L << 48) - 1;

    /**
     * Checks both bounds.
     *
     * @throws IllegalArgumentException if one is out of range, or nothing is left.
     */
    public FieldRange {
        if (first < 0 || last < first || last > MAX) {
            throw new IllegalArgumentException("a range must go up and stay below 2^48: first=" + first + " last="
                + last);
        }
        if (without != NONE && (without < first || without > last || first == last)) {
            throw new IllegalArgumentException("without must be in a range of several: without=" + without);
        }
    }

    /** A range of all values. */
    public FieldRange(final long first, final long last) {
        this(first, last, NONE);
    }

    /** The same without a value, if it is among several. */
    FieldRange but(final long value) {
        return value < first || value > last || first == last ? this : new FieldRange(first, last, value);
    }

    /** The same with an offset added to each value. */
    FieldRange plus(final long offset) {
        return new FieldRange(first + offset, last + offset, without == NONE ? NONE : without + offset);
    }

    /** A range of one value. */
    public static FieldRange of(final long value) {
        return new FieldRange(value, value);
    }

    /** Number of values. */
    public long size() {
        return last - first + (without == NONE ? 1 : 0);
    }

    /** Value of a flow, from 0. */
    public long at(final int flow) {
        final long value = first + flow % size();
        return without == NONE || value < without ? value : value + 1;
    }
}
