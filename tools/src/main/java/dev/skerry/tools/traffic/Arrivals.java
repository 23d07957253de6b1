package dev.skerry.tools.traffic;

/**
 * When the flows of a run arrive, and which of them count.
 *
 * @param slots       slots in which flows may start; 0 if there is no limit.
 * @param isRandom    whether they start at random in these slots.
 * @param warmUpSlots flows that start before this slot are in no percentile.
 * @param isDrained   whether the run goes on until all of them are done.
 * @param alone       flows of each size that run once more, alone; 0 for none.
 */
public record Arrivals(long slots, boolean isRandom, long warmUpSlots, boolean isDrained, int alone) {
    /** All at once, and all count. */
    public static final Arrivals AT_ONCE = new Arrivals(0, false, 0, false, 0);
}
