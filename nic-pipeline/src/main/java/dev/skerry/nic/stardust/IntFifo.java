package dev.skerry.nic.stardust;

/** A queue of numbers that grows when it must, to twice its size, and never shrinks. One thread. */
final class IntFifo {
    private int[] ring = new int[16];
    private int head;
    private int size;

    /** Empty. */
    IntFifo() {
    }

    int size() {
        return size;
    }

    void add(final int value) {
        if (size == ring.length) {
            grow();
        }
        ring[head + size++ & ring.length - 1] = value;
    }

    /** The oldest, which stays; there is one. */
    int peek() {
        return ring[head];
    }

    /** The oldest; there is one. */
    int poll() {
        final int value = ring[head];
        head = head + 1 & ring.length - 1;
        size--;
        return value;
    }

    private void grow() {
        final int[] larger = new int[2 * size];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[head + i & size - 1];
        }
        ring = larger;
        head = 0;
    }
}
