package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

@Timeout(300)
final class LiveCommandTest {
    private static final int FILE_HEADER = 24;
    private static final int PACKET_HEADER = 16;
    private static final int NANOSECONDS = 0xA1B23C4D;

    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --warm-up 0 --dir " + folder.resolve("counters") + " " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--nic-threads 2 --switch-threads 6 --idle yield",
        "--fabric shale --mode lockstep --threads 2", "--check", "--fabric stardust --check", "--fabric stardust",
        "--fabric stardust --nic-threads 2 --switch-threads 4 --idle yield --propagation-slots 1",
        "--fabric stardust --nodes 16 --topology scaled --packing none --mode lockstep --threads 2"})
    void shouldCarryACaptureToAnother(final String how) throws IOException {
        // Threads that have to share a processor take their time for a slot.
        final List<byte[]> packets = packets(7, how.contains("threads") ? 60 : 800);
        final Path in = capture(packets);
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live(("--json --port 0=pcap:in=" + in + " --port 3=pcap:" + out + " " + how).strip());
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(packets.size(), json.get("ports").get(1).get("tx_packets").asInt());
        assertEquals(packets.size(), json.get("latencyNs").get("count").asInt());
        verify(packets, out);
        assertEquals(List.of(), run.errors().stream().filter(line -> line.startsWith("skerry: live")).toList());
    }

    @Test
    void shouldLetGeneratorsSeeEveryPacketOnce() throws IOException {
        final Invocation run =
            live("--json --port 0=gen:64B,max,to=1,count=6000 --port 1=gen:imix,max,to=0,count=4000");
        assertEquals(0, run.code(), run.err());
        final JsonNode ports = new ObjectMapper().readTree(run.out()).get("ports");
        for (int port = 0; port < 2; port++) {
            final JsonNode seen = ports.get(port).get("generator");
            assertEquals(port == 0 ? 6_000 : 4_000, seen.get("sent").asInt());
            assertEquals(port == 0 ? 4_000 : 6_000, seen.get("received").asInt());
            assertEquals(0, seen.get("lost").asInt() + seen.get("reordered").asInt() + seen.get("duplicates").asInt()
                + seen.get("damaged").asInt() + seen.get("foreign").asInt());
        }
    }

    @Test
    void shouldLetGeneratorsOfAllSizesSeeEveryPacketOnceAcrossStardust() throws IOException {
        final Invocation run = live("--json --fabric stardust --nodes 4 --ports 2 --mtu 9194 "
            + "--port 0=gen:64-9216B,max,to=1-7,count=600 --port 1=gen:64B,max,to=7,count=8000 "
            + "--port 6=gen:imix,max,to=0,count=2000 --port 7=gen:594B,max,to=1,count=2000");
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(0, json.get("packetsHeld").asLong() + json.get("cellsLost").asLong());
        long received = 0;
        for (final JsonNode port : json.get("ports")) {
            final JsonNode seen = port.get("generator");
            assertEquals(0, seen.get("lost").asInt() + seen.get("reordered").asInt() + seen.get("duplicates").asInt()
                + seen.get("damaged").asInt(), seen::toString);
            received += seen.get("received").asLong();
        }
        // Nodes 2 to 5 have no port: what goes there is dropped by name or flooded, the rest arrives.
        assertTrue(received >= 12_000, () -> "received: " + json);
    }

    /** However little a short run carries, it is the beginning; one that is long enough carries it all. */
    @Test
    void shouldCarryACaptureThereAndBackAcrossStardust() throws IOException {
        final List<byte[]> packets = packets(11, 500);
        final Path in = capture(packets);
        int came = 0;
        for (double seconds = 0.25; came < packets.size(); seconds *= 4) {
            final Path out = folder.resolve("out" + seconds + ".pcap");
            final Invocation run = live("--json --fabric stardust --map 0:3,3:1 --duration " + seconds
                + " --port 0=pcap:in=" + in + ",speed=max --port 1=pcap:" + out + " --port 3=loop");
            assertEquals(0, run.code(), run.err());
            final JsonNode json = new ObjectMapper().readTree(run.out());
            assertTrue(json.get("conserved").asBoolean());
            came = json.get("ports").get(1).get("tx_packets").asInt();
            assertTrue(came <= json.get("ports").get(2).get("rx_packets").asInt(), run.out());
            verify(packets.subList(0, came), out);
        }
    }

    @Test
    void shouldPrintATable() {
        Invocation run;
        double seconds = 0.1;
        do {
            run = live("--duration " + seconds + " --port 0=gen:64B,10kpps,to=2 --port 2=loop --map 0:2,2:0");
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().contains("0 gen:64B,10kpps,to=2"), run.out());
            assertTrue(run.out().contains("+ 0 held: yes"), run.out());
            seconds *= 4;
        } while (!run.out().contains("time in the fabric"));
    }

    @Test
    void shouldUseThreadsWhereEachHasAProcessor() {
        final Invocation run = live("--duration 0 --port 0=loop --port 2=loop");
        assertEquals(0, run.code(), run.err());
        final String mode = Runtime.getRuntime().availableProcessors() < 7 ? "propagation 0 slots, lockstep, threads 1"
            : "propagation 2 slots, threads, clos-ports 4, idle backoff, nic-threads 1, switch-threads 6";
        assertTrue(run.out().lines().findFirst().orElse("").contains(mode), run.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--mode threads | propagation 2 slots, threads, clos-ports 4,",
        "--threads 3 | propagation 0 slots, lockstep, threads 3",
        "--mode threads --threads 3 | propagation 2 slots, threads, clos-ports 4, idle backoff, threads 3",
        "--switch-threads 6 --propagation-slots 5 | propagation 5 slots, threads, clos-ports 4, idle backoff, "
            + "nic-threads 1, switch-threads 6",
        "--nic-threads 2 --fabric shale | nic-threads 2, switch-threads 6",
        "--mode lockstep | propagation 0 slots, lockstep, threads 1",
        "--check | propagation 0 slots, lockstep, threads 1",
        "--fabric stardust --threads 1 | propagation 2 slots, lockstep, threads 1",
        "--fabric stardust --threads 2 | propagation 2 slots, lockstep, threads 2",
        "--fabric stardust --mode threads --threads 2 | propagation 16 slots, threads, idle backoff, threads 2",
        "--fabric stardust --nic-threads 1 | idle backoff, nic-threads 1, switch-threads 4",
        "--fabric stardust --mode lockstep | propagation 2 slots, lockstep, threads 1",
    })
    void shouldSayWhatRunsIt(final String options, final String headline) {
        final Invocation run = live(("--duration 0 --port 0=loop --port 2=loop " + options).strip());
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().lines().findFirst().orElse("").contains(headline), run.out());
    }

    @Test
    void shouldTakeAsManyThreadsAsThereAreProcessors() {
        final int processors = Runtime.getRuntime().availableProcessors();
        final String expected = processors < 7 ? "threads " + processors : "nic-threads 1, switch-threads 6";
        final Invocation run = live("--mode threads --duration 0 --port 0=loop --port 2=loop");
        assertTrue(run.out().lines().findFirst().orElse("").endsWith(expected), run.out());
    }

    @Test
    void shouldGoOnWhenAPortFails() throws IOException {
        final Path in = capture(packets(3, 100));
        final byte[] whole = Files.readAllBytes(in);
        Files.write(in, Arrays.copyOf(whole, whole.length - 5));
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live("--json --port 0=pcap:in=" + in + " --port 1=pcap:" + out);
        assertEquals(2, run.code(), run.err());
        assertEquals(99, new ObjectMapper().readTree(run.out()).get("ports").get(1).get("tx_packets").asInt());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: pcap: "), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 0=loop | --port",
        "--port 0=loop --port 8=loop | nodes are 0 to 7",
        "--port 0=loop --port loop | it does not begin with a node",
        "--port 0=loop --port 1=nothing | there is no such kind of port",
        "--port 0=loop --port 1=loop:bytes=x | bytes must be a whole number",
        "--port 0=loop --port 1=memif:x | neither server nor client",
        "--port 0=loop --port 1=loop --map 0:1,1:1 | cannot send to itself",
        "--port 0=loop --port 1=loop --map 0:2 | is no node with a port",
        "--port 0=loop --port 1=loop --map 0:1,0:1 | is listed twice",
        "--port 0=loop --port 1=loop --mtu 9195 | must be 60 to 9194",
        "--port 0=loop --port 1=loop --buffer-cells 100 | must be a power of two",
        "--port 0=loop --port 1=loop --duration x | --duration",
        "--port 0=loop --port 1=loop --fabric x | use ",
        "--port 0=loop --port 1=loop --mode threads --check | nobody sees the whole fabric",
        "--port 0=loop --port 1=loop --topology single | the fabric is shoal",
        "--port 0=loop --port 1=loop --fabric stardust --h 2 | the fabric is stardust",
        "--port 0=loop --port 1=loop --fabric stardust --topology ring | use scaled, single, n62",
        "--port 0=loop --port 1=loop --fabric stardust --nodes 1 | --nodes",
        "--port 0=loop --port 8=loop --fabric stardust | nodes are 0 to 7",
        "--port 0=loop --port 1=loop --fabric stardust --ports 0 | --ports",
        "--port 0=loop --port 1=loop --fabric stardust --credit-bytes 1 | --credit-bytes",
        "--port 0=loop --port 1=loop --fabric stardust --packing tight | --packing",
        "--port 0=loop --port 1=loop --mac-table /nowhere/at/all | it cannot be read",
        "--port 0=loop --port 0.1=loop | all ports are at node 0",
        "--port 0=loop --port 1=loop --port 0=loop | or a number at its node, as 0.1=",
        "--port 0=loop --port 1.1=loop --port 1.1=loop | node 1.1 has a port already",
        "--port 0=loop --port 1.0=loop | it does not begin with a node",
        "--port 0=loop --port 1.256=loop | it does not begin with a node",
        "--port 0=loop --port 1.1=gen:64B,to=1.1 | it sends to itself",
        "--port 0=loop --port 1=gen:64B,to=0.256 | a node has ports up to 255",
        "--port 0=loop --port 1=loop --map 0:1.1 | is no node with a port",
        "--port 0=loop --port 1=loop --fabric shale --class-of pcp | Shale has no traffic classes",
        "--port 0=loop --port 1=loop --faults none --class-of pcp | Shoal knows cells as lost",
        "--port 0=loop --port 1=loop --class-of tos | use pcp or dscp",
        "--port 0=loop --port 1=loop --class-map 0-7:0 | nothing says which field it is of",
        "--port 0=loop --port 1=loop --class-of pcp --class-map 0-7:0 | all packets would be of one class",
        "--port 0=loop --port 1=loop --class-of pcp --class-map 0-8:1 | values are 0 to 7",
        "--port 0=loop --port 1=loop --class-of pcp --class-map 7:0,0-7:1 | value 7 is listed twice",
        "--port 0=loop --port 1=loop --class-of pcp --class-map 7:0,6:4 | classes 0 to 3",
        "--port 0=loop --port 1=loop --class-of pcp --class-map 7:0,6:2 | no value is of a class higher than 2",
        "--port 0=loop --port 1=loop --class-of dscp --class-map 46 | is no part of a map",
    })
    void shouldRefuseInOneLine(final String line, final String why) {
        final Invocation run = live(line);
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: ") && run.err().contains(why), run.err());
        assertEquals("", run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "--fabric=", "--nodes 0", "--nodes -1", "--nodes 1", "--nodes x", "--nodes 99999999999", "--nodes 1025",
        "--h 2", "--fabric shale --h 0", "--fabric shale --h 9", "--cc hbh", "--fabric shale --cc x",
        "--fabric shale --cc hbh+priority", "--fabric shale --cc isd", "--fabric shale --cc isd --mode lockstep",
        "--fabric shale --tokens 0", "--fabric shale --tokens 256", "--tokens 1", "--fabric shale --first-hop-tokens 0",
        "--channels 0", "--channels -3", "--channels 1000000", "--fabric shale --channels 2",
        "--fabric shale --ports 2",
        "--cell-bytes 1", "--cell-bytes 1000000", "--fabric shale --cell-bytes 4", "--fabric stardust --cell-bytes 9",
        "--propagation-slots -1", "--propagation-slots 1000000000", "--fabric stardust --propagation-slots 0",
        "--fabric stardust --propagation-slots 5000", "--seed x", "--mode", "--mode x", "--mode threads --threads 0",
        "--threads -1", "--threads 100000", "--threads x", "--nic-threads 0", "--switch-threads 0",
        "--nic-threads 100000", "--threads 2 --nic-threads 1", "--mode lockstep --nic-threads 1", "--idle x",
        "--mode lockstep --pin 0", "--mode lockstep --threads 0", "--pin 100000", "--pin x", "--pin 0,",
        "--threads 2 --pin 0", "--clos-ports 3", "--clos-ports 0", "--fabric shale --clos-ports 4",
        "--fabric stardust --clos-ports 4", "--mode lockstep --clos-ports 4", "--check --threads 2",
        "--mode lockstep --check --threads 2", "--map=", "--map 0:1:0", "--map 0", "--map x:1", "--map 0:1,",
        "--map 0:1 --mac-table t", "--mac-age -1", "--mac-age NaN", "--mac-age x", "--mtu 59", "--mtu x",
        "--buffer-cells 0", "--buffer-cells -1024", "--buffer-cells 2097152",
        "--cell-bytes 16384 --buffer-cells 1048576",
        "--slots-per-second -1", "--when-full maybe",
        "--slots-per-second NaN", "--warm-up -1", "--warm-up x", "--stall-ms -1", "--stall-ms x", "--duration -1",
        "--duration NaN", "--port=", "--port 2", "--port =loop",
        "--port 2=", "--port -1=loop", "--port 2=gen:99999B", "--port 2=gen:1B", "--port 2=pcap:",
        "--port 2=pcap:in=/nowhere/at/all", "--port 2=pcap:/nowhere/at/all", "--port 2=memif:", "--port 2=memif:/x",
        "--port 2=memif:/nowhere/at/all,server", "--port 2=memif:/x,client,ring=99", "--port 2=memif:/x,server,client",
        "--topology=", "--fabric stardust --topology n62 --nodes 7", "--fabric stardust --ports 65",
        "--fabric stardust --credit-bytes 99999999", "--fabric stardust --nodes 100000", "--unknown", "stray",
    })
    void shouldRefuseEveryWrongOptionInOneLine(final String wrong) {
        final Invocation run = live("--duration 0 --port 0=loop --port 1=loop " + wrong);
        assertEquals(2, run.code(), () -> run.err() + run.out());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().matches("skerry: (--[a-z-]+|.+: .+): .+, .+\\R"), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldRefuseAFolderThatIsAFile() throws IOException {
        final Path file = Files.writeString(folder.resolve("counters"), "precious");
        final Invocation run = live("--port 0=loop --port 1=loop");
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: --dir: " + file + ": "), run.err());
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @CsvSource(delimiter = '|', value = {
        "memif:%s/m.sock,server | the system refuses to listen there: permission denied",
        "pcap:%s/out.pcap | may not be written",
        "pcap:in=%s/in.pcap | may not be read",
    })
    void shouldRefuseWhatItMayNotTouch(final String port, final String why) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        final Path locked = Files.createDirectory(folder.resolve("locked"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));
        final Invocation run;
        try (Unprivileged _ = new Unprivileged()) {
            run = live("--port 0=loop --port 1=" + port.formatted(locked));
        } finally {
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwx------"));
        }
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: ") && run.err().contains(why), run.err());
    }

    @Test
    void shouldRefuseASocketThatIsInUse() throws IOException {
        final Path socket = folder.resolve("m.sock");
        try (ServerSocketChannel taken = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            taken.bind(UnixDomainSocketAddress.of(socket));
            final Invocation run = live("--port 0=loop --port 1=memif:" + socket + ",server");
            assertEquals(2, run.code(), run.err());
            assertEquals("skerry: memif: " + socket + ": the path is in use, choose a path that is free, in a folder "
                + "you may write to", run.err().strip());
        }
    }

    @Test
    void shouldGoOnWhenTheDiskIsFull() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "there is no device that is always full");
        final Path out = folder.resolve("out.pcap");
        final Path table = Files.writeString(folder.resolve("t"), "02:00:00:00:00:01 1\n02:00:00:00:00:02 2\n");
        final Invocation run = live("--json --mac-table " + table + " --port 0=gen:1514B,max,to=1-2,count=4000 "
            + "--port 1=pcap:/dev/full --port 2=pcap:" + out);
        assertEquals(1, run.code(), run.err());
        assertEquals(1, run.errors().stream().filter(line -> !line.contains("first loss")).count(), run.err());
        assertTrue(run.err().contains("skerry: pcap: /dev/full: writing failed (No space left on device)"),
            run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(FILE_HEADER + 2_000 * (PACKET_HEADER + 1_514), Files.size(out));
        final JsonNode full = json.get("ports").get(1);
        assertEquals(2_000, full.get("tx_dropped_lost").asInt() + full.get("dropped_port_down").asInt()
            + full.get("dropped_port_stalled").asInt(), full::toString);
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

    private static void verify(final List<byte[]> packets, final Path out) throws IOException {
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
