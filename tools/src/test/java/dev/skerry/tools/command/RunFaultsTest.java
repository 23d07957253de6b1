package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.digest;
import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.util.Map;

/** A script of faults on the command line: what it costs is named, and the same however the fabric is run. */
final class RunFaultsTest {
    private static final String SCRIPT = """
        # a node, a link and a bad patch
        1000 node 5 down
        3000 node 5 up
        1500 link 3 2 down
        4000 link 3 2 up
        500  corrupt 0.001
        """;
    private static final String RUN = "run --nodes 16 --workload permutation --slots 6000 --propagation-slots 7";
    private static final String SHOAL = "run --fabric shoal --channels 2 --nodes 16 --workload permutation "
        + "--slots 6000";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {RUN, SHOAL})
    void shouldGiveTheSameResultHoweverItIsRunAndNameAllThatIsLost(final String run) throws IOException {
        final JsonNode summary = same(run + " --faults " + script(SCRIPT), "--threads 3", "--check", "--mode threads",
            "--mode threads --threads 3 --check");
        final JsonNode events = summary.get("events");
        assertTrue(events.get("neighboursDown").asLong() > 0, events.toString());
        assertTrue(events.get("neighboursUp").asLong() > 0, events.toString());
        assertEquals(events.get("cellsDamaged").asLong(), summary.get("cellsCorrupted").asLong());
        long dropped = 0;
        for (final Map.Entry<String, JsonNode> event : events.properties()) {
            dropped += event.getKey().startsWith("dropped") ? event.getValue().asLong() : 0;
        }
        assertTrue(dropped > 0, events.toString());
        assertEquals(dropped, summary.get("cellsDropped").asLong());
        if (run.equals(RUN)) {
            assertEquals(summary.get("cellsInjected").asLong(),
                summary.get("cellsDelivered").asLong() + summary.get("cellsHeld").asLong() + dropped);
        }
        assertNotEquals(summary.get("digest"), same(run, "--faults " + script("# nothing\n")).get("digest"));
    }

    /** Leaves and spines that stop and start; the Clos of 16 nodes has switches of 8 ports, in two planes. */
    @Test
    void shouldGiveTheSameResultWhereSwitchesFailHoweverItIsRun() throws IOException {
        final String line = SHOAL.replace("permutation", "short --load 0.3") + " --faults " + script(
            "1000 leaf 2 down\n1500 spine 1 down\n1700 switch 9 down\n2500 leaf 2 up\n"
            + "3000 spine 1 up\n3500 switch 9 up\n");
        final JsonNode plain = same(line, "--threads 3", "--check --clos-ports 8", "--mode threads",
            "--mode threads --threads 3");
        assertTrue(plain.get("events").get("turnsUnused").asLong() > 0, line);
        assertEquals(plain.get("events").get("neighboursDown"), plain.get("events").get("neighboursUp"), line);
        assertNotEquals(plain.get("digest"), digest(line + " --clos-ports 6"));
    }

    /** What stands in the second line, and what is wrong with it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        SHOAL                | 9 leaf 8 down   | there is no leaf '8', give 0 to 7
        SHOAL                | 9 spine 4 down  | there is no spine '4', give 0 to 3
        SHOAL                | 9 switch x down | there is no switch 'x', give 0 to 11
        SHOAL                | 9 leaf 1        | 4 fields are needed and 3 found, write <slot> node <id> down
        SHOAL --clos-ports 4 | 9 leaf 1 down   | a Clos of 4-port switches has at most 8 nodes
        --h 2                | 9 leaf 1 down   | only Shoal has this kind, write <slot> node <id> down
        --h 2                | 9 node 99 down  | there is no node '99', give 0 to 15
        """)
    void shouldRefuseAWrongLine(final String options, final String line, final String said) throws IOException {
        refuses("run --nodes 16 " + options.replace("SHOAL", "--fabric shoal --channels 2") + " --faults "
            + script("# first\n" + line + "\n"), said);
    }

    /** One cell of one way is missing: borne if two may be, and otherwise the link goes down and comes up again. */
    @ParameterizedTest
    @CsvSource({"'', 6", "' --fabric shoal --channels 1', 15"})
    void shouldBearAsManyMissesAsAreAllowed(final String fabric, final int epoch) throws IOException {
        final Path script = script("1000 link 3 2 down\n" + (1000 + epoch) + " link 3 2 up\n");
        final String line = RUN + fabric + " --faults " + script;
        assertTrue(summary(line).get("events").has("neighboursDown"));
        for (final String how : new String[] {"", " --check", " --mode threads --threads 2"}) {
            final JsonNode borne = summary(line + " --miss-limit 2" + how);
            assertFalse(borne.get("events").has("neighboursDown"), borne.get("events").toString());
        }
    }

    @Test
    void shouldSendCellsAnewThatWaitForALinkThatFailed() throws IOException {
        final String line = RUN.replace("permutation", "all-to-all") + " --faults "
            + script("100 link 3 2 down\n2000 link 3 2 up\n");
        final JsonNode paper = summary(line);
        final JsonNode anew = same(line + " --respray-last-hop", "--threads 2 --check");
        assertTrue(anew.get("cellsDropped").asLong() < paper.get("cellsDropped").asLong(),
            paper.get("cellsDropped") + " " + anew.get("cellsDropped"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --miss-limit 9 --faults x | --miss-limit: 9: must be 1 to 8, give a number in this range
        --miss-limit 2            | --miss-limit: 2: nothing fails in this run, leave it out or add --faults
        --respray-last-hop        | --respray-last-hop: nothing fails in this run, leave it out or add --faults
        """)
    void shouldRefuseRulesForFailuresThatMeanNothing(final String options, final String said) {
        refuses("run " + options, "skerry: " + said);
    }

    private Path script(final String text) throws IOException {
        return Files.writeString(folder.resolve("faults.txt"), text);
    }
}
