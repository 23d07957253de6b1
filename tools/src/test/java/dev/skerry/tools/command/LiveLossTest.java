package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.tools.port.CaptureBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** What would lose packets silently is refused, warned of or said when it happens. */
@Timeout(300)
final class LiveLossTest {
    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --json --warm-up 0 --dir " + folder.resolve("counters") + " "
            + line.replace("DIR", folder.toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 0=pcap:DIR/a.pcap --port 1=pcap:DIR/x/../a.pcap | the port of node 0 writes this file too",
        "--port 0=pcap:in=DIR/a.pcap --port 1=pcap:DIR/a.pcap | the port of node 1 writes the file that it reads",
        "--port 0=pcap:in=/dev/null --port 1=pcap:in=/dev/null | the port of node 0 reads it too",
        "--port 0=gen:to=8 --port 1=loop | there is no node 8 to send to, nodes are 0 to 7",
        "--port 0=gen:to=5-9 --port 1=loop | there is no node 8 to send to, nodes are 0 to 7",
        "--port 0=loop --port 3=gen:to=3 | it sends to itself",
        "--port 8=loop | there is no node 8, nodes are 0 to 7",
        "--port 0=loop | 0=loop: at least two ports are required, give --port twice",
        "--port 0=gen:9023B --port 1=loop | its packets of 9,023 bytes exceed the maximum of 9,022 bytes with --mtu "
            + "9000",
        "--map 0:1 --mtu 1000 --port 0=gen:imix --port 1=loop | its packets of 1,514 bytes exceed the maximum of 1,022",
    })
    void shouldRefuseAtTheStart(final String line, final String why) throws IOException {
        live("--duration 0 " + line).refused("skerry: --port: ", why);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(0, left.count(), "files that are left");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldRefuseToWriteOneFileByTwoNamesOfItsFolder() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("real")));
        live("--duration 0 --port 0=pcap:DIR/real/a.pcap --port 1=pcap:DIR/link/a.pcap")
            .refused("the port of node 0 writes this file too");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--port 2=memif:DIR/none/m.sock,server", "--port 2=loop --ctl DIR/none/ctl",
        "--port 2=pcap:DIR/none/o.pcap"})
    void shouldLeaveFilesAloneWhereItRefusesToStart(final String wrong) throws IOException {
        final Path old = Files.writeString(folder.resolve("old.pcap"), "precious");
        live("--port 0=pcap:DIR/old.pcap,overwrite --port 1=pcap:DIR/new.pcap " + wrong).exits(2);
        assertEquals("precious", Files.readString(old));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(old), left.filter(Files::isRegularFile).toList());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pcap:in=DIR/none.pcap | skerry: pcap: DIR/none.pcap: there is no such file",
        "memif:DIR/m.sock,server,secret=,id=1 | skerry: memif: memif:DIR/m.sock,server,secret=...,id=1: its secret",
        "nothing:x | there is no such kind of port",
    })
    void shouldSayWhatIsWrongWithTheOnlyPort(final String port, final String why) {
        live("--duration 0 --port 0=" + port).refused(why.replace("DIR", folder.toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 0=gen:to=1-3 --port 1=loop | port 0=gen:to=1-3: no port is at node 2, 3: packets for it are flooded",
        "--port 0=gen:dmac=02:00:00:00:00:00-02:00:00:00:00:01 --port 1=loop | port 0=gen:dmac=02:00:00:00:00:00-02:00:"
            + "00:00:00:01: some of its packets have this port",
        "--mac-table DIR/t --port 0=loop --port 1=loop | --mac-table: no port is at node 5: packets for its addresses",
        "--mac-table DIR/t --port 0=gen:to=5 --port 1=loop | --mac-table: no port is at node 5",
    })
    void shouldWarnAtTheStart(final String line, final String what) throws IOException {
        Files.writeString(folder.resolve("t"), "02:00:00:00:00:05 5\n02:00:00:00:00:01 1\n");
        final Invocation run = live("--duration 0 " + line).ok();
        // Some packets may come before the run ends.
        assertEquals(1, run.errors().stream().filter(said -> !said.contains("first loss")).count(), run.err());
        assertTrue(run.err().startsWith("skerry: live: " + what), run.err());
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @CsvSource({"9000, client, true", "2026, client, false", "9000, server, false"})
    void shouldWarnOfShortBuffers(final int mtu, final String role, final boolean warns) {
        final Invocation run = live("--duration 0 --mtu " + mtu + " --port 0=loop --port 1=memif:DIR/m.sock," + role)
            .ok();
        assertEquals(warns, run.err().contains("its buffers of 2048 bytes are shorter than the frames of 9022"),
            run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 0=gen:to=5 --port 1=gen:to=5 --port 2=loop", "--map 0:1,1:0 --port 0=gen:to=7 --port 1=gen:to=1"})
    void shouldNotWarnOfWhatTheMapOrTheTableSettles(final String line) throws IOException {
        final Path table = Files.writeString(folder.resolve("t"), "02:00:00:00:00:05 2\n");
        final Invocation run = live("--duration 0 " + line + (line.contains("--map") ? "" : " --mac-table " + table))
            .ok();
        assertEquals("", run.err());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayTheFirstLossOfAKindOnce() throws IOException {
        Files.write(folder.resolve("long.pcap"), CaptureBuilder.classic(7, 3_000));
        final Invocation run = live("--duration 0.3 --mtu 2000 --port 0=gen:64B,max,to=2,count=50 "
            + "--port 1=gen:64B,max,to=2,count=60 --port 2=memif:DIR/m.sock,server --port 3=memif:DIR/n.sock,server "
            + "--port 4=pcap:in=DIR/long.pcap").ok();
        final JsonNode ports = run.json().get("ports");
        long lost = 0;
        for (final JsonNode port : ports) {
            lost += port.get("dropped_port_down").asLong();
        }
        final long sent = ports.get(0).get("rx_packets").asLong() + ports.get(1).get("rx_packets").asLong();
        assertEquals(sent, lost, run.out());
        assertEquals(lost > 0 ? 1 : 0, run.errors().stream().filter(line -> line.contains("first loss: packets dropped "
            + "because their destination port is down")).count(), run.err());
        assertEquals(ports.get(4).get("rx_dropped_too_long").asLong() > 0 ? 1 : 0, run.errors().stream()
            .filter(line -> line.startsWith("skerry: live: port 4=") && line.contains("first loss: packets received "
                + "and dropped because they are longer than --mtu allows: 3,000 bytes, but --mtu 2000 allows "
                + "frames of up to 2,022 ")).count(), run.err());
    }

    /** Packets that were captured in part and sent all the same are no loss; those skipped are one. */
    @ParameterizedTest
    @CsvSource({"send, 0, 1", "pad, 0, 1", "skip, 1, 0"})
    void shouldCallALossOnlyWhatIsLost(final String cut, final int losses, final int remarks) throws IOException {
        Files.write(folder.resolve("cut.pcap"), CaptureBuilder.cut(5, 60, 1_500));
        final Invocation run = live("--map 0:1 --port 0=pcap:in=DIR/cut.pcap,cut=" + cut
            + " --port 1=pcap:DIR/o.pcap").ok();
        final JsonNode port = run.json().get("ports").get(0);
        assertEquals(5, port.get("rx_cut").asInt(), run.out());
        assertEquals(losses * 5, port.get("rx_dropped_cut").asInt(), run.out());
        final List<String> said = run.errors().stream().filter(line -> line.contains(": port 0=")).toList();
        assertEquals(losses + remarks, said.size(), run.err());
        assertEquals(losses, said.stream().filter(line -> line.contains("first loss")).count(), run.err());
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"shoal", "shale", "stardust"})
    void shouldNotBeStoppedByAFifo(final String fabric) throws Exception {
        final Path fifo = fifo();
        final Invocation run;
        final int taken;
        try (RandomAccessFile open = new RandomAccessFile(fifo.toFile(), "rw");
            FileInputStream pipe = new FileInputStream(open.getFD())) {
            run = live("--fabric " + fabric
                + " --stall-ms 20 --port 0=gen:1500B,max,to=1,count=5000 --port 1=pcap:" + fifo
                + " --port 2=gen:64B,max,to=3,count=2000,after=1 --port 3=gen:64B,1pps,to=2,count=1");
            taken = pipe.available();
        }
        assertEquals(1, run.code(), run.err());
        run.says("fifo: writing failed (it has accepted nothing for 5 s)");
        final JsonNode ports = run.json().get("ports");
        assertEquals(2_000, ports.get(3).get("tx_packets").asInt(), run.out());
        final JsonNode stalled = ports.get(1);
        assertTrue(stalled.get("dropped_port_stalled").asInt() > 0, run.out());
        assertEquals((taken - 24) / (16 + 1_500), stalled.get("tx_packets").asInt(), "whole packets in the pipe");
        assertEquals(5_000, stalled.get("tx_packets").asInt() + stalled.get("dropped_port_stalled").asInt()
            + stalled.get("tx_dropped_lost").asInt(), run.out());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldRefuseAFifoThatNobodyReads() throws Exception {
        final Path fifo = fifo();
        live("--port 0=gen:64B,max,to=1,count=3 --port 1=pcap:" + fifo).refused("skerry: pcap: " + fifo
            + ": cannot be written (no process reads from it; start the reader first), give another one");
    }

    private Path fifo() throws Exception {
        final Path fifo = folder.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        return fifo;
    }

    /** A frame of the MTU passes with its header and two VLAN tags; a longer one is dropped by name. */
    @ParameterizedTest
    @ValueSource(strings = {"shoal", "shale", "stardust"})
    void shouldLetTheMtuPass(final String fabric) throws IOException {
        Files.write(folder.resolve("in.pcap"), CaptureBuilder.classic(20, 9_000 + 14 + 8));
        Files.write(folder.resolve("long.pcap"), CaptureBuilder.classic(3, 9_000 + 14 + 8 + 1));
        final Invocation run = live("--fabric " + fabric + " --map 0:1,2:1 --port 0=pcap:in=DIR/in.pcap "
            + "--port 1=pcap:DIR/o.pcap --port 2=pcap:in=DIR/long.pcap").ok();
        final JsonNode ports = run.json().get("ports");
        assertEquals(20, ports.get(1).get("tx_packets").asInt(), run.out());
        assertEquals(20 * 9_022, ports.get(1).get("tx_bytes").asInt(), run.out());
        assertEquals(3, ports.get(2).get("rx_dropped_too_long").asInt(), run.out());
        run.says("9,023 bytes, but --mtu 9000 allows frames of up to 9,022 bytes");
    }

    /** An adapter whose links are all down keeps its packets: the run ends after slots, with an error. */
    @Test
    void shouldEndInAnErrorWhenPacketsThatAreHeldDoNotArrive() throws IOException {
        final Path script = Files.writeString(folder.resolve("f"), "0 node 3 down\n");
        final Invocation run = live("--fabric stardust --mode lockstep --faults " + script
            + " --port 0=gen:64B,max,to=3,count=5 --port 3=loop --duration 0.2").exits(1);
        final JsonNode json = run.json();
        assertTrue(json.get("conserved").asBoolean());
        assertTrue(json.get("packetsHeld").asLong() > 0, run.out());
        run.says("skerry: live: end: " + json.get("packetsHeld").asLong()
            + " packets did not arrive within 65536 slots, in which nothing else arrived either, ");
    }

    /** What a damaged or cut capture holds before the damage is sent; then the run ends with 2, and says so. */
    @ParameterizedTest
    @CsvSource({"shoal, cut", "shale, cut", "stardust, cut", "shoal, huge", "shoal, gz"})
    void shouldEndWithTwoAfterADamagedCapture(final String fabric, final String damage) throws IOException {
        final byte[] good = CaptureBuilder.classic(100, 100);
        final Path in = folder.resolve("in.pcap");
        final int before;
        if (damage.equals("huge")) {
            before = 0;
            good[24 + 8 + 2] = 0x40;
        } else {
            before = 99;
        }
        Files.write(in, damage.equals("gz") ? cutGzip(good) : damage.equals("cut")
            ? Arrays.copyOf(good, good.length - 1)
            : good);
        final Invocation run = live("--quiet --fabric " + fabric
            + " --port 0=pcap:in=DIR/in.pcap --port 1=pcap:DIR/o.pcap --map 0:1").exits(2).says("in.pcap at byte ");
        final JsonNode ports = run.json().get("ports");
        assertEquals(1, ports.get(0).get("rx_failed").asLong(), run.out());
        assertTrue(ports.get(0).get("failure").asText().contains("in.pcap at byte "), run.out());
        if (damage.equals("gz")) {
            assertTrue(ports.get(1).get("tx_packets").asLong() < 100, run.out());
        } else {
            assertEquals(before, ports.get(1).get("tx_packets").asLong(), run.out());
        }
    }

    private static byte[] cutGzip(final byte[] plain) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(plain);
        }
        return Arrays.copyOf(packed.toByteArray(), packed.size() - 20);
    }
}
