package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.Random;

/** Slowdown: completion time over that of the same flow alone. */
final class SlowdownTest {
    private static final int NODES = 16;
    private static final int FLOWS = 12;
    /** Bytes of flows, from less than a cell to some hundred cells. */
    private static final long[] SIZES = {1, 244, 245, 1500, 5000, 20_000, 80_000};

    @TempDir
    private Path folder;

    /** Flows that never meet: each completes as it does alone, in one run and in a run of its own, in every fabric. */
    @ParameterizedTest
    @ValueSource(strings = {
        "--h 1 --propagation-slots 9", "--h 2", "--h 3 --fill", "--h 4 --propagation-slots 0",
        "--fabric shoal --channels 1", "--fabric shoal --channels 4 --propagation-slots 7"})
    void shouldBeOneInAnEmptyFabric(final String options) throws IOException {
        final Path trace = Files.writeString(folder.resolve("trace.csv"), flowsFarApart(options.hashCode()));
        assertOne(options, trace, FLOWS);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {
        "--h 2 --cc none", "--h 2 --cc spray-short+priority", "--h 2 --cc hbh+spray-short+isd", "--h 2 --cc rd",
        "--h 2 --cc ndp", "--h 2 --cc hbh+spray-bucket --spray-ties lowest", "--h 4 --tokens 2 --local-order node",
        "--h 2 --lanes 8 --serialisation-slots 8", "--interleave 2:1/2,4:1/2 --cutoff-bytes 10000", "--failed-nodes 3",
        "--mode threads --threads 2", "--threads 2", "--fabric shoal --channels 4",
        "--fabric shoal --channels 1 --shoal-rule authors-simulator", "--fabric shoal --class-bytes 1000,30000"})
    void shouldBeOneWithEveryMechanism(final String options) throws IOException {
        shouldBeOneInAnEmptyFabric(options);
    }

    /** An adapter of Stardust goes on with the uplink after the last one: only the first flow meets a fresh fabric. */
    @ParameterizedTest
    @ValueSource(strings = {"--nodes 16", "--topology single --nodes 16 --propagation-slots 3",
        "--nodes 16 --packing simple --class-bytes 1500"})
    void shouldBeOneForAFlowOfStardust(final String options) throws IOException {
        for (final String flow : flowsFarApart(options.hashCode()).lines().limit(5).toList()) {
            assertOne("--fabric stardust " + options, Files.writeString(folder.resolve("flow.csv"), flow + "\n"), 1);
        }
    }

    private static void assertOne(final String options, final Path trace, final int flows) throws IOException {
        final JsonNode json = summary("run " + (options.contains("--nodes") ? "" : "--nodes " + NODES + " ") + options
            + " --slowdown all --flows " + trace);
        assertEquals(flows, json.get("flowsCompleted").asLong(), json::toString);
        final JsonNode bins = json.get("slowdown");
        assertEquals(flows, bins.get(bins.size() - 1).get("flows").asLong(), bins::toString);
        for (final JsonNode bin : bins) {
            for (final String statistic : List.of("mean", "p50", "max")) {
                assertTrue(bin.get("flows").asLong() == 0 || bin.get(statistic).asDouble() == 1, options + " " + bin);
            }
        }
    }

    /** Flows that meet are slower; each drawn one is divided by its own time alone, which {@code flows.csv} has. */
    @Test
    void shouldDivideByTheTimeAlone() throws IOException {
        final Path out = folder.resolve("out");
        final JsonNode json = summary("run --nodes 16 --propagation-slots 9 --slots 20000 --drain --warm-up 0 "
            + "--slowdown 3 --out "
            + out);
        final List<String[]> lines = Files.readAllLines(out.resolve("flows.csv")).stream().skip(1)
            .map(line -> line.split(",", -1)).toList();
        final double[] slowdown = lines.stream().filter(flow -> !flow[10].isEmpty())
            .mapToDouble(flow -> Double.parseDouble(flow[7]) / Double.parseDouble(flow[10])).sorted().toArray();
        final JsonNode bins = json.get("slowdown");
        long measured = 0;
        for (int bin = 0; bin < bins.size() - 1; bin++) {
            final JsonNode one = bins.get(bin);
            measured += one.get("flows").asLong();
            assertEquals(Math.min(3, json.get("normalisedFct").get(bin).get("flows").asLong()),
                one.get("flows").asLong(), one::toString);
        }
        assertEquals(slowdown.length, measured);
        final JsonNode all = bins.get(bins.size() - 1);
        assertEquals(json.get("flowsCompleted"), all.get("flows"));
        assertEquals(slowdown[slowdown.length - 1], all.get("max").asDouble());
        assertTrue(slowdown[slowdown.length - 1] > 1, "flows that meet are slower");
        assertEquals(3, json.get("options").get("slowdown").intValue());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --slowdown none                     | none: not a number of flows, give one, for example 20, or all
        --slowdown 0                        | 0: must be 1 to
        --slowdown 5 --workload permutation | 5: endless flows are never done, leave it out
        --slowdown 5 --faults FAULTS        | 5: a flow that runs alone would see different faults, leave out one of
        """)
    void shouldRefuseInOneLine(final String options, final String why) throws IOException {
        final Path faults = Files.writeString(folder.resolve("faults"), "5 node 1 down\n");
        refuses("run --nodes 16 --slots 100 " + options.replace("FAULTS", faults.toString()), "--slowdown: " + why);
    }

    /** Flows every 0.1 ms, which is longer than each of them takes, between random nodes. */
    private static String flowsFarApart(final long seed) {
        final Random random = new Random(seed);
        final StringBuilder lines = new StringBuilder();
        for (int flow = 0; flow < FLOWS; flow++) {
            final int source = random.nextInt(NODES - 3);
            final int destination = (source + 1 + random.nextInt(NODES - 4)) % (NODES - 3);
            lines.append(flow).append(',').append(source).append(',').append(destination).append(',')
                .append(SIZES[random.nextInt(SIZES.length)]).append(',')
                .append(flow * 1e-4 + random.nextInt(1000) * 1e-8).append('\n');
        }
        return lines.toString();
    }
}
