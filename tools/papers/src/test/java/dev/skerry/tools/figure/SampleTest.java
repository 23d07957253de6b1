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

    /** Ratios of the same seed: what varies alike in both falls out. */
    @Test
    void shouldBeComparedSeedBySeed() {
        final Sample ratio = new Sample(new double[] {2, 40, 600}).over(new Sample(new double[] {1, 20, 300}));
        assertEquals(2, ratio.mean());
        assertEquals(0, ratio.halfWidth());
    }

    @Test
    void shouldLeaveOutWhatASeedDoesNotHave() {
        assertEquals(3, new Sample(new double[] {2, Double.NaN, 4}).known().mean());
        assertEquals(Double.NaN, new Sample(new double[] {Double.NaN}).known().mean());
    }

    /** A rule judges the mean; the interval is printed beside it. */
    @Test
    void shouldBeJudgedByItsMean() {
        final Sample sample = new Sample(new double[] {1, 2, 3});
        final Findings found = new Findings().atMost("x", "", 2, sample).atLeast("x", "", 2, sample)
            .between("x", "", 1.9, 2.1, sample).atMost("x", "", 1.9, sample).atLeast("x", "", 2.1, sample)
            .between("x", "", 2.1, 3, sample);
        for (int i = 0; i < 6; i++) {
            assertEquals(i < 3, found.checks().get(i).accepted(), "check " + i);
            assertEquals(sample.halfWidth(), found.checks().get(i).interval());
        }
        assertEquals("5 \u00b1 0", new Findings().atMost("x", "", 5, new Sample(new double[] {5, 5})).checks()
            .getFirst().measuredText());
        assertEquals("5", new Findings().reported("x", "", new Sample(new double[] {5})).checks().getFirst()
            .measuredText());
    }
}
