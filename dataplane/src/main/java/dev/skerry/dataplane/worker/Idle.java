package dev.skerry.dataplane.worker;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.function.Supplier;

/** What a thread does when none of its agents had work: the less it waits, the more of a core it takes. */
public enum Idle {
    /** Spins. For threads that have a core each. */
    SPIN(BusySpinIdleStrategy::new),
    /** Lets another thread run. For more threads than cores that all have something to do. */
    YIELD(YieldingIdleStrategy::new),
    /** Spins, then yields, then parks for longer and longer, up to a millisecond. */
    BACKOFF(BackoffIdleStrategy::new),
    /** Parks for a microsecond, which the system makes some fifty of. */
    PARK(SleepingIdleStrategy::new);

    private final Supplier<IdleStrategy> strategies;

    Idle(final Supplier<IdleStrategy> strategies) {
        this.strategies = strategies;
    }

    /** A strategy of its own for a thread. */
    public IdleStrategy strategy() {
        return strategies.get();
    }
}
