package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * Cells delivered over time, in a bounded number of equal intervals. When a run exceeds them, adjacent intervals merge
 * and the interval doubles. The intervals depend only on slot numbers, so timelines of several banks can be added. One
 * thread.
 */
public final class Timeline {
    private static final int INTERVALS = 512;

    private final long[] delivered = new long[INTERVALS];
    private long intervalSlots = 1;
    private int used;
    /** The first slot after the last interval used. */
    private long intervalEnd;

    /** Creates a timeline that ends before slot 0. */
    public Timeline() {
    }

    /** Adds the cells delivered in a slot. Slots must be in ascending order; omitted slots had no deliveries. */
    public void add(final long slot, final long cells) {
        if (cells != 0) {
            endBefore(slot + 1);
            delivered[used - 1] += cells;
        }
    }

    /** Extends the timeline to cover at least all slots before {@code slot}. */
    public void endBefore(final long slot) {
        if (slot > intervalEnd) {
            advance(slot - 1);
        }
    }

    private void advance(final long slot) {
        while (slot / intervalSlots >= INTERVALS) {
            for (int i = 0; i < INTERVALS / 2; i++) {
                delivered[i] = delivered[2 * i] + delivered[2 * i + 1];
            }
            Arrays.fill(delivered, INTERVALS / 2, INTERVALS, 0);
            intervalSlots *= 2;
        }
        used = (int) (slot / intervalSlots) + 1;
        intervalEnd = used * intervalSlots;
    }

    /** The sum of all banks' timelines. A bank that ran no slot adds nothing. No bank ran more slots than the first. */
    public static Outcome.DeliveredOverTime merged(final Timeline[] timelines) {
        final long[] cells = timelines[0].delivered();
        for (int i = 1; i < timelines.length; i++) {
            final Timeline more = timelines[i];
            for (int interval = 0; interval < more.used; interval++) {
                cells[interval] += more.delivered[interval];
            }
        }
        return new Outcome.DeliveredOverTime(timelines[0].intervalSlots, cells);
    }

    /** Cells delivered in each interval. */
    public long[] delivered() {
        return Arrays.copyOf(delivered, used);
    }
}
