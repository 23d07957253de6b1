package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;

/** Several ports at one node, and packets in traffic classes. */
@Timeout(300)
final class LivePortsTest {
    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --dir " + folder.resolve("counters") + " " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--warm-up 0 --mode lockstep", "--warm-up 2000 --fabric shale --mode lockstep",
        "--warm-up 2000 --fabric stardust --mode lockstep",
        "--warm-up 0 --fabric stardust --mode lockstep --ports 2 --class-of pcp",
        "--warm-up 2000 --mode lockstep --class-of dscp"})
    void shouldLetGeneratorsAtOneNodeSeeEveryPacketOnce(final String how) throws Exception {
        final Invocation run = live(how + " --json --port 0=gen:64B,max,to=3.1,count=900 "
            + "--port 0.1=gen:imix,max,to=0,count=800 --port 3=gen:64-3000B,max,to=0.1,count=700 "
            + "--port 3.1=gen:200B,max,to=3,count=600");
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        final int[] received = {800, 700, 600, 900};
        for (int port = 0; port < received.length; port++) {
            final JsonNode at = json.get("ports").get(port);
            final JsonNode seen = at.get("generator");
            assertEquals(port / 2 * 3, at.get("node").asInt());
            assertEquals(port % 2 == 0 ? null : at.get("node").asInt() + ".1",
                at.has("place") ? at.get("place").asText() : null);
            assertEquals(received[port], seen.get("received").asInt(), at::toString);
            assertEquals(0, seen.get("lost").asInt() + seen.get("reordered").asInt() + seen.get("duplicates").asInt()
                + seen.get("damaged").asInt() + at.get("flooded").asInt(), at::toString);
        }
    }

    @EnabledOnOs(OS.LINUX)
    @Test
    void shouldChangeThePortsOfANodeWhilePacketsCross() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder, "--mode lockstep --port 0=gen:64B,1kpps,to=3.1 "
            + "--port 3=pcap:DIR/three.pcap --port 3.1=none")) {
            live.await("0", "dropped_nowhere", 5);
            live.ask("add 3.1=pcap:" + folder.resolve("second.pcap"));
            live.await("3.1", "tx_packets", 20);
            assertTrue(live.ask("ports").contains("3.1   up       pcap:"), live.ask("ports"));
            live.awaitName("port_tx_packets{node=\\\"3.1\\\",port=\\\"pcap:");
            live.ask("map 0:3");
            live.await("3", "tx_packets", 20);
            live.ask("map 0:address");
            live.ask("mac 02:01:00:00:00:03 3");
            live.ask("reset");
            live.await("3", "tx_packets", 20);
            live.ask("mac 02:01:00:00:00:03 3.1");
            live.ask("reset");
            live.await("3.1", "tx_packets", 20);
            live.ask("drain 3.1");
            live.ask("reset");
            live.await("0", "dropped_nowhere", 20);
            assertEquals(0, live.count("3.1", "tx_packets"), "a drained port gets no packets");
            live.ask("remove 3.1");
            live.refuses("remove 3.1", "node 3.1 has no port");
            live.refuses("drain 3.2", "live keeps no place for a port there");
            live.refuses("add 3=loop", "node 3 has a port already");
            live.end(0);
            assertTrue(Files.size(folder.resolve("second.pcap")) >= 24 + 40 * 80, "packets are in the capture");
        }
    }

    @Test
    void shouldKnowAddressesAndMapsOfFurtherPorts() throws Exception {
        final Path table = Files.writeString(folder.resolve("table"), "02:00:00:00:00:07 1.1\n");
        final Invocation byTable = live("--warm-up 0 --json --mode lockstep --mac-table " + table + " --port 0=gen:64B,"
            + "max,to=7,count=50 --port 1=pcap:" + folder.resolve("a") + " --port 1.1=pcap:" + folder.resolve("b"));
        assertEquals(0, byTable.code(), byTable.err());
        assertEquals(50, new ObjectMapper().readTree(byTable.out()).get("ports").get(2).get("tx_packets").asInt());
        final Invocation byMap = live("--warm-up 0 --json --mode lockstep --map 0:1.1 --port 0=gen:64B,max,count=50 "
            + "--port 1=pcap:" + folder.resolve("c") + " --port 1.1=pcap:" + folder.resolve("d"));
        assertEquals(0, byMap.code(), byMap.err());
        assertEquals(50, new ObjectMapper().readTree(byMap.out()).get("ports").get(2).get("tx_packets").asInt());
    }
}
