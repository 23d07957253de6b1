package dev.skerry.nic.fattree;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * What one bank sends to another, perhaps itself, by the slot in which it arrives: packets, and frames that pause a
 * port. The sender adds, and the receiver takes after the barrier that follows, so nothing is synchronised here.
 *
 * <pre>
 *   a slot    | port of the receiver | first word | second word | ..
 * </pre>
 */
final class LinkPackets {
    private static final int WORDS = 3;
    private static final int FIRST_CAPACITY = 8 * WORDS;

    private final long[][] lists;
    private final int[] lengths;
    /** Words added so far, by the sender, and taken, by the receiver. */
    private long added;
    private long taken;

    /**
     * Nothing on the links.
     *
     * @param slots a power of two, more than a packet takes from the head of its queue to the other end of its link,
     *              and a stride of the workers more.
     */
    LinkPackets(final int slots) {
        this.lists = new long[slots][0];
        this.lengths = new int[slots];
    }

    /** Adds what arrives at a port in a slot. */
    void add(final long slot, final int port, final long first, final long second) {
        final int at = (int) slot & lists.length - 1;
        final int length = lengths[at];
        if (length == lists[at].length) {
            lists[at] = Arrays.copyOf(lists[at], Math.max(FIRST_CAPACITY, 2 * length));
        }
        final long[] list = lists[at];
        list[length] = port;
        list[length + 1] = first;
        list[length + 2] = second;
        lengths[at] = length + WORDS;
        added += WORDS;
    }

    /** Whether all has been taken, as far as the sender sees; what it misses is taken already. */
    boolean isEmpty() {
        return added == taken;
    }

    /** Takes what arrives in a slot, in the order it was added. */
    void take(final long slot, final Arrivals into) {
        final int at = (int) slot & lists.length - 1;
        if (lengths[at] > 0) {
            into.add(lists[at], lengths[at]);
            taken += lengths[at];
            lengths[at] = 0;
        }
    }

    /** A sum over the second words of all packets. */
    long sum(final LongUnaryOperator of) {
        long sum = 0;
        for (int at = 0; at < lists.length; at++) {
            for (int i = 2; i < lengths[at]; i += WORDS) {
                sum += of.applyAsLong(lists[at][i]);
            }
        }
        return sum;
    }

    /**
     * What arrives at a bank in a slot, in the order of the ports that it arrives at; at one port in the order it was
     * sent. One thread.
     */
    static final class Arrivals {
        private long[] words = new long[FIRST_CAPACITY];
        private long[] order = new long[FIRST_CAPACITY];
        private int length;

        /** Takes the arrivals of a slot. */
        @FunctionalInterface
        interface Taker {
            /** Something arrives at a port. */
            void take(int port, long first, long second);
        }

        private void add(final long[] list, final int more) {
            if (length + more > words.length) {
                words = Arrays.copyOf(words, 2 * (length + more));
                order = new long[words.length];
            }
            System.arraycopy(list, 0, words, length, more);
            length += more;
        }

        /** Gives all that was added to a taker. */
        void drain(final Taker taker) {
            final int count = length / WORDS;
            if (count == 0) {
                return;
            }
            for (int i = 0; i < count; i++) {
                order[i] = words[WORDS * i] << Integer.SIZE | WORDS * i;
            }
            Arrays.sort(order, 0, count);
            length = 0;
            for (int i = 0; i < count; i++) {
                final int at = (int) order[i];
                taker.take((int) words[at], words[at + 1], words[at + 2]);
            }
        }
    }
}
