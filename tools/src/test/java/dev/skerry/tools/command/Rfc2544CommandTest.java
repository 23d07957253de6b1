package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Timeout(300)
final class Rfc2544CommandTest {
    @TempDir
    private Path folder;

    /** A loopback is a device that keeps so many packets and loses none; fabrics lose none either. */
    @ParameterizedTest
    @ValueSource(strings = {"--tx loop:packets=64", "--nodes 4 --pairs 0:2,1:3",
        "--fabric shale --nodes 4 --when-full drop", "--fabric stardust --nodes 4"})
    void shouldMeasure(final String what) throws IOException {
        final Path out = folder.resolve("out");
        final JsonNode json = Invocation.ofLine("rfc2544 --json --sizes 64,1518 --trials 1 --duration 0.02 "
            + "--resolution 20 --loss 50 --out " + out + " " + what).ok().json();
        assertEquals(2, json.get("results").size());
        for (final JsonNode result : json.get("results")) {
            assertTrue(result.get("throughput").asDouble() > 100, json::toString);
            assertTrue(result.get("latency").get("latencyNs").get("count").asLong() > 0, json::toString);
            assertEquals(1, result.get("bursts").size());
        }
        for (final JsonNode trial : json.get("trials")) {
            assertTrue(trial.get("received").asLong() <= trial.get("sent").asLong(), trial::toString);
            assertEquals(0, trial.get("damaged").asLong() + trial.get("duplicates").asLong(), trial::toString);
        }
        assertTrue(Files.readString(out.resolve("report.html")).contains("Throughput, latency and bursts"));
        assertTrue(Files.exists(out.resolve("latency.svg")) && Files.exists(out.resolve("results.json")));
    }

    @Test
    void shouldFailWithoutAPacketFromTheDevice() {
        Invocation.ofLine("rfc2544 --sizes 64 --trials 1 --duration 0.02 --tx loop:packets=64 --rx loop:packets=32")
            .exits(1).prints("no packet was received");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --rx loop               | give --tx too
        --tx loop --pairs 0:1   | leave one of them out
        --sizes 60              | --sizes: 60: sizes are 64 to 9014 bytes
        --sizes 9015            | --sizes: 9015: sizes
        --sizes 1518-64         | --sizes: 1518-64: sizes
        --sizes x               | write for example 64,1518
        --tests x               | --tests
        --ramp 10-20            | two rates in packets per second
        --pairs 0:0             | --pairs: 0:0: a node cannot send to itself
        --pairs 0:1,0:2         | each sender listed once
        --pairs 0:9             | --pairs: 0:9: nodes are 0 to 7
        --trials 0              | --trials: 0: must be 1 to 1000
        --packets flows=4,same  | are not measured
        --packets count=5       | --packets: count=5: other options or the trials determine it
        --packets flows=4,1Mpps | --packets: 1Mpps:
        --tx nothing            | there is no such kind of port
        """)
    void shouldRefuse(final String options, final String why) {
        Invocation.ofLine("rfc2544 " + options).refused(why);
    }
}
