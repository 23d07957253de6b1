package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
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

/**
 * Clocks of Shoal's nodes against the guard band, a clock master that stops under load, presets of the paper,
 * latencies, the start of a fabric, dummies, traffic from each to each, and spines.
 */
@Timeout(300)
final class RunShoalClocksTest {
    private static final String SHOAL = "run --fabric shoal ";
    private static final String LOAD = "--nodes 32 --channels 2 --slot-ns 11.6 "
        + "--guard-ns 2.75 --reconfiguration-ns 2.5 --workload each-to-each --pair-gbps 0.4 --slots 6000 --faults ";

    @TempDir
    private Path folder;

    /** A clock off by less than the guard band leaves costs nothing; by more, every cell, and all is accounted for. */
    @ParameterizedTest
    @CsvSource({"0.25, false", "-0.25, false", "0.26, true", "-3, true"})
    void shouldLoseCellsOutsideTheWindow(final String lateNs, final boolean loses) throws IOException {
        final JsonNode run = summary(LOAD + script("500 clock 7 " + lateNs + "\n2500 clock 7 0\n"));
        assertEquals(loses, run.get("events").has("guardViolation"), run.toString());
        assertEquals(loses, run.get("events").has("neighboursDown"), run.toString());
        if (loses) {
            assertTrue(run.get("cellsDropped").asLong() >= run.get("events").get("guardViolation").asLong());
            // Every connection of the node went down at both ends, and came back.
            assertTrue(run.get("events").get("neighboursDown").asInt() >= 2 * 31, run.toString());
            assertEquals(run.get("events").get("neighboursDown"), run.get("events").get("neighboursUp"));
        } else {
            assertEquals(0, run.get("cellsDropped").asLong());
        }
    }

    /** A clock a slot late sends its cells to other nodes; dummies and cells of others are counted in every engine. */
    @ParameterizedTest
    @CsvSource({"23.2, true", "69.5, true", "-23.2, false", "371.2, false"})
    void shouldCountCellsOfOthers(final String lateNs, final boolean astray) throws IOException {
        final String line = SHOAL + LOAD + script("500 clock 7 " + lateNs + "\n2500 clock 7 0\n");
        final JsonNode run = lateNs.equals("23.2")
            ? same(line, "--threads 3", "--mode threads --threads 2", "--check") : Invocation.summary(line);
        assertEquals(astray, run.get("events").has("wrongDestination"), run.toString());
        assertEquals(astray, run.get("events").has("cellsAstray"), run.toString());
        assertTrue(run.get("cellsDropped").asLong() >= run.get("events").path("wrongDestination").asLong());
        assertTrue(run.get("dummiesSent").asLong() > 0, run.toString());
    }

    @Test
    void shouldCountDummiesAsWithoutAScript() throws IOException {
        final JsonNode run = summary(LOAD + script("0 corrupt 0\n"));
        final JsonNode sound = summary(LOAD.replace("--faults ", ""));
        assertEquals(sound.get("digest"), run.get("digest"));
        assertEquals(sound.get("dummiesSent"), run.get("dummiesSent"));
    }

    /** All follow the next node so soon that no clock is off: the dead node's cells are lost, and no others. */
    @Test
    void shouldTakeOverWithoutLoss() throws IOException {
        final String death = script("1000 node 0 down\n");
        final JsonNode run = summary(LOAD + death + " --clock-drift-ppm 100",
            "clock master 0 stops in slot 1000; all follow node 1 from slot 1016 on", "until then: 0");
        assertTrue(!run.get("events").has("guardViolation"), run.toString());
        assertEquals(run.get("digest"), summary(LOAD + death).get("digest"));
    }

