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
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code live} says of latency, and its rehearsal before the ports come up. */
@Timeout(300)
final class LiveLatencyTest {
    private static final Pattern WARM_UP = Pattern.compile(
        "skerry: live: warm-up: [0-9.]+ s, ([0-9,]+) packets of its own crossed the fabric, .*; the ports come up.*");

    @TempDir
    private Path folder;

    private Invocation live(final String line) {
        return Invocation.ofLine("live --json --dir " + folder.resolve("counters") + " " + line);
    }

    /** Every packet of the user is counted once, none of the rehearsal, whose length is bounded by its packets. */
    @ParameterizedTest
    @CsvSource({"shoal, lockstep, 3000", "stardust, lockstep, 1"})
    void shouldRehearseWithoutATrace(final String fabric, final String mode, final int most) throws IOException {
        final Invocation run = live("--fabric " + fabric + " --mode " + mode + " --warm-up " + most
            + " --port 0=gen:64B,max,to=1,count=700 --port 1=gen:imix,1Mpps,to=0,count=300");
        assertEquals(0, run.code(), run.err());
        assertEquals(2, run.errors().size(), run.err());
        final Matcher said = WARM_UP.matcher(run.errors().getLast());
        assertTrue(said.matches(), run.err());
        final int packets = Integer.parseInt(said.group(1).replace(",", ""));
        // Two passes after the first, each with all ports' bursts of one poll at least.
        assertTrue(packets >= Math.min(most, 2_000) && packets <= most + 10_000, run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
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
            + folder.resolve("m.sock") + ",server --port 2=loop");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.errors().stream().anyMatch(line -> WARM_UP.matcher(line).matches()), run.err());
        final JsonNode ports = new ObjectMapper().readTree(run.out()).get("ports");
        final int sent = ports.get(0).get("rx_packets").asInt();
        assertEquals(0, ports.get(1).get("rx_packets").asInt() + ports.get(2).get("rx_packets").asInt());
        assertTrue(sent <= 200, run.out());
        assertEquals(sent, ports.get(1).get("dropped_port_down").asInt(), run.out());
    }

    @ParameterizedTest
    @CsvSource({"--warm-up 0 --duration 0.01 --port 0=gen --port 1=loop", "--port 0=loop --port 1=loop --duration 0.01",
        "--duration 0 --port 0=gen --port 1=loop"})
    void shouldNotRehearseWhereThereIsNothingToGain(final String line) {
        final Invocation run = live(line);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.errors().stream().noneMatch(said -> said.contains("warm-up")), run.err());
    }

    /** The seconds of a run add up to all of it, and so do the last minute and the start of a short run. */
    @Test
    void shouldCountEachPacketInOneSecond() throws IOException {
        final Invocation run = live("--warm-up 0 --duration 1.2 --port 0=gen:64B,20kpps,to=1 --port 1=gen:same,to=0");
        assertEquals(0, run.code(), run.err());
        final JsonNode json = new ObjectMapper().readTree(run.out());
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
