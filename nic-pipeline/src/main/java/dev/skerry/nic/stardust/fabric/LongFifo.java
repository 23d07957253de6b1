package dev.skerry.nic.stardust.fabric;

/** A queue of pairs of numbers that grows when it must, to twice its size, and never shrinks. One thread. */
public final class LongFifo {
    private long[] ring = new long[32];
    private int head;
    private int size;

    /** Empty. */
    public LongFifo() {
    }

    /** Pairs in it. */
    public int size() {
        return size >>> 1;
    }

    public void add(final long first, final long second) {
        if (size == ring.length) {
            grow();
        }
        ring[head + size & ring.length - 1] = first;
        ring[head + size + 1 & ring.length - 1] = second;
        size += 2;
    }

    /** The first number of the oldest pair; there is one. */
    public long first() {
        return ring[head];
    }

    /** Takes the oldest pair out: its second number; there is one. */
    public long poll() {
        final long second = ring[head + 1];
        head = head + 2 & ring.length - 1;
        size -= 2;
        return second;
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
