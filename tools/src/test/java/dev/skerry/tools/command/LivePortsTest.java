package dev.skerry.tools.command;

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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Several ports at one node, traffic classes, ECN marks, latency, and the rehearsal before the ports come up. */
@Timeout(300)
final class LivePortsTest {
    private static final Pattern WARM_UP = Pattern.compile(
        "skerry: live: warm-up: [0-9.]+ s, ([0-9,]+) warm-up packets crossed the fabric, .*; the ports come up.*");
    private static final int PACKETS = 400;
    private static final int BYTES = 600;
    private static final int IP_AT = 14;

    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --json --dir " + folder.resolve("counters") + " " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--warm-up 0 --mode lockstep", "--warm-up 2000 --fabric shale --mode lockstep",
        "--warm-up 2000 --fabric stardust --mode lockstep",
        "--warm-up 0 --fabric stardust --mode lockstep --ports 2 --class-of pcp",
        "--warm-up 2000 --mode lockstep --class-of dscp"})
    void shouldLetGeneratorsAtOneNodeSeeEveryPacketOnce(final String how) throws Exception {
        final JsonNode json = live(how + " --port 0=gen:64B,max,to=3.1,count=900 "
            + "--port 0.1=gen:imix,max,to=0,count=800 --port 3=gen:64-3000B,max,to=0.1,count=700 "
            + "--port 3.1=gen:200B,max,to=3,count=600").ok().json();
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
            live.refuses("drain 3.2", "live has no empty port slot there");
            live.refuses("add 3=loop", "node 3 already has a port");
            live.end(0);
            assertTrue(Files.size(folder.resolve("second.pcap")) >= 24 + 40 * 80, "packets are in the capture");
        }
    }

    @Test
    void shouldKnowAddressesAndMapsOfFurtherPorts() throws IOException {
        final Path table = Files.writeString(folder.resolve("table"), "02:00:00:00:00:07 1.1\n");
        for (final String how : List.of("--mac-table " + table + " --port 0=gen:64B,max,to=7,count=50",
            "--map 0:1.1 --port 0=gen:64B,max,count=50")) {
            final JsonNode json = live("--warm-up 0 --mode lockstep " + how + " --port 1=pcap:"
                + folder.resolve("a" + how.length()) + " --port 1.1=pcap:" + folder.resolve("b" + how.length())).ok()
                .json();
            assertEquals(50, json.get("ports").get(2).get("tx_packets").asInt(), how);
        }
    }

    /** A burst of a capture takes longer than the target: packets that may be marked are, and their checksums right. */
    @Test
    void shouldMarkPacketsThatTookLongerThanTheTarget() throws IOException {
        final Path in = capture();
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live("--warm-up 0 --ecn --queue-target 1us --map 0:1 --port 0=pcap:in=" + in
            + ",speed=max,loops=10 --port 1=pcap:" + out).ok();
        final JsonNode json = run.json();
        assertTrue(json.get("conserved").asBoolean());
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.BIG_ENDIAN);
        int marked = 0;
        int packets = 0;
        for (int at = 24 + 16; at + BYTES <= bytes.limit(); at += 16 + BYTES) {
            final int field = bytes.get(at + IP_AT + 1) & 3;
            // The first packet of a pair does not understand ECN.
            assertEquals(packets++ % 2 == 0, field == 0);
            marked += field == 3 ? 1 : 0;
            int sum = 0;
            for (int word = 0; word < 20; word += 2) {
                sum += bytes.getShort(at + IP_AT + word) & 0xFFFF;
            }
            assertEquals(0xFFFF, (sum & 0xFFFF) + (sum >> 16), "checksum of packet " + packets);
        }
        assertEquals(10 * PACKETS, packets);
        assertEquals(json.get("ports").get(1).get("ecn_marked").asInt(), marked);
        assertTrue(marked > 0, run.out());
    }

    private Path capture() throws IOException {
        final ByteBuffer file = ByteBuffer.allocate(24 + PACKETS * (16 + BYTES)).order(ByteOrder.BIG_ENDIAN);
        file.putInt(0xA1B23C4D).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65_535).putInt(1);
        for (int packet = 0; packet < PACKETS; packet++) {
            file.putInt(0).putInt(0).putInt(BYTES).putInt(BYTES);
            final int at = file.position();
            file.putShort(at + 12, (short) 0x0800);
            file.putShort(at + IP_AT, (short) (0x4500 | packet % 2));
            file.putShort(at + IP_AT + 2, (short) (BYTES - IP_AT));
            final int sum = (0x4500 | packet % 2) + BYTES - IP_AT;
            file.putShort(at + IP_AT + 10, (short) ~sum);
            file.position(at + BYTES);
        }
        final Path path = folder.resolve("in.pcap");
        Files.write(path, file.array());
        return path;
    }

    /** Every packet of the user is counted once, none of the rehearsal, whose length is bounded by its packets. */
    @ParameterizedTest
    @CsvSource({"shoal, lockstep, 3000", "stardust, lockstep, 1"})
    void shouldRehearseWithoutATrace(final String fabric, final String mode, final int most) throws IOException {
        final Invocation run = live("--fabric " + fabric + " --mode " + mode + " --warm-up " + most
            + " --port 0=gen:64B,max,to=1,count=700 --port 1=gen:imix,1Mpps,to=0,count=300").ok();
        assertEquals(2, run.errors().size(), run.err());
        final Matcher said = WARM_UP.matcher(run.errors().getLast());
        assertTrue(said.matches(), run.err());
        final int packets = Integer.parseInt(said.group(1).replace(",", ""));
        // Two passes after the first, each with all ports' bursts of one poll at least.
        assertTrue(packets >= Math.min(most, 2_000) && packets <= most + 10_000, run.err());
        final JsonNode json = run.json();
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(1_000, json.get("latencyNs").get("count").asInt());
        for (int port = 0; port < 2; port++) {
            final JsonNode at = json.get("ports").get(port);
            assertEquals(port == 0 ? 700 : 300, at.get("rx_packets").asInt());
            assertEquals(port == 0 ? 300 : 700, at.get("tx_packets").asInt());
            assertEquals(port == 0 ? 300 : 700, at.get("generator").get("received").asInt());
        }
        assertEquals(1_000, json.get("packets").get("packets_cut").asInt());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldRehearseMemifAndLoops() throws IOException {
        final Invocation run = live("--warm-up 3000 --duration 0.2 --port 0=gen:64B,max,to=1,count=200 --port 1=memif:"
            + folder.resolve("m.sock") + ",server --port 2=loop").ok();
        assertTrue(run.errors().stream().anyMatch(line -> WARM_UP.matcher(line).matches()), run.err());
        final JsonNode ports = run.json().get("ports");
        final int sent = ports.get(0).get("rx_packets").asInt();
        assertEquals(0, ports.get(1).get("rx_packets").asInt() + ports.get(2).get("rx_packets").asInt());
        assertTrue(sent <= 200, run.out());
        assertEquals(sent, ports.get(1).get("dropped_port_down").asInt(), run.out());
    }

    @ParameterizedTest
    @CsvSource({"--warm-up 0 --duration 0.01 --port 0=gen --port 1=loop", "--port 0=loop --port 1=loop --duration 0.01",
        "--duration 0 --port 0=gen --port 1=loop"})
    void shouldNotRehearseWhereThereIsNothingToGain(final String line) {
        final Invocation run = live(line).ok();
        assertTrue(run.errors().stream().noneMatch(said -> said.contains("warm-up")), run.err());
    }

    /** The seconds of a run add up to all of it, and so do the last minute and the start of a short run. */
    @Test
    void shouldCountEachPacketInOneSecond() throws IOException {
        final Invocation run = live("--warm-up 0 --duration 1.2 --port 0=gen:64B,20kpps,to=1 --port 1=gen:same,to=0")
            .ok();
        final JsonNode json = run.json();
        final long all = json.get("latencyNs").get("count").asLong();
        long sum = 0;
        for (final JsonNode second : json.get("latencySeconds")) {
            sum += second.get("latencyNs").get("count").asLong();
        }
        assertEquals(all, sum, run.out());
        assertTrue(json.get("latencySeconds").size() >= 2, run.out());
        assertEquals(all, json.get("ports").get(0).get("tx_packets").asLong()
            + json.get("ports").get(1).get("tx_packets").asLong());
        assertTrue(json.get("latencyLastMinuteNs").get("count").asLong() <= all);
        assertTrue(json.get("latencyNs").get("max").asLong() >= json.get("latencyNs").get("p99").asLong());
    }
}
