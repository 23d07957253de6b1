package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.FlowLength;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.tools.run.CircuitParts;
import dev.skerry.tools.traffic.TraceReader;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * The pipeline against the packet simulator of Shale's authors, on the same traces. Where chance has no say (h = 1, or
 * r = 2), or where the simulator draws links as we do, every completion and every maximum is equal. Elsewhere the
 * simulator's own runs differ from each other, so ours must lie within their range, widened by a tolerance.
 */
class ShaleOracleTest {
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;
    private static final long[] SEEDS = {1, 2, 3, 4, 5};
    private static final int MIN_FLOWS_OF_BIN = 200;
    private static final String[] BINS = {"0-4k", "4-16k", "16-64k", "64-256k", "256k-1M", ">1M"};
    private static final long[] BIN_ENDS = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, Long.MAX_VALUE};

    @ParameterizedTest
    @CsvSource({"h1-n32, 1", "h1-n32-none, 1", "r2-n8-h3-t2, 1", "r2-n16-h4, 1", "h1-n32, 2", "r2-n16-h4, 3"})
    void shouldEqualTheSimulatorWhereNothingIsLeftToChance(final String name, final int threads) throws Exception {
        shouldEqual("shale-exact", name, threads);
    }

    @ParameterizedTest
    @CsvSource({"bucket-n64-h2, 1", "bucket-n64-h2, 3", "bucket-n64-h3-incast, 2", "hbh-n64-h3, 1",
        "hbh-spray-n144-h2-fail, 2", "hbh-spray-n256-h4, 1", "hbh-spray-n64-h2, 1", "none-n100-h2, 1",
        "isd-n64-h2, 1", "isd-n64-h2, 3", "isd-spray-n64-h3, 1", "isd-spray-n64-h3, 2",
        "ndp-n64-h2, 1", "ndp-n64-h2, 3", "ndp-n64-h3, 2",
        "prio-n64-h2, 1", "prio-n64-h2, 3", "prio-x4-n64-h3, 2", "prio-q-n36-h2, 1", "prio-log-n64-h2, 1",
        "prio-hbh-spray-n64-h2, 1", "prio-hbh-spray-n64-h2, 2",
        "rd-n64-h2, 1", "rd-n64-h2, 3", "rd-n81-h4-incast, 2", "spray-n81-h4, 1"})
    void shouldEqualTheSimulatorThatDrawsLinksAsWeDo(final String name, final int threads) throws Exception {
        shouldEqual("shale-drawn", name, threads);
    }

    /** Of interleaved schedules the simulator ran each alone, so that maxima cannot be compared. */
    @ParameterizedTest
    @CsvSource({"interleave-n16-h1-h4, 1", "interleave-n16-h1-h4, 3", "interleave-n64-h2-h3, 1",
        "interleave-n256-h2-h4, 2"})
    void shouldEqualTheSimulatorWhereSchedulesShareTheSlots(final String name, final int threads) throws Exception {
        final JsonNode oracle = json("shale-drawn", name);
        final SlotShares shares = new SlotShares(1, 1);
        final List<Shale> fabrics = new ArrayList<>();
        for (final SlotShare share : shares.shares()) {
            final Shale alone = shale(oracle, oracle.get("interleave").get(share.number()).get(0).asInt(),
                oracle.get("seed").asLong());
            fabrics.add(new Shale(alone.schedule(), alone.population(), alone.mechanisms(), alone.tokens(),
                alone.firstHopTokens(), alone.propagationSlots(), alone.seed(), alone.failures(), share));
        }
        final FlowSet flows = flows("shale-drawn", name, oracle.get("nodes").asInt())
            .classedBySize(oracle.get("cutoffBytes").asLong() - 1);
        final Outcome outcome = run(new Interleaved(fabrics, shares), flows, oracle.get("slots").asLong(), threads);
        assertEquals(lines("shale-drawn", name + ".fct.csv.gz"), completions(flows, outcome));
        assertEquals(oracle.get("cellsDelivered").asLong(), outcome.count(NicCounter.CELLS_DELIVERED));
    }

    private static void shouldEqual(final String folder, final String name, final int threads) throws Exception {
        final JsonNode oracle = json(folder, name);
        final Shale shale = shale(oracle, oracle.get("h").asInt(), oracle.path("seed").asLong(1));
        final FlowSet flows = flows(folder, name, shale.population().endpoints());
        final Outcome outcome = run(shale, flows, oracle.get("slots").asLong(), threads);
        assertEquals(lines(folder, name + ".fct.csv.gz"), completions(flows, outcome));
        assertEquals(oracle.get("cellsDelivered").asLong(), outcome.count(NicCounter.CELLS_DELIVERED));
        assertEquals(oracle.get("maxQueueLength").asInt(), max(outcome.nodes().queueLength()));
        assertEquals(oracle.get("maxBufferOccupancy").asInt(), max(outcome.nodes().bufferOccupancy()));
        assertEquals(oracle.get("maxActiveBuckets").asInt(), max(outcome.nodes().activeBuckets()));
    }

    /** Completions as the simulator prints them, in order of flow. */
    private static List<String> completions(final FlowSet flows, final Outcome outcome) {
        final Map<Long, String> completions = new TreeMap<>();
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            completions.put(flows.id(flow), flows.id(flow) + "," + flows.cells(flow) + ","
                + (outcome.completedIn()[i] + 1 - flows.startSlot(flow)) + "," + flows.startSlot(flow));
        }
        return new ArrayList<>(completions.values());
    }

    @ParameterizedTest
    @ValueSource(strings = {"perm-n16-h2", "perm-n16-h2-tf4", "perm-n16-h4", "heavy-n256-h2", "short-n256-h2",
        "short-n256-h2-none", "short-n256-h4"})
    void shouldAgreeWithTheSimulatorWhereCellsAreSprayed(final String name) throws Exception {
        final JsonNode oracle = json("shale", name);
        final FlowSet flows = flows("shale", name, oracle.get("nodes").asInt());
        final List<Outcome> ours = new ArrayList<>();
        for (final long seed : SEEDS) {
            ours.add(run(shale(oracle, oracle.get("h").asInt(), seed), flows, oracle.get("slots").asLong(), 1));
        }
        final double nodeSlots = oracle.get("nodes").asDouble() * oracle.get("slots").asDouble();
        within(oracle, "throughput", median(ours, o -> o.count(NicCounter.CELLS_DELIVERED) / nodeSlots), 0.01, 0);
        within(oracle, "flowsCompleted", median(ours, o -> o.count(NicCounter.FLOWS_COMPLETED)), 0.01, 0);
        within(oracle, "maxQueueLength", median(ours, o -> max(o.nodes().queueLength())), 0.25, 3);
        within(oracle, "maxBufferOccupancy", median(ours, o -> max(o.nodes().bufferOccupancy())), 0.25, 3);
        within(oracle, "meanMaxOccupancy",
            median(ours, o -> Arrays.stream(o.nodes().bufferOccupancy()).average().orElseThrow()), 0.05, 0);
        if (!oracle.get("runs").get(0).get("maxActiveBuckets").isNull()) {
            within(oracle, "maxActiveBuckets", median(ours, o -> max(o.nodes().activeBuckets())), 0.25, 3);
        }
        final int propagationSlots = oracle.get("propagationSlots").asInt();
        for (int bin = 0; bin < BINS.length; bin++) {
            final JsonNode expected = oracle.get("runs").get(0).get("fct").get(BINS[bin]);
            if (expected != null && expected.get("n").asInt() >= MIN_FLOWS_OF_BIN) {
                shouldAgreeInBin(oracle, flows, ours, propagationSlots, bin);
            }
        }
    }

    private static void shouldAgreeInBin(final JsonNode oracle, final FlowSet flows, final List<Outcome> ours,
        final int propagationSlots, final int bin) {
        final String path = "fct/" + BINS[bin];
        within(oracle, path + "/mean", median(ours, o -> Arrays.stream(normalised(o, flows, propagationSlots, bin))
            .average().orElseThrow()), 0.03, 0);
        for (final Map.Entry<String, Double> percentile : Map.of("p50", 0.5, "p99", 0.99, "p999", 0.999).entrySet()) {
            within(oracle, path + "/" + percentile.getKey(),
                median(ours, o -> rank(normalised(o, flows, propagationSlots, bin), percentile.getValue())), 0.05, 0);
        }
    }

    /** Ours must be within the range of the simulator's runs, widened by a share of its ends or by a number. */
    private static void within(final JsonNode oracle, final String path, final double ours, final double share,
        final double atLeast) {
        double low = Double.MAX_VALUE;
        double high = -Double.MAX_VALUE;
        for (final JsonNode run : oracle.get("runs")) {
            final double value = run.at("/" + path).asDouble();
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        final double from = low - Math.max(low * share, atLeast);
        final double to = high + Math.max(high * share, atLeast);
        assertTrue(ours >= from && ours <= to, () -> oracle.get("name").asText() + " " + path
            + ": ours (median of seeds " + Arrays.toString(SEEDS) + ") " + ours + " is not in " + from + " .. " + to);
    }

    private static double[] normalised(final Outcome outcome, final FlowSet flows, final int propagationSlots,
        final int bin) {
        final long from = bin == 0 ? 0 : BIN_ENDS[bin - 1];
        final double[] values = new double[outcome.completed().length];
        int count = 0;
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            final long bytes = (long) flows.cells(flow) * PAYLOAD_BYTES;
            if (bytes >= from && bytes < BIN_ENDS[bin]) {
                values[count++] = (outcome.completedIn()[i] + 1.0 - flows.startSlot(flow))
                    / (flows.cells(flow) + propagationSlots);
            }
        }
        final double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted;
    }

    /** The percentile as the oracle's figures were made: the element of rank floor(p n). */
    private static double rank(final double[] sorted, final double p) {
        return sorted[Math.min((int) (p * sorted.length), sorted.length - 1)];
    }

    private interface Figure {
        double of(Outcome outcome);
    }

    private static double median(final List<Outcome> outcomes, final Figure figure) {
        final double[] values = outcomes.stream().mapToDouble(figure::of).sorted().toArray();
        return values[values.length / 2];
    }

    private static Outcome run(final CircuitFabric fabric, final FlowSet flows, final long slots, final int threads) {
        try (LockStep engine = new LockStep(CircuitParts.of(fabric), flows, threads, false)) {
            engine.run(slots, (slot, delivered, completed) -> true);
            return engine.outcome();
        }
    }

    /** The fabric that the simulator's flags describe. */
    private static Shale shale(final JsonNode oracle, final int phases, final long seed) {
        final List<String> parts = new ArrayList<>();
        int tokens = 1;
        int firstHopTokens = 1;
        int failed = 0;
        int cellsPerPull = ReceiverDriven.RD.cellsPerPull();
        double rate = 0;
        int maxQueue = 0;
        double share = 0;
        double factor = 1;
        FlowLength length = FlowLength.SIZE;
        for (final Iterator<JsonNode> flags = oracle.get("flags").elements(); flags.hasNext();) {
            switch (flags.next().asText()) {
                case "-H" -> parts.add("hbh");
                case "-S" -> parts.add("spray-short");
                case "-B" -> parts.set(parts.indexOf("spray-short"), "spray-bucket");
                case "-T" -> firstHopTokens = flags.next().asInt();
                case "--tokens-per-bucket" -> tokens = flags.next().asInt();
                case "-P" -> parts.add("priority");
                case "-x" -> factor = flags.next().asDouble();
                case "-Q" -> length = FlowLength.QUANTISED;
                case "--prio-log" -> length = FlowLength.LOG;
                case "-F" -> failed = flags.next().asInt();
                case "-R" -> {
                    parts.add("isd");
                    share = flags.next().asDouble();
                }
                case "-N" -> parts.add("rd");
                case "--rd-cells-per-pull" -> cellsPerPull = flags.next().asInt();
                case "--rd-target-bw-fraction" -> rate = flags.next().asDouble();
                case "--rd-max-queue-length" -> maxQueue = flags.next().asInt();
                default -> throw new IllegalArgumentException(oracle.get("flags").toString());
            }
        }
        MechanismSet control = Mechanisms.of(parts.isEmpty() ? "none" : String.join("+", parts));
        if (control.order() instanceof Priority) {
            control = control.with(new Priority(factor, length, true));
        }
        if (control.endToEnd() instanceof SenderDriven) {
            control = control.with(new SenderDriven(share));
        } else if (control.endToEnd() != null) {
            control = control.with(new ReceiverDriven(cellsPerPull, rate, 0, maxQueue));
        }
        final Phased schedule = new Phased(phases, Population.radixFor(phases, oracle.get("nodes").asInt()));
        return new Shale(schedule, Population.of(schedule, schedule.nodes(), failed), control, tokens, firstHopTokens,
            oracle.get("propagationSlots").asInt(), seed);
    }

    private static FlowSet flows(final String folder, final String name, final int nodes) throws Exception {
        return TraceReader.read(resource(folder, name + ".csv.gz"), nodes, PAYLOAD_BYTES, SLOT_NS).flows();
    }

    private static JsonNode json(final String folder, final String name) throws IOException, URISyntaxException {
        return new ObjectMapper().readTree(resource(folder, name + ".json").toFile());
    }

    private static List<String> lines(final String folder, final String name) throws IOException, URISyntaxException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(resource(folder, name))), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static Path resource(final String folder, final String name) throws URISyntaxException {
        return Path.of(ShaleOracleTest.class.getResource("/oracle/" + folder + "/" + name).toURI());
    }

    private static int max(final int[] values) {
        return Arrays.stream(values).max().orElseThrow();
    }
}
