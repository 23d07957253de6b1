package dev.skerry.dataplane.queue;

/**
 * Conditions as numbers, 1 or 0, for those that are coin tosses on the path: a branch on them would be mispredicted
 * every other time, and a compiler may make one of {@code condition ? 1 : 0}. Any thread.
 */
public final class Branchless {
    private Branchless() {
    }

    /** 1 if a number that is not negative is 0. */
    public static int ifZero(final int value) {
        assert value >= 0 : value;
        return value - 1 >>> 31;
    }

    /** 1 if two numbers that are not negative are equal. */
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
