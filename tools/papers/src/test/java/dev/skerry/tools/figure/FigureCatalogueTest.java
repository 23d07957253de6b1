package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.figure.Findings.Check;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

final class FigureCatalogueTest {
    /** Minutes of a figure that a test has time for. */
    private static final double NO_TIME = 0.05;

    private static List<Figure> formulas() {
        return FiguresCommand.ALL.stream().filter(figure -> figure.minutes() < NO_TIME).toList();
    }

    @Test
    void shouldNameEachFigureOnce() {
        final Set<String> names = new HashSet<>();
        for (final Figure figure : FiguresCommand.ALL) {
            assertTrue(names.add(figure.name()), figure.name());
            assertTrue(figure.name().startsWith(figure.paper().toLowerCase(Locale.ROOT) + "-"), figure.name());
            assertTrue(figure.quickMinutes() <= figure.minutes(), figure.name());
        }
    }

    /** What takes no run gives what the papers say, with a rule for nearly every value, twice the same. */
    @ParameterizedTest
    @MethodSource("formulas")
    void shouldFollowThePapersFormulas(final Figure figure) {
        final Findings found = figure.measure(new Effort(false, 1, 1));
        assertTrue(found.checks().size() > 5, figure.name());
        for (final Check check : found.checks()) {
            assertTrue(check.accepted(), check.toString());
        }
        assertEquals(found.checks(), figure.measure(new Effort(false, 1, 1)).checks());
    }

    /** The prototype of Shale delivers what the authors' simulator does. */
    @Tag("long")
    @Test
    void shouldMeasureThePrototype() {
        final Findings found = ShaleFabrics.FIG8.measure(new Effort(true, 1, 1));
        assertTrue(found.accepted(), found.checks().toString());
        assertFalse(found.checks().isEmpty());
    }

    /** The latencies of Shoal's prototype give its incast, and a throughput that grows with the slot to its limit. */
    @Tag("long")
    @Test
    void shouldMeasureThePrototypeOfShoal() {
        final Findings found = ShoalRates.PROTOTYPE.measure(new Effort(true, 1, 1));
        assertTrue(found.accepted(), found.checks().toString());
        assertEquals(3 + 8, found.checks().size());
    }

    @Tag("long")
    @Test
    void shouldServePortsThatArePulled() {
        final Findings found = StardustControl.FIG7.measure(new Effort(true, 1, 1));
        assertTrue(found.accepted(), found.checks().toString());
    }

    /** Shoal's schedules, and what its Table 1 loses, are exact. */
    @Tag("long")
    @Test
    void shouldFollowTheSchedulesOfShoal() {
        for (final Figure figure : List.of(ShoalSchedules.FIG3, ShoalSchedules.TABLE1)) {
            final Findings found = figure.measure(new Effort(true, 1, 1));
            assertTrue(found.accepted(), found.checks().toString());
        }
    }
}
