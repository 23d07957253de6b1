package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;

import java.util.Arrays;

/**
 * The retransmission timers of a bank's senders: a wheel with a bucket per slot, whose lists run through the senders'
 * records. A postponed timer stays in its bucket and moves on when the bucket comes, so an acknowledgement costs one
 * store. That is exact because no timer runs for less than one turn of the wheel. One thread.
 */
final class RenoTimers {
    /** In place of a time: the timer is off. */
    static final long OFF = 0;
    /** In place of the next sender of a bucket. */
    static final int NOWHERE = -2;
    private static final int NONE = -1;
    private static final int MOST_BUCKETS = 4096;

    private final Region senders;
    private final int shift;
    private final int deadline;
    private final int next;
    private final int[] heads;
    private final int mask;

    /** Is told which timers end. */
    @FunctionalInterface
    interface Alarm {
        /** The timer of a sender has ended and is off. */
        void onTimeout(long slot, int flow);
    }

    /**
     * All off.
     *
     * @param senders  the records of all senders.
     * @param shift    their size, as a power of two.
     * @param deadline which long of the record is the time.
     * @param next     which int of the record is the next sender in the bucket; {@link #NOWHERE} at the start.
     * @param leastSlots the shortest time a timer runs.
     */
    RenoTimers(final Region senders, final int shift, final int deadline, final int next, final int leastSlots) {
        this.senders = senders;
        this.shift = shift;
        this.deadline = deadline;
        this.next = next;
        this.heads = new int[Math.min(MOST_BUCKETS, Integer.highestOneBit(leastSlots))];
        this.mask = heads.length - 1;
        Arrays.fill(heads, NONE);
    }

    /** Starts a timer anew. */
    void start(final long slot, final int flow, final long slots) {
        final long at = (long) flow << shift;
        senders.setLong(at, deadline, slot + slots);
        if (senders.getInt(at, next) == NOWHERE) {
            put(slot, flow, slot + slots);
        }
    }

    /** Turns a timer off. */
    void stop(final int flow) {
        senders.setLong((long) flow << shift, deadline, OFF);
    }

    boolean isOn(final int flow) {
        return senders.getLong((long) flow << shift, deadline) != OFF;
    }

    /** Ends the timers of a slot; slots come one after the other. */
    void turn(final long slot, final Alarm alarm) {
        final int bucket = (int) slot & mask;
        int flow = heads[bucket];
        heads[bucket] = NONE;
        while (flow != NONE) {
            final long at = (long) flow << shift;
            final int after = senders.getInt(at, next);
            final long end = senders.getLong(at, deadline);
            senders.setInt(at, next, NOWHERE);
            if (end > slot) {
                put(slot, flow, end);
            } else if (end != OFF) {
                senders.setLong(at, deadline, OFF);
                alarm.onTimeout(slot, flow);
            }
            flow = after;
        }
    }

    /** Into the bucket of its time, or the last one that comes before it. */
    private void put(final long slot, final int flow, final long end) {
        final int bucket = (int) Math.min(end, slot + heads.length) & mask;
        senders.setInt((long) flow << shift, next, heads[bucket]);
        heads[bucket] = flow;
    }
}
