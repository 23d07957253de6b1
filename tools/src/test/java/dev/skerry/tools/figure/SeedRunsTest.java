package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A point of a figure over seeds. */
final class SeedRunsTest {
    @Test
    void shouldMeasureWithTheSeedsFromThatOfTheEffortOn() {
        final List<Double> shares = new ArrayList<>();
        final Sample[] samples = SeedRuns.of(3, new Effort(true, 7, 2), shares::add, (effort, progress) -> {
            progress.done(0.5);
            return new double[] {effort.seed(), effort.threads(), effort.quick() ? 1 : 0};
        });
        assertArrayEquals(new double[] {7, 8, 9}, samples[0].values());
        assertArrayEquals(new double[] {2, 2, 2}, samples[1].values());
        assertArrayEquals(new double[] {1, 1, 1}, samples[2].values());
        assertEquals(3, shares.size());
        for (int seed = 0; seed < 3; seed++) {
            assertEquals((seed + 0.5) / 3, shares.get(seed), 1e-12);
        }
    }
}
