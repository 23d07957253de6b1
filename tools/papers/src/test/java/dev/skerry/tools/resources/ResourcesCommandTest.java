package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.tools.command.Invocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code skerry resources} as it is typed. */
final class ResourcesCommandTest {
    @Test
    void shouldPrintAllTopics() {
        final Invocation all = Invocation.of("resources");
        assertEquals(0, all.code(), all.err());
        assertEquals("", all.err());
        for (final String line : List.of("  N62 256 2 192 32 4,096", "  10,000 1 1 250 79 329 20,000",
            "  513 3,001,876,173 3.002 9.006 6.379 1.412",
            "  65 0.8500 0.6375 0.6375 1.000 0.8500 176.5 0.5078",
            "  0.9500 9.975 0.1017 0.1026 1.070 0.3870 0.1399 0.01829 2.37e-06 0.1285 137",
            "  1,000,000 2 196 5,880 17,640 18,522 3.84e-04", "  10 2,500")) {
            assertTrue(all.out().lines().anyMatch(got -> squeezed(got).equals(squeezed(line))),
                line + "\nis not in\n" + all.out());
        }
        assertTrue(all.out().lines().noneMatch(line -> line.endsWith(" ")));
    }

    @Test
    void shouldPrintOnlyWhatIsAskedFor() {
        final Invocation cost = Invocation.ofLine("resources COST --hosts 10240");
        assertEquals(0, cost.code(), cost.err());
        assertTrue(cost.out().contains("0.5680  "), cost.out());
        assertFalse(cost.out().contains("N432"));
        assertEquals(cost.out(), Invocation.ofLine("resources cost cost --hosts 10240").out());
        final Invocation ratio = Invocation.ofLine("resources cost --hosts 10240 --area io:0.5:0,rest:0.5:1");
        assertEquals(Invocation.ofLine("resources cost --hosts 10240 --element-ratio 0.5").out(), ratio.out());
        assertTrue(ratio.out().contains("costs 0.5 of a switch"), ratio.out());
    }

    /** A run that counts, its summary read back, and summaries that will not do. */
    @Test
    void shouldSetARunBesideTheFormulas(@TempDir final Path folder) throws IOException {
        final String counted = Invocation.ofLine("run --nodes 64 --slots 2000 --token-fifo 1000 --tokens 2 "
            + "--first-hop-tokens 3 --json").out();
        final Path file = Files.writeString(folder.resolve("summary.json"), counted);
        final Invocation shale = Invocation.ofLine("resources shale --json --measured " + file);
        assertEquals(0, shale.code(), shale.err());
        final JsonNode tables = new ObjectMapper().readTree(shale.out());
        final JsonNode run = new ObjectMapper().readTree(counted);
        assertEquals(run.get("events").get("mostTokensOwed"), tables.get("shaleMeasured").get(1).get("most"));
        assertEquals(run.get("maxActiveBuckets"), tables.get("shaleMeasured").get(2).get("most"));
        assertEquals(4 * 64 * 49, tables.get("shaleCellStore").get(0).get("cells").asInt());
        assertEquals(2 * 14 * 3 * run.get("maxActiveBuckets").asInt(),
            tables.get("shaleCellStore").get(2).get("cells").asInt());
        assertEquals(MeasuredHost.FIGURE_13.size(), tables.get("shaleFigure7").size());
        final String why = "skerry: --measured: " + file + ": ";
        for (final String[] wrong : new String[][] {{counted.replace("\"mostFifos\"", "\"none\""),
            "it lacks mostFifos, give"}, {counted.replace("\"h\": 2", "\"h\": 9"), "h is 9, not 1 to 8, give"},
            {"{}", "it is not the summary of a run of Shale"}}) {
            Files.writeString(file, wrong[0]);
            Invocation.refuses("resources shale --measured " + file, why + wrong[1]);
        }
    }

    @Test
    void shouldPrintJson() {
        final Invocation json = Invocation.ofLine("resources queue healing --utilization 0.95 --hosts 32000 --json");
        assertEquals(0, json.code(), json.err());
        assertTrue(json.out().startsWith("{\n  \"schema\": 1,\n  \"queue\": [\n    {\n      \"utilization\": 0.95,\n"),
            json.out());
        assertTrue(json.out().contains("\"cellsAt1e-6\": 137\n"), json.out());
        assertTrue(json.out().contains("\"updateUs\": 210.0,"), json.out());
        assertTrue(json.out().endsWith("]\n}\n"), json.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"--hosts 0; --hosts: 0: a network has 1 to",
        "--hosts 1000000000001; --hosts: 1000000000001: a network has",
        "--hosts x; skerry: command line: --hosts:", "--utilization 1; --utilization: 1.0: the queue is not steady",
        "--utilization NaN; --utilization: NaN:", "--element-ratio 0; --element-ratio: 0.0: the ratio must be above 0",
        "--element-ratio 0.5 --area io:1:0; --area gives it too", "--area io:1; --area: io:1: it does not have three "
            + "fields",
        "--area io:1:x; --area: io:1:x:", "--area io:0.5:0; the shares of all parts sum to 1",
        "--area io:1:1; the savings leave nothing of the chip", "nonsense; nonsense",
        "cost --measured summary.json; --measured: summary.json: only the topic shale is measured",
        "shale --measured no-such.json; --measured: no-such.json: it cannot be read: NoSuchFileException"})
    void shouldSayInOneLineWhatIsWrong(final String arguments, final String what) {
        Invocation.refuses("resources " + arguments, what);
    }

    private static String squeezed(final String line) {
        return line.strip().replaceAll(" +", " ");
    }
}
