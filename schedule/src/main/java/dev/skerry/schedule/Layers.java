package dev.skerry.schedule;

import java.util.BitSet;

/**
 * The layers of a fabric, which are sets of nodes of equal digit sum, and the choice of absent nodes from them.
 *
 * <p>Two nodes of a phase group differ in one digit only, so a layer holds at most one node of each group: removing
 * whole layers spreads the absent nodes evenly over all groups (docs/spec/shale.md §2.5, §8.6). For set-up; one thread
 * at a time.
 */
final class Layers {
    private static final int SEED = 1;

    private final Coordinates coordinates;
    private final BitSet present;
    private final int[] layer;
    private int size;

    /**
     * Layers over the nodes that are still present.
     *
     * @param present the set from which the chosen nodes are removed.
     */
    Layers(final Coordinates coordinates, final BitSet present) {
        this.coordinates = coordinates;
        this.present = present;
        this.layer = new int[coordinates.nodes()];
    }

    /**
     * Removes surplus nodes: layers of digit sum -1, -2, .. modulo r. Each layer has one node of every phase group, so
     * the losses of two groups differ by one at most, and node 0 stays (docs/spec/shale.md §2.5, mode HOLES).
     */
    void removeHoles(final int count) {
        final int radix = coordinates.radix();
        int left = count;
        for (int residue = radix - 1; left > 0; residue--) {
            size = 0;
            for (int sum = residue; sum <= highestSum(); sum += radix) {
                add(0, sum, 0);
            }
            left -= removeAtMost(left);
        }
    }

    /**
     * Removes failed nodes as the Shale authors' simulator does: layers of digit sum b, b + 1, b - 1, b + 2, .. with b
     * half the highest sum, rounded down (docs/spec/shale.md §8.6).
     */
    void removeFailed(final int count) {
        final int base = highestSum() / 2;
        int left = count;
        for (int step = 0; left > 0; step++) {
            size = 0;
            add(0, step % 2 == 0 ? base - step / 2 : base + (step + 1) / 2, 0);
            left -= removeAtMost(left);
        }
    }

    private int highestSum() {
        return coordinates.phases() * (coordinates.radix() - 1);
    }

    /**
     * Adds to the layer the present nodes whose digits from {@code phase} on sum up to {@code sum}; digit 0 varies
     * slowest.
     */
    private void add(final int phase, final int sum, final int node) {
        final boolean last = phase == coordinates.phases() - 1;
        if (sum < 0 || last && sum >= coordinates.radix()) {
            return;
        }
        if (last) {
            final int found = node + sum * coordinates.weight(phase);
            if (present.get(found)) {
                layer[size++] = found;
            }
            return;
        }
        for (int digit = 0; digit < coordinates.radix(); digit++) {
            add(phase + 1, sum - digit, node + digit * coordinates.weight(phase));
        }
    }

    /** Removes the layer, or the first of its nodes in shuffled order when it has more than {@code most}. */
    private int removeAtMost(final int most) {
        if (size > most) {
            // A fresh generator for each layer, as in the simulator.
            new Mt19937(SEED).shuffle(layer, size);
        }
        final int removed = Math.min(size, most);
        for (int i = 0; i < removed; i++) {
            present.clear(layer[i]);
        }
        return removed;
    }
}
