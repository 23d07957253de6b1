package dev.skerry.nic.host;

import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * A timing wheel: numbers by the slot in which their turn comes, modulo the slots of the wheel. A number whose turn is
 * no longer to come stays where it is: whoever takes it asks whether it still counts. One thread.
 */
public final class SlotWheel {
    private final IntArrayList[] buckets;

    /**
     * An empty wheel.
     *
     * @param slots a power of two, more than any number waits for.
     */
    public SlotWheel(final int slots) {
        this.buckets = new IntArrayList[slots];
        Arrays.setAll(buckets, at -> new IntArrayList());
    }

    /** Adds a number, whose turn comes in a slot. */
    public void add(final long slot, final int number) {
        buckets[(int) slot & buckets.length - 1].addInt(number);
    }

    /**
     * The numbers whose turn comes in a slot, in the order they were added. Whoever has gone through them, and those
     * added for the same slot meanwhile, clears the list.
     */
    public IntArrayList due(final long slot) {
        return buckets[(int) slot & buckets.length - 1];
    }
}
