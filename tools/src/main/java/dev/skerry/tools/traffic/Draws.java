package dev.skerry.tools.traffic;

import dev.skerry.dataplane.random.CounterRandom;

/**
 * Random numbers of a workload: each a hash of (seed, index, use), so they have no order and no state. The seed is
 * mixed once more than the pipeline mixes it, which keeps traffic and spraying apart. Immutable.
 */
final class Draws {
    private static final long TRAFFIC = 0x7472616666696331L;

    private final long seed;

    Draws(final long seed) {
        this.seed = CounterRandom.mix(seed ^ TRAFFIC);
    }

    /**
     * A double in {@code [0, 1)}, a multiple of 2^-53.
     *
     * @param index what it is for, for example the flow.
     * @param use   which of the numbers for that index, 0 to 255.
     */
    double uniform(final long index, final int use) {
        return (CounterRandom.bits(seed, 0, index, use) >>> 11) * 0x1p-53;
    }

    /**
     * A number in {@code [0, bound)}.
     *
     * @param index what it is for, for example the flow.
     * @param use   which of the numbers for that index, 0 to 255.
     * @param bound over 0.
     */
    int below(final long index, final int use, final int bound) {
        return CounterRandom.below(CounterRandom.bits(seed, 0, index, use), bound);
    }
}
