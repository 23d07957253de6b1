package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Presets of the paper, latencies, the start of a fabric, dummies, traffic from each to each, and spines. */
@Timeout(120)
final class RunShoalTimesTest {
    private static final String SHOAL = "run --fabric shoal --json ";

    @TempDir
    private Path folder;

    /** Seven nodes send 448 bytes to one, as in Figure 10: cells of 64 bytes, 1,576 ns on their way. */
    @Test
    void shouldTakeTheWayOfThePrototype() throws IOException {
        final Path out = folder.resolve("prototype");
        final JsonNode summary = summary("--shoal-preset prototype --workload incast --incast-senders 7 "
            + "--flow-bytes 392 --slots 0 --out " + out, "40.0 + 3 x 320.0 + 576.0 = 1576.0 ns", "21 slots of 76.8 ns");
        assertEquals(8, summary.get("nodes").asInt());
        assertEquals(7, summary.get("flowsCompleted").asInt());
        final List<Integer> slots = Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .map(line -> Integer.parseInt(line.split(",")[2])).toList();
        // Seven epochs of queueing and two ways, less what the last way lacks to whole slots.
        assertTrue(slots.stream().allMatch(fct -> fct >= 42 + 7 && fct <= 49 + 42), slots.toString());
        final JsonNode without = summary("--shoal-preset prototype --propagation-slots 0 --workload incast "
            + "--incast-senders 7 --flow-bytes 392 --slots 0", "");
        assertTrue(without.get("slots").asInt() <= 49, without.toString());
    }

    @ParameterizedTest
    @CsvSource({"printed, 512, 4, 28 slots of 23.25 ns", "prototype, 8, 1, 21 slots of 76.8 ns"})
    void shouldSetWhatThePaperPrints(final String name, final int nodes, final int channels, final String way)
        throws IOException {
        final JsonNode summary = summary("--shoal-preset " + name + " --workload permutation --slots 300", way);
        assertEquals(nodes, summary.get("nodes").asInt());
        assertEquals(channels, summary.get("options").get("channels").asInt());
    }

    /** What is typed goes before the preset, also where it is what would be without both. */
    @ParameterizedTest
    @CsvSource({"--nodes 256, 256, 4", "--nodes 16 --shoal-schedule plain, 16, 4", "--nodes 256 --channels 2, 256, 2"})
    void shouldTakeWhatIsTypedBeforeAPreset(final String typed, final int nodes, final int channels)
        throws IOException {
        final JsonNode summary = summary(typed + " --shoal-preset printed --workload permutation --slots 10", "");
        assertEquals(nodes, summary.get("nodes").asInt());
        assertEquals(channels, summary.get("options").get("channels").asInt());
    }

    /** Nodes send nothing until their fabric runs; then all is as if it had begun there. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--propagation-slots 9 --channels 2", "--check", "--failed-nodes 3"})
    void shouldHoldAndThenRun(final String how) throws IOException {
        final String all = "--nodes 16 --channels 1 --workload all-to-all --slots 0 ".replace("--channels 1 ",
            how.contains("--channels") ? "" : "--channels 1 ") + how;
        final String run = all.strip();
        final JsonNode at = summary(run, "");
        final JsonNode held = summary(run + " --hold-slots 100", "switches hold until slot ");
        final int first = held.get("options").get("hold-slots").asInt();
        assertTrue(first >= 100 && first < 116, held.toString());
        assertEquals(at.get("slots").asInt() + first, held.get("slots").asInt());
        assertEquals(at.get("cellsDelivered"), held.get("cellsDelivered"));
        assertEquals(at.get("queueMax"), held.get("queueMax"));
        assertEquals(at.get("dummiesSent"), held.get("dummiesSent"));
        for (final String mode : List.of(" --threads 3", " --mode threads --threads 2")) {
            assertEquals(held.get("digest"), summary(run + " --hold-slots 100" + mode, "").get("digest"), mode);
        }
    }

    /** A node that is not ready when the fabric starts is down, and comes up later. */
    @Test
    void shouldLetALateNodeJoin() throws IOException {
        final Path script = Files.writeString(folder.resolve("late"), "0 node 5 down\n900 node 5 up\n");
        final String run = "--nodes 16 --channels 1 --workload each-to-each --pair-gbps 0.5 --slots 4000 "
            + "--hold-slots 150 --faults " + script;
        final JsonNode late = summary(run, "switches hold until slot 150");
        assertEquals(0, late.get("cellsDropped").asInt());
        assertEquals(0, late.get("events").path("neighboursDown").asInt(), late.toString());
        assertEquals(30, late.get("events").get("neighboursUp").asInt(), late.toString());
        assertEquals(late.get("digest"), summary(run + " --threads 3", "").get("digest"));
        assertEquals(late.get("digest"), summary(run + " --mode threads --threads 2", "").get("digest"));
        assertEquals(late.get("digest"), summary(run + " --check", "").get("digest"));
    }

