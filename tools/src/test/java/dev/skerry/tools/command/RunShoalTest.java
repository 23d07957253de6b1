package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.digest;
import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code skerry run --fabric shoal}: its guarantee, its files, one result in every way, and traffic classes. */
final class RunShoalTest {
    private static final String BUSY = "run --fabric shoal --nodes 16 --load 0.9 --slots 8000";
    private static final String CLASSES = "run --fabric shoal --nodes 8 --channels 2";
    /** Five long flows to node 0 at once, and a short one from each of their sources soon afterwards. */
    private static final List<String> LONG = List.of("0,1,0,50000,0", "1,2,0,50000,0", "2,3,0,50000,0",
        "3,4,0,50000,0", "4,5,0,50000,0");
    private static final List<String> SHORT = List.of("5,1,0,2000,1e-6", "6,2,0,2000,1e-6", "7,3,0,2000,1e-6",
        "8,4,0,2000,1e-6", "9,5,0,2000,1e-6");

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
    void shouldPrintTheReportAndWriteAllFiles() throws IOException {
        final Path out = folder.resolve("result");
        final Invocation run = Invocation.ofLine("run --fabric shoal --nodes 16 --slots 3000 --out " + out).ok();
        assertTrue(run.out().startsWith("Shoal, 16 nodes, 4 channels, exact, short"), run.out());
        run.prints("3,000 slots of 23.25 ns = ", " cells per node, slot and channel, ");
        assertTrue(run.errors().stream().anyMatch(line -> line.startsWith("skerry: 16 nodes, 15 links each, ")),
            run.err());
        final JsonNode summary = new ObjectMapper().readTree(out.resolve("summary.json").toFile());
        assertEquals("shoal", summary.get("fabric").asText());
        assertTrue(summary.get("h").isNull() && summary.get("cc").isNull());
        assertEquals(summary.get("flowsCompleted").asInt(), Files.readAllLines(out.resolve("fct.csv")).size() - 1);
        assertEquals(17, Files.readAllLines(out.resolve("queue-lengths.csv")).size());
        assertTrue(Files.readString(out.resolve("report.html")).contains("cells per node, slot and channel"));
    }

