package dev.skerry.nic.stardust.fabric;

/** A queue of numbers that grows when it must, to twice its size, and never shrinks. One thread. */
public final class IntFifo {
    private int[] ring = new int[8];
    private int head;
    private int size;

    /** Empty. */
    public IntFifo() {
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(final int number) {
        if (size == ring.length) {
            grow();
        }
        ring[head + size & ring.length - 1] = number;
        size++;
    }

    /** The oldest number; there is one. */
    public int peek() {
        return ring[head];
    }

    /** Takes the oldest number out; there is one. */
    public int poll() {
        final int number = ring[head];
        head = head + 1 & ring.length - 1;
        size--;
        return number;
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
