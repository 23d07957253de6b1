package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

final class RunCommandTest {
    private static final List<String> CONTRACT_KEYS = List.of("fabric", "nodes", "h", "cc", "seed", "slots",
        "cellsDelivered", "throughput", "flowsStarted", "flowsCompleted", "maxQueueLength", "maxBufferOccupancy",
        "maxActiveBuckets", "maxReorderCells", "cellsDropped", "cellsCorrupted", "wallSeconds", "nodeSlotsPerSecond",
        "digest");
    private static final Set<String> CONTRACT_FILES = Set.of("fct.csv", "summary.json", "buffer-occupancy.csv",
        "queue-lengths.csv", "active-buckets.csv", "fct.hgrm", "latency.hgrm", "report.html");
    private static final String SMALL = "run --nodes 16 --slots 2000";
    /** Enough traffic that the order of events decides the result. */
    private static final String BUSY = "run --nodes 16 --h 2 --load 0.9 --slots 12000 --propagation-slots 7";
    /** As the papers' simulators write it: a header, a comment, out of order, 1 + 10 + 5 cells of 244 bytes. */
    private static final String TRACE = """
        flow,source,destination,bytes,start
        7,0,5,244,0
        # later than the next one
        3,2,9,2440,1e-6
        9,15,0,1000,0.5e-6
        """;

    @TempDir
    private Path folder;

    private static JsonNode json(final String text) throws IOException {
        return new ObjectMapper()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .readTree(text);
    }

    private Path trace() throws IOException {
        return Files.writeString(folder.resolve("flows.csv"), TRACE, UTF_8);
    }

    /** The completed flows of a run, byte by byte, and its digest. */
    private record Trail(byte[] flows, String digest) {
    }

    private Trail trail(final String line, final String name) throws IOException {
        final Path out = folder.resolve(name);
        final JsonNode summary = summary(line + " --out " + out);
        return new Trail(Files.readAllBytes(out.resolve("fct.csv")), summary.get("digest").asText());
    }

