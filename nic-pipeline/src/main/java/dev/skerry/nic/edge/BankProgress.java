package dev.skerry.nic.edge;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** How far a bank has come with its slots and cells. Its thread writes; any thread reads values that may lag. */
final class BankProgress {
    private final AtomicLong horizon = new AtomicLong();
    private final AtomicLong cut = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong slot = new AtomicLong();
    private final AtomicLong looks = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The bank needs all banks to reach a slot. */
    void need(final long until) {
        horizon.set(until);
    }

    /** Shows what a look has found: cells cut and ended, slots done, and whether the intake had ended before it. */
    void show(final long cellsCut, final long cellsEnded, final long slots, final boolean isClosed) {
        cut.set(cellsCut);
        ended.set(cellsEnded);
        slot.set(slots);
        if (isClosed) {
            closed.set(true);
        }
        looks.set(looks.get() + 1);
    }

    /** The slot that all banks must reach so that the cells sent by this bank arrive. */
    long horizon() {
        return horizon.get();
    }

    /** Cells cut. */
    long cut() {
        return cut.get();
    }

    /** Cells that have reached a port or were lost. */
    long ended() {
        return ended.get();
    }

    /** Whether the values of the last look were taken after the intake ended. */
    boolean isClosed() {
        return closed.get();
    }

    /** Slots done. */
    long slot() {
        return slot.get();
    }

    /** Looks at the ports so far. */
    long looks() {
        return looks.get();
    }
}
