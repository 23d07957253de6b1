package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.traffic.TraceReader;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pipeline against the packet simulator of Shale's authors, on the same traces. Where chance has no say (h = 1, or
 * r = 2), or where the simulator draws links as we do, every completion and every maximum is equal.
 */
class ShaleOracleTest {
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;

    @ParameterizedTest
    @CsvSource({"h1-n32, 1", "h1-n32-none, 1", "r2-n8-h3-t2, 1", "r2-n16-h4, 1", "h1-n32, 2", "r2-n16-h4, 3"})
    void shouldEqualTheSimulatorWhereNothingIsLeftToChance(final String name, final int threads) throws Exception {
        shouldEqual("shale-exact", name, threads);
    }

    @ParameterizedTest
    @CsvSource({"bucket-n64-h2, 1", "bucket-n64-h2, 3", "bucket-n64-h3-incast, 2", "hbh-n64-h3, 1",
        "hbh-spray-n144-h2-fail, 2", "hbh-spray-n256-h4, 1", "hbh-spray-n64-h2, 1", "none-n100-h2, 1",
        "isd-n64-h2, 1", "isd-n64-h2, 3", "isd-spray-n64-h3, 1", "isd-spray-n64-h3, 2",
        "isd-rd-n64-h2, 1", "isd-rd-n64-h2, 3", "isd-ndp-n64-h2, 2", "isd-rd-hbh-spray-n64-h3, 1",
        "ndp-n64-h2, 1", "ndp-n64-h2, 3", "ndp-n64-h3, 2",
        "prio-n64-h2, 1", "prio-n64-h2, 3", "prio-x4-n64-h3, 2", "prio-q-n36-h2, 1", "prio-log-n64-h2, 1",
        "prio-hbh-spray-n64-h2, 1", "prio-hbh-spray-n64-h2, 2",
        "rd-n64-h2, 1", "rd-n64-h2, 3", "rd-n81-h4-incast, 2", "spray-n81-h4, 1",
        "perm-n16-h2, 1", "perm-n16-h2-tf4, 1", "perm-n16-h4, 2", "heavy-n256-h2, 1", "short-n256-h2, 1",
        "short-n256-h2-none, 1", "short-n256-h4, 2"})
    void shouldEqualTheSimulatorThatDrawsLinksAsWeDo(final String name, final int threads) throws Exception {
        shouldEqual("shale-drawn", name, threads);
    }

    /** Of interleaved schedules the simulator ran each alone, so that maxima cannot be compared. */
    @ParameterizedTest
    @CsvSource({"interleave-n16-h1-h4, 1", "interleave-n16-h1-h4, 3", "interleave-n64-h2-h3, 1",
        "interleave-n256-h2-h4, 2"})
    void shouldEqualTheSimulatorWhereSchedulesShareTheSlots(final String name, final int threads) throws Exception {
        final JsonNode oracle = OracleFiles.json("shale-drawn/" + name);
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
        assertEquals(OracleFiles.lines("shale-drawn/" + name + ".fct.csv.gz"), completions(flows, outcome));
        assertEquals(oracle.get("cellsDelivered").asLong(), outcome.count(NicCounter.CELLS_DELIVERED));
    }

    private static void shouldEqual(final String folder, final String name, final int threads) throws Exception {
        final JsonNode oracle = OracleFiles.json(folder + "/" + name);
        final Shale shale = shale(oracle, oracle.get("h").asInt(), oracle.path("seed").asLong(1));
        final FlowSet flows = flows(folder, name, shale.population().endpoints());
        final Outcome outcome = run(shale, flows, oracle.get("slots").asLong(), threads);
        assertEquals(OracleFiles.lines(folder + "/" + name + ".fct.csv.gz"), completions(flows, outcome));
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

    private static Outcome run(final CircuitFabric fabric, final FlowSet flows, final long slots, final int threads) {
        try (LockStep engine = new LockStep(FabricKind.partsOf(fabric), flows, threads, false)) {
            engine.run(slots);
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
        if (EndToEndFactory.part(control.endToEnd(), SenderDriven.class) != null) {
            control = control.with(control.endToEnd().with(new SenderDriven(share)));
        }
        if (EndToEndFactory.part(control.endToEnd(), ReceiverDriven.class) != null) {
            control = control.with(control.endToEnd().with(new ReceiverDriven(cellsPerPull, rate, 0, maxQueue)));
        }
        final Phased schedule = new Phased(phases, Population.radixFor(phases, oracle.get("nodes").asInt()));
        return new Shale(schedule, Population.of(schedule, schedule.nodes(), failed), control, tokens, firstHopTokens,
            oracle.get("propagationSlots").asInt(), seed);
    }

    private static FlowSet flows(final String folder, final String name, final int nodes) throws Exception {
        return TraceReader.read(OracleFiles.path(folder + "/" + name + ".csv.gz"), nodes, PAYLOAD_BYTES, SLOT_NS,
            TraceFilter.ALL).flows();
    }

    private static int max(final int[] values) {
        return Arrays.stream(values).max().orElseThrow();
    }
}
