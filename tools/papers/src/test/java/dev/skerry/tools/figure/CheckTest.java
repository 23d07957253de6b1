package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

final class CheckTest {
    @Test
    void shouldAcceptUpToTheBoundsAndNoFurther() {
        assertTrue(new Findings().within("x", 10, 0.5, 10.5).within("x", 10, 0.5, 9.5).near("x", -200, 0.01, -202)
            .between("x", "", 1, 2, 1).between("x", "", 1, 2, 2).atLeast("x", "", 3, 3).atMost("x", "", 3, 3)
            .exactly("x", 7, 7).accepted());
        final Findings beyond = new Findings().within("x", 10, 0.5, 10.51).within("x", 10, 0.5, 9.49)
            .near("x", -200, 0.01, -202.1).between("x", "", 1, 2, 0.99).between("x", "", 1, 2, 2.01)
            .atLeast("x", "", 3, 2.999).atMost("x", "", 3, 3.001).exactly("x", 7, 7.000001);
        beyond.checks().forEach(check -> assertFalse(check.accepted(), check.toString()));
        assertEquals(Verdict.REPORTED, new Findings().reported("x", 5).checks().getFirst().verdict());
    }

    @Test
    void shouldAcceptNoMissingValue() {
        final List<Check> checks = new Findings().within("x", 1, 1, Double.NaN).near("x", 1, 1, Double.NaN)
            .between("x", "", 0, 1, Double.NaN).atLeast("x", "", 0, Double.NaN).atMost("x", "", 0, Double.NaN)
            .exactly("x", 0, Double.NaN).checks();
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
        assertThrows(IllegalArgumentException.class, () -> new Figure("Fig 9", "", "", 1, 1, (_, _) -> { }));
        assertThrows(IllegalArgumentException.class, () -> new Effort(true, 1, 0));
    }

    @Test
    void shouldMapPartsOfTheWork() {
        final double[] last = new double[1];
        new Effort(true, 1, 1).heardBy(share -> last[0] = share).part(0.5, 1).part(0, 0.5).done(1);
        assertEquals(0.75, last[0], 1e-12);
    }
}
