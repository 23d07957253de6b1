package dev.skerry.nic.engine;

/** Where a worker of a {@link WorkerCrew} is, between meetings. Its own thread. */
final class CrewPlace {
    /** Slots done. */
    private long slot;
    /** The slot before which the run ends, as far as it is known. */
    private long end;
    /** All banks rest until this slot. */
    private long rest;
    /** Slots stepped on the way to the last meeting. */
    private long stepped;
    /** Of the next meeting. */
    private int parity;

    CrewPlace(final long slot, final long end) {
        this.slot = slot;
        this.end = end;
        this.rest = slot;
    }

    /** Goes where another one is. */
    void join(final CrewPlace other) {
        slot = other.slot;
        end = other.end;
        rest = other.rest;
        parity = other.parity;
    }

    /**
     * Goes to the next meeting. Workers meet where they would without a rest, so that a run ends in the same slot; and
     * before they go on, so that the watch can stop a fabric that rests.
     *
     * @param stride slots between two meetings.
     * @param until  the slot that edges allow to go to.
     * @param poller of edges, which idles if that is nowhere; null if there are none.
     * @return false if another worker failed.
     */
    boolean step(final WorkerCrew.Worker worker, final long stride, final long until, final EdgePoller poller) {
        final long last = Math.min(until, end);
        final long next = Math.min(rest, last);
        final long start = next == Long.MAX_VALUE ? slot : Math.max(slot, next);
        final long rested = (start - slot) / stride * stride;
        final long meet = rested > 0 ? slot + rested : Math.max(start, Math.min(slot + stride, last));
        stepped = 0;
        if (meet == slot) {
            poller.idle();
        } else if (rested == 0 && meet > start) {
            stepped = meet - start;
            if (!worker.step(start, meet)) {
                return false;
            }
        }
        slot = meet;
        return true;
    }

    /** After a meeting. */
    void leave(final long endsBefore, final long restsUntil) {
        end = Math.min(end, endsBefore);
        rest = restsUntil;
        parity ^= 1;
    }

    /** Whether the run goes on, as far as it is known. */
    boolean isBeforeEnd() {
        return slot < end;
    }

    long slot() {
        return slot;
    }

    long stepped() {
        return stepped;
    }

    int parity() {
        return parity;
    }
}
