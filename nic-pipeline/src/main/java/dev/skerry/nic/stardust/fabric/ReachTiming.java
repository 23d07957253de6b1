package dev.skerry.nic.stardust.fabric;

/**
 * How devices tell one another whom they reach (docs/spec/stardust.md §6): each sends a message about 128 adapters on
 * every link in every period, one block of adapters after the other. A link without a signal fails without waiting for
 * messages.
 *
 * @param periodSlots slots of a period, c/f; at least twice the delay of a link is used.
 * @param reports     equal reports in a row that change a table, th; 3, as the tables keep three.
 * @param missed      periods without a message after which a link has failed, 1 to 7.
 * @param refreshSlots after this long a queue asks for credits again.
 */
public record ReachTiming(int periodSlots, int reports, int missed, int refreshSlots) {
    /** 10 us in slots of 87.04 ns, three reports, three missed, 500 us. */
    public static final ReachTiming USUAL = new ReachTiming(115, 3, 3, 5744);

    private static final double REFRESH_NS = 500_000;

    /** Checks every bound. */
    public ReachTiming {
        if (periodSlots < 1 || reports < 1 || reports > 3 || missed < 1 || missed > 7
            || refreshSlots < 1) {
            throw new IllegalArgumentException("a period has a slot, a table takes 1 to 3 reports and a link 1 to 7 "
                + "missed: periodSlots=" + periodSlots + " reports=" + reports + " missed=" + missed + " refreshSlots="
                + refreshSlots);
        }
    }

    /** The usual rules with periods of some length in ns. */
    public static ReachTiming every(final double periodNs, final double slotNs) {
        return new ReachTiming((int) Math.max(1, Math.round(periodNs / slotNs)), 3, 3,
            (int) Math.max(1, Math.round(REFRESH_NS / slotNs)));
    }
}
