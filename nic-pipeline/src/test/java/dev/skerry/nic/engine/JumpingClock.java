package dev.skerry.nic.engine;

import dev.skerry.nic.engine.LockStepWorkers.SpeedAccount;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** A clock that goes on by one to three rounds of a {@link SpeedAccount} at a look. The first worker's thread. */
final class JumpingClock {
    private JumpingClock() {
    }

    static LongSupplier of(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final long[] now = new long[1];
        return () -> now[0] += random.nextLong(SpeedAccount.ROUND_NS, 3 * SpeedAccount.ROUND_NS);
    }
}
