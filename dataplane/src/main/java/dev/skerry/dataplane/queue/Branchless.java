package dev.skerry.dataplane.queue;

/**
 * Conditions as numbers, 1 or 0, for cases where a branch would be mispredicted half of the time. A compiler may turn
 * {@code condition ? 1 : 0} into a branch. Any thread may call.
 */
public final class Branchless {
    private Branchless() {
    }

    /** 1 if a number, 0 or more, is 0. */
    public static int ifZero(final int value) {
        assert value >= 0 : value;
        return value - 1 >>> 31;
    }

    /** 1 if two numbers, 0 or more, are equal. */
    public static int ifEqual(final int one, final int other) {
        return ifZero(one ^ other);
    }

    /** 1 if a number is above 0. */
    public static int ifPositive(final int value) {
        return -value >>> 31;
    }

    /** 1 if any bit of a word is set. */
    public static long ifAny(final long bits) {
        return (bits | -bits) >>> 63;
    }
}
