package dev.skerry.nic.host;

import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * A timing wheel: numbers by the slot in which they are due. Numbers cannot be removed, so the caller checks whether a
 * due number is still valid. One thread.
 */
public final class SlotWheel {
    private final IntArrayList[] buckets;

    /**
     * Creates an empty wheel.
     *
     * @param slots a power of two that exceeds every waiting time.
     */
    public SlotWheel(final int slots) {
        this.buckets = new IntArrayList[slots];
        Arrays.setAll(buckets, at -> new IntArrayList());
    }

    /** Adds a number that is due in a slot. */
    public void add(final long slot, final int number) {
        buckets[(int) slot & buckets.length - 1].addInt(number);
    }

    /**
     * The numbers that are due in a slot, in the order in which they were added. The caller clears the list after
     * handling them.
     */
    public IntArrayList due(final long slot) {
        return buckets[(int) slot & buckets.length - 1];
    }
}
