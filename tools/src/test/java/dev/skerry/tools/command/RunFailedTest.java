package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;

/** Named failed nodes of Shale, and the exchange of their coordinates (docs/spec/shale.md §8.7). */
final class RunFailedTest {
    private static final String CLUSTER = "run --nodes 64 --workload permutation --flow-bytes 122000 --slots 0 "
        + "--propagation-slots 9 --failed-ids 0-5";

    /** Two nodes are left of a group of eight; what goes to and from them takes longest. */
    @Test
    void shouldGiveBackThroughputHoweverItIsRun() throws IOException {
        final JsonNode apart = summary(CLUSTER);
        final JsonNode even = summary(CLUSTER + " --exchange-coordinates --check");
        assertEquals(58, even.get("flowsCompleted").asInt());
        assertTrue(even.get("slots").asLong() < apart.get("slots").asLong() * 95 / 100,
            apart.get("slots") + " then " + even.get("slots"));
        for (final String how : new String[] {"--threads 2", "--mode threads --threads 3"}) {
            assertEquals(even.get("digest"), summary(CLUSTER + " --exchange-coordinates " + how).get("digest"), how);
        }
        assertEquals(0, even.get("cellsDropped").asInt());
        assertEquals(even.get("cellsInjected"), even.get("cellsDelivered"));
    }

    /** With three phases of five nodes to a group, failures around one node leave it almost without last hops. */
    @Test
    void shouldReachWhatWasCutOff() throws IOException {
        final String line = "run --nodes 125 --h 3 --workload permutation --slots 2000 "
            + "--failed-ids 1-3,5,10,15,25,50,75";
        final Invocation apart = Invocation.ofLine(line + " --json");
        assertEquals(1, apart.code(), apart.err());
        assertTrue(apart.err().contains("--exchange-coordinates"), apart.err());
        assertTrue(new ObjectMapper().readTree(apart.out()).get("cellsDropped").asInt() > 0, apart.out());
        assertEquals(0, summary(line + " --exchange-coordinates").get("cellsDropped").asInt());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "--failed-ids 3,x|'x' is neither a node nor a range",
        "--failed-ids 3,,4|'' is neither a node nor a range",
        "--failed-ids 3-|'3-' is neither a node nor a range",
        "--failed-ids 16|'16' names no nodes, give nodes of 0 to 15",
        "--failed-ids 5-3|'5-3' names no nodes",
        "--failed-ids 0-14|fewer than two nodes are left",
        "--failed-ids 0-2|some have no neighbour in a phase: nodes=13, let fewer nodes fail or add --exchange",
        "--failed-ids 1 --failed-nodes 2|--failed-ids is given too",
        "--failed-ids 1 --fill|--failed-ids is given too",
        "--exchange-coordinates|lie evenly already",
        "--exchange-coordinates --fill|lie evenly already",
        "--failed-ids 1 --exchange-coordinates --interleave 4:1/2,2:1/2|coordinates of its own",
        "--fabric shoal --failed-ids 1|the fabric is shoal",
        "--fabric stardust --exchange-coordinates|the fabric is stardust"
    })
    void shouldRefuseInOneLine(final String options, final String why) {
        Invocation.refuses("run --nodes 16 --slots 10 " + options, why);
    }
}
