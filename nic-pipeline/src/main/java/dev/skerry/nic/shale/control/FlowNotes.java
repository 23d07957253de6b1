package dev.skerry.nic.shale.control;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Notes of flows that start or end in a slot: the destination of a flow that starts, its complement for one that ends.
 * An even and an odd slot are kept, so that other banks read one while the next is written.
 */
final class FlowNotes {
    private static final long NEVER = -1;

    private final int[][] of = new int[2][16];
    private final int[] count = new int[2];
    private final long[] slotOf = {NEVER, NEVER};

    /** Notes something in a slot; slots come in order. */
    void add(final long slot, final int note) {
        final int at = (int) slot & 1;
        if (slotOf[at] != slot) {
            slotOf[at] = slot;
            count[at] = 0;
        }
        if (count[at] == of[at].length) {
            of[at] = Arrays.copyOf(of[at], 2 * count[at]);
        }
        of[at][count[at]++] = note;
    }

    /** Shows all notes of a slot. */
    void forEach(final long slot, final IntConsumer into) {
        final int at = (int) slot & 1;
        for (int i = 0; slotOf[at] == slot && i < count[at]; i++) {
            into.accept(of[at][i]);
        }
    }
}
