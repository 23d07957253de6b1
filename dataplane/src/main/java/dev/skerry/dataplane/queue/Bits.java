package dev.skerry.dataplane.queue;

/**
 * Which of up to 64 things are meant, a bit for each, as a list of their numbers. A loop over a list has a counter, so
 * a compiler unrolls it, checks its arrays once and polls for safepoints outside; a loop that eats up a word bit by bit
 * gets none of that. Any thread.
 */
public final class Bits {
    private Bits() {
    }

    /**
     * Lists the set bits.
     *
     * @param word a bit for each number from 0 to 63.
     * @param into gets the numbers in ascending order, from the first place on.
     * @return how many there are.
     */
    public static int list(final long word, final int[] into) {
        return list(word, into, 0);
    }

    /** The same, from a place on; returns the place after the last one written. */
    static int list(final long word, final int[] into, final int from) {
        final int end = from + Long.bitCount(word);
        long rest = word;
        for (int k = from; k < end; k++) {
            into[k] = Long.numberOfTrailingZeros(rest);
            rest &= rest - 1;
        }
        return end;
    }
}
