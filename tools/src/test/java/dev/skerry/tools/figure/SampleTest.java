package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** A value of several seeds and its spread. */
final class SampleTest {
    /** Five values of variance 2.5: 2.776 standard errors of 0.7071. */
    @Test
    void shouldKnowItsMeanAndItsInterval() {
        final Sample sample = new Sample(new double[] {1, 5, 3, 2, 4});
        assertEquals(3, sample.mean());
        assertEquals(1, sample.least());
        assertEquals(5, sample.most());
        assertEquals(2.776 * Math.sqrt(0.5), sample.halfWidth(), 1e-12);
        assertEquals(Double.POSITIVE_INFINITY, new Sample(new double[] {7}).halfWidth());
        assertThrows(IllegalArgumentException.class, () -> new Sample(new double[0]));
    }

    @Test
    void shouldBeReportedWithItsSeeds() {
        final Findings found = new Findings().spread("x", new Sample(new double[] {1, 5, 3, 2, 4}));
        assertEquals("  x, 5 seeds: 95 % interval of the mean, \u00b1", found.checks().get(0).what());
        assertEquals("  x, 5 seeds: least", found.checks().get(1).what());
        assertEquals(5, found.checks().get(2).measured());
        assertEquals(0, new Findings().spread("x", new Sample(new double[] {1})).checks().size());
    }
}
