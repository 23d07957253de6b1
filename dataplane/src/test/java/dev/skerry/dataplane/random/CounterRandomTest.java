package dev.skerry.dataplane.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

final class CounterRandomTest {
    /** The reference outputs of SplitMix64 from state 1234567, as published with the generator. */
    private static final long[] SPLIT_MIX = {
        6457827717110365317L, 3203168211198807973L, -8629252141511181193L, 4593380528125082431L,
    };

    @Test
    void shouldMixAsSplitMix64Does() {
        long state = 1234567;
        for (final long expected : SPLIT_MIX) {
            state += 0x9E3779B97F4A7C15L;
            assertEquals(expected, CounterRandom.mix(state));
        }
        final SplittableRandom jdk = new SplittableRandom(42);
        assertEquals(jdk.nextLong(), CounterRandom.mix(42 + 0x9E3779B97F4A7C15L));
    }

    @Test
    void shouldNotRepeatAcrossNodesSlotsAndUses() {
        final Set<Long> seen = new HashSet<>();
        for (int node = 0; node < 20; node++) {
            for (int slot = 0; slot < 200; slot++) {
                for (int use = 0; use < 4; use++) {
                    assertTrue(seen.add(CounterRandom.bits(7, node, slot, use)), node + " " + slot + " " + use);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 15, 99, 1000})
    void shouldDrawUniformlyBelowABound(final int bound) {
        final int draws = 1000 * bound;
        final int[] count = new int[bound];
        for (int slot = 0; slot < draws; slot++) {
            count[CounterRandom.below(CounterRandom.bits(99, slot % 64, slot / 64, 1), bound)]++;
        }
        double chiSquare = 0;
        for (final int n : count) {
            chiSquare += (n - 1000.0) * (n - 1000.0) / 1000.0;
        }
        // Mean bound - 1, standard deviation sqrt(2(bound - 1)); four of them, and the seed is fixed.
        assertTrue(chiSquare <= bound - 1 + 4 * Math.sqrt(2.0 * (bound - 1)), "bound=" + bound + " chi2=" + chiSquare);
    }

    @Test
    void shouldReachBothEndsOfABound() {
        for (final int bound : new int[] {1, 2, 10, Integer.MAX_VALUE}) {
            assertEquals(0, CounterRandom.below(0, bound));
            assertEquals(bound - 1, CounterRandom.below(-1, bound));
        }
    }

    @Test
    void shouldFlipHalfOfTheBitsForEveryBitOfTheKey() {
        for (int bit = 0; bit < 64 + 20 + 30; bit++) {
            final int rounds = 1000;
            long flipped = 0;
            for (int i = 0; i < rounds; i++) {
                final long seed = CounterRandom.mix(i);
                final int node = i % 977;
                final long slot = 31L * i;
                final long before = CounterRandom.bits(seed, node, slot, 1);
                final long after = bit < 64 ? CounterRandom.bits(seed ^ 1L << bit, node, slot, 1)
                    : bit < 84 ? CounterRandom.bits(seed, node ^ 1 << bit - 64, slot, 1)
                    : CounterRandom.bits(seed, node, slot ^ 1L << bit - 84, 1);
                flipped += Long.bitCount(before ^ after);
            }
            // 64000 fair coins: standard deviation 126.
            assertEquals(32.0 * rounds, flipped, 700, "bit=" + bit);
        }
    }
}
