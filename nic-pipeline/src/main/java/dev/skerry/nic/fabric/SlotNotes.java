package dev.skerry.nic.fabric;

import java.util.function.IntConsumer;

/**
 * What all banks must know of each other within a slot, between sending and receiving, where several processes run a
 * fabric together. One thread.
 */
public interface SlotNotes {
    /** Shows what the banks of this process have noted in a slot; all of them have sent in it. */
    void show(long slot, IntConsumer into);

    /** A bank of another process has noted something in a slot, in which no bank of this one has received yet. */
    void add(long slot, int note);
}
