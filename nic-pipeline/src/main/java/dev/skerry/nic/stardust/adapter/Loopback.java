package dev.skerry.nic.stardust.adapter;

import java.util.Arrays;

/** Cells that an adapter sends to itself, from one slot to the next (docs/spec/stardust.md §3.1). One thread. */
final class Loopback {
    private long[] words = new long[64];
    private int size;

    /** Empty. */
    Loopback() {
    }

    int size() {
        return size >>> 1;
    }

    void add(final long first, final long second) {
        if (size == words.length) {
            words = Arrays.copyOf(words, 2 * size);
        }
        words[size++] = first;
        words[size++] = second;
    }

    long first(final int at) {
        return words[2 * at];
    }

    long second(final int at) {
        return words[2 * at + 1];
    }

    void clear() {
        size = 0;
    }
}
