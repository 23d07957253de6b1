package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code skerry run --fabric shoal}. */
final class RunShoalTest {
    private static final String BUSY = "run --fabric shoal --nodes 16 --load 0.9 --slots 8000";

    @TempDir
    private Path folder;

    /** Half of the slots that connect nodes, with the exact rule, if the schedule hides the delay. */
    @ParameterizedTest
    @CsvSource({"'', 'guarantee 1/2 of 15/16 = 0.4688'", "--channels 1, 'guarantee 1/2 = 0.5000'",
        "--channels 1 --propagation-slots 6 --shoal-schedule delay, 'guarantee 1/2 of 15/16 = 0.4688'",
        "--channels 1 --propagation-slots 6, ''", "--shoal-rule paper-literal, ''",
        "--shoal-rule authors-simulator, ''", "--shoal-rule basic, ''", "--shoal-rule paper-one-report, ''",
        "--shoal-rule exact-one-report, ''"})
    void shouldPrintTheGuaranteeThatHolds(final String options, final String guarantee) {
        final String report = Invocation.ofLine("run --fabric shoal --nodes 16 --slots 100 " + options).out();
        final Matcher found = Pattern.compile("guarantee .*").matcher(report);
        assertEquals(guarantee, found.find() ? found.group() : "", report);
    }