    @Test
    void shouldPrintTheReportOnStandardOutput() {
        final Invocation run = Invocation.ofLine(SMALL);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("Shale, 16 nodes, h = 2, hbh+spray, short"), run.out());
        assertTrue(run.out().contains("0 dropped, 0 corrupted"), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.matches("Digest +[0-9a-f]{16}")), run.out());
        assertTrue(run.errors().stream().allMatch(line -> line.startsWith("skerry: ")), run.err());
    }

    @Test
    void shouldPrintACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(BUSY + " --cc hbh --tokens 2 --first-hop-tokens 3 --seed -5");
        final String printed = first.out().substring(first.out().indexOf("./skerry run"));
        final String again = printed.substring("./skerry ".length(), printed.indexOf("\n\n"))
            .replaceAll("\\\\\\s+", "").replaceAll("\\s+", " ");
        final Invocation second = Invocation.ofLine(again);
        assertEquals(0, second.code(), second.err());
        assertEquals(digestLine(first.out()), digestLine(second.out()));
    }

    /** Epochs of 16 nodes have 6 slots: a token of the first hop serves 12 slots of delay, any other 36. */
    @ParameterizedTest
    @CsvSource({"36, '', none", "37, '', --tokens 2", "89, '', --tokens 3",
        "30, --first-hop-tokens 1, --first-hop-tokens 3",
        "89, --first-hop-tokens 2, --tokens 3 --first-hop-tokens 8"})
    void shouldSayWhichTokensAreTooFew(final int delay, final String tokens, final String expected) {
        final Invocation run = Invocation.ofLine(("run --nodes 16 --slots 100 --propagation-slots " + delay + " "
            + tokens).trim());
        final List<String> tooFew = run.errors().stream()
            .filter(line -> line.contains(" are too few for the guaranteed ")).toList();
        assertEquals(expected, tooFew.stream().findFirst().map(line -> line.replaceFirst(".*delay of " + delay
            + " slots: use ", "")).orElse("none"));
        assertTrue(run.errors().stream().filter(line -> line.contains("guaranteed throughput")).count() <= 1,
            "one remark must not deny what another says: " + run.err());
    }

    private static String digestLine(final String report) {
        return report.lines().filter(line -> line.startsWith("Digest")).findFirst().orElseThrow();
    }

    @Test
    void shouldPrintOnlyJsonOnStandardOutputWhenAsked() throws IOException {
        final JsonNode summary = summary(SMALL);
        for (final String key : CONTRACT_KEYS) {
            assertTrue(summary.hasNonNull(key), () -> "summary lacks " + key);
        }
        assertEquals("shale", summary.get("fabric").asText());
        assertEquals(16, summary.get("nodes").asInt());
        assertEquals(2, summary.get("h").asInt());
        assertEquals("hbh+spray", summary.get("cc").asText());
        assertEquals(1, summary.get("seed").asLong());
        assertEquals(2000, summary.get("slots").asLong());
        final long delivered = summary.get("cellsDelivered").asLong();
        assertTrue(delivered > 0);
        assertEquals(delivered / (16.0 * 2000), summary.get("wholeRunThroughput").asDouble(), 1e-12);
        assertEquals(summary.get("cellsInjected").asLong(), delivered + summary.get("cellsHeld").asLong());
        assertTrue(summary.get("digest").asText().matches("[0-9a-f]{16}"), summary.get("digest").asText());
    }

    @Test
    void shouldWriteEveryFileOfTheContract() throws IOException {
        final Path out = folder.resolve("deep/result");
        final Invocation run = Invocation.ofLine(SMALL + " --json --out " + out);
        assertEquals(0, run.code(), run.err());
        try (Stream<Path> files = Files.list(out)) {
            final Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            assertTrue(names.containsAll(CONTRACT_FILES), names.toString());
        }
        assertEquals(run.out(), Files.readString(out.resolve("summary.json")));
        final JsonNode summary = json(run.out());
        assertFalse(summary.get("interrupted").asBoolean());
        final List<String> flows = Files.readAllLines(out.resolve("fct.csv"));
        assertEquals("flow_id,cells,completion_slots,start_slot", flows.getFirst());
        assertEquals(summary.get("flowsCompleted").asInt(), flows.size() - 1);
        for (final String file : List.of("buffer-occupancy", "queue-lengths", "active-buckets")) {
            final List<String> nodes = Files.readAllLines(out.resolve(file + ".csv"));
            assertEquals("node,value", nodes.getFirst());
            assertEquals(17, nodes.size(), file);
        }
        assertEquals(run.errors().getLast(), "skerry: results in " + out);
    }

    @Test
    void shouldRefuseAnExistingFolderBeforeTheRun() throws IOException {
        final Path taken = Files.createDirectory(folder.resolve("taken"));
        final Path file = Files.writeString(taken.resolve("mine"), "precious");
        // Longer than anyone would wait: it only ends if it never starts.
        final Invocation run = Invocation.ofLine(
            "run --nodes 16 --workload permutation --slots 9007199254740992 --out " + taken);
        assertEquals(2, run.code());
        assertEquals("", run.out());
        assertEquals(List.of("skerry: --out: " + taken
            + ": already exists and is never overwritten, choose another folder or remove it first"), run.errors());
        assertEquals("precious", Files.readString(file));
    }

    @Test
    void shouldGiveTheSameResultWhateverTheThreadsAndChecks() throws IOException {
        final Trail plain = trail(BUSY, "plain");
        assertTrue(plain.flows().length > 1000, "too few flows to tell results apart");
        for (final String more : List.of(" --threads 2", " --threads 3", " --check", " --mode threads",
            " --mode threads --threads 1 --idle spin",
            " --mode threads --nic-threads 3 --switch-threads 8 --idle park", " --mode threads --check --idle yield")) {
            final Trail other = trail(BUSY + more, more.replace(' ', '-'));
            assertArrayEquals(plain.flows(), other.flows(), more);
            assertEquals(plain.digest(), other.digest(), more);
        }
    }

    @Test
    void shouldGiveAnotherResultForAnotherSeed() throws IOException {
        final Set<String> digests = new TreeSet<>();
        for (final long seed : new long[] {0, 1, 2, -1, 1L << 32, Long.MIN_VALUE}) {
            digests.add(summary(BUSY + " --seed " + seed).get("digest").asText());
        }
        assertEquals(6, digests.size(), digests.toString());
        assertNotEquals(summary(BUSY + " --cc none").get("digest"), summary(BUSY).get("digest"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldRunATraceUntilItIsDone(final int threads) throws IOException {
        final Path out = folder.resolve("result");
        final JsonNode summary = summary("run --nodes 16 --check --threads " + threads + " --flows " + trace()
            + " --out " + out);
        assertEquals(3, summary.get("flowsStarted").asInt());
        assertEquals(3, summary.get("flowsCompleted").asInt());
        assertEquals(16, summary.get("cellsDelivered").asInt());
        assertEquals(0, summary.get("cellsHeld").asInt());
        long last = 0;
        final Set<String> flows = new TreeSet<>();
        for (final String line : Files.readAllLines(out.resolve("fct.csv")).subList(1, 4)) {
            final String[] fields = line.split(",");
            flows.add(fields[0] + "," + fields[1] + "," + fields[3]);
            assertTrue(Long.parseLong(fields[2]) >= Long.parseLong(fields[1]) + 89, line);
            assertTrue(Long.parseLong(fields[3]) + Long.parseLong(fields[2]) >= last, "not by completion: " + line);
            last = Long.parseLong(fields[3]) + Long.parseLong(fields[2]);
        }
        assertEquals(Set.of("7,1,0", "3,10,177", "9,5,88"), flows);
        assertEquals(last, summary.get("slots").asLong());
    }

    @Test
    void shouldReadAGzipTraceAndSayWhatItMadeOfIt() throws IOException {
        final Path packed = folder.resolve("flows.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write(TRACE.getBytes(UTF_8));
        }
        final Invocation run = Invocation.ofLine("run --nodes 16 --json --flows " + packed);
        assertEquals(0, run.code(), run.err());
        assertEquals(summary("run --nodes 16 --flows " + trace()).get("digest"), json(run.out()).get("digest"));
        assertTrue(run.errors().contains("skerry: warning: trace: " + packed
            + ":5: starts before a flow above it, flows sorted by start"), run.err());
    }

    @Test
    void shouldStopATraceAtTheSlotsGiven() throws IOException {
        final JsonNode summary = summary("run --nodes 16 --slots 100 --propagation-slots 7 --flows " + trace());
        assertEquals(100, summary.get("slots").asLong());
        assertEquals(2, summary.get("flowsStarted").asInt());
    }

    @Test
    void shouldFillUpToAPowerAndSaySo() throws IOException {
        final Invocation run = Invocation.ofLine("run --nodes 250 --slots 300 --json");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.errors().contains("skerry: 250 nodes are not r^2: N is rounded up to 256, 6 of them marked as "
            + "failed (--fill would let them forward)"), run.err());
        final JsonNode summary = json(run.out());
        assertEquals(250, summary.get("nodes").asInt());
        assertEquals(250, summary.get("endpoints").asInt());
        final Invocation filled = Invocation.ofLine("run --nodes 250 --fill --slots 300 --json");
        assertTrue(filled.errors().contains("skerry: 250 nodes are not r^2: N is rounded up to 256, 6 of them only "
            + "forward"), filled.err());
        assertEquals(250, json(filled.out()).get("endpoints").asInt());
    }

    @Test
    void shouldRunRoundFailedNodes() throws IOException {
        final JsonNode summary = summary(
            "run --nodes 64 --failed-nodes 5 --workload permutation --flow-bytes 2440 --slots 0 --check");
        assertEquals(59, summary.get("endpoints").asInt());
        assertEquals(59, summary.get("flowsCompleted").asInt());
        assertEquals(590, summary.get("cellsDelivered").asInt());
        assertEquals(0, summary.get("cellsDropped").asInt());
    }

    @ParameterizedTest
    @CsvSource({"1, 5, 12", "2, 9, 12", "3, 8, 12", "4, 16, 12", "5, 32, 16", "6, 64, 16", "7, 128, 16", "8, 256, 16"})
    void shouldRunWithAnyNumberOfPhases(final int h, final int nodes, final int headerBytes) throws IOException {
        final JsonNode summary = summary("run --check --workload permutation --flow-bytes 240 --propagation-slots 3"
            + " --slots 0 --threads 2 --h " + h + " --nodes " + nodes);
        assertEquals(nodes, summary.get("flowsCompleted").asInt());
        assertEquals(nodes, summary.get("cellsDelivered").asInt());
        assertEquals(Integer.toString(headerBytes), summary.get("options").get("header-bytes").asText());
        assertEquals(Integer.toString(256 - headerBytes), summary.get("options").get("payload-bytes").asText());
    }

    @ParameterizedTest
    @CsvSource({"256, , 10", "256, 16, 11", "64, , 47", "13, , 2440", "2147483647, , 1"})
    void shouldCutFlowsIntoCellsByPayload(final int cellBytes, final Integer headerBytes, final int cells)
        throws IOException {
        final JsonNode summary = summary("run --nodes 4 --workload incast --incast-senders 1 --flow-bytes 2440"
            + " --slots 0 --check --cell-bytes " + cellBytes
            + (headerBytes == null ? "" : " --header-bytes " + headerBytes));
        assertEquals(cells, summary.get("cellsDelivered").asInt());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "hbh", "spray-short", "hbh+spray", "priority", "hbh+priority+spray-bucket", "rd",
        "ndp", "hbh+spray-bucket+rd", "ndp+hbh", "priority+ndp+spray-short", "isd", "hbh+isd+priority", "hbh+spray+rd",
        "spray+priority", "isd+rd", "ndp+isd+hbh+spray"})
    void shouldRunWithEveryCongestionControl(final String control) throws IOException {
        final JsonNode summary = summary(BUSY + " --check --cc " + control);
        assertEquals(control, summary.get("cc").asText());
        assertTrue(summary.get("cellsDelivered").asLong() > 1000, summary.toString());
        assertEquals(control.contains("hbh"), summary.get("maxActiveBuckets").asInt() > 0);
    }

    @Test
    void shouldShareTheRateThatIsTold() throws IOException {
        final JsonNode usual = summary(BUSY + " --cc isd");
        assertEquals(usual.get("digest"), summary(BUSY + " --cc isd --isd-rate 0.3125 --threads 2").get("digest"));
        assertNotEquals(usual.get("digest"), summary(BUSY + " --cc isd --isd-rate 0.1").get("digest"));
    }

    @Test
    void shouldRankAsTold() throws IOException {
        final Set<String> digests = new HashSet<>();
        for (final String options : List.of("", " --priority-order cell", " --priority-of log",
            " --priority-factor 0.01", " --priority-of log --priority-order cell")) {
            digests.add(summary(BUSY + " --cc priority" + options).get("digest").asText());
        }
        digests.add(summary(BUSY + " --cc none").get("digest").asText());
        assertEquals(6, digests.size(), digests.toString());
    }

    @ParameterizedTest
    @CsvSource({"permutation, 16", "incast, 15", "all-to-all, 240"})
    void shouldRunEveryWorkloadThatStartsAtOnce(final String workload, final int flows) throws IOException {
        assertEquals(flows, summary("run --nodes 16 --slots 100 --workload " + workload).get("flowsStarted").asInt());
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "heavy", "web"})
    void shouldRunEveryWorkloadThatArrives(final String workload) throws IOException {
        assertTrue(summary("run --nodes 64 --slots 30000 --load 0.9 --workload " + workload)
            .get("flowsStarted").asInt() > 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "run --help", "pieo --help", "help run --help-all",
        "run --fabric shoal --help-all", "sweep --help", "score --help", "--version"})
    void shouldHelpOnStandardOutput(final String line) {
        final Invocation help = Invocation.ofLine(line);
        assertEquals(0, help.code());
        assertEquals("", help.err());
        assertTrue(line.endsWith("version") || help.out().contains("  ./skerry "), help.out());
        assertTrue(help.out().lines().allMatch(each -> each.length() <= 100), help.out());
    }
}
