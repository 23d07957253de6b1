package dev.skerry.schedule;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The slots that one schedule has of a fabric whose slots several schedules share (Shale §3.2.2, docs/spec/shale.md
 * §2.4). The schedule runs unchanged on its own slots, numbered by {@link #before}. {@link SlotShares} makes the shares
 * of a fabric. Immutable; any thread may call.
 */
public final class SlotShare {
    /** All slots of a fabric with one schedule. */
    public static final SlotShare ALL = new SlotShare(0, new byte[1]);

    private final int number;
    private final int period;
    private final int each;
    /** By slot of the period: own slots before it. One entry more for the whole period. */
    private final int[] before;
    /** The own slots of a period. */
    private final int[] own;

    /**
     * A share.
     *
     * @param number its number among the shares of the fabric.
     * @param owner  by slot of the period: the number of the share that has it.
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

    /** Its number among the shares of the fabric. */
    public int number() {
        return number;
    }

    /** Whether it has every slot. */
    public boolean isAll() {
        return each == period;
    }

    /** Own slots of a period. */
    public int each() {
        return each;
    }

    /** Whether a slot, from 0 on, is its own. */
    public boolean owns(final long slot) {
        final int at = (int) (slot % period);
        return before[at + 1] > before[at];
    }

    /** How many own slots come before a slot, from 0 on: the number of an own slot. */
    public long before(final long slot) {
        return isAll() ? slot : slot / period * each + before[(int) (slot % period)];
    }

    /** The slot with a number, from 0 on, among its own. */
    public long slotOf(final long index) {
        return isAll() ? index : index / each * period + own[(int) (index % each)];
    }

    /** All that makes it. */
    @Override
    public String toString() {
        return "share " + number + ", slots " + Arrays.toString(own) + " of " + period;
    }
}