    @Test
    void shouldPrintTheReport() {
        final Invocation run = Invocation.ofLine("run --fabric shoal --nodes 16 --slots 3000");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("Shoal, 16 nodes, 4 channels, exact, short"), run.out());
        assertTrue(run.out().contains("3,000 slots of 23.25 ns = "), run.out());
        assertTrue(run.out().contains(" cells per node, slot and channel, "), run.out());
        assertTrue(run.errors().stream().anyMatch(line -> line.startsWith("skerry: 16 nodes, 15 links each, ")),
            run.err());
    }

    @Test
    void shouldWriteAllFiles() throws IOException {
        final Path out = folder.resolve("result");
        final JsonNode summary = summary(BUSY + " --out " + out);
        assertEquals("shoal", summary.get("fabric").asText());
        assertTrue(summary.get("h").isNull() && summary.get("cc").isNull());
        assertEquals(summary.get("flowsCompleted").asInt(), Files.readAllLines(out.resolve("fct.csv")).size() - 1);
        assertEquals(17, Files.readAllLines(out.resolve("queue-lengths.csv")).size());
        assertTrue(Files.readString(out.resolve("report.html")).contains("cells per node, slot and channel"));
    }

    @Test
    void shouldPrintACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(BUSY + " --channels 2 --shoal-rule paper-literal --shoal-schedule "
            + "delay --shoal-age-rule off --propagation-ns 20 --seed -5");
        assertEquals(0, first.code(), first.err());
        final String printed = first.out().substring(first.out().indexOf("./skerry run"));
        final String again = printed.substring("./skerry ".length(), printed.indexOf("\n\n"))
            .replaceAll("\\\\\\s+", "").replaceAll("\\s+", " ");
        assertTrue(again.contains("--channels 2 --shoal-rule paper-literal --shoal-schedule delay "), again);
        assertTrue(again.contains("--shoal-age-rule off "), again);
        assertTrue(again.contains("--propagation-slots 2 "), again);
        assertEquals(digest(first), digest(Invocation.ofLine(again)));
    }

    private static String digest(final Invocation run) {
        assertEquals(0, run.code(), run.err());
        return run.out().lines().filter(line -> line.startsWith("Digest")).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {" --propagation-slots 3 --shoal-schedule delay --channels 2",
        " --workload all-to-all --flow-bytes 2000"})
    void shouldGiveTheSameResultWhateverTheThreadsAndChecks(final String options) throws IOException {
        runInEveryWay(options);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"", " --channels 1", " --shoal-rule authors-simulator", " --shoal-rule basic",
        " --shoal-rule paper-one-report --failed-nodes 3", " --shoal-rule exact-one-report --failed-nodes 3"})
    void shouldGiveTheSameResultWhateverTheThreadsAndRules(final String options) throws IOException {
        runInEveryWay(options);
    }

    private void runInEveryWay(final String options) throws IOException {
        final String line = options.contains("all-to-all") ? "run --fabric shoal --nodes 16 --slots 4000" : BUSY;
        final Path plain = folder.resolve("plain");
        final JsonNode digest = summary(line + options + " --out " + plain).get("digest");
        final byte[] flows = Files.readAllBytes(plain.resolve("fct.csv"));
        assertTrue(flows.length > 300, "too few flows to tell results apart");
        for (final String more : List.of(" --threads 2", " --threads 3", " --check", " --mode threads",
            " --mode threads --threads 3 --clos-ports 16 --idle yield --check")) {
            final Path out = folder.resolve(more.replace(' ', '-'));
            assertEquals(digest, summary(line + options + more + " --out " + out).get("digest"), more);
            assertArrayEquals(flows, Files.readAllBytes(out.resolve("fct.csv")), more);
        }
    }

    @Test
    void shouldGiveAnotherResultForAnotherSeedOrRule() throws IOException {
        final JsonNode one = summary(BUSY);
        assertNotEquals(one.get("digest"), summary(BUSY + " --seed 2").get("digest"));
        for (final String other : List.of("--shoal-rule paper-literal", "--shoal-age-rule off", "--channels 2",
            "--shoal-schedule delay --channels 2", "--propagation-slots 1")) {
            assertNotEquals(one.get("digest"), summary(BUSY + " " + other).get("digest"), other);
        }
    }

    /** A load is one of all channels together: with more of them, as many flows arrive in as much fewer slots. */
    @Test
    void shouldOfferTheLoadOverAllChannels() throws IOException {
        final String line = "run --fabric shoal --nodes 64 --load 0.4 --channels ";
        final int one = summary(line + "1 --slots 12000").get("flowsStarted").asInt();
        assertTrue(one > 50, "too few flows to count: " + one);
        for (int channels = 2; channels <= 4; channels++) {
            assertEquals(one, summary(line + channels + " --slots " + 12_000 / channels).get("flowsStarted").asInt());
        }
    }

    @Test
    void shouldRunAPermutationOfTheWholeRackFast() throws IOException {
        final JsonNode summary = summary("run --fabric shoal --nodes 512 --workload permutation --slots 4000");
        assertEquals(0.5, summary.get("throughput").asDouble(), 0.01);
        assertEquals(2, summary.get("maxQueueLength").asInt());
        assertEquals(0, summary.get("cellsDropped").asInt());
        // Half of the 77.1 Gb/s of payload that four channels of 25 Gb/s can carry (docs/spec/shoal.md §1, P2).
        assertEquals(38.5, summary.get("gigabitsPerSecondPerNode").asDouble(), 1);
    }

    @Test
    void shouldRunATraceUntilItIsDone() throws IOException {
        final Path trace = Files.writeString(folder.resolve("flows.csv"), """
            7,0,5,56,0
            3,2,9,560,1e-6
            9,15,0,1000,0.5e-6
            """);
        final Path out = folder.resolve("done");
        final JsonNode summary = summary("run --fabric shoal --nodes 16 --check --flows " + trace + " --out " + out);
        assertEquals(3, summary.get("flowsCompleted").asInt());
        assertEquals(1 + 10 + 18, summary.get("cellsDelivered").asInt());
        assertEquals(0, summary.get("cellsHeld").asInt());
        final List<String> flows = Files.readAllLines(out.resolve("fct.csv"));
        // A slot of four channels lasts 23.25 ns: starts in slots 0, 43 and 21.
        assertTrue(flows.stream().anyMatch(line -> line.startsWith("7,1,") && line.endsWith(",0")), flows.toString());
        assertTrue(flows.stream().anyMatch(line -> line.startsWith("3,10,") && line.endsWith(",43")), flows.toString());
        assertTrue(flows.stream().anyMatch(line -> line.startsWith("9,18,") && line.endsWith(",21")), flows.toString());
    }

    @Test
    void shouldRunOnFewNodes() throws IOException {
        for (int nodes = 2; nodes < 7; nodes++) {
            final JsonNode summary = summary("run --fabric shoal --check --workload permutation --flow-bytes 5600"
                + " --slots 0 --nodes " + nodes);
            assertEquals(nodes, summary.get("flowsCompleted").asInt());
            assertFalse(summary.get("interrupted").asBoolean());
        }
    }

    /** The workload is drawn among survivors; of a trace, flows with a failed end are left out, which is said. */
    @Test
    void shouldLeaveFailedNodesAlone() throws IOException {
        final Path out = folder.resolve("survivors");
        final JsonNode summary = summary(BUSY + " --failed-nodes 5 --check --channels 2 --out " + out);
        assertTrue(summary.get("flowsCompleted").asInt() > 0);
        final List<String> buffers = Files.readAllLines(out.resolve("buffer-occupancy.csv"));
        for (int node = 0; node < 16; node++) {
            assertEquals(node < 5, buffers.get(node + 1).equals(node + ",0"), buffers.get(node + 1));
        }
        final Path trace = Files.writeString(folder.resolve("some.csv"), "0,4,9,560,0\n1,5,9,560,0\n2,9,0,560,0\n");
        final Invocation some = Invocation.ofLine("run --fabric shoal --nodes 16 --failed-nodes 5 --json --flows "
            + trace);
        assertEquals(1, new ObjectMapper().readTree(some.out()).get("flowsCompleted").asInt());
        assertTrue(some.errors().contains("skerry: warning: trace: " + trace
            + ": a failed node is at one end, flows left out: 2"), some.err());
        assertEquals("skerry: --failed-nodes: 10: every flow of " + trace
            + " has a failed node at one end, fail fewer nodes", Invocation.ofLine(
                "run --fabric shoal --nodes 16 --failed-nodes 10 --flows " + trace).err().strip());
    }

    /** Samples do not depend on the engine; parked cells are counted with the rule of the authors' simulator only. */
    @Test
    void shouldSampleQueuesAndParkedCells() throws IOException {
        final String line = BUSY + " --shoal-rule authors-simulator";
        final JsonNode first = summary(line);
        assertTrue(first.get("queueP90").asInt() <= first.get("queueP999").asInt()
            && first.get("queueMax").asInt() > 1 && first.get("maxParkedCells").asInt() > 1, first.toString());
        for (final String more : List.of(" --threads 2 --check", " --mode threads --threads 3")) {
            final JsonNode other = summary(line + more);
            for (final String key : List.of("queueP90", "queueP95", "queueP99", "queueP999", "queueMax",
                "maxParkedCells", "digest")) {
                assertEquals(first.get(key), other.get(key), key + more);
            }
        }
        final JsonNode usual = summary(BUSY);
        assertTrue(usual.get("maxParkedCells").isNull() && usual.get("queueMax").asInt() > 1, usual.toString());
        assertFalse(summary("run --nodes 16 --slots 500").has("queueMax"));
    }
}
