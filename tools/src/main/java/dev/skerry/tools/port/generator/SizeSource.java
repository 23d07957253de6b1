package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.random.CounterRandom;

/** Draws the sizes of consecutive packets. One thread. */
final class SizeSource {
    private static final int[] IMIX = {64, 590, 64, 64, 590, 64, 1514, 64, 590, 64, 590, 64};

    private final int[] cycle;
    private final int least;
    private final int choices;
    private final long seed;
    private int next;

    SizeSource(final PacketSizes sizes, final long seed) {
        this.seed = seed;
        this.cycle = switch (sizes) {
            case PacketSizes.Fixed fixed -> new int[] {fixed.bytes()};
            case PacketSizes.Imix _ -> IMIX;
            case PacketSizes.Uniform _ -> null;
        };
        this.least = sizes instanceof final PacketSizes.Uniform uniform ? uniform.least() : 0;
        this.choices = sizes instanceof final PacketSizes.Uniform uniform ? uniform.most() - least + 1 : 0;
    }

    /** Bytes of packet n, from 0. Call once for each n in ascending order. */
    int next(final long n) {
        if (cycle == null) {
            return least + CounterRandom.below(CounterRandom.mix(seed + n * ProbeLayout.FILL_STEP), choices);
        }
        final int size = cycle[next];
        next = next + 1 == cycle.length ? 0 : next + 1;
        return size;
    }
}
