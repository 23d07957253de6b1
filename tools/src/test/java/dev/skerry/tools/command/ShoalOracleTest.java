package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * Shoal by the rule authors-simulator against the simulator of Shoal's authors, on the same traces. Nothing is left to
 * chance in either, so every figure is equal; only a start that a trace gives in seconds may be a slot off.
 */
final class ShoalOracleTest {
    private static final int PAYLOAD_BYTES = 56;
    private static final double SLOT_NS = 5.632;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"sh-16-0.3, 1, true", "sh-16-0.3, 3, false", "sh-64-0.5, 1, false", "sh-64-0.5, 2, false"})
    void shouldEqualTheSimulator(final String name, final int threads, final boolean check) throws Exception {
        final JsonNode oracle = json(name);
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
    void shouldAgreeWithTheSimulatorFromTheCommandLine(final String name) throws Exception {
        final JsonNode oracle = json(name);
        final Path out = folder.resolve(name);
        final Invocation run = Invocation.ofLine("run --fabric shoal --shoal-rule authors-simulator --json --nodes "
            + oracle.get("nodes").asInt() + " --flows " + resource(name + ".csv.gz") + " --out " + out);
        assertEquals(0, run.code(), run.err());
        final JsonNode summary = new ObjectMapper().readTree(run.out());
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
    private static FlowSet flows(final String name) throws IOException, URISyntaxException {
        final FlowSet flows = new FlowSet();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(resource(name + ".csv.gz"))), StandardCharsets.UTF_8))) {
            for (final String line : reader.lines().toList()) {
                final String[] fields = line.split(",");
                final long bytes = Long.parseLong(fields[3]);
                final long start = Math.round(Double.parseDouble(fields[4]) / SLOT_NS * 1e9);
                flows.add(Long.parseLong(fields[0]), Integer.parseInt(fields[1]), Integer.parseInt(fields[2]), bytes,
                    (int) Math.ceilDiv(bytes, PAYLOAD_BYTES), start);
            }
        }
        return flows;
    }

    private static JsonNode json(final String name) throws IOException, URISyntaxException {
        return new ObjectMapper().readTree(resource(name + ".json").toFile());
    }

    private static Path resource(final String name) throws URISyntaxException {
        return Path.of(ShoalOracleTest.class.getResource("/oracle/shoal/" + name).toURI());
    }
}
