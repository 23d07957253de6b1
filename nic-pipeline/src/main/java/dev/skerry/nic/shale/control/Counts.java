package dev.skerry.nic.shale.control;

import java.util.Arrays;
import java.util.function.LongPredicate;

/** Signed counts by a non-negative long key, in an open-addressed table that grows: the audits' account book. */
final class Counts {
    private static final long FREE = -1;

    private long[] keys = new long[1 << 10];
    private int[] values = new int[1 << 10];
    private int used;

    Counts() {
        clear();
    }

    void clear() {
        Arrays.fill(keys, FREE);
        used = 0;
    }

    void add(final long key, final int delta) {
        if (used * 2 > keys.length) {
            grow();
        }
        final int at = find(key);
        if (keys[at] == FREE) {
            keys[at] = key;
            values[at] = 0;
            used++;
        }
        values[at] += delta;
    }

    int get(final long key) {
        final int at = find(key);
        return keys[at] == FREE ? 0 : values[at];
    }

    /** A key that is not ignored and has a count other than zero, or -1. */
    long firstNonZero(final LongPredicate ignored) {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != FREE && values[i] != 0 && !ignored.test(keys[i])) {
                return keys[i];
            }
        }
        return -1;
    }

    private int find(final long key) {
        int at = (int) (key * 0x9E3779B97F4A7C15L >>> 32) & keys.length - 1;
        while (keys[at] != FREE && keys[at] != key) {
            at = at + 1 & keys.length - 1;
        }
        return at;
    }

    private void grow() {
        final long[] oldKeys = keys;
        final int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[oldKeys.length * 2];
        clear();
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != FREE) {
                add(oldKeys[i], oldValues[i]);
            }
        }
    }
}
