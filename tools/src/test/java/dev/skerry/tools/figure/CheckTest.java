package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

final class CheckTest {
    @Test
    void shouldAcceptUpToTheBoundsAndNoFurther() {
        assertTrue(Check.within("x", 10, 0.5, 10.5).accepted() && Check.within("x", 10, 0.5, 9.5).accepted());
        assertFalse(Check.within("x", 10, 0.5, 10.51).accepted() || Check.within("x", 10, 0.5, 9.49).accepted());
        assertTrue(Check.near("x", -200, 0.01, -202).accepted());
        assertFalse(Check.near("x", -200, 0.01, -202.1).accepted());
        assertTrue(Check.between("x", "", 1, 2, 1).accepted() && Check.between("x", "", 1, 2, 2).accepted());
        assertFalse(Check.between("x", "", 1, 2, 0.99).accepted() || Check.between("x", "", 1, 2, 2.01).accepted());
        assertTrue(Check.atLeast("x", "", 3, 3).accepted() && Check.atMost("x", "", 3, 3).accepted());
        assertFalse(Check.atLeast("x", "", 3, 2.999).accepted() || Check.atMost("x", "", 3, 3.001).accepted());
        assertTrue(Check.exactly("x", 7, 7).accepted());
        assertFalse(Check.exactly("x", 7, 7.000001).accepted());
        assertEquals(Verdict.REPORTED, Check.reported("x", "", 5).verdict());
    }

    @Test
    void shouldAcceptNoMissingValue() {
        for (final Check check : List.of(Check.within("x", 1, 1, Double.NaN), Check.near("x", 1, 1, Double.NaN),
            Check.between("x", "", 0, 1, Double.NaN), Check.atLeast("x", "", 0, Double.NaN),
            Check.atMost("x", "", 0, Double.NaN), Check.exactly("x", 0, Double.NaN))) {
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
        assertThrows(IllegalArgumentException.class, () -> new About("Fig 9", "Shale", "", "", 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Effort(true, 1, 0));
    }

    @Test
    void shouldMapPartsOfTheWork() {
        final double[] last = new double[1];
        final FigureProgress progress = share -> last[0] = share;
        progress.part(0.5, 1).part(0, 0.5).done(1);
        assertEquals(0.75, last[0], 1e-12);
    }
}
