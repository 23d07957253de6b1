package dev.skerry.dataplane.queue;

/**
 * One bit for each of consecutive queues, nodes, devices or ports, set while there is work to do. A search for work
 * reads 64 bits at once, and either lists the set bits or moves from one to the next. One thread.
 */
public final class QueueBits {
    /** Number of entries after the end of a list that {@link #list} may write. */
    public static final int SPARE = 8;

    private final long[] words;

    /** Creates bits that are all clear. */
    public QueueBits(final int bits) {
        // One spare word, because a read that starts within the last word also reads the next.
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

    /** Clears the bits of the queues that cells have left and that are now empty. */
    public void onDequeue(final CellBatch sent) {
        final int[] queue = sent.queue;
        final int[] length = sent.length;
        final int count = sent.count;
        int word = 0;
        long empty = 0;
        // Consecutive entries mostly share a word, which is therefore not written for each of them.
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
     * Appends the set bits of a word to a list, in order. Always writes {@link #SPARE} entries at a time: a branch on
     * the number of bits would mispredict, which costs more.
     *
     * @param word the bits.
     * @param base number of bit 0.
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

    /** The first set bit at or after {@code from}; {@code end} if there is none below it. */
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

    /** Clears the first set bit at or after {@code from} and returns it; {@code end} if there is none below it. */
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
