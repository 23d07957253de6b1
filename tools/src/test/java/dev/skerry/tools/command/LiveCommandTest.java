package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

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
        final Invocation run = live("--json --port 0=pcap:in=" + in + " --port 3=pcap:" + out + " " + how).ok();
        final JsonNode json = run.json();
        assertTrue(json.get("conserved").asBoolean());
        assertEquals(packets.size(), json.get("ports").get(1).get("tx_packets").asInt());
        assertEquals(packets.size(), json.get("latencyNs").get("count").asInt());
        verify(packets, out);
        assertEquals(List.of(), run.errors().stream().filter(line -> line.startsWith("skerry: live")).toList());
    }

    @Test
    void shouldLetGeneratorsSeeEveryPacketOnce() throws IOException {
        final JsonNode ports = live("--json --port 0=gen:64B,max,to=1,count=6000 "
            + "--port 1=gen:imix,max,to=0,count=4000").ok().json().get("ports");
        for (int port = 0; port < 2; port++) {
            final JsonNode seen = ports.get(port).get("generator");
            assertEquals(port == 0 ? 6_000 : 4_000, seen.get("sent").asInt());
            assertEquals(port == 0 ? 4_000 : 6_000, seen.get("received").asInt());
            assertEquals(0, seen.get("lost").asInt() + seen.get("reordered").asInt() + seen.get("duplicates").asInt()
                + seen.get("damaged").asInt() + seen.get("foreign").asInt());
        }
    }

    /** A flooded flow has a row for each receiver; a flow whose receiver measures nothing has no loss. */
    @Test
    void shouldTellFlowsApart() throws IOException {
        final Path out = folder.resolve("out");
        final JsonNode json = live("--json --out " + out + " --port 0=gen:64B,max,to=1-3,count=3000 "
            + "--port 1=gen:64B,max,to=5,count=1000 --port 2=gen:64B,max,to=3,count=500,same "
            + "--port 3=pcap:" + folder.resolve("o.pcap")).ok().json();
        assertEquals(List.of("0 0 1 1000 1000 0 false", "0 1 2 1000 1000 0 false", "0 2 3 1000 - - false",
            "1 0 0 1000 1000 0 false", "1 0 2 1000 1000 - true"), flows(json));
        assertEquals(List.of("0 0 1 500 - - false", "2 0 0 10 10 0 false"), flows(live("--json --map 0:1,2:0 --port "
            + "0=gen:64B,max,to=2,count=500 --port 1=pcap:" + folder.resolve("p.pcap")
            + " --port 2=gen:64B,max,to=1,count=10").ok().json()));
        assertEquals(1_000, StreamSupport.stream(json.get("flows").get(0).get("latencyBucketsNs").spliterator(), false)
            .mapToLong(JsonNode::asLong).sum());
        assertTrue(Files.readString(out.resolve("report.html")).contains("Latency by flow")
            && Files.exists(out.resolve("latency.svg")) && Files.exists(out.resolve("report.json")));
    }

    private static List<String> flows(final JsonNode json) {
        final List<String> rows = new ArrayList<>();
        for (final JsonNode flow : json.get("flows")) {
            rows.add(List.of("from", "flow", "to", "sent", "received", "lost", "copy").stream()
                .map(key -> flow.path(key).asText("-")).collect(Collectors.joining(" ")));
        }
        Collections.sort(rows);
        return rows;
    }

    @Test
    void shouldLetGeneratorsOfAllSizesSeeEveryPacketOnceAcrossStardust() throws IOException {
        final JsonNode json = live("--json --fabric stardust --nodes 4 --ports 2 --mtu 9194 "
            + "--port 0=gen:64-9216B,max,to=1-7,count=600 --port 1=gen:64B,max,to=7,count=8000 "
            + "--port 6=gen:imix,max,to=0,count=2000 --port 7=gen:594B,max,to=1,count=2000").ok().json();
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
                + " --port 0=pcap:in=" + in + ",speed=max --port 1=pcap:" + out + " --port 3=loop").ok();
            final JsonNode json = run.json();
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
            run.prints("0 gen:64B,10kpps,to=2", "+ 0 held: yes");
            seconds *= 4;
        } while (!run.out().contains("time in the fabric"));
    }

    /** Threads are the default where each of seven has a processor, and take as many as there are. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ''                               | DEFAULT
        --mode threads                   | ALL
        --threads 3                      | propagation 0 slots, lockstep, threads 3
        --mode threads --threads 3       | propagation 2 slots, threads, clos-ports 4, idle backoff, threads 3
        --switch-threads 6 --propagation-slots 5 | propagation 5 slots, threads, clos-ports 4, idle backoff, BANKS
        --nic-threads 2 --fabric shale   | nic-threads 2, switch-threads 6
        --mode lockstep                  | propagation 0 slots, lockstep, threads 1
        --check                          | propagation 0 slots, lockstep, threads 1
        --fabric stardust --threads 1    | propagation 2 slots, lockstep, threads 1
        --fabric stardust --threads 2    | propagation 2 slots, lockstep, threads 2
        --fabric stardust --mode threads --threads 2 | propagation 16 slots, threads, idle backoff, threads 2
        --fabric stardust --nic-threads 1            | idle backoff, nic-threads 1, switch-threads 4
        --fabric stardust --mode lockstep            | propagation 2 slots, lockstep, threads 1
        """)
    void shouldSayWhatRunsIt(final String options, final String headline) {
        final int processors = Runtime.getRuntime().availableProcessors();
        final String banks = "nic-threads 1, switch-threads 6";
        final String all = "propagation 2 slots, threads, clos-ports 4, idle backoff, ";
        final String expected = switch (headline) {
            case "DEFAULT" -> processors < 7 ? "propagation 0 slots, lockstep, threads 1" : all + banks;
            case "ALL" -> all + (processors < 7 ? "threads " + processors : banks);
            default -> headline.replace("BANKS", banks);
        };
        final Invocation run = live("--duration 0 --port 0=loop --port 2=loop " + options).ok();
        assertTrue(run.out().lines().findFirst().orElse("").contains(expected), run.out());
    }

    @Test
    void shouldGoOnWhenAPortFails() throws IOException {
        final Path in = capture(packets(3, 100));
        final byte[] whole = Files.readAllBytes(in);
        Files.write(in, Arrays.copyOf(whole, whole.length - 5));
        final Path out = folder.resolve("out.pcap");
        final Invocation run = live("--json --port 0=pcap:in=" + in + " --port 1=pcap:" + out).exits(2);
        assertEquals(99, run.json().get("ports").get(1).get("tx_packets").asInt());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().startsWith("skerry: pcap: "), run.err());
    }

    /** {@code LOOPS} are two ports. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --port 0=loop                                  | --port
        --port 0=loop --port 8=loop                    | nodes are 0 to 7
        --port 0=loop --port loop                      | it does not begin with NODE
        --port 0=loop --port 1=nothing                 | there is no such kind of port
        LOOPS:bytes=x                                  | bytes must be a whole number
        --port 0=loop --port 1=memif:x                 | neither server nor client
        LOOPS --map 0:1,1:1                            | cannot send to itself
        LOOPS --map 0:2                                | is not a node with a port
        LOOPS --map 0:1,0:1                            | is listed twice
        LOOPS --mtu 9195                               | must be 60 to 9194
        LOOPS --buffer-cells 100                       | must be a power of two
        LOOPS --duration x                             | --duration
        LOOPS --fabric x                               | use
        LOOPS --mode threads --check                   | the state of the whole fabric
        LOOPS --topology single                        | the fabric is shoal
        LOOPS --fabric stardust --h 2                  | the fabric is stardust
        LOOPS --fabric stardust --topology ring        | use scaled, single, n62
        LOOPS --fabric stardust --nodes 1              | --nodes
        --port 0=loop --port 8=loop --fabric stardust  | nodes are 0 to 7
        LOOPS --fabric stardust --ports 0              | --ports
        LOOPS --fabric stardust --credit-bytes 1       | --credit-bytes
        LOOPS --fabric stardust --packing tight        | --packing
        LOOPS --mac-table /nowhere/at/all              | it cannot be read
        --port 0=loop --port 0.1=loop                  | all ports are at node 0
        LOOPS --port 0=loop                            | or a number at its node, as 0.1=
        --port 0=loop --port 1.1=loop --port 1.1=loop  | node 1.1 already has a port
        --port 0=loop --port 1.0=loop                  | it does not begin with NODE
        --port 0=loop --port 1.256=loop                | it does not begin with NODE
        --port 0=loop --port 1.1=gen:64B,to=1.1        | it sends to itself
        --port 0=loop --port 1=gen:64B,to=0.256        | ports of a node are numbered up to 255
        LOOPS --map 0:1.1                              | is not a node with a port
        LOOPS --fabric shale --class-of pcp            | Shale has no traffic classes
        LOOPS --faults none --class-of pcp             | Shoal considers cells lost
        LOOPS --class-of tos                           | use pcp or dscp
        LOOPS --class-map 0-7:0                        | there is no field to map
        LOOPS --class-of pcp --class-map 0-7:0         | all packets would belong to one class
        LOOPS --class-of pcp --class-map 0-8:1         | values are 0 to 7
        LOOPS --class-of pcp --class-map 7:0,0-7:1     | value 7 is listed twice
        LOOPS --class-of pcp --class-map 7:0,6:4       | classes 0 to 3
        LOOPS --class-of pcp --class-map 7:0,6:2       | no value belongs to a class above 2
        LOOPS --class-of dscp --class-map 46           | is not a mapping
        LOOPS --fabric stardust --low-latency 0.05     | it applies to the highest of several traffic classes
        LOOPS --fabric stardust --hosts tcp | the hosts are behind the ports and decide how to send, leave it out
        LOOPS --nodes 65 --faults none                 | Shoal reports no lost cells
        LOOPS --fabric shale --voq-bytes 10000         | the fabric is shale
        LOOPS --fabric stardust --faults /nowhere/at/all | there is no such file, give an existing one
        LOOPS --fabric stardust --radix 4              | the topology determines it, leave it out or add --topology clos
        LOOPS --fabric stardust --voq-bytes 10         | a queue holds a packet, give at least 9216
        LOOPS --nodes 65 --faults none                 | give up to 64 --nodes
        """)
    void shouldRefuseInOneLine(final String line, final String why) {
        live("--duration 0 " + line.replace("LOOPS", "--port 0=loop --port 1=loop")).refused(why);
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
        "--queue-target 0", "--queue-target 1", "--queue-target -1ms", "--queue-target 2h", "--queue-target 7200s",
        "--queue-target", "--queue-target off --ecn", "--topology=",
        "--fabric stardust --topology n62 --nodes 7", "--fabric stardust --ports 65",
        "--fabric stardust --credit-bytes 99999999", "--fabric stardust --nodes 100000", "--unknown", "stray",
    })
    void shouldRefuseEveryWrongOptionInOneLine(final String wrong) {
        final Invocation run = live("--duration 0 --port 0=loop --port 1=loop " + wrong).refused();
        assertTrue(run.err().matches("skerry: (--[a-z-]+|.+: .+): .+, .+\\R"), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldRefuseAFolderThatIsAFile() throws IOException {
        final Path file = Files.writeString(folder.resolve("counters"), "precious");
        live("--port 0=loop --port 1=loop").refused("skerry: --dir: " + file + ": ");
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
            live("--port 0=loop --port 1=memif:" + socket + ",server").refused("skerry: memif: " + socket
                + ": the path is in use, choose an unused path in a folder that you may write to");
        }
    }

    @Test
    void shouldGoOnWhenTheDiskIsFull() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "there is no device that is always full");
        final Path out = folder.resolve("out.pcap");
        final Path table = Files.writeString(folder.resolve("t"), "02:00:00:00:00:01 1\n02:00:00:00:00:02 2\n");
        final Invocation run = live("--json --mac-table " + table + " --port 0=gen:1514B,max,to=1-2,count=4000 "
            + "--port 1=pcap:/dev/full --port 2=pcap:" + out).exits(1);
        assertEquals(1, run.errors().stream().filter(line -> !line.contains("first loss")).count(), run.err());
        run.says("skerry: pcap: /dev/full: writing failed (No space left on device)");
        final JsonNode json = run.json();
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
        final Invocation run = live("--port 0=loop --port 1=loop --mac-table " + table).exits(2);
        assertTrue(run.err().startsWith("skerry: --mac-table: " + table + ":" + line + ": "), run.err());
    }

    @Test
    void shouldFollowATable() throws IOException {
        final List<byte[]> packets = packets(3, 50);
        packets.forEach(packet -> packet[5] = 0x77);
        final Path table = Files.writeString(folder.resolve("table"), "# one\n02:00:00:00:00:77, 2 # there\n");
        final JsonNode ports = live("--json --mac-table " + table + " --port 0=pcap:in=" + capture(packets)
            + " --port 1=pcap:" + folder.resolve("one.pcap") + " --port 2=pcap:" + folder.resolve("two.pcap")).ok()
            .json().get("ports");
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