    @Test
    void shouldPrintACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(BUSY + " --channels 2 --shoal-rule paper-literal --shoal-schedule "
            + "delay --shoal-age-rule off --propagation-ns 20 --seed -5").ok();
        for (final String part : List.of("--channels 2 --shoal-rule paper-literal --shoal-schedule delay ",
            "--shoal-age-rule off ", "--propagation-slots 2 ")) {
            assertTrue(first.command().contains(part), first.command());
        }
        assertEquals(first.printedDigest(), Invocation.ofLine(first.command()).ok().printedDigest());
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
        final String line = (options.contains("all-to-all") ? "run --fabric shoal --nodes 16 --slots 4000" : BUSY)
            + options + " --out ";
        final Path plain = folder.resolve("plain");
        final JsonNode digest = digest(line + plain);
        final byte[] flows = Files.readAllBytes(plain.resolve("fct.csv"));
        assertTrue(flows.length > 300, "too few flows to tell results apart");
        for (final String more : List.of(" --threads 2", " --threads 3", " --check", " --mode threads",
            " --mode threads --threads 3 --clos-ports 16 --idle yield --check")) {
            final Path out = folder.resolve(more.replace(' ', '-'));
            assertEquals(digest, digest(line + out + more), more);
            assertArrayEquals(flows, Files.readAllBytes(out.resolve("fct.csv")), more);
        }
    }

    @Test
    void shouldGiveAnotherResultForAnotherSeedOrRule() {
        final JsonNode one = digest(BUSY);
        for (final String other : List.of("--seed 2", "--shoal-rule paper-literal", "--shoal-age-rule off",
            "--channels 2", "--shoal-schedule delay --channels 2", "--propagation-slots 1")) {
            assertNotEquals(one, digest(BUSY + " " + other), other);
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

    /** A slot of four channels lasts 23.25 ns: starts in slots 0, 43 and 21. */
    @Test
    void shouldRunATraceUntilItIsDone() throws IOException {
        final Path trace = Files.writeString(folder.resolve("flows.csv"),
            "7,0,5,56,0\n3,2,9,560,1e-6\n9,15,0,1000,0.5e-6\n");
        final Path out = folder.resolve("done");
        final JsonNode summary = summary("run --fabric shoal --nodes 16 --check --flows " + trace + " --out " + out);
        assertEquals(3, summary.get("flowsCompleted").asInt());
        assertEquals(1 + 10 + 18, summary.get("cellsDelivered").asInt());
        assertEquals(0, summary.get("cellsHeld").asInt());
        assertEquals(Set.of("7,1,0", "3,10,43", "9,18,21"), Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .map(line -> line.replaceFirst("^(\\d+,\\d+),\\d+,", "$1,")).collect(Collectors.toSet()));
    }

    @Test
    void shouldRunOnFewNodes() {
        for (int nodes = 2; nodes < 7; nodes++) {
            assertEquals(nodes, summary("run --fabric shoal --check --workload permutation --flow-bytes 5600 --slots 0 "
                + "--nodes " + nodes).get("flowsCompleted").asInt());
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
        assertEquals(1, some.json().get("flowsCompleted").asInt());
        assertTrue(some.errors().contains("skerry: warning: trace: " + trace
            + ": a failed node is at one end, flows left out: 2"), some.err());
        refuses("run --fabric shoal --nodes 16 --failed-nodes 10 --flows " + trace, "skerry: --failed-nodes: 10: every "
            + "flow of " + trace + " has a failed node at one end, fail fewer nodes");
    }

    /** Samples do not depend on the engine; parked cells are counted with the rule of the authors' simulator only. */
    @Test
    void shouldSampleQueuesAndParkedCells() {
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
    }

    @Test
    void shouldTakeClassesBySizeOrFromTheTraceHoweverItIsRun() throws IOException {
        final String flows = " --flows " + trace("", "");
        final JsonNode none = summary(CLASSES + flows);
        final JsonNode bySize = summary(CLASSES + " --class-bytes 2000" + flows);
        same(CLASSES + " --class-bytes 2000,40000" + flows, "--threads 3", "--check", "--mode threads --clos-ports 4",
            "--mode threads --clos-ports 4 --threads 3 --check", "--lower-class-cells 8");
        // A queue with room for one cell sends the others back, and none is lost.
        final JsonNode narrow = summary(CLASSES + " --class-bytes 2000 --lower-class-cells 1" + flows);
        assertTrue(narrow.get("events").get("cellsRefused").asLong() > 0, narrow::toString);
        assertEquals(10, narrow.get("flowsCompleted").asInt());
        assertNotEquals(none.get("digest"), bySize.get("digest"));
        for (final JsonNode other : List.of(bySize, narrow)) {
            assertEquals(none.get("cellsDelivered"), other.get("cellsDelivered"));
        }
        for (final String afterShort : List.of(",0", "")) {
            assertEquals(bySize.get("digest"), digest(CLASSES + " --flows " + trace(",1", afterShort)));
        }
        assertEquals(none.get("digest"), digest(CLASSES + " --flows " + trace(",0", ",0")));
    }

    @Test
    void shouldLetShortFlowsGoFirst() throws IOException {
        final long plain = lastShort("", folder.resolve("plain"));
        final long classed = lastShort(" --class-bytes 2000", folder.resolve("classed"));
        assertTrue(2 * classed < plain, "plain=" + plain + " classed=" + classed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 8                    | gives traffic classes, which this fabric does not support
        --fabric stardust --nodes 16 | puts flows into 2 traffic classes, of which 1 have a weight
        --fabric shoal --nodes 8 --shoal-rule authors-simulator | puts flows into traffic classes and the
        """)
    void shouldRefuseATraceWithClassesWhereThereAreNone(final String options, final String said) throws IOException {
        final Path trace = trace(",1", "");
        refuses("run " + options + " --flows " + trace, "skerry: --flows: " + trace
            + ": its sixth field " + said);
        refuses(CLASSES + " --class-bytes 9 --flows " + trace, "skerry: --class-bytes: 9: the trace gives the class "
            + "of each flow, leave it out, or the sixth field of the trace");
    }

    private Path trace(final String afterLong, final String afterShort) throws IOException {
        final StringBuilder text = new StringBuilder();
        LONG.forEach(flow -> text.append(flow).append(afterLong).append('\n'));
        SHORT.forEach(flow -> text.append(flow).append(afterShort).append('\n'));
        return Files.writeString(folder.resolve("flows.csv"), text);
    }

    /** The slot in which the last short flow is complete. */
    private long lastShort(final String options, final Path out) throws IOException {
        Invocation.ofLine(CLASSES + options + " --flows " + trace("", "") + " --out " + out).ok();
        return Files.readAllLines(out.resolve("fct.csv")).stream().skip(1).map(line -> line.split(","))
            .filter(fields -> Integer.parseInt(fields[0]) >= 5)
            .mapToLong(fields -> Long.parseLong(fields[2])).max().orElseThrow();
    }
}
