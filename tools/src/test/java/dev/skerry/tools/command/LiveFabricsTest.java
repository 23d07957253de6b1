package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Faults of every fabric between ports, by a script and by order, and what {@code live} takes of Stardust. */
@Timeout(300)
final class LiveFabricsTest {
    private static final String PORTS = " --port 0=gen:64-1500B,max,to=3,count=900 "
        + "--port 3=gen:imix,max,to=0,count=600";

    @TempDir
    private Path folder;

    /** A byte of some cells on one link is changed: each such cell is refused and named, and costs its packets only. */
    @ParameterizedTest
    @ValueSource(strings = {"--mode lockstep --check", "--mode lockstep --threads 2", "--mode threads --threads 2"})
    void shouldNameCellsOfWhichALinkChangedAByte(final String how) throws IOException {
        final JsonNode json = stardust("--faults " + script("0 corrupt 0.004 8 3\n") + " " + how);
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
        final JsonNode json = stardust(how);
        assertEquals(600, json.get("ports").get(0).get("generator").get("received").asLong(), json::toString);
        assertEquals(900, json.get("ports").get(1).get("generator").get("received").asLong());
        assertEquals(0, json.get("cellsLost").asLong() + json.get("packetsHeld").asLong());
        final double control = json.get("counters").get("control_share").asDouble();
        assertTrue(control > 0 && control < 0.01, "control=" + control);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--voq-bytes 10000", "--adapter-bytes 12000 --mode lockstep --check"})
    void shouldDropByNameWhatQueuesHaveNoRoomFor(final String how) throws IOException {
        final JsonNode json = stardust(how);
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
    @ValueSource(strings = {"--mode lockstep --check", "--mode lockstep --threads 2", "--mode threads --threads 2"})
    void shouldSendTheLowLatencyClassAtOnceAndNoMoreOfItThanItsShare(final String how) throws IOException {
        final JsonNode json = stardust("--class-of dscp --class-map 0:0,1-63:1 --low-latency 0.05 " + how);
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
        for (final String command : List.of("live --duration 0 --port 0=loop --port 1=loop",
            "run --topology single --nodes 8 --slots 10")) {
            refuses(command + " --fabric stardust --faults " + script, "skerry: faults: " + script + ": no link leads "
                + "from device 0 to device 3, give two connected devices, for example 0 and 8");
        }
    }

    private JsonNode stardust(final String options) throws IOException {
        final JsonNode json = Invocation.ofLine("live --dir " + folder.resolve("counters")
            + " --warm-up 0 --json --fabric stardust " + options + PORTS).ok().json();
        assertTrue(json.get("conserved").asBoolean());
        return json;
    }

    private Path script(final String text) throws IOException {
        return Files.writeString(folder.resolve("faults.txt"), text);
    }

    @EnabledOnOs(OS.LINUX)
    @ParameterizedTest
    @CsvSource({
        "--threads 1, node 3", "--fabric shale --mode lockstep, node 3", "--nic-threads 2, node 3",
        "--fabric stardust --mode lockstep, node 8",
    })
    void shouldNamePacketsThatAFaultByOrderCostsAndCarryThemAfterIt(final String fabric, final String what)
        throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder, fabric
            + " --faults none --port 0=gen:64B,2kpps,to=3 --port 1=gen:600B,1kpps,to=0 --port 3=pcap:DIR/three.pcap")) {
            live.await("3", "tx_packets", 50);
            assertTrue(live.ask("fault " + what + " down").startsWith("slot "));
            live.refuses("fault " + what + " down", "is down already");
            live.ask("reset");
            live.await("0", "rx_packets", 100);
            live.await("1", "rx_packets", 100);
            live.ask("fault " + what + " up");
            live.ask("reset");
            live.await("3", "tx_packets", 100);
            live.await("0", "tx_packets", 100);
            live.ask("fault corrupt 0.05");
            live.ask("reset");
            live.await("3", "tx_packets", 100);
            live.ask("fault corrupt 0");
            live.refuses("fault corrupt 2", "skerry: faults: ctl:1: probability");
            live.refuses("fault node 99 down", "there is no node");
            live.end(0, 1);
        }
    }

    @EnabledOnOs(OS.LINUX)
    @Test
    void shouldTakeNoFaultsWhereNothingMayFail() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder,
            "--threads 1 --port 0=gen:64B,100pps,to=3 --port 3=pcap:DIR/three.pcap")) {
            live.refuses("fault node 3 down", "live was started without --faults, start it with --faults none");
            live.end(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"--threads 1", "--fabric shale --mode lockstep", "--fabric shale --nic-threads 2"})
    void shouldNamePacketsThatAScriptCosts(final String fabric) throws IOException {
        final Path script = script("0 corrupt 0.02\n300 node 3 down\n900 link 1 2 down\n2000 node 3 up\n"
            + "2600 link 1 2 up\n4000 corrupt 0\n");
        final Invocation run = Invocation.ofLine("live --json --warm-up 0 --dir " + folder.resolve("c") + " --faults "
            + script + " " + fabric + " --port 0=gen:64-600B,50kpps,to=1-3,count=2000 "
            + "--port 1=gen:64-600B,50kpps,to=2-3,count=2000 --port 2=pcap:" + folder.resolve("two.pcap")
            + " --port 3=pcap:" + folder.resolve("three.pcap")).ok()
                .prints("\"conserved\": true", "\"packetsHeld\": 0");
        assertTrue(!run.out().contains("\"packets_with_cells\": 0"), "faults that cost nothing show nothing");
        assertEquals(1, run.err().lines().filter(line -> line.contains("the fabric: first loss: packets lost because"))
            .count(), run.err());
    }
}