    /** Clocks run away for long: cells are lost until the takeover; every cell is accounted for in every engine. */
    @Tag("long")
    @Test
    void shouldAccountForATakeoverThatIsLate() throws IOException {
        final String late = LOAD + script("1000 node 3 down\n1900 node 0 down\n4000 node 3 up\n")
            + " --clock-drift-ppm 40 --takeover-slots 700 --clock-master 3";
        summary(late, "clock master 3 stops in slot 1000; all follow node 0 from slot 1700",
            "clock master 0 stops in slot 1900; all follow node 1 from slot 2600");
        final JsonNode run = same(SHOAL + late, "--threads 3", "--mode threads --threads 2", "--check");
        assertTrue(run.get("events").get("guardViolation").asLong() > 0, run.toString());
    }

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
            + "--incast-senders 7 --flow-bytes 392 --slots 0");
        assertTrue(without.get("slots").asInt() <= 49, without.toString());
    }

    /** What is typed goes before the preset, also where it is what would be without both. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --shoal-preset printed                                      | 512 | 4 | 28 slots of 23.25 ns
        --shoal-preset prototype                                    | 8   | 1 | 21 slots of 76.8 ns
        --nodes 256 --shoal-preset printed                          | 256 | 4 | ''
        --nodes 16 --shoal-schedule plain --shoal-preset printed    | 16  | 4 | ''
        --nodes 256 --channels 2 --shoal-preset printed             | 256 | 2 | ''
        """)
    void shouldSetWhatThePaperPrintsUnlessTyped(final String preset, final int nodes, final int channels,
        final String way) {
        final JsonNode summary = summary(preset + " --workload permutation --slots 10", way);
        assertEquals(nodes, summary.get("nodes").asInt());
        assertEquals(channels, summary.get("options").get("channels").asInt());
    }

    /** Nodes send nothing until their fabric runs; then all is as if it had begun there. */
    @ParameterizedTest
    @ValueSource(strings = {"--channels 1", "--propagation-slots 9 --channels 2", "--channels 1 --check",
        "--channels 1 --failed-nodes 3"})
    void shouldHoldAndThenRun(final String how) {
        final String run = "--nodes 16 --workload all-to-all --slots 0 " + how;
        final JsonNode at = summary(run);
        final JsonNode held = summary(run + " --hold-slots 100", "switches hold until slot ");
        final int first = held.get("options").get("hold-slots").asInt();
        assertTrue(first >= 100 && first < 116, held.toString());
        assertEquals(at.get("slots").asInt() + first, held.get("slots").asInt());
        for (final String key : List.of("cellsDelivered", "queueMax", "dummiesSent")) {
            assertEquals(at.get(key), held.get(key), key);
        }
        for (final String mode : List.of(" --threads 3", " --mode threads --threads 2")) {
            assertEquals(held.get("digest"), summary(run + " --hold-slots 100" + mode).get("digest"), mode);
        }
    }

    @Test
    void shouldLetALateNodeJoin() throws IOException {
        final String run = "--nodes 16 --channels 1 --workload each-to-each --pair-gbps 0.5 --slots 4000 "
            + "--hold-slots 150 --faults " + script("0 node 5 down\n900 node 5 up\n");
        summary(run, "switches hold until slot 150");
        final JsonNode late = same(SHOAL + run, "--threads 3", "--mode threads --threads 2", "--check");
        assertEquals(List.of(0, 0, 30), List.of(late.get("cellsDropped").asInt(),
            late.get("events").path("neighboursDown").asInt(), late.get("events").get("neighboursUp").asInt()));
    }

    /** What counts is how connections are when the fabric starts: one that was down before is up for both ends then. */
    @ParameterizedTest
    @CsvSource({"node 5, 30", "link 3 7, 2"})
    void shouldTakeConnectionsAsTheyAreAtTheStart(final String what, final int connections) throws IOException {
        for (final int up : new int[] {100, 400}) {
            final JsonNode run = summary("--nodes 16 --channels 1 --workload each-to-each --pair-gbps 0.5 --slots 1000 "
                + "--hold-slots 150 --faults " + script("0 " + what + " down\n" + up + " " + what + " up\n"));
            assertEquals(List.of(0, 0, up == 100 ? 0 : connections), List.of(run.get("cellsDropped").asInt(),
                run.get("events").path("neighboursDown").asInt(), run.get("events").path("neighboursUp").asInt()),
                run::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.3, 0.4, 0.8", "0.4, 0.1, 0.4", "10, 0, 0.1"})
    void shouldCountDummies(final String gbps, final double least, final double most) {
        final String run = "--shoal-preset prototype --workload each-to-each --pair-gbps " + gbps + " --slots 7000 ";
        final JsonNode summary = summary(run);
        final double idle = summary.get("dummiesSent").asDouble() / (8L * summary.get("slots").asLong());
        assertTrue(idle >= least && idle < most, idle + " at " + gbps);
        assertEquals(0, summary.path("cellsDropped").asLong());
        assertEquals(summary.get("dummiesSent"), summary(run + "--threads 2").get("dummiesSent"));
        assertEquals(summary.get("digest"), summary(run + "--mode threads --threads 2").get("digest"));
    }

    /** Both directions of a pair over one spine: a failed spine takes half as many turns. */
    @Test
    void shouldLoseFewerTurnsOverReciprocalSpines() throws IOException {
        final String run = "--nodes 32 --channels 1 --clos-ports 8 --workload all-to-all --slots 8000 --faults "
            + script("200 spine 0 down\n");
        final double balanced = summary(run).get("events").get("turnsUnused").asDouble();
        final double reciprocal = summary(run + " --clos-spines reciprocal").get("events").get("turnsUnused")
            .asDouble();
        assertTrue(reciprocal < 0.65 * balanced, reciprocal + " of " + balanced);
    }

    /** {@code CLOCKS} is a script of clocks, in a fabric of 32 nodes and slots of 23.25 ns. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        SHOAL --guard-ns 30                            | --guard-ns: | part of a slot, which lasts 23.2
        SHOAL --guard-ns 2 --reconfiguration-ns 3      | --reconfiguration-ns: | within the guard band of 2.0 ns
        SHOAL --reconfiguration-ns 1                   | --reconfiguration-ns: | there is no guard band
        SHOAL --guard-ns 2 --clock-drift-ppm 5         | --clock-drift-ppm: | nothing fails in this run
        SHOAL --guard-ns 2 --takeover-slots 5          | --takeover-slots: | clocks do not drift
        SHOAL --guard-ns 2 --faults CLOCKS --clock-drift-ppm -5 | --clock-drift-ppm: | parts in a million
        SHOAL --guard-ns 2 --faults CLOCKS --clock-drift-ppm 5 --clock-master 999 | --clock-master: | must be 0 to 31
        SHOAL --guard-ns 2 --faults CLOCKS --clock-drift-ppm 5 --takeover-slots -1 | --takeover-slots: | 0 or more
        SHOAL --faults CLOCKS                          | script | add --guard-ns
        --fabric shoal --shoal-preset big              | --shoal-preset: | prototype
        --switch-ns 3                                  | --switch-ns: | the fabric is shale
        --fabric shoal --nic-ns -1                     | --nic-ns: | at least 0 ns
        --fabric shoal --nic-ns 3 --propagation-slots 2 | --propagation-slots: | is given too
        --fabric shoal --hold-slots -5                 | --hold-slots: | must be 0 to
        --fabric shoal --clos-spines balanced          | --clos-spines: | not used in lock step
        --fabric shoal --mode threads --clos-spines odd | --clos-spines: | there is no such choice
        --fabric shoal --pair-gbps 3                   | --pair-gbps: | only the workload each-to-each
        --fabric shoal --workload each-to-each --pair-gbps 0 | --pair-gbps: | above 0
        --fabric shoal --workload each-to-each --load 0.5 | --load: | which generates cells at a rate
        --fabric stardust --nodes 16 --workload each-to-each | --workload: | hosts of this fabric
        """)
    void shouldRefuse(final String options, final String what, final String why) throws IOException {
        refuses("run " + options.replace("SHOAL", "--fabric shoal --nodes 32 --slot-ns 5.8125").replace("CLOCKS",
            script("5 clock 1 2\n")), what, why);
    }

    private String script(final String lines) throws IOException {
        return Files.writeString(folder.resolve("script"), lines).toString();
    }

    /** The summary of a run of Shoal that says these things beside it. */
    private static JsonNode summary(final String options, final String... says) {
        final Invocation run = Invocation.ofLine(SHOAL + options + " --json").ok();
        for (final String text : says) {
            run.says(text);
        }
        return run.json();
    }
}
