package dev.skerry.nic.stardust.fabric;

/** A queue of numbers that grows when it must, to twice its size, and never shrinks. One thread. */
public final class IntFifo {
    private int[] ring = new int[16];
    private int head;
    private int size;

    /** Empty. */
    public IntFifo() {
    }

    public int size() {
        return size;
    }

    public void add(final int value) {
        if (size == ring.length) {
            grow();
        }
        ring[head + size++ & ring.length - 1] = value;
    }

    /** The oldest, which stays; there is one. */
    public int peek() {
        return ring[head];
    }

    /** The oldest; there is one. */
    public int poll() {
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
