package dev.skerry.tools.live;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Says in one line when a fabric has become far slower than at the start, and what to do. Only time counts in which
 * cells were under way. The measure is slots and delivered cells together: a full slot takes longer than an empty one,
 * and their sum a second is about the same for both. One thread.
 */
final class SlotNews {
    /** A fabric is slow when it does less than this part of its work at the start, for some seconds. */
    static final int SLOW = 8;
    static final int SECONDS = 3;
    /** Seconds with work that are the start. */
    static final int START = 5;

    private static final long SECOND_NS = 1_000_000_000;
    private static final double NS = 1e9;
    /** Seconds with less work say nothing. */
    private static final double LEAST_BUSY = 0.1;

    private final PrintWriter err;
    private long beforeNs;
    private long slotBefore;
    private long cellsBefore;
    private long restedBefore;
    private int seconds;
    private double startWork;
    private double startSlots;
    private int slow;
    private int well;
    private boolean isTold;

    /** Nothing has been measured yet. */
    SlotNews(final PrintWriter err, final long nowNs) {
        this.err = err;
        this.beforeNs = nowNs;
    }

    /**
     * Looks once a second.
     *
     * @param nowNs    the time.
     * @param slot     slots done.
     * @param cells    cells delivered.
     * @param restedNs time so far in which no slot passed as nothing was under way.
     */
    void tell(final long nowNs, final long slot, final long cells, final long restedNs) {
        final long passedNs = nowNs - beforeNs;
        if (passedNs < SECOND_NS) {
            return;
        }
        final double busyNs = passedNs - (restedNs - restedBefore);
        if (busyNs >= LEAST_BUSY * passedNs) {
            judge((slot - slotBefore) * NS / busyNs, (cells - cellsBefore) * NS / busyNs);
        }
        beforeNs = nowNs;
        slotBefore = slot;
        cellsBefore = cells;
        restedBefore = restedNs;
    }

    private void judge(final double slots, final double cells) {
        final double work = slots + cells;
        if (seconds < START) {
            seconds++;
            if (work > startWork) {
                startWork = work;
                startSlots = slots;
            }
            return;
        }
        slow = work * SLOW < startWork ? slow + 1 : 0;
        well = work * SLOW < 2 * startWork ? 0 : well + 1;
        if (slow >= SECONDS && !isTold) {
            isTold = true;
            err.println(String.format(Locale.ROOT, "skerry: live: slots: %,.0f a second now, %,.0f at the start: its "
                + "threads do not get their processors, which other programs have; stop those, give it processors of "
                + "its own with --pin, or fewer threads with --threads 1", slots, startSlots));
            err.flush();
        }
        // Slow again after it was well for some seconds is news.
        isTold &= well < SECONDS;
    }
}