    /** What counts is how connections are when the fabric starts: one that was down before is up for both ends then. */
    @ParameterizedTest
    @CsvSource({"node 5, 30", "link 3 7, 2"})
    void shouldTakeConnectionsAsTheyAreAtTheStart(final String what, final int connections) throws IOException {
        final String run = "--nodes 16 --channels 1 --workload each-to-each --pair-gbps 0.5 --slots 1000 "
            + "--hold-slots 150 --faults ";
        final String down = "0 " + what + " down\n";
        final JsonNode ready = summary(run + Files.writeString(folder.resolve("a"), down + "100 " + what + " up\n"));
        final JsonNode late = summary(run + Files.writeString(folder.resolve("b"), down + "400 " + what + " up\n"));
        for (final JsonNode each : List.of(ready, late)) {
            assertEquals(0, each.get("cellsDropped").asInt(), each.toString());
            assertEquals(0, each.get("events").path("neighboursDown").asInt(), each.toString());
        }
        assertEquals(0, ready.get("events").path("neighboursUp").asInt(), ready.toString());
        assertEquals(connections, late.get("events").path("neighboursUp").asInt(), late.toString());
    }

    /** The more cells, the fewer dummies, and the same in every engine. */
    @ParameterizedTest
    @ValueSource(strings = {"0.3", "0.4", "10"})
    void shouldCountDummies(final String gbps) throws IOException {
        final String run = "--shoal-preset prototype --workload each-to-each --pair-gbps " + gbps + " --slots 7000 ";
        final JsonNode summary = summary(run, "");
        final double idle = summary.get("dummiesSent").asDouble() / (8L * summary.get("slots").asLong());
        assertTrue(switch (gbps) {
            case "0.3" -> idle > 0.4 && idle < 0.8;
            case "0.4" -> idle > 0.1 && idle < 0.4;
            default -> idle < 0.1;
        }, idle + " at " + gbps);
        assertEquals(0, summary.path("cellsDropped").asLong());
        assertEquals(summary.get("dummiesSent"), summary(run + "--threads 2", "").get("dummiesSent"));
        assertEquals(summary.get("digest"), summary(run + "--mode threads --threads 2", "").get("digest"));
    }

    /** Both directions of a pair over one spine: a failed spine takes half as many turns. */
    @Test
    void shouldLoseFewerTurnsOverReciprocalSpines() throws IOException {
        final Path script = Files.writeString(folder.resolve("spine"), "200 spine 0 down\n");
        final String run = "--nodes 32 --channels 1 --clos-ports 8 --workload all-to-all --slots 8000 --faults "
            + script;
        final double balanced = summary(run, "").get("events").get("turnsUnused").asDouble();
        final double reciprocal = summary(run + " --clos-spines reciprocal", "").get("events").get("turnsUnused")
            .asDouble();
        assertTrue(reciprocal < 0.65 * balanced, reciprocal + " of " + balanced);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"--fabric shoal --shoal-preset big; --shoal-preset; prototype",
        "--switch-ns 3; --switch-ns; the fabric is shale",
        "--fabric shoal --nic-ns -1; --nic-ns; 0 ns or more",
        "--fabric shoal --nic-ns 3 --propagation-slots 2; --propagation-slots; is given too",
        "--fabric shoal --hold-slots -5; --hold-slots; must be 0 to",
        "--fabric shoal --clos-spines balanced; --clos-spines; not used in lock step",
        "--fabric shoal --mode threads --clos-spines odd; --clos-spines; there is no such choice",
        "--fabric shoal --pair-gbps 3; --pair-gbps; only the workload each-to-each",
        "--fabric shoal --workload each-to-each --pair-gbps 0; --pair-gbps; above 0",
        "--fabric shoal --workload each-to-each --load 0.5; --load; of cells at a rate",
        "--fabric stardust --nodes 16 --workload each-to-each; --workload; hosts of this fabric"})
    void shouldRefuse(final String options, final String what, final String why) {
        final Invocation run = Invocation.ofLine("run " + options);
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains(what) && run.err().contains(why), run.err());
    }

    private static JsonNode summary(final String options, final String... says) throws IOException {
        final Invocation run = Invocation.ofLine(SHOAL + options);
        assertEquals(0, run.code(), run.err());
        for (final String text : says) {
            assertTrue(run.err().contains(text), run.err());
        }
        return new ObjectMapper().readTree(run.out());
    }
}
