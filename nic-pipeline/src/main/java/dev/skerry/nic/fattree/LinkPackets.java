package dev.skerry.nic.fattree;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * Packets and pause frames on the links from one bank to another, or to itself, by arrival slot. The receiver takes
 * them after the next barrier, so nothing is synchronised here.
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
    /** Number of words added by the sender so far, and of words taken by the receiver. */
    private long added;
    private long taken;

    /**
     * Creates empty links.
     *
     * @param slots a power of two that exceeds the time from the head of a queue to the other end of the link, plus a
     *              stride of the workers.
     */
    LinkPackets(final int slots) {
        this.lists = new long[slots][0];
        this.lengths = new int[slots];
    }

    /** Adds an arrival at a port in a slot. */
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

    /** Whether everything has been taken, as far as the sender knows; the receiver may have taken more since. */
    boolean isEmpty() {
        return added == taken;
    }

    /** Takes the arrivals of a slot, in the order in which they were added. */
    void take(final long slot, final Arrivals into) {
        final int at = (int) slot & lists.length - 1;
        if (lengths[at] > 0) {
            into.add(lists[at], lengths[at]);
            taken += lengths[at];
            lengths[at] = 0;
        }
    }

    /** Sum of a function over the second words of all packets. */
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
     * The arrivals at a bank in a slot, in order of the receiving port; those of one port in the order in which they
     * were sent. One thread.
     */
    static final class Arrivals {
        private long[] words = new long[FIRST_CAPACITY];
        private long[] order = new long[FIRST_CAPACITY];
        private int length;

        /** Receives the arrivals of a slot. */
        @FunctionalInterface
        interface Taker {
            /** Receives a packet or pause frame that arrives at a port. */
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

        /** Passes all arrivals to a taker. */
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
