package dev.skerry.nic.shale.control;

/**
 * A small table of counts for every node of a bank, by a key of at least 0: only counts above 0 take a place. Open
 * addressing with linear probing; a removal closes the gap. It doubles for all nodes once one node fills half of it.
 * One thread.
 */
final class NodeCounts {
    private static final int FIRST_PLACES = 64;
    private static final int EMPTY = 0;
    /** Spreads keys that differ in few bits: 2^32 over the golden ratio. */
    private static final int SPREAD = 0x9E3779B9;

    private final int nodes;
    private int places = FIRST_PLACES;
    /** By node, then place: key plus 1, and its count. */
    private int[] keys;
    private int[] counts;
    /** By node: keys with a count. */
    private final int[] size;

    NodeCounts(final int nodes) {
        this.nodes = nodes;
        this.keys = new int[nodes * places];
        this.counts = new int[nodes * places];
        this.size = new int[nodes];
    }

    /** Keys of a node with a count above 0. */
    int size(final int node) {
        return size[node];
    }

    /** The count of a key. */
    int get(final int node, final int key) {
        return counts[find(node, key)];
    }

    /** Adds one to the count of a key; returns it. */
    int add(final int node, final int key) {
        int at = find(node, key);
        if (keys[at] == EMPTY) {
            if (2 * ++size[node] > places) {
                grow();
                at = find(node, key);
            }
            keys[at] = key + 1;
        }
        return ++counts[at];
    }

    /** Takes one from the count of a key, which is above 0; returns what is left. */
    int remove(final int node, final int key) {
        final int at = find(node, key);
        if (keys[at] == EMPTY) {
            throw new IllegalStateException("nothing is counted: node of bank=" + node + " key=" + key);
        }
        final int left = --counts[at];
        if (left == 0) {
            size[node]--;
            close(node * places, at - node * places);
        }
        return left;
    }

    /** The place of a key, or the empty one where it would go. */
    private int find(final int node, final int key) {
        final int first = node * places;
        int at = home(key);
        while (keys[first + at] != EMPTY && keys[first + at] != key + 1) {
            at = at + 1 & places - 1;
        }
        return first + at;
    }

    private int home(final int key) {
        return key * SPREAD >>> Integer.numberOfLeadingZeros(places) + 1;
    }

    /** Moves later keys into a gap if they would not be found behind it. */
    private void close(final int first, final int from) {
        int gap = from;
        int at = from;
        while (true) {
            keys[first + gap] = EMPTY;
            counts[first + gap] = 0;
            do {
                at = at + 1 & places - 1;
                if (keys[first + at] == EMPTY) {
                    return;
                }
            } while ((at - home(keys[first + at] - 1) & places - 1) < (at - gap & places - 1));
            keys[first + gap] = keys[first + at];
            counts[first + gap] = counts[first + at];
            gap = at;
        }
    }

    private void grow() {
        final int[] oldKeys = keys;
        final int[] oldCounts = counts;
        final int before = places;
        places = 2 * before;
        keys = new int[Math.multiplyExact(nodes, places)];
        counts = new int[keys.length];
        for (int old = 0; old < oldKeys.length; old++) {
            if (oldKeys[old] != EMPTY) {
                final int at = find(old / before, oldKeys[old] - 1);
                keys[at] = oldKeys[old];
                counts[at] = oldCounts[old];
            }
        }
    }
}
