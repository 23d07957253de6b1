package dev.skerry.nic.stardust.credit;

/**
 * The queues that ask the ports of a bank for credits, by port and class: a bit for each place of the
 * {@link TurnOrder}. One thread.
 */
final class Askers {
    private final int places;
    private final int words;
    private final long[] bits;
    private final int[] counts;

    /**
     * Nobody asks.
     *
     * @param lists  ports times classes.
     * @param places queues that may ask in each.
     */
    Askers(final int lists, final int places) {
        this.places = places;
        this.words = places + Long.SIZE - 1 >>> 6;
        this.bits = new long[lists * words];
        this.counts = new int[lists];
    }

    /**
     * A queue asks or does not.
     *
     * @return whether it is the first one of its list to ask.
     */
    boolean set(final int list, final int place, final boolean asks) {
        final int word = list * words + (place >>> 6);
        if ((bits[word] >>> place & 1) == (asks ? 1 : 0)) {
            return false;
        }
        bits[word] ^= 1L << place;
        counts[list] += asks ? 1 : -1;
        return asks && counts[list] == 1;
    }

    /** Queues of a list that ask. */
    int count(final int list) {
        return counts[list];
    }

    /** The next place of a list that asks, from one on and around; there is one. */
    int next(final int list, final int from) {
        int word = from >>> 6;
        long left = bits[list * words + word] & -1L << from;
        while (left == 0) {
            word = word + 1 == words ? 0 : word + 1;
            left = bits[list * words + word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(left);
    }

    /** The place after one. */
    int after(final int place) {
        return place + 1 == places ? 0 : place + 1;
    }
}
