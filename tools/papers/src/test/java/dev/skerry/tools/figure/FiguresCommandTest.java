package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.tools.command.Invocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code skerry figures}. */
final class FiguresCommandTest {
    /** It would run for ever. */
    private static final Figure ENDLESS = new Figure("shale-none", "Figure 0", "nothing", 1, 1, Map.of(),
        (effort, _) -> {
            for (int calls = 0; calls < 1_000_000; calls++) {
                effort.part(0.5, 1).done(0.1);
            }
            throw new AssertionError("nobody stopped it");
        });

    @TempDir
    private Path folder;

    /** Hours are not begun without a word; the numbers are those of the list. */
    @Test
    void shouldSayWhatFiguresCostBeforeTheyStart() {
        final List<Figure> shale = FiguresCommand.ALL.stream().filter(figure -> figure.paper().equals("Shale"))
            .toList();
        final double minutes = shale.stream().mapToDouble(figure -> figure.minutes()).sum();
        final String line = FiguresCommand.cost(shale, false).orElseThrow();
        assertTrue(line.contains(String.format(Locale.ROOT, "%,.0f minutes", minutes)), line);
        for (final String word : List.of("--quick", "--slots", "--nodes", "--h", "--cc", "--keep", "MiB")) {
            assertTrue(line.contains(word), line);
        }
        assertFalse(FiguresCommand.cost(shale, true).orElseThrow().contains("--quick"));
        assertTrue(FiguresCommand.cost(List.of(ShoalRates.RATES), true).isEmpty());
    }

    @Test
    void shouldListTheCatalogue() throws IOException {
        final Invocation list = Invocation.ofLine("figures");
        assertEquals(0, list.code(), list.err());
        assertEquals("", list.err());
        for (final Figure figure : FiguresCommand.ALL) {
            assertTrue(list.out().contains("  " + figure.name() + " "), figure.name());
        }
        final JsonNode json = new ObjectMapper().readTree(Invocation.ofLine("figures --json").out());
        assertEquals(1, json.get("schema").intValue());
        assertEquals(FiguresCommand.ALL.size(), json.get("figures").size());
    }

