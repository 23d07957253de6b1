package dev.skerry.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

final class LiveCommandTest {
    private static final int FILE_HEADER = 24;
    private static final int PACKET_HEADER = 16;
    private static final int NANOSECONDS = 0xA1B23C4D;

    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --dir " + folder.resolve("counters") + " " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--mode threads --threads 2 --idle yield", "--fabric shale --threads 2", "--check"})
    void shouldCarryACaptureToAnother(final String how) throws IOException {
        final List<byte[]> packets = packets(7, 800);
        final Path in = capture(packets);
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live(("--json --port 0=pcap:in=" + in + " --port 3=pcap:" + out + " " + how).strip());
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(packets.size(), json.get("ports").get(1).get("tx_packets").asInt());
        assertEquals(packets.size(), json.get("latencyNs").get("count").asInt());
        final ByteBuffer written = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.LITTLE_ENDIAN);
        written.position(FILE_HEADER);
        for (final byte[] packet : packets) {
            assertEquals(packet.length, written.getInt(written.position() + 8));
            written.position(written.position() + PACKET_HEADER);
            final byte[] found = new byte[packet.length];
            written.get(found);
            assertEquals(ByteBuffer.wrap(packet), ByteBuffer.wrap(found));
        }
        assertEquals(0, written.remaining());
        assertEquals(List.of(), run.errors().stream().filter(line -> line.startsWith("skerry: live")).toList());
    }

    @Test
    void shouldLetGeneratorsSeeEveryPacketOnce() throws IOException {
        final Invocation run =
            live("--json --port 0=gen:64B,max,to=1,count=30000 --port 1=gen:imix,max,to=0,count=20000");
        assertEquals(0, run.code(), run.err());
        final JsonNode ports = new ObjectMapper().readTree(run.out()).get("ports");
        for (int port = 0; port < 2; port++) {
            final JsonNode seen = ports.get(port).get("generator");
            assertEquals(port == 0 ? 30_000 : 20_000, seen.get("sent").asInt());
            assertEquals(port == 0 ? 20_000 : 30_000, seen.get("received").asInt());
            assertEquals(0, seen.get("lost").asInt() + seen.get("reordered").asInt() + seen.get("duplicates").asInt()
                + seen.get("damaged").asInt() + seen.get("foreign").asInt());
        }
    }

    @Test
    void shouldPrintATable() {
        final Invocation run = live("--duration 0.3 --port 0=gen:64B,10kpps,to=2 --port 2=loop --map 0:2,2:0");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("0 gen:64B,10kpps,to=2"), run.out());
        assertTrue(run.out().contains("+ 0 held: yes"), run.out());
        assertTrue(run.out().contains("time in the fabric"), run.out());
    }

    @Test
    void shouldGoOnWhenAPortFails() throws IOException {
        final Path in = capture(packets(3, 100));
        final byte[] whole = Files.readAllBytes(in);
        Files.write(in, Arrays.copyOf(whole, whole.length - 5));
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live("--json --port 0=pcap:in=" + in + " --port 1=pcap:" + out);
        assertEquals(0, run.code(), run.err());
        assertEquals(99, new ObjectMapper().readTree(run.out()).get("ports").get(1).get("tx_packets").asInt());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: pcap: "), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 0=loop | --port",
        "--port 0=loop --port 0=loop | node 0 has a port already",
        "--port 0=loop --port 8=loop | nodes are 0 to 7",
        "--port 0=loop --port loop | it does not begin with a node",
        "--port 0=loop --port 1=nothing | there is no such kind of port",
        "--port 0=loop --port 1=loop:bytes=x | bytes must be a whole number",
        "--port 0=loop --port 1=memif:x | neither server nor client",
        "--port 0=loop --port 1=loop --map 0:1,1:1 | cannot send to itself",
        "--port 0=loop --port 1=loop --map 0:2 | is no node with a port",
        "--port 0=loop --port 1=loop --map 0:1,0:1 | stands there twice",
        "--port 0=loop --port 1=loop --mtu 9001 | must be 60 to 9000",
        "--port 0=loop --port 1=loop --buffer-cells 100 | must be a power of two",
        "--port 0=loop --port 1=loop --duration x | --duration",
        "--port 0=loop --port 1=loop --fabric x | use ",
        "--port 0=loop --port 1=loop --mode threads --check | nobody sees the whole fabric",
        "--port 0=loop --port 1=loop --mac-table /nowhere/at/all | it cannot be read",
    })
    void shouldRefuseInOneLine(final String line, final String why) {
        final Invocation run = live(line);
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: ") && run.err().contains(why), run.err());
        assertEquals("", run.out());
    }

    @ParameterizedTest
    @CsvSource({"'02:00:00:00:00:07', 1", "'\n02:00:00:00:00:07 9', 2", "'ff:ff:ff:ff:ff:ff 1', 1",
        "'02:00:00:00:00:07 1\n02-00-00-00-00-07,2', 2", "'02:00:00:00:00:07 x', 1"})
    void shouldNameTheWrongLineOfATable(final String text, final int line) throws IOException {
        final Path table = Files.writeString(folder.resolve("table"), text);
        final Invocation run = live("--port 0=loop --port 1=loop --mac-table " + table);
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().startsWith("skerry: --mac-table: " + table + ":" + line + ": "), run.err());
    }

    @Test
    void shouldFollowATable() throws IOException {
        final List<byte[]> packets = packets(3, 50);
        packets.forEach(packet -> packet[5] = 0x77);
        final Path table = Files.writeString(folder.resolve("table"), "# one\n02:00:00:00:00:77, 2 # there\n");
        final Invocation run = live("--json --mac-table " + table + " --port 0=pcap:in=" + capture(packets)
            + " --port 1=pcap:" + folder.resolve("one.pcap") + " --port 2=pcap:" + folder.resolve("two.pcap"));
        assertEquals(0, run.code(), run.err());
        final JsonNode ports = new ObjectMapper().readTree(run.out()).get("ports");
        assertEquals(0, ports.get(1).get("tx_packets").asInt());
        assertEquals(50, ports.get(2).get("tx_packets").asInt());
    }

    /** Ethernet packets to node 3, 60 to 9,000 bytes. */
    private static List<byte[]> packets(final long seed, final int count) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<byte[]> packets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final boolean isLong = random.nextInt(6) == 0;
            final byte[] packet = new byte[isLong ? random.nextInt(60, 9_001) : random.nextInt(60, 120)];
            random.nextBytes(packet);
            System.arraycopy(new byte[]{2, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0}, 0, packet, 0, 12);
            packets.add(packet);
        }
        return packets;
    }

    private Path capture(final List<byte[]> packets) throws IOException {
        final int bytes = FILE_HEADER + packets.stream().mapToInt(packet -> PACKET_HEADER + packet.length).sum();
        final ByteBuffer file = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(NANOSECONDS).putShort((short) 2).putShort((short) 4).putLong(0).putInt(65_535).putInt(1);
        for (final byte[] packet : packets) {
            file.putInt(0).putInt(0).putInt(packet.length).putInt(packet.length).put(packet);
        }
        return Files.write(folder.resolve("in.pcap"), file.array());
    }
}
