package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.digest;
import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

/** {@code skerry run}: its report and files, one result in every way, traces, options, and what it publishes. */
@Timeout(300)
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
    /** Enough traffic to tell two runs apart. */
    private static final String BRIEF = BUSY.replace("12000", "4000");
    /** As the papers' simulators write it: a header, a comment, out of order, 1 + 10 + 5 cells of 244 bytes. */
    private static final String TRACE = """
        flow,source,destination,bytes,start
        7,0,5,244,0
        # later than the next one
        3,2,9,2440,1e-6
        9,15,0,1000,0.5e-6
        """;
    private static final String TRACED = "run --nodes 16 --propagation-slots 4 --slots 0 --flows ";
    private static final String MEDIAN = "run_latency_slots{quantile=\"0.5\"}";

    @TempDir
    private Path folder;

    private Path trace(final String text) throws IOException {
        return Files.writeString(folder.resolve("trace-" + Math.abs(text.hashCode()) + ".csv"), text);
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
        final Invocation run = Invocation.ofLine(SMALL).ok();
        assertTrue(run.out().startsWith("Shale, 16 nodes, h = 2, hbh+spray, short"), run.out());
        run.prints("0 dropped, 0 corrupted");
        assertTrue(run.out().lines().anyMatch(line -> line.matches("Digest +[0-9a-f]{16}")), run.out());
        assertTrue(run.errors().stream().allMatch(line -> line.startsWith("skerry: ")), run.err());
    }

    @Test
    void shouldPrintACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(BUSY + " --cc hbh --tokens 2 --first-hop-tokens 3 --seed -5");
        assertEquals(first.printedDigest(), Invocation.ofLine(first.command()).ok().printedDigest());
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

    @Test
    void shouldPrintOnlyJsonWhenAskedAndWriteEveryFileOfTheContract() throws IOException {
        final Path out = folder.resolve("deep/result");
        final Invocation run = Invocation.ofLine(SMALL + " --json --out " + out).ok();
        try (Stream<Path> files = Files.list(out)) {
            final Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            assertTrue(names.containsAll(CONTRACT_FILES), names.toString());
        }
        assertEquals(run.out(), Files.readString(out.resolve("summary.json")));
        final JsonNode summary = run.json();
        for (final String key : CONTRACT_KEYS) {
            assertTrue(summary.hasNonNull(key), () -> "summary lacks " + key);
        }
        assertEquals("shale 16 2 hbh+spray 1 2000 false", Stream.of("fabric", "nodes", "h", "cc", "seed", "slots",
            "interrupted").map(key -> summary.get(key).asText()).collect(Collectors.joining(" ")));
        final long delivered = summary.get("cellsDelivered").asLong();
        assertTrue(delivered > 0);
        assertEquals(delivered / (16.0 * 2000), summary.get("wholeRunThroughput").asDouble(), 1e-12);
        assertEquals(summary.get("cellsInjected").asLong(), delivered + summary.get("cellsHeld").asLong());
        assertTrue(summary.get("digest").asText().matches("[0-9a-f]{16}"), summary.get("digest").asText());
        final List<String> flows = Files.readAllLines(out.resolve("fct.csv"));
        assertEquals("flow_id,cells,completion_slots,start_slot", flows.getFirst());
        assertEquals(summary.get("flowsCompleted").asInt(), flows.size() - 1);
        for (final String file : List.of("buffer-occupancy", "queue-lengths", "active-buckets")) {
            final List<String> nodes = Files.readAllLines(out.resolve(file + ".csv"));
            assertEquals("node,value", nodes.getFirst());
            assertEquals(17, nodes.size(), file);
        }
        assertEquals("skerry: results in " + out, run.errors().getLast());
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
    void shouldSayHowManyThreadsRan() throws IOException {
        final int ran = summary(SMALL + " --mode threads --nic-threads 3 --switch-threads 8").get("events")
            .get("threadsRun").asInt();
        assertTrue(ran >= 1 && ran <= Math.min(11, Runtime.getRuntime().availableProcessors()), "ran=" + ran);
        assertEquals(2, summary("run --nodes 64 --slots 500 --threads 2").get("events").get("threadsRun").asInt());
        assertEquals(2, summary("run --fabric fattree --nodes 16 --slots 500 --threads 2").get("events")
            .get("threadsRun").asInt());
        assertNull(summary(SMALL).get("events").get("threadsRun"));
    }

    @Test
    void shouldGiveAnotherResultForAnotherSeedOrMechanism() {
        shouldDiffer(BRIEF);
    }

    @Tag("long")
    @Test
    void shouldGiveAnotherResultInLongerRunsToo() {
        shouldDiffer(BUSY);
    }

    private static void shouldDiffer(final String run) {
        final Set<JsonNode> digests = new HashSet<>();
        for (final long seed : new long[] {0, 1, 2, -1, 1L << 32, Long.MIN_VALUE}) {
            assertTrue(digests.add(digest(run + " --seed " + seed)), "seed=" + seed);
        }
        for (final String options : List.of("none", "priority", "priority --priority-order cell",
            "priority --priority-of log", "priority --priority-factor 0.01",
            "priority --priority-of log --priority-order cell", "isd --isd-rate 0.1")) {
            assertTrue(digests.add(digest(run + " --cc " + options)), options);
        }
        assertTrue(digests.add(same(run + " --cc isd", "--isd-rate 0.3125 --threads 2").get("digest")));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldRunATraceUntilItIsDone(final int threads) throws IOException {
        final Path out = folder.resolve("result");
        final JsonNode summary = summary("run --nodes 16 --check --threads " + threads + " --flows " + trace(TRACE)
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
        final Invocation run = Invocation.ofLine("run --nodes 16 --json --flows " + packed).ok();
        assertEquals(digest("run --nodes 16 --flows " + trace(TRACE)), run.json().get("digest"));
        assertTrue(run.errors().contains("skerry: warning: trace: " + packed
            + ":5: starts before a flow above it, flows sorted by start"), run.err());
        final JsonNode part = summary("run --nodes 16 --slots 100 --propagation-slots 7 --flows " + trace(TRACE));
        assertEquals(100, part.get("slots").asLong());
        assertEquals(2, part.get("flowsStarted").asInt());
    }

    @ParameterizedTest
    @CsvSource({"'', marked as failed (--fill would let them forward)", "--fill, only forward"})
    void shouldFillUpToAPowerAndSaySo(final String fill, final String said) {
        final Invocation run = Invocation.ofLine("run --nodes 250 --slots 300 --json " + fill).ok();
        assertTrue(run.errors().contains("skerry: 250 nodes are not r^2: N is rounded up to 256, 6 of them " + said),
            run.err());
        assertEquals(250, run.json().get("nodes").asInt());
        assertEquals(250, run.json().get("endpoints").asInt());
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
    void shouldRunWithEveryCongestionControl(final String control) {
        final JsonNode summary = summary(BUSY + " --check --cc " + control);
        assertEquals(control, summary.get("cc").asText());
        assertTrue(summary.get("cellsDelivered").asLong() > 1000, summary.toString());
        assertEquals(control.contains("hbh"), summary.get("maxActiveBuckets").asInt() > 0);
    }

    @ParameterizedTest
    @CsvSource({"--nodes 16 --slots 100 --workload permutation, 16, 16",
        "--nodes 16 --slots 100 --workload incast, 15, 15",
        "--nodes 16 --slots 100 --workload all-to-all, 240, 240", "--nodes 64 --slots 30000 --workload short, 11, 9999",
        "--nodes 64 --slots 30000 --workload heavy, 11, 9999", "--nodes 64 --slots 30000 --workload web, 11, 9999"})
    void shouldRunEveryWorkload(final String options, final int least, final int most) {
        final int flows = summary("run " + options + (most > 240 ? " --load 0.9" : "")).get("flowsStarted").asInt();
        assertTrue(least <= flows && flows <= most, "flows: " + flows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "run --help", "pieo --help", "help run --help-all",
        "run --fabric shoal --help-all", "run --help --fabric fattree", "run --help --fabric stardust",
        "sweep --help", "score --help", "--version"})
    void shouldHelpOnStandardOutput(final String line) {
        final Invocation help = Invocation.ofLine(line).ok();
        assertEquals("", help.err());
        assertTrue(line.endsWith("version") || help.out().contains("  ./skerry "), help.out());
        assertTrue(help.out().lines().allMatch(each -> each.length() <= 100), help.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --size-factor 2.5    | 1,2,3,250,0/2,4,5,2500,1e-6/3,6,7,1252,2e-6/4,8,9,25002,3e-6
        --load-factor 4      | 1,2,3,100,0/2,4,5,1000,2.5e-7/3,6,7,501,5e-7/4,8,9,10001,7.5e-7
        --min-flow-bytes 501 | 2,4,5,1000,1e-6/3,6,7,501,2e-6/4,8,9,10001,3e-6
        --max-flow-bytes 501 | 1,2,3,100,0/3,6,7,501,2e-6
        --read-flows 2       | 1,2,3,100,0/2,4,5,1000,1e-6
        --min-flow-bytes 501 --read-flows 2 --size-factor 0.1 | 2,4,5,100,1e-6/3,6,7,50,2e-6
        """)
    void shouldDoWhatCouldBeDoneByHand(final String options, final String byHand) throws IOException {
        final JsonNode actual = summary(TRACED + trace("1,2,3,100,0\n2,4,5,1000,1e-6\n3,6,7,501,2e-6\n"
            + "4,8,9,10001,3e-6\n") + " " + options);
        final JsonNode expected = summary(TRACED + trace(byHand.replace('/', '\n')));
        for (final String key : List.of("digest", "flowsCompleted", "slots")) {
            assertEquals(expected.get(key), actual.get(key), key);
        }
    }

    /** The size table of the papers' short flows, in a file: the same process, but for sizes between packets. */
    @Test
    void shouldDrawSizesFromAFile() throws IOException {
        final Path sizes = Files.writeString(folder.resolve("sizes.txt"), "1460 1\n");
        final JsonNode summary = summary("run --nodes 16 --slots 12000 --load 0.05 --workload file:" + sizes);
        assertTrue(summary.get("flowsCompleted").asInt() > 1_000, summary.toString());
        assertEquals(6, summary.get("cellsInjected").asDouble() / summary.get("flowsStarted").asDouble(), 0.1);
        assertEquals("file:" + sizes, summary.get("options").get("workload").asText());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --flows T --size-factor 0       | --size-factor    | must be more than 0
        --flows T --load-factor -1      | --load-factor    | must be more than 0
        --flows T --read-flows 0        | --read-flows     | must be 1 or more
        --flows T --max-flow-bytes 0    | --max-flow-bytes | must be 1 or more
        --flows T --min-flow-bytes -1   | --min-flow-bytes | must be 0 or more
        --size-factor 2                 | --size-factor    | there is no trace
        --workload file:/no/such/file   | workload         | there is no such file
        --workload files                | --workload       | there is no such workload
        """)
    void shouldRefuseWrongTracesAndSizes(final String options, final String what, final String said)
        throws IOException {
        refuses("run --nodes 16 " + options.replace("T ", trace("1,2,3,100,0") + " "), "skerry: " + what + ": ", said);
    }

    private static JsonSchema schema() throws IOException {
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(Path.of("../docs/schema/summary.schema.json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--nodes 16 --slots 3000 --slowdown 2",
        "--nodes 16 --slots 0 --cc none --load 0.05 --drain",
        "--fabric shoal --nodes 16 --slots 500 --workload permutation",
        "--fabric stardust --topology single --nodes 8 --slots 2000"})
    void shouldBeWhatTheSchemaSays(final String options) throws IOException {
        final ObjectNode summary = (ObjectNode) summary("run " + options);
        assertEquals(Set.of(), schema().validate(summary), options);
        assertFalse(schema().validate(summary.deepCopy().put("interrupted", "false")).isEmpty(), "another kind");
        assertFalse(schema().validate(summary.without("digest")).isEmpty(), "a key is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--cc none", "--cc hbh+spray", "--cc hbh+spray-bucket+priority", "--cc isd+spray-short",
        "--cc rd+spray-short", "--cc ndp+spray-short", "--cc hbh+spray --mode threads --threads 2",
        "--fabric shoal"})
    void shouldCountTheMemoryThatIsAllocated(final String options) {
        final JsonNode summary = summary("run --nodes 64 --slots 300 " + options);
        final long workedOut = summary.findValue("stateBytesPerNode").asLong();
        final long counted = summary.findValue("memoryBytesPerNode").asLong();
        // Small banks count active buckets on the heap; links of threads, and what grows, come on top.
        assertTrue(2 * counted >= workedOut && counted <= 2 * workedOut, counted + " of " + workedOut);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 64 --load 0.2 --slots 3000", "--nodes 64 --load 0.1 --slots 2000 --drain --warm-up 500 --slowdown 3",
        "--nodes 16 --h 1 --cc none --load 0.3 --slots 2000", "--nodes 81 --h 4 --cc hbh+spray-bucket --slots 2000",
        "--nodes 25 --cc isd+priority+hbh+spray-short --slots 2000 --seed 9",
        "--nodes 16 --pieo-entries 3 --slots 1000", "--fabric shoal --nodes 16 --load 0.4 --slots 3000",
        "--fabric shoal --nodes 9 --channels 2 --drain --slots 900",
        "--fabric shoal --nodes 16 --shoal-schedule delay --propagation-slots 1 --workload permutation --slots 800",
        "--fabric shoal --nodes 16 --failed-nodes 3 --shoal-rule paper-literal --slots 2000",
        "--fabric stardust --nodes 16 --slots 3000",
        "--fabric stardust --nodes 16 --load 0.3 --slots 900 --drain --warm-up 300 --slowdown 2 --seed 5",
        "--fabric stardust --topology single --nodes 6 --ports 4 --workload permutation --slots 2000",
        "--fabric stardust --topology n432 --workload incast --incast-senders 60 --slots 0",
        "--fabric stardust --topology clos --radix 4 --tiers 3 --up-links 1 --top-elements 3 --device-ns 300 "
            + "--packet-bytes 9000 --cell-bytes 512 --credit-bytes 2048 --speed-up 1 --load 1 --slots 1000",
    })
    void shouldHaveTheResultOfTheFastEngineByTheReferenceToo(final String line) {
        final JsonNode fast = summary("run " + line);
        final JsonNode reference = summary("run " + line + " --engine reference");
        for (final String key : List.of("digest", "slots", "flowsStarted", "flowsCompleted", "cellsInjected",
            "cellsDelivered", "cellsHeld", "maxQueueLength", "maxActiveBuckets", "throughput", "steady", "slowdown")) {
            assertEquals(fast.get(key), reference.get(key), key);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --engine slow                            | --engine: slow: there is no such engine
        --engine reference --threads 2           | --threads: 2:
        --engine reference --mode threads        | --mode: threads:
        --engine reference --check               | --check:
        --engine reference --faults none.txt     | --faults:
        --engine reference --nodes 4096          | --engine: reference: the reference engine runs at most
        --engine reference --cc rd               | --engine: reference: the reference engine supports only
        --engine reference --cc isd+rd           | --engine: reference: the reference engine supports only
        --engine reference --failed-nodes 1      | --engine: reference: the reference engine supports only
        --engine reference --interleave 3:1/2,1:1/2 --cutoff-bytes 9000 | --engine: reference: this fabric has no
        --engine reference --fabric stardust --hosts paced        | --engine: reference: the reference engine
        --engine reference --fabric stardust --packing none       | --engine: reference: the reference engine
        --engine reference --fabric stardust --requests slow      | --engine: reference: the reference engine
        --engine reference --fabric stardust --class-bytes 1000   | --engine: reference: the reference engine
        --engine reference --fabric stardust --weights 1          | --engine: reference: the reference engine
        --engine reference --fabric stardust --voq-bytes 20000    | --engine: reference: the reference engine
        --engine reference --fabric stardust --give-up-ms 1       | --engine: reference: the reference engine
        --engine reference --fabric stardust --link-bytes 100     | --engine: reference: the reference engine
        --engine reference --fabric stardust --control links      | --engine: reference: the reference engine
        --engine reference --fabric stardust --reachability learnt | --engine: reference: the reference engine
        --engine reference --fabric shoal --shoal-rule authors-simulator | --engine: reference: the reference engine
        --engine reference --checkpoint none     | --engine: reference: it writes no
        """)
    void shouldRefuseWhatTheReferenceEngineLacks(final String options, final String said) {
        refuses("run --slots 100 " + options, "skerry: " + said);
    }

    @Test
    void shouldPublishWhileItRunsAndLeaveNothing() throws Exception {
        final Thread run = Thread.ofPlatform().start(() -> Invocation.ofLine(
            "run --nodes 16 --workload permutation --slots 2000000000 --publish " + folder));
        try {
            JsonNode counters = process(folder).path("counters");
            // Counters are written one after the other, latencies last.
            while (counters.path("run_slots").asLong() < 1000 || counters.path(MEDIAN).asLong() == 0) {
                assertTrue(run.isAlive());
                counters = process(folder).path("counters");
            }
            assertEquals(2_000_000_000, counters.get("run_slot_limit").asLong());
            assertTrue(counters.get("run_throughput_ppm").asLong() > 100_000, counters.toString());
            assertTrue(counters.get(MEDIAN).asLong() >= 89, "propagation at least");
            final String lines = Invocation.ofLine("stat --dir " + folder).out();
            assertTrue(lines.contains("run --nodes 16"), lines);
            final List<String> schedule = Files.readAllLines(folder.resolve(ProcessHandle.current().pid()
                + ".schedule"));
            assertEquals("16 1 6", schedule.getFirst(), "h = 2 of radix 4");
            assertEquals(1 + 6, schedule.size());
            final List<String> matrix = Invocation.ofLine("stat --matrix --dir " + folder).out().lines()
                .dropWhile(line -> !line.contains(" of an epoch of 6: ")).toList();
            assertEquals(schedule.get(1 + Integer.parseInt(matrix.getFirst().replaceAll(".*, (\\d) of an.*", "$1"))),
                receivers(matrix.subList(1, 5)));
        } finally {
            run.interrupt();
            run.join();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** What dots of Braille say: the receiver of each of 16 senders. */
    private static String receivers(final List<String> dots) {
        final String bits = "\u2801\u2808\u2802\u2810\u2804\u2820\u2840\u2880";
        final StringBuilder receivers = new StringBuilder();
        for (int sender = 0; sender < 16; sender++) {
            for (int receiver = 0; receiver < 16; receiver++) {
                final char bit = bits.charAt(2 * (sender % 4) + receiver % 2);
                if ((dots.get(sender / 4).charAt(2 + receiver / 2) & bit & 0xFF) != 0) {
                    receivers.append(receivers.isEmpty() ? "" : " ").append(receiver);
                }
            }
        }
        return receivers.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--propagation-slots 7", "--propagation-slots 7 --threads 2",
        "--propagation-slots 7 --fabric shoal", "--fabric stardust", "--propagation-slots 7 --mode threads"})
    void shouldPublishTheSameRun(final String options) {
        final String line = "run --nodes 16 --load 0.3 --slots 20000 " + options;
        assertEquals(summary(line).get("maxQueueLength"), same(line, "--publish " + folder).get("maxQueueLength"));
    }

    @Test
    void shouldSayThatThereCanBeNoFile() throws IOException {
        final Path file = Files.writeString(folder.resolve("file"), "");
        final Invocation run = Invocation.ofLine("run --nodes 16 --publish " + file.resolve("below")).exits(2);
        assertTrue(run.err().lines().anyMatch(line -> line.startsWith("skerry: --publish: " + file)), run.err());
    }

    private static JsonNode process(final Path folder) {
        return Invocation.ofLine("stat --json --dir " + folder).json().get("processes")
            .path(0);
    }
}
