package dev.skerry.schedule;

/**
 * Two schedules that share the slots: {@code highSlots} of every {@code periodSlots} slots belong to the one with more
 * phases (class high), the others to the one with fewer (class low), spread as evenly as whole slots allow
 * (Shale §3.2.2, docs/spec/shale.md §2.4).
 *
 * <pre>
 *   slot t           0  1  2  3  4  5  6  7  8  9        highSlots = 2, periodSlots = 5
 *   class            .  .  H  .  H  .  .  H  .  H
 *   sub-slot u(t)    0  1  0  2  1  3  4  2  5  3
 * </pre>
 *
 * A schedule runs unchanged on its own sub-slots: {@code peerOf(node, subSlot(t))}. The propagation delay stays a
 * number of real slots. A class may have no slots at all. Immutable; any thread may call.
 *
 * @param highSlots   slots of a period that class high has, 0 to {@code periodSlots}; kept in lowest terms.
 * @param periodSlots period of the pattern in slots, at least 1; kept in lowest terms.
 */
public record Interleave(int highSlots, int periodSlots) {
    /** Checks the share and reduces it to lowest terms. */
    public Interleave {
        if (periodSlots < 1) {
            throw new IllegalArgumentException("periodSlots must be at least 1: periodSlots=" + periodSlots);
        }
        if (highSlots < 0 || highSlots > periodSlots) {
            throw new IllegalArgumentException("highSlots must be 0 to periodSlots: highSlots=" + highSlots
                + " periodSlots=" + periodSlots);
        }
        final int divisor = greatestCommonDivisor(periodSlots, highSlots);
        highSlots /= divisor;
        periodSlots /= divisor;
    }

    /** Whether a slot, from 0 on, belongs to class high. */
    public boolean isHigh(final long slot) {
        // The share of slots 0 .. slot crosses a whole number in this slot.
        return (slot % periodSlots * highSlots % periodSlots) + highSlots >= periodSlots;
    }

    /** Number of slots before {@code slot} that belong to class high: its slot counter. */
    public long highSlotsBefore(final long slot) {
        // In two parts, so that no product overflows.
        return slot / periodSlots * highSlots + slot % periodSlots * highSlots / periodSlots;
    }

    /** Number of slots before {@code slot} that belong to class low: its slot counter. */
    public long lowSlotsBefore(final long slot) {
        return slot - highSlotsBefore(slot);
    }

    /** The slot counter, at {@code slot}, of the schedule that owns it. */
    public long subSlot(final long slot) {
        return isHigh(slot) ? highSlotsBefore(slot) : lowSlotsBefore(slot);
    }

    private static int greatestCommonDivisor(final int a, final int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
