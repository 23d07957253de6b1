package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifRig.NothingLeft;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * DPDK processes at nodes of a running fabric: one receives exactly the packets that the other sends. At a port, in
 * either role, its counters and ours agree to the packet.
 */
@Timeout(300)
@Isolated("it counts what the process has open")
final class LiveTestpmdTest {
    private static final ValueLayout.OfShort SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int BURST = 32;
    private static final long QUIET_NS = 300_000_000;

    private final Arena arena = Arena.ofShared();
    private final PacketBurst in = new PacketBurst(arena, BURST, 2048);
    private final PacketBurst out = new PacketBurst(arena, BURST, 2048);
    @RegisterExtension
    private final NothingLeft nothingLeft = new NothingLeft();
    @TempDir
    private Path folder;

    /** Runs before all tests: a failed assumption in BeforeEach would still run AfterEach. */
    @BeforeAll
    static void requireTestpmd() {
        assumeTrue(Testpmd.isInstalled(), "dpdk-testpmd with its memif driver is not installed");
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"shoal", "stardust"})
    void shouldCarryWhatOneSendsToTheOther(final String fabric) throws Exception {
        final Path from = folder.resolve("a.sock");
        final Path to = folder.resolve("b.sock");
        // Skerry is the server at one end and the client at the other.
        try (Testpmd receiver = new Testpmd(folder("b"), "server", to);
            LiveProcess live = new LiveProcess(folder, "--fabric " + fabric + " --map 0:5,5:0 --port 0=memif:"
                + from + ",server --port 5=memif:" + to + ",client").listening();
            Testpmd sender = new Testpmd(folder("a"), "client", from)) {
            receiver.say("set fwd rxonly", "start");
            sender.say("set fwd txonly", "start");
            live.until(counters -> LiveProcess.count(counters, "tx_packets", 5) > 10_000);
            sender.say("stop", "set txpkts 1500", "start");
            live.until(counters -> LiveProcess.count(counters, "tx_bytes", 5) > 640_000 + 3_000_000);
            sender.say("stop", "show port stats 0");
            settle(live);
            receiver.say("stop", "show port stats 0");
            final JsonNode result = live.end();
            final long sent = sender.quit("TX-packets").getFirst();
            final long received = receiver.quit("RX-packets").getFirst();
            assertTrue(result.get("conserved").asBoolean(), live::errors);
            assertEquals(sent, result.get("ports").get(0).get("rx_packets").asLong());
            assertEquals(received, result.get("ports").get(1).get("tx_packets").asLong());
            assertEquals(sent, received + dropped(result.get("ports").get(1)));
        }
    }

    @Test
    @Tag("long")
    void shouldServeThePeerThatComesAgain() throws Exception {
        final Path socket = folder.resolve("a.sock");
        try (LiveProcess live = new LiveProcess(folder, "--map 0:1,1:0 --fabric shale --port 0=gen:64B,2kpps --port "
            + "1=memif:" + socket + ",server").listening()) {
            long before = 0;
            for (int time = 0; time < 2; time++) {
                try (Testpmd echo = new Testpmd(folder("echo" + time), "client", socket)) {
                    echo.say("set fwd io", "start");
                    final long enough = before + 500;
                    live.until(counters -> LiveProcess.count(counters, "tx_packets", 0) > enough);
                    echo.say("stop");
                    settle(live);
                    echo.quit("RX-packets");
                }
                before = LiveProcess.count(live.counters(), "tx_packets", 0);
            }
            final JsonNode result = live.end();
            final JsonNode generator = result.get("ports").get(0).get("generator");
            assertTrue(result.get("conserved").asBoolean(), live::errors);
            assertTrue(result.get("ports").get(1).get("dropped_port_down").asLong() > 0);
            assertEquals(0, generator.get("damaged").asLong() + generator.get("duplicates").asLong()
                + generator.get("reordered").asLong(), generator::toString);
            assertTrue(generator.get("received").asLong() > 1_000);
        }
    }

    private Path folder(final String name) throws IOException {
        return Files.createDirectories(folder.resolve(name));
    }

    /** Waits until no packet moves. */
    private static void settle(final LiveProcess live) throws Exception {
        final long[] before = {-1};
        live.until(counters -> {
            final long now = LiveProcess.count(counters, "tx_packets", 5)
                + LiveProcess.count(counters, "rx_packets", 1);
            final boolean same = now == before[0];
            before[0] = now;
            return same;
        });
    }

    private static long dropped(final JsonNode port) {
        long sum = 0;
        for (final var field : port.properties()) {
            sum += field.getKey().startsWith("dropped_") ? field.getValue().asLong() : 0;
        }
        return sum;
    }

    @ParameterizedTest
    @CsvSource({"client, server", "server, client"})
    void shouldTalkToDpdk(final String theirs, final String ours) throws IOException, InterruptedException {
        final Path socket = folder.resolve("m.sock");
        try (MemifPort port = MemifRig.open(socket, ours);
            Testpmd testpmd = new Testpmd(folder, theirs, socket)) {
            MemifRig.until(() -> port.isUp() || !testpmd.isAlive(), port);
            receive(port, testpmd);
            send(port, testpmd);
            echo(port, testpmd);
            assertEquals(0, port.counts().get(PortCounter.LINKS_DOWN), port::lastReason);
            final List<Long> sent = testpmd.quit("TX-packets");
            final List<Long> received = testpmd.values("RX-packets");
            MemifRig.until(() -> !port.isUp(), port);
            assertEquals(2, sent.size());
            assertEquals(port.counts().get(PortCounter.RX_PACKETS), sent.getFirst() + sent.getLast());
            assertEquals(List.of(0L, port.counts().get(PortCounter.TX_PACKETS)), received);
            assertEquals(0, port.counts().get(PortCounter.RX_DROPPED_TOO_LONG));
        }
    }

    /** DPDK sends until no packet comes any more. */
    private void receive(final MemifPort port, final Testpmd testpmd) throws IOException {
        testpmd.say("set fwd txonly", "start");
        final long[] received = new long[1];
        MemifRig.until(() -> take(port, received) > 20_000, port);
        testpmd.say("stop", "show port stats 0", "clear port stats 0");
        final long[] quiet = {System.nanoTime()};
        MemifRig.until(() -> {
            final long before = received[0];
            if (take(port, received) != before) {
                quiet[0] = System.nanoTime();
            }
            return System.nanoTime() - quiet[0] > QUIET_NS;
        }, port);
        assertEquals(received[0], port.counts().get(PortCounter.RX_PACKETS));
    }

    private long take(final MemifPort port, final long[] received) {
        in.clear();
        received[0] += port.rxBurst(in);
        for (int i = 0; i < in.size(); i++) {
            final MemorySegment bytes = in.bytes();
            final long packet = in.offset(i);
            assertEquals(64, in.length(i));
            assertEquals(0x0200, bytes.get(SHORT, packet), "Ethernet destination 02:00:...");
            assertEquals(0x0800, bytes.get(SHORT, packet + 12), "IPv4");
            assertEquals(64 - 14, bytes.get(SHORT, packet + 16), "IP length");
            assertEquals(9, bytes.get(SHORT, packet + 36), "UDP port");
        }
        return received[0];
    }

    /** DPDK receives. */
    private void send(final MemifPort port, final Testpmd testpmd) throws IOException {
        testpmd.say("set fwd rxonly", "start");
        out.clear();
        for (int i = 0; i < BURST; i++) {
            MemifRig.fill(out, 60 + i * 40, i);
        }
        final long[] sent = new long[1];
        MemifRig.until(() -> {
            sent[0] += port.txBurst(out, (int) (sent[0] % BURST));
            return sent[0] >= 20_000;
        }, port);
        testpmd.say("stop");
    }

    /** DPDK echoes. */
    private void echo(final MemifPort port, final Testpmd testpmd) throws IOException {
        testpmd.say("set fwd io", "start");
        final long[] done = {probe(port), 0};
        done[1] = done[0];
        MemifRig.until(() -> {
            if (done[0] < 20_000 && done[0] - done[1] <= 512) {
                out.clear();
                for (int i = 0; i < BURST; i++) {
                    MemifRig.fill(out, length(done[0] + i), done[0] + i);
                }
                done[0] += port.txBurst(out, 0);
            }
            in.clear();
            port.rxBurst(in);
            for (int i = 0; i < in.size(); i++) {
                MemifRig.verify(in, i, length(done[1]), done[1]++);
            }
            return done[1] >= 20_000 && done[1] == done[0];
        }, port);
        testpmd.say("stop", "show port stats 0");
    }

    /** Sends numbered packets until DPDK echoes one. It may still be busy with an earlier test. */
    private long probe(final MemifPort port) {
        final long[] sent = new long[1];
        final long[] back = {-1};
        MemifRig.until(() -> {
            if (back[0] < 0) {
                out.clear();
                MemifRig.fill(out, 60, 0);
                out.bytes().set(ValueLayout.JAVA_LONG_UNALIGNED, out.offset(0), ~sent[0]);
                sent[0] += port.txBurst(out, 0);
                LockSupport.parkNanos(1_000_000);
            }
            in.clear();
            port.rxBurst(in);
            for (int i = 0; i < in.size(); i++) {
                final long number = ~in.bytes().get(ValueLayout.JAVA_LONG_UNALIGNED, in.offset(i));
                back[0] = in.length(i) == 60 && number >= 0 && number < sent[0] ? number : back[0];
            }
            return back[0] >= 0 && back[0] == sent[0] - 1;
        }, port);
        return sent[0];
    }

    private static int length(final long packet) {
        return 60 + (int) (packet * 37 % 1455);
    }
}
