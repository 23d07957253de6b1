package dev.skerry.nic.edge;

import java.util.concurrent.atomic.AtomicLong;

/** A slot that all banks are to reach in any case, and one that none may begin. Any thread. */
final class SlotBounds {
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicLong limit = new AtomicLong(Long.MAX_VALUE);

    /** All banks are to reach a slot. */
    void want(final long slot) {
        wanted.set(slot);
    }

    /** The slot that all banks are to reach. */
    long wanted() {
        return wanted.get();
    }

    /** No bank may begin a slot, or a later one. */
    void limit(final long slot) {
        limit.set(slot);
    }

    /** There is no such slot. */
    void unlimit() {
        limit.set(Long.MAX_VALUE);
    }

    /** A slot, or the limit if that is earlier. Call with what a bank is allowed, computed before. */
    long within(final long slot) {
        return Math.min(slot, limit.get());
    }
}
