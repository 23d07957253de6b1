package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The elements of a {@link PieoTournament} whose send time has not come, in a timing wheel. Time is a number of six
 * digits in base 64. An element waits in the bucket of the highest digit in which its send time differs from the time
 * of the last turn. The wheel turns when time reaches a bucket in use: buckets it has passed become eligible as a
 * whole, and the bucket it has reached is spread over the digits below. So an element moves at most six times, mostly
 * once or twice, however long it waits.
 *
 * <pre>
 *     0      8             48     64
 *     +------+-----+------+------+--------------------------------------+
 *     | 0    | ... | 5    |      |  one bit for each bucket in use, a word a digit
 *     +------+-----+------+------+
 *  64 | first element, 4 bytes, of bucket 0 to 63 of digit 0, digit 1, ... |
 *     +-----------------------------------------------------------------+
 * </pre>
 *
 * One thread.
 */
final class TimeWheel {
    private static final int DIGITS = 6;
    private static final int DIGIT_BITS = 6;
    private static final int DIGIT_MASK = (1 << DIGIT_BITS) - 1;
    private static final long HEADS = 64;

    private final Region region;
    private final PieoElements elements;
    private final MinTree eligible;
    /** Digits are compared with this time: that of the last turn. */
    private long base;
    private long now;
    /** No bucket in use begins before this time. */
    private long next;

    TimeWheel(final Arena arena, final PieoElements elements, final MinTree eligible) {
        this.region = Region.allocate(arena, HEADS + ((long) DIGITS * Integer.BYTES << DIGIT_BITS));
        this.elements = elements;
        this.eligible = eligible;
        clear(0);
    }

    void clear(final long time) {
        for (int digit = 0; digit < DIGITS; digit++) {
            setUsed(digit, 0);
        }
        for (int bucket = 0; bucket < DIGITS << DIGIT_BITS; bucket++) {
            setHead(bucket, PieoElements.NONE);
        }
        base = time;
        now = time;
        next = Long.MAX_VALUE;
    }

    long now() {
        return now;
    }

    /** Adds an element whose send time has not come. */
    void add(final int slot, final long time) {
        final int digit = digitOf(time ^ base);
        next = Math.min(next, time >>> digit * DIGIT_BITS << digit * DIGIT_BITS);
        final int place = (int) (time >>> digit * DIGIT_BITS) & DIGIT_MASK;
        final int bucket = (digit << DIGIT_BITS) + place;
        final int second = head(bucket);
        setHead(bucket, slot);
        setUsed(digit, used(digit) | 1L << place);
        elements.setWaitPrevious(slot, ~bucket);
        elements.setWaitNext(slot, second);
        if (second != PieoElements.NONE) {
            elements.setWaitPrevious(second, slot);
        }
    }

    /** Removes a waiting element. */
    void remove(final int slot) {
        final int previous = elements.waitPrevious(slot);
        final int after = elements.waitNext(slot);
        if (after != PieoElements.NONE) {
            elements.setWaitPrevious(after, previous);
        }
        if (previous >= 0) {
            elements.setWaitNext(previous, after);
            return;
        }
        final int bucket = ~previous;
        setHead(bucket, after);
        if (after == PieoElements.NONE) {
            final int digit = bucket >>> DIGIT_BITS;
            setUsed(digit, used(digit) & ~(1L << bucket));
        }
    }

    /** Advances to a later time; elements whose send time it reaches become eligible. */
    void advance(final long time) {
        now = time;
        if (time >= next) {
            turn(time);
        }
    }

    private void turn(final long time) {
        final int top = digitOf(time ^ base);
        base = time;
        for (int digit = 0; digit < top; digit++) {
            leave(digit, used(digit));
        }
        final long reached = 1L << (time >>> top * DIGIT_BITS);
        leave(top, used(top) & reached - 1);
        next = Long.MAX_VALUE;
        if ((used(top) & reached) != 0) {
            spread(top, Long.numberOfTrailingZeros(reached));
        }
        // Elements just spread are earlier than all others. If there are none, the first bucket of the lowest digit is
        // next.
        for (int digit = 0; digit < DIGITS && next == Long.MAX_VALUE; digit++) {
            final long buckets = used(digit);
            if (buckets != 0) {
                final long above = base >>> digit * DIGIT_BITS & -1L << DIGIT_BITS;
                next = (above | Long.numberOfTrailingZeros(buckets)) << digit * DIGIT_BITS;
            }
        }
    }

    /** Makes all elements of some buckets of a digit eligible. */
    private void leave(final int digit, final long buckets) {
        for (long left = buckets; left != 0; left &= left - 1) {
            final int bucket = (digit << DIGIT_BITS) + Long.numberOfTrailingZeros(left);
            for (int slot = head(bucket); slot != PieoElements.NONE; slot = elements.waitNext(slot)) {
                eligible.insert(slot, elements.key(slot));
            }
            setHead(bucket, PieoElements.NONE);
        }
        setUsed(digit, used(digit) & ~buckets);
    }

    private void spread(final int digit, final int place) {
        final int bucket = (digit << DIGIT_BITS) + place;
        int slot = head(bucket);
        setHead(bucket, PieoElements.NONE);
        setUsed(digit, used(digit) & ~(1L << place));
        while (slot != PieoElements.NONE) {
            final int after = elements.waitNext(slot);
            final long time = elements.time(slot);
            if (time <= base) {
                eligible.insert(slot, elements.key(slot));
            } else {
                add(slot, time);
            }
            slot = after;
        }
    }

    /** The highest digit in which two times differ, from their exclusive or: its highest bit divided by 6. */
    private static int digitOf(final long difference) {
        return (Long.SIZE - 1 - Long.numberOfLeadingZeros(difference)) * 43 >>> 8;
    }

    private long used(final int digit) {
        return region.getLong((long) digit << 3);
    }

    private void setUsed(final int digit, final long buckets) {
        region.setLong((long) digit << 3, buckets);
    }

    private int head(final int bucket) {
        return region.getInt(HEADS + ((long) bucket << 2));
    }

    private void setHead(final int bucket, final int slot) {
        region.setInt(HEADS + ((long) bucket << 2), slot);
    }
}
