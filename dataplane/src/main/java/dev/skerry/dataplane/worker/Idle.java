package dev.skerry.dataplane.worker;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What a thread does when none of its agents had work. Shorter waits take more of a core. */
public enum Idle {
    /** Spins. For threads that have a core each. */
    SPIN(BusySpinIdleStrategy::new),
    /** Yields to another thread. For more busy threads than cores. */
    YIELD(YieldingIdleStrategy::new),
    /**
     * Spins, then yields while that takes no time, then parks for longer and longer, up to a millisecond. In the
     * real-time class it does not yield, and pauses before the kernel stops the thread.
     */
    BACKOFF(() -> Scheduling.isRealTime() ? new RealTimeBackoff() : new Backoff()),
    /** Parks for a microsecond, which Linux rounds up to about fifty. */
    PARK(() -> new SleepingIdleStrategy(Scheduling.isRealTime() ? RealTimeBackoff.SHORTEST_PARK_NS
        : SleepingIdleStrategy.DEFAULT_SLEEP_PERIOD_NS));

    private final Supplier<IdleStrategy> strategies;

    Idle(final Supplier<IdleStrategy> strategies) {
        this.strategies = strategies;
    }

    /** A new strategy; each thread needs its own. */
    public IdleStrategy strategy() {
        return strategies.get();
    }

    /** A strategy that counts turns without work until there is some. */
    private interface OwnStrategy extends IdleStrategy {
        @Override
        default void idle(final int workCount) {
            if (workCount > 0) {
                reset();
            } else {
                idle();
            }
        }
    }

    /**
     * Spins, then yields, then parks for longer and longer. Where other programs want the processor, a yield waits for
     * a time slice of each of them; a park of a microsecond is back after some fifty. So a yield that took long makes
     * the next waits leave yields out, twice as many each time it happens again. A thread that parks asks for
     * {@linkplain Scheduling#askForShortSlices short time slices}. One thread.
     */
    static final class Backoff implements OwnStrategy {
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

    /**
     * How a thread waits in the real-time class: it spins for a few microseconds, then parks for longer and longer. The
     * kernel stops a thread of this class for 50 ms once it has used 95 % of a second
     * ({@code kernel.sched_rt_runtime_us}). So a thread that has used {@link #SHARE_WAITING} of its processor lately
     * parks as soon as it has to wait, so that it does the work of several packets at once; and one that always has
     * work pauses when it has used {@link #SHARE_WORKING}. Many pauses of some tens of microseconds take the place of a
     * long one. One thread.
     */
    static final class RealTimeBackoff implements OwnStrategy {
        /** Times of use for each time of rest: two thirds and four fifths of a processor. */
        static final int SHARE_WAITING = 2;
        static final int SHARE_WORKING = 4;
        /** A park of a microsecond would be back after a few, and use the processor all the same. */
        static final long SHORTEST_PARK_NS = 20_000;
        static final long LONGEST_PARK_NS = 1_000_000;
        static final long SPIN_NS = 10_000;
        /** Use beyond a share that makes no rest. */
        private static final long SLACK_NS = 200_000;
        /** Use and rest count half as much after this time. */
        private static final long MEMORY_NS = 20_000_000;

        private final LongSupplier clock;
        private final LongConsumer parking;
        private long usedNs;
        private long restedNs;
        private long beforeNs;
        private boolean isWaiting;
        private long sinceNs;
        private int parks;

        RealTimeBackoff() {
            this(System::nanoTime, LockSupport::parkNanos);
        }

        RealTimeBackoff(final LongSupplier clock, final LongConsumer parking) {
            this.clock = clock;
            this.parking = parking;
            this.beforeNs = clock.getAsLong();
        }

        @Override
        public void idle() {
            use();
            if (!isWaiting) {
                isWaiting = true;
                sinceNs = beforeNs;
            }
            if (parks == 0 && beforeNs - sinceNs < SPIN_NS && !isAbove(SHARE_WAITING)) {
                Thread.onSpinWait();
            } else {
                // A few short ones first.
                park(Math.clamp(SHORTEST_PARK_NS << Math.max(0, parks - 4), SHORTEST_PARK_NS, LONGEST_PARK_NS));
                parks = Math.min(parks + 1, 10);
            }
        }

        @Override
        public void reset() {
            isWaiting = false;
            parks = 0;
            use();
            if (isAbove(SHARE_WORKING)) {
                park(Math.clamp(usedNs / SHARE_WORKING - restedNs, SHORTEST_PARK_NS, LONGEST_PARK_NS));
            }
        }

        private boolean isAbove(final int share) {
            return usedNs > share * restedNs + SLACK_NS;
        }

        private void use() {
            final long nowNs = clock.getAsLong();
            usedNs += nowNs - beforeNs;
            beforeNs = nowNs;
            if (usedNs + restedNs > MEMORY_NS) {
                usedNs /= 2;
                restedNs /= 2;
            }
        }

        private void park(final long ns) {
            parking.accept(ns);
            final long nowNs = clock.getAsLong();
            restedNs += nowNs - beforeNs;
            beforeNs = nowNs;
        }
    }
}
