package dev.skerry.nic.stardust.fabric;

/**
 * Which of some numbers have work in a slot: devices, ports or hosts, a bit each. Going through a set in order costs a
 * look at every 64 numbers and one at each member. One thread.
 */
public final class IndexSet {
    private final long[] words;

    /** No member. */
    public IndexSet(final int numbers) {
        this.words = new long[numbers + Long.SIZE - 1 >>> 6];
    }

    public void add(final int number) {
        words[number >>> 6] |= 1L << number;
    }

    public void remove(final int number) {
        words[number >>> 6] &= ~(1L << number);
    }

    /** All numbers from the first up to an end are members. */
    public void addAll(final int end) {
        for (int number = 0; number < end; number++) {
            add(number);
        }
    }

    /** The least member from a number on; {@code end} if there is none below it. */
    public int next(final int from, final int end) {
        if (from >= end) {
            return end;
        }
        int word = from >>> 6;
        long bits = words[word] & -1L << from;
        while (bits == 0) {
            if (++word << 6 >= end) {
                return end;
            }
            bits = words[word];
        }
        return Math.min((word << 6) + Long.numberOfTrailingZeros(bits), end);
    }

    /** Takes out the least member from a number on; {@code end} if there is none below it. */
    public int take(final int from, final int end) {
        final int number = next(from, end);
        if (number < end) {
            words[number >>> 6] ^= 1L << number;
        }
        return number;
    }
}
