package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * {@code docs/results.md} has a row for every figure, table and result of the papers, names the figures that there are,
 * and {@code .ci/figures} knows how many rules each of them misses.
 */
final class ResultsPageTest {
    private static final Path PAGE = Path.of("../../docs/results.md");
    private static final Path RECORDS = Path.of("../../.ci/figures");
    private static final Pattern NAME = Pattern.compile("`((?:shale|shoal|stardust)-[a-z0-9-]+)`");

    @Test
    void shouldNameTheFiguresThatThereAre() throws IOException {
        final TreeSet<String> named = new TreeSet<>();
        for (final String paper : List.of("Shale", "Shoal", "Stardust")) {
            rows(paper).forEach(row -> NAME.matcher(row[2]).results().map(found -> found.group(1)).forEach(named::add));
        }
        assertEquals(names(), named);
    }

    @Test
    void shouldKnowHowManyRulesEachMisses() throws IOException {
        assertEquals(names(), new TreeSet<>(Pattern.compile("\\[([a-z0-9-]+)]=\\d+").matcher(Files.readString(RECORDS))
            .results().map(found -> found.group(1)).toList()));
    }

    /** The first column of the rows, whose places stand apart by commas. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Shale | 19 | §5.4", "Shoal | 19 | Table 1, §5, §7.2, Appendix A, Appendix B",
        "Stardust | 12 | Table 1, Table 2, Table 3, Table 4, §6.1.2, Appendix A, Appendix B, Appendix C, Appendix D, "
            + "Appendix E, Appendix F"})
    void shouldHaveARowForEachFigureAndTable(final String paper, final int figures, final String others)
        throws IOException {
        final TreeSet<String> places = new TreeSet<>();
        rows(paper).forEach(row -> places.addAll(List.of(row[1].strip().split(", "))));
        IntStream.rangeClosed(1, figures).forEach(figure -> assertTrue(places.stream()
            .anyMatch(place -> place.matches(figure + "[a-d]?")), paper + " lacks Figure " + figure + ": " + places));
        for (final String other : others.split(", ")) {
            assertTrue(places.contains(other), paper + " lacks " + other + ": " + places);
        }
    }

    private static TreeSet<String> names() {
        return new TreeSet<>(FiguresCommand.ALL.stream().map(Figure::name).toList());
    }

    /** Cells of the rows of a paper's table; the first is empty. */
    private static Stream<String[]> rows(final String paper) throws IOException {
        final MatchResult section = Pattern.compile("(?ms)^## " + paper + "$(.*?)^## ")
            .matcher(Files.readString(PAGE)).results().findFirst().orElseThrow();
        return section.group(1).lines().filter(line -> line.startsWith("| ")).skip(1).map(line -> line.split("\\|"));
    }
}
