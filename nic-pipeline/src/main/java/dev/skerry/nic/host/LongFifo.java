package dev.skerry.nic.host;

import java.util.Arrays;

/** A growing queue of numbers or pairs of numbers. One thread. */
public final class LongFifo {
    private long[] ring = new long[16];
    private int head;
    private int size;

    /** Creates an empty queue. */
    public LongFifo() {
    }

    /** Creates a number of empty queues. */
    public static LongFifo[] of(final int count) {
        final LongFifo[] queues = new LongFifo[count];
        Arrays.setAll(queues, at -> new LongFifo());
        return queues;
    }

    /** Number of elements in the queue. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(final long number) {
        if (size == ring.length) {
            grow();
        }
        ring[head + size & ring.length - 1] = number;
        size++;
    }

    public void add(final long first, final long second) {
        add(first);
        add(second);
    }

    /** The oldest number. The queue must not be empty. */
    public long first() {
        return ring[head];
    }

    /** The number at an index, counted from the oldest. */
    public long get(final int index) {
        return ring[head + index & ring.length - 1];
    }

    /** Removes the oldest number. The queue must not be empty. */
    public long poll() {
        final long number = ring[head];
        head = head + 1 & ring.length - 1;
        size--;
        return number;
    }

    /** Removes the newest number. The queue must not be empty. */
    public long pollLast() {
        size--;
        return ring[head + size & ring.length - 1];
    }

    private void grow() {
        final long[] larger = new long[2 * size];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[head + i & size - 1];
        }
        ring = larger;
        head = 0;
    }
}
