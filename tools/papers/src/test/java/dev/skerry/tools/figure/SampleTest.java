package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.figure.Findings.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Values of several seeds, the rules that judge them, and their digits. */
final class SampleTest {
    private static final Sample FIVE = new Sample(1, 5, 3, 2, 4);

    /** Five values of variance 2.5: 2.776 standard errors of 0.7071. */
    @Test
    void shouldKnowItsMeanAndItsInterval() {
        assertEquals(List.of(3.0, 1.0, 5.0), List.of(FIVE.mean(), FIVE.least(), FIVE.most()));
        assertEquals(2.776 * Math.sqrt(0.5), FIVE.halfWidth(), 1e-12);
        assertEquals(Double.POSITIVE_INFINITY, new Sample(7).halfWidth());
        assertThrows(IllegalArgumentException.class, () -> new Sample(new double[0]));
    }

    /** Ratios of the same seed: what varies alike in both falls out. */
    @Test
    void shouldBeComparedSeedBySeed() {
        final Sample ratio = new Sample(2, 40, 600).over(new Sample(1, 20, 300));
        assertEquals(2, ratio.mean());
        assertEquals(0, ratio.halfWidth());
    }

    @Test
    void shouldLeaveOutWhatASeedDoesNotHave() {
        assertEquals(3, new Sample(2, Double.NaN, 4).known().mean());
        assertEquals(Double.NaN, new Sample(Double.NaN).known().mean());
    }

    /** A rule judges the mean; the interval is printed beside it. */
    @Test
    void shouldBeJudgedByItsMean() {
        final Sample sample = new Sample(1, 2, 3);
        final Findings found = new Findings().atMost("x", "", 2, sample).atLeast("x", "", 2, sample)
            .between("x", "", 1.9, 2.1, sample).atMost("x", "", 1.9, sample).atLeast("x", "", 2.1, sample)
            .between("x", "", 2.1, 3, sample);
        for (int i = 0; i < 6; i++) {
            assertEquals(i < 3, found.checks().get(i).accepted(), "check " + i);
            assertEquals(sample.halfWidth(), found.checks().get(i).interval());
        }
        assertEquals("5 \u00b1 0", new Findings().atMost("x", "", 5, new Sample(5, 5)).checks()
            .getFirst().measuredText());
        assertEquals("5", new Findings().reported("x", "", new Sample(5)).checks().getFirst()
            .measuredText());
    }

    @Test
    void shouldHoldTheMeanAndExpectAnother() {
        final Random random = new Random(5);
        for (int size = 2; size <= 10; size++) {
            int holds = 0;
            int expects = 0;
            final int samples = 20_000;
            for (int i = 0; i < samples; i++) {
                final double[] values = new double[size];
                Arrays.setAll(values, n -> random.nextGaussian());
                final Sample sample = new Sample(values);
                holds += Math.abs(sample.mean()) <= sample.halfWidth() ? 1 : 0;
                expects += Math.abs(random.nextGaussian() - sample.mean()) <= sample.distance() ? 1 : 0;
            }
            assertEquals(0.95, holds / (double) samples, 0.008, "size=" + size);
            assertEquals(0.95, expects / (double) samples, 0.008, "size=" + size);
        }
    }

    @ParameterizedTest
    @CsvSource({"1604.4, 35.2, 1604 \u00b1 35", "14.2681, 0.3142, 14.27 \u00b1 0.31",
        "0.20714, 0.00121, 0.2071 \u00b1 0.0012", "7, 0, 7 \u00b1 0"})
    void shouldPrintTheDigitsThatCount(final double mean, final double interval, final String text) {
        assertEquals(text, new Check("", "", Rule.NONE, mean, interval, List.of()).measuredText());
    }

    @Test
    void shouldAcceptUpToTheBoundsAndNoFurther() {
        assertTrue(new Findings().within("x", 10, 0.5, 10.5).within("x", 10, 0.5, 9.5).near("x", -200, 0.01, -202)
            .between("x", "", 1, 2, new Sample(1)).between("x", "", 1, 2, new Sample(2)).atLeast("x", "", 3, 3)
            .atMost("x", "", 3, 3).exactly("x", 7, 7).accepted());
        final Findings beyond = new Findings().within("x", 10, 0.5, 10.51).within("x", 10, 0.5, 9.49)
            .near("x", -200, 0.01, -202.1).between("x", "", 1, 2, new Sample(0.99))
            .between("x", "", 1, 2, new Sample(2.01)).atLeast("x", "", 3, 2.999).atMost("x", "", 3, 3.001)
            .exactly("x", 7, 7.000001);
        beyond.checks().forEach(check -> assertFalse(check.accepted(), check.toString()));
        assertEquals(Verdict.REPORTED, new Findings().reported("x", 5).checks().getFirst().verdict());
    }

    @Test
    void shouldAcceptNoMissingValue() {
        final List<Check> checks = new Findings().within("x", 1, 1, Double.NaN).near("x", 1, 1, Double.NaN)
            .between("x", "", 0, 1, new Sample(Double.NaN)).atLeast("x", "", 0, Double.NaN)
            .atMost("x", "", 0, Double.NaN).exactly("x", 0, Double.NaN).checks();
        for (final Check check : checks) {
            assertEquals(Verdict.MISSED, check.verdict(), check.toString());
            assertEquals("none", check.measuredText());
        }
    }

    @ParameterizedTest
    @CsvSource({"8388608, 8388608", "0.95, 0.95", "12.30149, 12.301", "0.000012, 1.20e-05", "-0.5, -0.5",
        "1234567.8, 1234568", "0, 0", "Infinity, infinite"})
    void shouldPrintFiveDigits(final double value, final String text) {
        assertEquals(text, Check.text(value));
    }

    @Test
    void shouldRefuseNamesThatNoShellLikes() {
        assertThrows(IllegalArgumentException.class, () -> new Figure("Fig 9", "", "", 1, 1, Map.of(), (_, _) -> { }));
        assertThrows(IllegalArgumentException.class, () -> new Effort(true, 1, 0));
    }

    @Test
    void shouldMapPartsOfTheWork() {
        final double[] last = new double[1];
        new Effort(true, 1, 1).heardBy(share -> last[0] = share).part(0.5, 1).part(0, 0.5).done(1);
        assertEquals(0.75, last[0], 1e-12);
    }
}
