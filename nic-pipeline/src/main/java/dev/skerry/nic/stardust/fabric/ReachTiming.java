package dev.skerry.nic.stardust.fabric;

import dev.skerry.nic.fault.Faults;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.check.Bounds;

/**
 * Timing of the messages with which devices report whom they reach (docs/spec/stardust.md §6): each sends a message
 * about 128 adapters on every link in every period, one block of adapters after the other. A link without a signal
 * fails without waiting for messages.
 *
 * @param periodSlots slots of a period, c/f; at least twice the delay of a link is used.
 * @param reports     th: equal reports in a row that change a table, 1 to 3, as the tables keep three.
 * @param missed      periods without a message after which a link has failed, 1 to 7.
 * @param refreshSlots slots after which a queue requests credits again.
 * @param bringUp      whether no device knows the devices at the other ends of its links at slot 0, although all links
 *                     work; otherwise all are known.
 */
public record ReachTiming(int periodSlots, int reports, int missed, int refreshSlots, boolean bringUp) {
    /** 10 us in slots of 87.04 ns, three reports, three missed, 500 us. */
    public static final ReachTiming USUAL = new ReachTiming(115, 3, 3, 5744);

    /** Adapters of a message. */
    public static final int BLOCK = 128;

    private static final double REFRESH_NS = 500_000;

    /** Checks every bound. */
    public ReachTiming {
        Bounds.refuseIf(periodSlots < 1 || reports < 1 || reports > 3 || missed < 1 || missed > 7 || refreshSlots < 1,
            "a period needs at least one slot, a table 1 to 3 reports, and a link 1 to 7 missed ones: "
                + "periodSlots=", periodSlots,
            " reports=", reports, " missed=", missed, " refreshSlots=", refreshSlots);
    }

    /** Creates the timing of a fabric whose devices know at slot 0 to whom their links lead. */
    public ReachTiming(final int periodSlots, final int reports, final int missed, final int refreshSlots) {
        this(periodSlots, reports, missed, refreshSlots, false);
    }

    /** Returns the same timing for a fabric whose devices know no other device at slot 0. */
    public ReachTiming fromNothing() {
        return new ReachTiming(periodSlots, reports, missed, refreshSlots, true);
    }

    /** Tells whether messages are sent; they contain nothing new if all is known and nothing ever fails. */
    public boolean speaks(final Faults faults) {
        return bringUp || !faults.isEmpty();
    }

    /**
     * Returns the slots within which all tables contain a change that messages report: th reports of M blocks over each
     * of 2n - 1 hops (Stardust Appendix E).
     *
     * @param delay delay of a link in slots.
     */
    public int settleSlots(final FoldedClos clos, final int delay) {
        return (2 * clos.tiers() - 1) * hopSlots(clos, delay);
    }

    /**
     * Returns the slots within which all tables contain all adapters, none of which was known before: an adapter is one
     * hop further from the others than the element that sees its link fail.
     *
     * @param delay delay of a link in slots.
     */
    public int bringUpSlots(final FoldedClos clos, final int delay) {
        return 2 * clos.tiers() * hopSlots(clos, delay);
    }

    private int hopSlots(final FoldedClos clos, final int delay) {
        return period(delay) * blocks(clos) * reports + delay;
    }

    /** Returns the slots from a message of a device to its next one. */
    public int period(final int delay) {
        return Math.max(periodSlots, 2 * delay);
    }

    /** Returns M, the number of messages in which a device reports all that it knows. */
    public static int blocks(final FoldedClos clos) {
        return (clos.fas() + BLOCK - 1) / BLOCK;
    }

    /** Returns the usual rules with periods of some length in ns. */
    public static ReachTiming every(final double periodNs, final double slotNs) {
        return new ReachTiming((int) Math.max(1, Math.round(periodNs / slotNs)), 3, 3,
            (int) Math.max(1, Math.round(REFRESH_NS / slotNs)));
    }
}
