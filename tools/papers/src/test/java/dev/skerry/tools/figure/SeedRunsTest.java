package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.figure.Effort.Extent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A point of a figure over seeds. */
final class SeedRunsTest {
    @Test
    void shouldMeasureWithTheSeedsFromThatOfTheEffortOn() {
        final List<Double> shares = new ArrayList<>();
        final Sample[] samples = new Effort(true, 7, 2).heardBy(shares::add).sample(3, effort -> {
            effort.done(0.5);
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

    /** A figure that is measured again takes the numbers of every seed from where they are kept. */
    @Test
    void shouldKeepTheNumbersOfEachSeed(@TempDir final Path folder) {
        final List<Long> measured = new ArrayList<>();
        for (int time = 0; time < 2; time++) {
            final Effort effort = new Effort(true, 3, Extent.ALL, 1, KeptRuns.in(folder, "engines", "program"),
                Effort.Progress.NONE);
            final Sample[] samples = effort.sample(2, seeded -> {
                measured.add(seeded.seed());
                return new double[] {10 * seeded.seed(), Double.NaN};
            });
            assertArrayEquals(new double[] {30, 40}, samples[0].values());
            assertArrayEquals(new double[] {Double.NaN, Double.NaN}, samples[1].values());
            assertEquals(List.of(3L, 4L), measured);
        }
        final Effort another = new Effort(true, 3, Extent.ALL, 1, KeptRuns.in(folder, "engines", "another"),
            Effort.Progress.NONE);
        another.sample(2, seeded -> new double[] {measured.add(seeded.seed()) ? 1 : 0});
        assertEquals(List.of(3L, 4L, 3L, 4L), measured, "another program makes its own numbers");
    }
}
