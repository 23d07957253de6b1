package dev.skerry.dataplane.worker;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.function.Supplier;

/** What a thread does when none of its agents had work. Shorter waits take more of a core. */
public enum Idle {
    /** Spins. For threads that have a core each. */
    SPIN(BusySpinIdleStrategy::new),
    /** Yields to another thread. For more busy threads than cores. */
    YIELD(YieldingIdleStrategy::new),
    /**
     * Spins, then yields while that takes no time, then parks for longer and longer, up to a millisecond. In the
     * real-time class it does not yield, and rests before the kernel stops the thread.
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
}