    @Test
    void shouldPrintExpectedBesideMeasured() {
        final Invocation run = Invocation.ofLine("figures stardust-packing shale-fig7");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("stardust-packing: Stardust, Figure 3"), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(
            "  gain, packets of 513 B +1.412 +± 0.001 +1.4118 +ok")), run.out());
        assertTrue(run.out().contains("\nshale-fig7: Shale, Figure 7"), run.out());
        assertEquals(2, run.out().lines().filter(line -> line.matches("  all \\d+ within their rules, \\d+\\.\\d s"))
            .count(), run.out());
    }

    @Test
    void shouldMeasureTheExactRatesOfShoal() throws IOException {
        final Invocation run = Invocation.ofLine("figures shoal-rates --quick --json");
        assertEquals(0, run.code(), run.err());
        final JsonNode figure = new ObjectMapper().readTree(run.out()).get("figures").get(0);
        assertEquals("shoal-rates", figure.get("name").asText());
        assertEquals(0, figure.get("missed").asInt());
        final JsonNode first = figure.get("checks").get(0);
        assertEquals("ok", first.get("verdict").asText());
        assertEquals(100, first.get("measured").asDouble(), 1e-9);
        assertTrue(figure.get("checks").size() >= 10);
    }

    @Test
    void shouldWriteAFolder() throws IOException {
        final Path out = folder.resolve("figures");
        final Invocation run = Invocation.ofLine("figures stardust-scaling stardust-fig11 --out " + out);
        assertEquals(1, run.code(), run.err());
        assertEquals(List.of("checks.csv", "report.html", "stardust-fig11-cost.csv", "stardust-fig11-cost.svg",
            "stardust-fig11-power.csv", "stardust-fig11-power.svg", "stardust-scaling-elements.csv",
            "stardust-scaling-elements.svg", "stardust-scaling-links.csv", "stardust-scaling-links.svg",
            "stardust-scaling-tiers.csv", "stardust-scaling-tiers.svg"),
            Files.list(out).map(file -> file.getFileName().toString()).sorted().toList());
        final List<String> checks = Files.readAllLines(out.resolve("checks.csv"));
        assertEquals("figure,what,expected,accepted,measured,verdict,interval", checks.getFirst());
        assertTrue(checks.contains("stardust-scaling,\"hosts, bundles of 8, tiers: 3\",327680,exactly,327680.0,ok,"));
        assertEquals("line,x,y", Files.readAllLines(out.resolve("stardust-fig11-cost.csv")).getFirst());
        final String page = Files.readString(out.resolve("report.html"));
        assertTrue(page.contains("stardust-fig11-cost-title") && page.contains("./skerry figures"), page);
    }

    /** Runs are longer, and rules are those of the runs that are measured. */
    @Test
    void shouldMeasureWhatWasChosen() throws IOException {
        final JsonNode figure = new ObjectMapper().readTree(Invocation.ofLine(
            "figures shale-fig11 --quick --json --slots 600 --nodes 1296 --h 4 --cc hbh,hbh+spray").out())
            .get("figures").get(0);
        final List<String> checks = new ArrayList<>();
        figure.get("checks").forEach(check -> checks.add(check.get("what").asText()));
        assertEquals(List.of("h = 4, hbh: tail of flows under 4 kB", "  cells at a node, 99.99 % of the nodes",
            "h = 4, hbh+spray: tail of flows under 4 kB", "  cells at a node, 99.99 % of the nodes",
            "h = 4, hbh+spray over hbh, tail under 4 kB", "h = 4, hbh+spray, tail under 4 kB",
            "h = 4, hbh+spray, cells at a node, 99.99 %", "h = 4, hbh+spray over hbh, cells at a node, 99.99 %"),
            checks);
        assertTrue(figure.get("remarks").get(0).asText().startsWith("1,296 nodes, 600 slots, 2 seeds"),
            figure.toString());
    }

    @Test
    void shouldSayWhichFiguresMiss() {
        final StringWriter err = new StringWriter();
        final Measured missed = new Measured(ENDLESS, new Findings().atMost("x", "1", 1, 2), 0, 0);
        final Measured well = new Measured(ENDLESS, new Findings().atMost("x", "1", 1, 1), 0, 0);
        assertEquals(1, FiguresCommand.verdict(List.of(well, missed), new PrintWriter(err)));
        assertEquals("skerry: figures: 1 of 2 figures miss a rule: shale-none\n", err.toString());
        assertEquals(0, FiguresCommand.verdict(List.of(well), new PrintWriter(err)));
    }

    /** A figure that would run for ever ends as soon as it says how far it is. */
    @Test
    void shouldStopAFigure() {
        final PrintWriter err = new PrintWriter(new StringWriter());
        assertNull(Measured.of(ENDLESS, new Effort(true, 1, 1), () -> true, err));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shoal-none | skerry: figures: shoal-none: there is no such figure, see './skerry figures' for their names",
        "shale-fig1 --threads 0 | skerry: --threads: 0: must be 1 to 1024, give a number in this range",
        "--out x | skerry: --out: x: no figure is named, name one or leave it out",
        "shale-fig1 --out src | skerry: --out: src: already exists",
        "shale-fig1 --slots 9 | skerry: --slots: 9: shale-fig1 does not support this option, leave out one or the "
            + "other",
        "shale-fig13 --slots -1 | skerry: --slots: -1: must be 0 to 1000000000",
        "shale-fig10 --nodes 99 | skerry: --nodes: 99: shale-fig10 has no such run, use some of 256, 1296, 10000",
        "shale-fig13 --cc ndp | skerry: --cc: ndp: shale-fig13 does not support this option",
        "shale-fig11 --h 2,3 | skerry: --h: 3: shale-fig11 has no such run, use some of 2, 4",
        "shale-fig10 --cc ndp,tcp | skerry: --cc: tcp: there are no such mechanisms, join parts with +",
        "shale-fig1 --seed x | skerry: command line: --seed: 'x' is not a whole number"})
    void shouldRefuseWhatIsWrong(final String options, final String start) {
        Invocation.refuses("figures " + options, start);
        assertFalse(Files.exists(Path.of("x")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"shoal-rates --keep x | --keep: | a sweep stores its runs",
        "none | none | no such figure"})
    void shouldRefuseInASweepWhatIsWrong(final String options, final String where, final String why) {
        Invocation.refuses("sweep figures " + options + " --out " + folder.resolve("none"), where, why);
    }
}
