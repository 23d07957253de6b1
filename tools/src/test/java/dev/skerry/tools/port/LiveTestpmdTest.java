package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** DPDK processes at nodes of a running fabric: one receives exactly the packets that the other sends. */
@Tag("long")
@Timeout(300)
final class LiveTestpmdTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void needTestpmd() {
        assumeTrue(Testpmd.isInstalled(), "dpdk-testpmd with its memif driver is not installed");
    }

    @ParameterizedTest
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
}
