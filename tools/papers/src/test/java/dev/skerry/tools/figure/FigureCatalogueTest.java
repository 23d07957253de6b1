package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** What takes no run misses as many rules as {@code .ci/figures} says, twice the same. */
    @ParameterizedTest
    @MethodSource("formulas")
    void shouldFollowThePapersFormulas(final Figure figure) throws IOException {
        final Findings found = figure.measure(new Effort(false, 1, 1));
        assertTrue(found.checks().size() > 5, figure.name());
        final long missed = found.checks().stream().filter(check -> !check.accepted()).count();
        assertTrue(Files.readString(Path.of("../../.ci/figures")).contains("[" + figure.name() + "]=" + missed),
            found.checks().toString());
        assertEquals(found.checks(), figure.measure(new Effort(false, 1, 1)).checks());
    }

    /** Short runs whose rules all hold, and how many these are: the prototypes, ports that are pulled, schedules. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shale-fig8, 12", "stardust-fig7, 12", "shoal-fig3, 8", "shoal-table1, 5"})
    void shouldMeasureWhatThePapersSay(final String name, final int rules) {
        final Findings found = FiguresCommand.ALL.stream().filter(figure -> figure.name().equals(name)).findFirst()
            .orElseThrow().measure(new Effort(true, 1, 1));
        assertTrue(found.accepted(), found.checks().toString());
        assertEquals(rules, found.checks().size());
    }
}
