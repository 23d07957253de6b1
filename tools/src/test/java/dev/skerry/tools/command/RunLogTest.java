package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Files of a run that show what happened on the way: equal to those of the simulator of Shale's authors, which drew
 * links as we do, and to each other. Between its two bursts of flows the fabric of the trace rests for long.
 */
final class RunLogTest {
    private static final String TRACE = "run --nodes 16 --h 2 --first-hop-tokens 2 --propagation-slots 10 --seed 7 "
        + "--slots 1000400 --flows ";
    private static final String LOG = "shale-log/";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"whole, ''", "whole, --threads 3", "max-flows, ''",
        "max-flows, --threads 2", "max-flows, --mode threads --threads 3"})
    void shouldWriteWhatTheSimulatorWrites(final String oracle, final String how) throws IOException {
        final Path out = run(TRACE + OracleFiles.path(LOG + "flows.csv.gz") + ' ' + how
            + (oracle.equals("whole") ? "" : " --max-flows 600"), "run");
        final Map<String, List<String>> expected = OracleFiles.lines(LOG + oracle + ".txt.gz").stream()
            .map(line -> line.split(" ")).collect(Collectors.groupingBy(words -> words[0], TreeMap::new,
                Collectors.mapping(words -> words[1], Collectors.toList())));
        assertEquals(oracle.equals("whole") ? 11 : 9, expected.size());
        for (final Map.Entry<String, List<String>> file : expected.entrySet()) {
            final boolean totals = file.getKey().equals("throughput.csv");
            assertEquals(file.getValue().stream().sorted().toList(), Files.readAllLines(out.resolve(file.getKey()))
                .stream().skip(1).map(line -> totals ? line.replaceAll("^(\\d+,\\d+),.*", "$1") : line).sorted()
                .toList(), file.getKey());
        }
    }

    /** A snapshot of a run is the end of a shorter run. */
    @ParameterizedTest
    @CsvSource({"--cc hbh+spray-bucket --threads 2, true", "--cc priority, false", "--cc ndp --rd-max-queue 3, false",
        "--fabric shoal --channels 1 --propagation-slots 5, false",
        "'--interleave 3:1/2,2:1/2 --cutoff-bytes 5000', true",
        "--mode threads --threads 3, true"})
    void shouldShowTheEndOfShorterRuns(final String how, final boolean buckets) throws IOException {
        final String run = "run --nodes 64 --flows " + flows(64)
            + (how.contains("shoal") ? " " : " --propagation-slots 20 ") + how + " --slots ";
        final Path whole = run(run + "3000 --snapshot-slots 700", "whole");
        for (final int slots : new int[] {700, 1400, 2800}) {
            final Path part = run(run + slots, "part" + slots);
            equal(whole.resolve("buffer-occupancy-" + slots + ".csv"), part.resolve("buffer-occupancy-final.csv"));
            assertEquals(buckets, Files.exists(whole.resolve("active-buckets-" + slots + ".csv")));
            if (buckets) {
                equal(whole.resolve("active-buckets-" + slots + ".csv"), part.resolve("active-buckets-final.csv"));
            }
            final String total = Files.readAllLines(part.resolve("throughput.csv")).getLast();
            assertTrue(Files.readString(whole.resolve("throughput.csv")).contains(
                '\n' + total.replaceAll("^(\\d+,\\d+),.*", "$1,")), total);
            // 3,000 slots have a sample every sixteen; the end is one too.
            final String end = held(part, slots);
            assertEquals(end, Files.readAllLines(part.resolve("queues.csv")).getLast());
            if (slots % 16 == 0) {
                assertTrue(Files.readAllLines(whole.resolve("queues.csv")).contains(end), end);
            }
        }
    }

    /** Files that have nothing to say are written as well, so that a script need not ask which there are. */
    @ParameterizedTest
    @CsvSource({"'--cc hbh', true, true", "'--cc none', false, true", "'--fabric shoal --channels 1', false, false"})
    void shouldWriteFilesOfWhatNeverHappened(final String how, final boolean buckets, final boolean queues)
        throws IOException {
        final Path flows = Files.writeString(folder.resolve("none.csv"), "0,0,1,244,1\n");
        final Path out = run("run --nodes 4 --flows " + flows + " --slots 50 " + how, "run");
        assertEquals(buckets, Files.exists(out.resolve("active-buckets-final.csv")));
        for (final String name : List.of("link-queue-lengths.csv", "link-queue-lengths-final.csv")) {
            assertEquals(queues, Files.exists(out.resolve(name)), name);
        }
        if (queues) {
            assertEquals(List.of("node,phase,link,cells"), Files.readAllLines(out.resolve("link-queue-lengths.csv")));
        }
    }

    /** The authors' simulator counts the nodes that only forward as well. */
    @Test
    void shouldListNodesThatOnlyForward() throws IOException {
        final Path flows = Files.writeString(folder.resolve("one.csv"), "0,1,2,244,6.632e-09\n");
        final Path out = run("run --nodes 3 --h 2 --fill --cc none --propagation-slots 0 --slots 100 --flows " + flows,
            "run");
        assertEquals(List.of("node,value", "0,0", "1,0", "2,0", "3,1"),
            Files.readAllLines(out.resolve("buffer-occupancy.csv")));
        assertEquals(List.of("node,phase,link,cells", "3,0,0,1"),
            Files.readAllLines(out.resolve("link-queue-lengths.csv")));
    }

    /** The last line of the cells and buckets that nodes hold. */
    private static String held(final Path run, final int slots) throws IOException {
        final String line = slots + "," + total(run.resolve("buffer-occupancy-final.csv"));
        final Path active = run.resolve("active-buckets-final.csv");
        return line + "," + (Files.exists(active) ? total(active) : "0,0");
    }

    private static String total(final Path nodes) throws IOException {
        final IntSummaryStatistics values = Files.readAllLines(nodes).stream().skip(1)
            .mapToInt(line -> Integer.parseInt(line.split(",")[1])).summaryStatistics();
        return values.getSum() + "," + values.getMax();
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "permutation"})
    void shouldAgreeWithTheMaximaOfNodes(final String workload) throws IOException {
        final Path out = run("run --nodes 81 --h 4 --cc none --slots 2000 --propagation-slots 9 --workload " + workload,
            "run");
        final Map<String, Integer> most = new TreeMap<>();
        Files.readAllLines(out.resolve("link-queue-lengths.csv")).stream().skip(1).map(line -> line.split(","))
            .forEach(row -> most.merge(row[0], Integer.parseInt(row[3]), Math::max));
        final Map<String, Integer> ofNodes = Files.readAllLines(out.resolve("queue-lengths.csv")).stream().skip(1)
            .map(line -> line.split(",")).filter(row -> !row[1].equals("0"))
            .collect(Collectors.toMap(row -> row[0], row -> Integer.parseInt(row[1]), (a, b) -> a, TreeMap::new));
        assertEquals(ofNodes, most);
        assertFalse(most.isEmpty());
    }

    /** A run that ends with a flow is a run of a number of slots; one more flow than there are changes nothing. */
    @Test
    void shouldEndWhereARunOfAsManySlotsEnds() throws IOException {
        final String line = "run --nodes 36 --propagation-slots 7 --flows " + flows(36) + " --slots ";
        for (final int flows : new int[] {1, 40, 1 << 20}) {
            final JsonNode limited = summary(line + "2500 --max-flows " + flows);
            final JsonNode same = summary(line + limited.get("slots"));
            for (final String key : List.of("digest", "slots", "flowsCompleted", "cellsDelivered")) {
                assertEquals(same.get(key), limited.get(key), key + " of " + flows);
            }
            assertTrue(limited.get("flowsCompleted").asInt() >= Math.min(flows, 40), limited::toString);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --max-flows 0                                             | --max-flows: 0: must be 1 or more
        --snapshot-slots 5                                        | --snapshot-slots: 5: snapshots are written to files
        --snapshot-slots 0 --out OUT                              | --snapshot-slots: 0: must be 1 or more
        --fabric stardust --nodes 64 --snapshot-slots 5 --out OUT | --snapshot-slots: 5: not supported by this fabric
        """)
    void shouldRefuseWhatMeansNothing(final String options, final String error) {
        refuses("run --slots 10 " + options.replace("OUT", folder.resolve("none").toString()), "skerry: " + error);
    }

    /** Flows of up to 20 kB, one in two slots; the same in every run. */
    private Path flows(final int nodes) throws IOException {
        final Random random = new Random(nodes);
        final StringBuilder flows = new StringBuilder();
        for (int flow = 0; flow < 1500; flow++) {
            final int source = random.nextInt(nodes);
            flows.append(flow).append(',').append(source).append(',')
                .append((source + 1 + random.nextInt(nodes - 1)) % nodes).append(',')
                .append(1 + random.nextInt(random.nextInt(20_000) + 1)).append(',')
                .append((2 * flow + 0.5) * 5.632e-9).append('\n');
        }
        return Files.writeString(folder.resolve("flows.csv"), flows);
    }

    private Path run(final String line, final String name) {
        final Path out = folder.resolve(name);
        Invocation.ofLine(line + " --out " + out).ok();
        return out;
    }

    private static void equal(final Path one, final Path other) throws IOException {
        assertEquals(Files.readAllLines(one), Files.readAllLines(other), one.toString());
    }
}
