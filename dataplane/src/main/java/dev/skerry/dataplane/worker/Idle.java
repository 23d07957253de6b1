package dev.skerry.dataplane.worker;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Strategy of a thread whose agents have no work. A strategy with a shorter reaction time uses more of a core. */
public enum Idle {
    /** Spins. For threads with a dedicated core. */
    SPIN(BusySpinIdleStrategy::new),
    /** Yields to another thread. For more busy threads than cores. */
    YIELD(YieldingIdleStrategy::new),
    /**
     * Spins, then yields while yields return quickly, then parks for increasing times up to a millisecond. In the
     * real-time class it does not yield, and pauses before the kernel throttles the thread.
     */
    BACKOFF(() -> Scheduling.isRealTime() ? new RealTimeBackoff() : new Backoff()),
    /** Parks for a microsecond, which Linux rounds up to about fifty. */
    PARK(() -> new SleepingIdleStrategy(Scheduling.isRealTime() ? RealTimeBackoff.SHORTEST_PARK_NS
        : SleepingIdleStrategy.DEFAULT_SLEEP_PERIOD_NS));

    private final Supplier<IdleStrategy> strategies;

    Idle(final Supplier<IdleStrategy> strategies) {
        this.strategies = strategies;
    }

    /** Creates a strategy; each thread needs a separate instance. */
    public IdleStrategy strategy() {
        return strategies.get();
    }

    /** A strategy that counts consecutive turns without work. */
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
     * Spins, then yields, then parks for increasing times. If other programs compete for the processor, a yield waits
     * for a time slice of each of them, while a park of a microsecond returns after some fifty. After a slow yield the
     * next waits therefore skip yielding, twice as many each time this happens again. A thread that parks requests
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
        /** Turns in the current wait. */
        private int turns;
        private long parkNs = SHORTEST_PARK_NS;
        /** Number of waits that still skip yielding, and the number that the next slow yield sets. */
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

        /** Parks; requests short time slices before the first time. */
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
     * Idle strategy in the real-time class: spins for a few microseconds, then parks for increasing times. The kernel
     * stops a thread of this class for 50 ms once it has used 95 % of a second ({@code kernel.sched_rt_runtime_us}). A
     * thread that has recently used more than {@link #SHARE_WAITING} of its processor therefore parks as soon as it has
     * to wait, which makes it process several packets at once; a thread that always has work pauses when it has used
     * {@link #SHARE_WORKING}. Many pauses of some tens of microseconds replace a long one. One thread.
     */
    static final class RealTimeBackoff implements OwnStrategy {
        /** Maximum ratio of use to rest: two thirds and four fifths of a processor. */
        static final int SHARE_WAITING = 2;
        static final int SHARE_WORKING = 4;
        /** A park of a microsecond would return after a few, and still use the processor. */
        static final long SHORTEST_PARK_NS = 20_000;
        static final long LONGEST_PARK_NS = 1_000_000;
        static final long SPIN_NS = 10_000;
        /** Use beyond the ratio that does not cause a rest. */
        private static final long SLACK_NS = 200_000;
        /** Period after which past use and rest are halved. */
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
                // A few short parks first.
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
