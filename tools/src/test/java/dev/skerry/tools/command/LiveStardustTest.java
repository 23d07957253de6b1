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

/** Options of {@code run} that {@code live} takes for Stardust: what fails, how large it is, what its queues do. */
@Timeout(300)
final class LiveStardustTest {
    private static final String PORTS = " --port 0=gen:64-1500B,max,to=3,count=900 "
        + "--port 3=gen:imix,max,to=0,count=600";

    @TempDir
    private Path folder;

    /** A byte of some cells on one link is changed: each such cell is refused and named, and costs its packets only. */
    @ParameterizedTest
    @ValueSource(strings = {"--mode lockstep --check", "--mode lockstep --threads 2", "--mode threads --threads 2"})
    void shouldNameCellsOfWhichALinkChangedAByte(final String how) throws IOException {
        final JsonNode json = live("--faults " + script("0 corrupt 0.004 8 3\n") + " " + how);
        final JsonNode counters = json.get("counters");
        final long damaged = counters.get("cells_damaged").asLong();
        assertTrue(damaged > 0, counters::toString);
        assertEquals(damaged, counters.get("dropped_damaged").asLong());
        assertEquals(damaged, json.get("cellsLost").asLong());
        final JsonNode toOther = json.get("ports").get(0).get("generator");
        assertEquals(900, toOther.get("sent").asLong());
        assertEquals(600, toOther.get("received").asLong());
        final JsonNode toDamaged = json.get("ports").get(1).get("generator");
        final long lost = json.get("packets").get("packets_with_cells").asLong();
        // A cell of 256 bytes has parts of four packets at most.
        assertTrue(lost > 0 && lost <= 6 * damaged, json::toString);
        assertEquals(900, toDamaged.get("received").asLong() + lost + json.get("packetsHeld").asLong());
        assertEquals(0, toDamaged.get("damaged").asLong() + toDamaged.get("reordered").asLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--topology clos --radix 4 --adapter-links 2 --reachability learnt --device-ns 200",
        "--link-bytes 80 --mode lockstep --check", "--requests backlog", "--requests ahead --mode lockstep",
        "--topology clos --tiers 1 --radix 6 --adapter-links 1 --mode threads --threads 2",
        "--topology scaled --nodes 16 --top-elements 1 --mode lockstep --threads 2"})
    void shouldLoseNothingAcrossOtherFabrics(final String how) throws IOException {
        final JsonNode json = live(how);
        assertEquals(600, json.get("ports").get(0).get("generator").get("received").asLong(), json::toString);
        assertEquals(900, json.get("ports").get(1).get("generator").get("received").asLong());
        assertEquals(0, json.get("cellsLost").asLong() + json.get("packetsHeld").asLong());
        final double control = json.get("counters").get("control_share").asDouble();
        assertTrue(control > 0 && control < 0.01, "control=" + control);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--voq-bytes 10000", "--adapter-bytes 12000 --mode lockstep --check"})
    void shouldDropByNameWhatQueuesHaveNoRoomFor(final String how) throws IOException {
        final JsonNode json = live(how);
        final long refused = json.get("packets").get("packets_no_room").asLong();
        assertTrue(refused > 0, json::toString);
        long received = 0;
        for (final JsonNode port : json.get("ports")) {
            received += port.get("generator").get("received").asLong();
            assertEquals(0, port.get("generator").get("reordered").asLong());
        }
        assertEquals(1500, received + refused);
        assertTrue(received > 0, json::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--fabric stardust --low-latency 0.05 | it is for the highest of several traffic classes",
        "--fabric stardust --hosts tcp | hosts are what is behind the ports, and send as they like, leave it out",
        "--nodes 65 --faults none | Shoal loses cells without a word",
        "--fabric shale --voq-bytes 10000 | the fabric is shale",
        "--fabric stardust --faults /nowhere/at/all | there is no such file, give an existing one",
        "--fabric stardust --radix 4 | the topology says it, leave it out or add --topology clos",
        "--fabric stardust --voq-bytes 10 | a queue holds a packet, give at least 9216",
    })
    void shouldRefuseInOneLine(final String options, final String why) {
        final Invocation run = Invocation.ofLine("live --duration 0 --port 0=loop --port 1=loop " + options);
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().contains(why), run.err());
    }

    /** Packets of the low-latency class ask for no credits; what its tokens do not allow is dropped by name. */
    @ParameterizedTest
    @ValueSource(strings = {"--mode lockstep --check", "--mode lockstep --threads 2", "--mode threads --threads 2"})
    void shouldSendTheLowLatencyClassAtOnceAndNoMoreOfItThanItsShare(final String how) throws IOException {
        final JsonNode json = live("--class-of dscp --class-map 0:0,1-63:1 --low-latency 0.05 " + how);
        final long dropped = json.get("packets").get("packets_policed").asLong();
        final long received = json.get("ports").get(0).get("generator").get("received").asLong()
            + json.get("ports").get(1).get("generator").get("received").asLong();
        assertTrue(received > 0 && dropped > 0, json::toString);
        assertEquals(1500, received + dropped, json::toString);
        assertEquals(0, json.get("counters").path("control_share").asDouble(), "requests or credits were sent");
    }

    @Test
    void shouldNameALinkThatThereIsNot() throws IOException {
        final Path script = script("0 corrupt 0.1 0 3\n");
        for (final String command : new String[] {"live --duration 0 --port 0=loop --port 1=loop",
            "run --topology single --nodes 8 --slots 10"}) {
            final Invocation run = Invocation.ofLine(command + " --fabric stardust --faults " + script);
            assertEquals(2, run.code(), run.err());
            assertEquals("skerry: faults: " + script + ": no link leads from device 0 to 3, give two devices that a "
                + "link joins, for example 0 and 8", run.err().strip());
        }
    }

    private JsonNode live(final String options) throws IOException {
        final Invocation run = Invocation.ofLine("live --dir " + folder.resolve("counters")
            + " --warm-up 0 --json --fabric stardust " + options + PORTS);
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        return json;
    }

    private Path script(final String text) throws IOException {
        return Files.writeString(folder.resolve("faults.txt"), text);
    }
}
