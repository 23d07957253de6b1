package dev.skerry.nic.shale;

import java.util.Arrays;

/**
 * Sets of buckets that failures have taken away, one for each index, almost all of them empty. They change only when
 * something fails or is mended, so a change copies. The question for every cell is a search in a sorted array. One
 * thread at a time.
 */
final class BucketSets {
    private static final int[] EMPTY = {};

    private final int[][] sets;

    BucketSets(final int indices) {
        this.sets = new int[indices][];
        Arrays.fill(sets, EMPTY);
    }

    boolean contains(final int index, final int bucket) {
        return Arrays.binarySearch(sets[index], bucket) >= 0;
    }

    /** Adds a bucket; false if it was there already. */
    boolean add(final int index, final int bucket) {
        final int[] old = sets[index];
        final int found = Arrays.binarySearch(old, bucket);
        if (found >= 0) {
            return false;
        }
        final int place = -found - 1;
        final int[] more = Arrays.copyOf(old, old.length + 1);
        System.arraycopy(old, place, more, place + 1, old.length - place);
        more[place] = bucket;
        sets[index] = more;
        return true;
    }

    /** Takes a bucket out; false if it was not there. */
    boolean remove(final int index, final int bucket) {
        final int[] old = sets[index];
        final int place = Arrays.binarySearch(old, bucket);
        if (place < 0) {
            return false;
        }
        final int[] fewer = old.length == 1 ? EMPTY : Arrays.copyOf(old, old.length - 1);
        System.arraycopy(old, place + 1, fewer, place, fewer.length - place);
        sets[index] = fewer;
        return true;
    }

    int size(final int index) {
        return sets[index].length;
    }

    /** The buckets of a set in ascending order: a snapshot, not to be written. */
    int[] of(final int index) {
        return sets[index];
    }

    void clear(final int index) {
        sets[index] = EMPTY;
    }
}
