package dev.skerry.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Division of the slots of a fabric among several schedules (Shale §3.2.2, docs/spec/shale.md §2.4). The first share is
 * spread as evenly as whole slots allow: with a fraction s of all slots it owns slot t if a whole number lies in (t s,
 * (t + 1) s]. The next share is spread in the same way over the remaining slots, and so on; the last share owns the
 * rest.
 *
 * <pre>
 *   slot t       0  1  2  3  4  5  6  7  8  9        2 and 3 slots of 5
 *   share        1  1  0  1  0  1  1  0  1  0
 *   own slot     0  1  0  2  1  3  4  2  5  3
 * </pre>
 *
 * Immutable; any thread may call.
 */
public final class SlotShares {
    /** Maximum period in slots. */
    public static final int MAX_PERIOD = 10_000;
    /** Maximum number of shares. */
    public static final int MAX_SHARES = Phased.MAX_PHASES;

    private final byte[] owner;
    private final List<SlotShare> shares;

    /**
     * Divides the slots.
     *
     * @param slots number of slots of each share per period, at least 1 each; 2 to {@link #MAX_SHARES} shares, whose
     *              sum in lowest terms is at most {@link #MAX_PERIOD}.
     * @throws IllegalArgumentException if the slots cannot be divided like that.
     */
    public SlotShares(final int... slots) {
        final long divisor = Arrays.stream(slots).asLongStream().reduce(0, SlotShares::greatestCommonDivisor);
        final long sum = Arrays.stream(slots).asLongStream().sum();
        if (slots.length < 2 || slots.length > MAX_SHARES || Arrays.stream(slots).min().orElse(0) < 1
            || sum / divisor > MAX_PERIOD) {
            throw new IllegalArgumentException("2 to " + MAX_SHARES + " shares must have at least one slot each, and "
                + "at most "
                + MAX_PERIOD + " together, in lowest terms: slots=" + Arrays.toString(slots));
        }
        this.owner = new byte[(int) (sum / divisor)];
        spread(Arrays.stream(slots).map(each -> (int) (each / divisor)).toArray());
        this.shares = IntStream.range(0, slots.length).mapToObj(number -> new SlotShare(number, owner)).toList();
    }

    private void spread(final int[] slots) {
        Arrays.fill(owner, (byte) (slots.length - 1));
        int left = owner.length;
        for (int number = 0; number < slots.length - 1; number++) {
            int counted = 0;
            for (int slot = 0; slot < owner.length; slot++) {
                if (owner[slot] == slots.length - 1) {
                    // This share's fraction of the remaining slots crosses a whole number here.
                    if ((counted + 1) * slots[number] / left > counted * slots[number] / left) {
                        owner[slot] = (byte) number;
                    }
                    counted++;
                }
            }
            left -= slots[number];
        }
    }

    /** Slots after which the pattern repeats. */
    public int period() {
        return owner.length;
    }

    /** The number of the share that owns a slot, counted from 0. */
    public int owner(final long slot) {
        return owner[(int) (slot % owner.length)];
    }

    /** The shares, by number. */
    public List<SlotShare> shares() {
        return shares;
    }

    static long greatestCommonDivisor(final long a, final long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    @Override
    public String toString() {
        return shares.toString();
    }
}
