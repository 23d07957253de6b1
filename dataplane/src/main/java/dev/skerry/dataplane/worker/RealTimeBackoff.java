package dev.skerry.dataplane.worker;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * How a thread waits in the real-time class: it spins for a few microseconds, then parks for longer and longer. The
 * kernel stops a thread of this class for 50 ms once it has used 95 % of a second
 * ({@code kernel.sched_rt_runtime_us}). So a thread that has used {@link #SHARE_WAITING} of its processor lately parks
 * as soon as it has to wait, so that it does the work of several packets at once; and one that always has work rests
 * when it has used {@link #SHARE_WORKING}. Many pauses of some tens of microseconds take the place of a long one. One
 * thread.
 */
final class RealTimeBackoff implements IdleStrategy {
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
    public void idle(final int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
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
