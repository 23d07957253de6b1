package dev.skerry.dataplane.worker;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Spins, then yields, then parks for longer and longer. Where other programs want the processor, a yield waits for a
 * time slice of each of them; a park of a microsecond is back after some fifty. So a yield that took long makes the
 * next waits leave yields out, twice as many each time it happens again. A thread that parks asks for
 * {@linkplain Scheduling#askForShortSlices short time slices}. One thread.
 */
final class Backoff implements IdleStrategy {
    static final long LONG_YIELD_NS = 200_000;
    static final long SHORTEST_PARK_NS = 1_000;
    static final long LONGEST_PARK_NS = 1_000_000;
    static final int SPINS = 10;
    static final int YIELDS = 5;
    private static final int LEAST_LEFT_OUT = 16;
    private static final int MOST_LEFT_OUT = 1 << 14;

    private final LongSupplier clock;
    private final Runnable yielding;
    private final LongConsumer parking;
    /** Of the present wait. */
    private int turns;
    private long parkNs = SHORTEST_PARK_NS;
    /** Waits that still leave yields out, and how many the next long yield makes. */
    private int left;
    private int next = LEAST_LEFT_OUT;

    Backoff() {
        this(System::nanoTime, Thread::yield, new Parking());
    }

    Backoff(final LongSupplier clock, final Runnable yielding, final LongConsumer parking) {
        this.clock = clock;
        this.yielding = yielding;
        this.parking = parking;
    }

    @Override
    public void idle(final int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (turns < SPINS) {
            turns++;
            Thread.onSpinWait();
        } else if (turns < SPINS + YIELDS && left == 0) {
            turns++;
            yieldOnce();
        } else {
            turns = SPINS + YIELDS;
            parking.accept(parkNs);
            parkNs = Math.min(2 * parkNs, LONGEST_PARK_NS);
        }
    }

    @Override
    public void reset() {
        if (turns > SPINS && left > 0) {
            left--;
        }
        turns = 0;
        parkNs = SHORTEST_PARK_NS;
    }

    private void yieldOnce() {
        final long beganNs = clock.getAsLong();
        yielding.run();
        if (clock.getAsLong() - beganNs > LONG_YIELD_NS) {
            left = next;
            next = Math.min(2 * next, MOST_LEFT_OUT);
        } else if (turns == SPINS + YIELDS) {
            next = Math.max(next / 2, LEAST_LEFT_OUT);
        }
    }

    /** Parks; before the first time it asks for short time slices. */
    private static final class Parking implements LongConsumer {
        private boolean hasAsked;

        @Override
        public void accept(final long ns) {
            if (!hasAsked) {
                hasAsked = true;
                Scheduling.askForShortSlices();
            }
            LockSupport.parkNanos(ns);
        }
    }
}
