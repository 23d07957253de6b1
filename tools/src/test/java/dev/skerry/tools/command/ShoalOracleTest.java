package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.FabricKind;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Shoal by the rule authors-simulator against the simulator of Shoal's authors, on the same traces. Nothing is left to
 * chance in either, so every figure is equal; only a start that a trace gives in seconds may be a slot off.
 */
final class ShoalOracleTest {
    private static final int PAYLOAD_BYTES = 56;
    private static final double SLOT_NS = 5.632;
    private static final String RUN = "run --fabric shoal --shoal-rule authors-simulator --nodes ";
    private static final String EXACT = "shoal-exact/";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"sh-16-0.3, 1, true", "sh-16-0.3, 3, false", "sh-64-0.5, 1, false", "sh-64-0.5, 2, false"})
    void shouldEqualTheSimulator(final String name, final int threads, final boolean check) throws IOException {
        final JsonNode oracle = OracleFiles.json("shoal/" + name);
        final FlowSet flows = flows(name);
        final Shoal shoal = Shoal.of(RoundRobin.plain(oracle.get("nodes").asInt(), 1), ReleaseRule.AUTHORS_SIMULATOR,
            false, 0);
        final Outcome outcome;
        try (LockStep engine = new LockStep(FabricKind.partsOf(shoal), flows, threads, check)) {
            engine.run(0);
            outcome = engine.outcome();
        }
        final double[] slots = new double[outcome.completed().length];
        final double[] slowdown = new double[slots.length];
        for (int i = 0; i < slots.length; i++) {
            final int flow = outcome.completed()[i];
            slots[i] = outcome.completedIn()[i] + 1 - flows.startSlot(flow);
            slowdown[i] = slots[i] / flows.cells(flow);
        }
        assertEquals(oracle.get("flowsCompleted").asInt(), slots.length);
        same(oracle.get("fct"), slots, 2);
        same(oracle.get("slowdown"), slowdown, 3);
        assertEquals(oracle.get("queue").get("max").asInt(),
            Arrays.stream(outcome.nodes().queueLength()).max().orElseThrow());
    }

    /** As a user runs it: starts that lie between two slots fall into the earlier one. */
    @ParameterizedTest
    @ValueSource(strings = {"sh-16-0.3", "sh-64-0.5"})
    void shouldAgreeWithTheSimulatorFromTheCommandLine(final String name) throws IOException {
        final JsonNode oracle = OracleFiles.json("shoal/" + name);
        final Path out = folder.resolve(name);
        final JsonNode summary = summary(RUN + oracle.get("nodes").asInt() + " --flows "
            + OracleFiles.path("shoal/" + name + ".csv.gz") + " --out " + out);
        assertEquals(oracle.get("flowsCompleted").asInt(), summary.get("flowsCompleted").asInt());
        assertEquals(oracle.get("queue").get("max").asInt(), summary.get("maxQueueLength").asInt(), 2);
        final double[] slots = Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .mapToDouble(line -> Double.parseDouble(line.split(",")[2])).sorted().toArray();
        final double mean = oracle.get("fct").get("mean").asDouble();
        assertEquals(mean, Arrays.stream(slots).average().orElseThrow(), 0.03 * mean);
        final double p99 = oracle.get("fct").get("p99").asDouble();
        assertEquals(p99, slots[(int) (0.99 * (slots.length - 1))], 0.1 * p99);
    }

    /** Percentiles as the figures were made: of the slots as the authors' scripts do, of slowdowns a rank further. */
    private static void same(final JsonNode expected, final double[] values, final int decimals) {
        Arrays.sort(values);
        final double half = 0.5001 * Math.pow(10, -decimals);
        assertEquals(expected.get("mean").asDouble(), Arrays.stream(values).average().orElseThrow(), half);
        final int last = expected.has("max") ? values.length - 1 : values.length;
        assertEquals(expected.get("p50").asDouble(), values[(int) (0.5 * last)], half);
        assertEquals(expected.get("p99").asDouble(), values[(int) (0.99 * last)], half);
        if (expected.has("max")) {
            assertEquals(expected.get("p999").asDouble(), values[(int) (0.999 * last)], half);
            assertEquals(expected.get("max").asDouble(), values[last], half);
        }
    }

    /** The trace in the slots that the simulator was given, of which the seconds are a multiple. */
    private static FlowSet flows(final String name) throws IOException {
        final FlowSet flows = new FlowSet();
        for (final String line : OracleFiles.lines("shoal/" + name + ".csv.gz")) {
            final String[] fields = line.split(",");
            final long bytes = Long.parseLong(fields[3]);
            final long start = Math.round(Double.parseDouble(fields[4]) / SLOT_NS * 1e9);
            flows.add(Long.parseLong(fields[0]), Integer.parseInt(fields[1]), Integer.parseInt(fields[2]), bytes,
                (int) Math.ceilDiv(bytes, PAYLOAD_BYTES), start);
        }
        return flows;
    }

    /** Flow by flow: both orders of flows, the 2^age rule off and on, and failed nodes; samples are equal too. */
    @ParameterizedTest
    @CsvSource({"rr-n16, 1 --check", "rr-n64-busy, 1", "rr-n64-busy, 3", "age-n64-busy, 1", "age-n64-busy, 2",
        "srf-n64-busy, 1", "srf-n64-busy, 3", "fail5-n64, 1", "fail5-n64, 3", "fail20-age-n32, 1 --check",
        "fail20-age-n32, 2", "fail5-n64, 2 --mode threads", "srf-n64-busy, 2 --mode threads"})
    void shouldCompleteEveryFlowInItsSlot(final String name, final String threads) throws IOException {
        final JsonNode oracle = OracleFiles.json(EXACT + name);
        final Path out = folder.resolve(name);
        final JsonNode summary = summary(RUN + oracle.get("nodes").asInt()
            + " --failed-nodes " + oracle.get("failedNodes").asInt()
            + " --shoal-age-rule " + (oracle.get("ageIntervalSlots").asInt() > 0 ? "on" : "off")
            + " --flow-order " + (oracle.get("order").asText().startsWith("shortest") ? "shortest" : "round-robin")
            + " --flows " + OracleFiles.path(EXACT + name + ".csv.gz") + " --threads " + threads + " --out " + out);
        final JsonNode queue = oracle.get("queue");
        assertEquals(List.of(queue.get("p90").asInt(), queue.get("p95").asInt(), queue.get("p99").asInt(),
            queue.get("p999").asInt(), queue.get("max").asInt(), oracle.get("maxReorderCells").asInt()),
            Stream.of("queueP90", "queueP95", "queueP99", "queueP999", "queueMax", "maxParkedCells")
                .map(key -> summary.get(key).asInt()).toList());
        final List<String> expected = OracleFiles.lines(EXACT + name + ".fct.csv.gz");
        assertEquals(oracle.get("flows").asInt(), expected.size());
        final List<String> flows = Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .sorted(Comparator.comparingLong(line -> Long.parseLong(line.substring(0, line.indexOf(','))))).toList();
        assertEquals(expected.size(), flows.size());
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(expected.get(i), flows.get(i));
        }
    }

    /**
     * Flows under way at the end of a run: received cells and age of each, also where it counts from the tenth epoch
     * after the last start on (its static workload). The simulator hands over the cells of a slot in the next one, so
     * that it stops a slot later.
     */
    @ParameterizedTest
    @CsvSource({"unfinished-n16, 160, --slots 1499", "unfinished-n16, 160, --slots 1499 --threads 3",
        "unfinished-n16, 160, --slots 1499 --mode threads --threads 2",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10 --threads 2",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10 --mode threads --threads 3"})
    void shouldListUnfinishedFlows(final String name, final int flows, final String how) throws IOException {
        final Path out = folder.resolve("out");
        summary(RUN + "16 --flows " + OracleFiles.path(EXACT + name + ".csv.gz") + ' ' + how + " --out " + out);
        final List<String> expected = OracleFiles.lines(EXACT + name + ".flows.csv.gz");
        assertEquals(flows, expected.size());
        assertEquals(expected, Files.readAllLines(out.resolve("incomplete-flows.csv")).stream().skip(1).toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        RUN --count-after-epochs 10                                            | --out
        RUN --count-after-epochs 0 --out OUT                                   | 1 to
        run --nodes 16 --count-after-epochs 3 --out OUT                        | only Shoal
        run --fabric stardust --nodes 16 --count-after-epochs 3 --out OUT      | not supported by this fabric
        """)
    void shouldRefuseToCountWhereNothingIsListed(final String line, final String said) {
        refuses(line.replace("RUN", RUN + "16 --flows " + OracleFiles.path(EXACT + "static-n16.csv.gz"))
            .replace("OUT", folder.resolve("out").toString()), "--count-after-epochs", said);
    }
}
