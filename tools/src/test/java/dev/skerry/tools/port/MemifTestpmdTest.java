package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifRig.NothingLeft;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A DPDK peer in either role: its counters and ours agree to the packet. */
@Timeout(300)
@Isolated("it counts what the process has open")
final class MemifTestpmdTest {
    private static final ValueLayout.OfShort SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int BURST = 32;
    private static final long QUIET_NS = 300_000_000;

    private final Arena arena = Arena.ofShared();
    private final PacketBurst in = new PacketBurst(arena, BURST, 2048);
    private final PacketBurst out = new PacketBurst(arena, BURST, 2048);
    @TempDir
    private Path folder;
    @RegisterExtension
    private final NothingLeft nothingLeft = new NothingLeft();

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
