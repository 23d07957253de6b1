package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.Distribution.Quantiles;
import dev.skerry.tools.report.SizeBin.OpenFlows;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

final class OpenFlowsTest {
    /** Whenever the open flows would have completed, the percentiles of all lie within the bounds; they are reached. */
    @Test
    void shouldHoldThePercentilesOfEveryEnd() {
        for (long seed = 0; seed < 500; seed++) {
            final Random random = new Random(seed);
            final double[] ends = random.doubles(1 + random.nextInt(200), 1, 100).toArray();
            final int open = random.nextInt(ends.length + 1);
            final double[] complete = Arrays.copyOfRange(ends, open, ends.length);
            final double[] atLeast = Arrays.copyOf(ends, open);
            Arrays.setAll(atLeast, i -> atLeast[i] * random.nextDouble());
            final OpenFlows flows = OpenFlows.of(complete, atLeast);
            assertEquals(open, flows.flows());
            assertEquals((double) open / ends.length, flows.share(), 1e-12);
            Arrays.sort(ends);
            final double[] shares = {0.5, 0.99, 0.999};
            final OpenFlows.Bounds[] bounds = {flows.p50(), flows.p99(), flows.p999()};
            for (int i = 0; i < shares.length; i++) {
                final double of = Quantiles.of(ends, shares[i]);
                assertTrue(bounds[i].least() <= of && of <= bounds[i].most(), "seed " + seed + " share=" + shares[i]
                    + " of=" + of + " " + bounds[i]);
                if (open == 0) {
                    assertEquals(new OpenFlows.Bounds(of, of), bounds[i], "seed " + seed);
                }
            }
        }
    }

    @Test
    void shouldSayWhereAPercentileHasNoUpperBound() {
        final OpenFlows flows = OpenFlows.of(new double[] {3, 1, 2}, new double[] {1.5});
        assertEquals("1.750 to 2.500", flows.p50().text());
        assertEquals("at least 3.000", flows.p99().text());
        assertTrue(Double.isNaN(flows.carriedBy(4).p99().most()), "four flows carry no p99");
    }
}
