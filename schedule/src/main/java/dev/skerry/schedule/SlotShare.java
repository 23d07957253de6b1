package dev.skerry.schedule;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The slots of one schedule in a fabric whose slots several schedules share (Shale §3.2.2, docs/spec/shale.md §2.4).
 * The schedule runs unchanged on its own slots, numbered by {@link #before}. {@link SlotShares} creates the shares of a
 * fabric. Immutable; any thread may call.
 */
public final class SlotShare {
    /** All slots: the share of the only schedule of a fabric. */
    public static final SlotShare ALL = new SlotShare(0, new byte[1]);

    private final int number;
    private final int period;
    private final int each;
    /** Number of own slots before each slot of the period, and in a last entry the number for the whole period. */
    private final int[] before;
    /** The own slots of a period. */
    private final int[] own;

    /**
     * Creates a share.
     *
     * @param number the number of this share in the fabric.
     * @param owner  for each slot of the period, the number of the share that owns it.
     */
    SlotShare(final int number, final byte[] owner) {
        this.number = number;
        this.period = owner.length;
        this.before = new int[period + 1];
        for (int slot = 0; slot < period; slot++) {
            before[slot + 1] = before[slot] + (owner[slot] == number ? 1 : 0);
        }
        this.each = before[period];
        this.own = IntStream.range(0, period).filter(slot -> owner[slot] == number).toArray();
    }

    /** The number of this share in the fabric. */
    public int number() {
        return number;
    }

    /** Whether this share owns every slot. */
    public boolean isAll() {
        return each == period;
    }

    /** Number of own slots per period. */
    public int each() {
        return each;
    }

    /** Whether this share owns a slot, counted from 0. */
    public boolean owns(final long slot) {
        final int at = (int) (slot % period);
        return before[at + 1] > before[at];
    }

    /** Number of own slots before a slot, counted from 0. For an own slot this is its index among the own slots. */
    public long before(final long slot) {
        return isAll() ? slot : slot / period * each + before[(int) (slot % period)];
    }

    /** The slot of an index, counted from 0, among the own slots. */
    public long slotOf(final long index) {
        return isAll() ? index : index / each * period + own[(int) (index % each)];
    }

    @Override
    public String toString() {
        return "share " + number + ", slots " + Arrays.toString(own) + " of " + period;
    }
}
