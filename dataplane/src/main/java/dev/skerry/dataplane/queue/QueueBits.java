package dev.skerry.dataplane.queue;

/**
 * A bit for each of some queues, nodes, devices or ports that follow each other: set while there is something to do.
 * Whoever looks for work reads 64 of them at once, and lists the ones set or goes from one to the next. One thread.
 */
public final class QueueBits {
    /** Entries of a list behind its end that {@link #list} may write. */
    public static final int SPARE = 8;

    private final long[] words;

    /** Bits that are all clear. */
    public QueueBits(final int bits) {
        // One spare word: a read that begins within the last word looks at the next.
        this.words = new long[(bits + Long.SIZE - 1 >>> 6) + 1];
    }

    /** Sets a bit. */
    public void set(final int bit) {
        words[bit >>> 6] |= 1L << bit;
    }

    /** Clears a bit. */
    public void clear(final int bit) {
        words[bit >>> 6] &= ~(1L << bit);
    }

    /** Clears consecutive bits. */
    public void clear(final int first, final int count) {
        for (int bit = first; bit < first + count; bit = (bit >>> 6) + 1 << 6) {
            final long below = ~(-1L << bit);
            final int left = first + count - (bit & -Long.SIZE);
            final long above = left >= Long.SIZE ? 0 : -1L << left;
            words[bit >>> 6] &= below | above;
        }
    }

    /** Sets the bits of the queues that cells have joined. */
    public void onEnqueue(final CellBatch joined) {
        final long[] of = words;
        final int[] queue = joined.queue;
        final int count = joined.count;
        for (int i = 0; i < count; i++) {
            of[queue[i] >>> 6] |= 1L << queue[i];
        }
    }

    /** Clears the bits of the queues of a batch. */
    public void clear(final CellBatch batch) {
        final long[] of = words;
        final int[] queue = batch.queue;
        final int count = batch.count;
        for (int i = 0; i < count; i++) {
            of[queue[i] >>> 6] &= ~(1L << queue[i]);
        }
    }

    /** Clears the bits of the queues that cells have left, where they are empty now. */
    public void onDequeue(final CellBatch sent) {
        final int[] queue = sent.queue;
        final int[] length = sent.length;
        final int count = sent.count;
        int word = 0;
        long empty = 0;
        // Neighbours mostly share a word, which is therefore not written for each of them.
        for (int i = 0; i < count; i++) {
            if (queue[i] >>> 6 != word) {
                words[word] &= ~empty;
                word = queue[i] >>> 6;
                empty = 0;
            }
            empty |= (long) Branchless.ifZero(length[i]) << queue[i];
        }
        words[word] &= ~empty;
    }

    /** The bits of 64 queues; those past the last queue are undefined. */
    public long from(final int first) {
        final int word = first >>> 6;
        return words[word] >>> first | words[word + 1] << 1 << ~first;
    }

    /**
     * Appends the set bits of a word to a list, in order. Writes {@link #SPARE} entries at a time whether there are
     * bits or not: to predict how many there are would fail, and cost more.
     *
     * @param word the bits.
     * @param base what bit 0 stands for.
     * @param into the list.
     * @param at   its end.
     * @return its new end.
     */
    public static int list(final long word, final int base, final int[] into, final int at) {
        final int end = at + Long.bitCount(word);
        long left = word;
        int next = at;
        do {
            for (int i = 0; i < SPARE; i++) {
                into[next + i] = base + Long.numberOfTrailingZeros(left);
                left &= left - 1;
            }
            next += SPARE;
        } while (next < end);
        return end;
    }

    /** The first set bit from one on; {@code end} if there is none below it. */
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

    /** Clears the first set bit from one on and returns it; {@code end} if there is none below it. */
    public int take(final int from, final int end) {
        final int bit = next(from, end);
        if (bit < end) {
            clear(bit);
        }
        return bit;
    }

    /** Whether a bit is set. */
    public boolean isSet(final int bit) {
        return (words[bit >>> 6] >>> bit & 1) != 0;
    }
}
