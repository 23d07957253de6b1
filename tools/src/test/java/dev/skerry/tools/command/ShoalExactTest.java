package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Shoal from the command line against the simulator of Shoal's authors, flow by flow: nothing is left to chance in
 * either. Both orders of flows, the 2^age rule off and on, and failed nodes. Sampled queues and cells parked are equal
 * too.
 */
final class ShoalExactTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"rr-n16, 1 --check", "rr-n64-busy, 1", "rr-n64-busy, 3", "age-n64-busy, 1", "age-n64-busy, 2",
        "srf-n64-busy, 1", "srf-n64-busy, 3", "fail5-n64, 1", "fail5-n64, 3", "fail20-age-n32, 1 --check",
        "fail20-age-n32, 2", "fail5-n64, 2 --mode threads", "srf-n64-busy, 2 --mode threads"})
    void shouldCompleteEveryFlowInItsSlot(final String name, final String threads) throws Exception {
        final JsonNode oracle = new ObjectMapper().readTree(resource(name + ".json").toFile());
        final Path out = folder.resolve(name);
        final Invocation run = Invocation.ofLine("run --fabric shoal --shoal-rule authors-simulator --json"
            + " --nodes " + oracle.get("nodes").asInt()
            + " --failed-nodes " + oracle.get("failedNodes").asInt()
            + " --shoal-age-rule " + (oracle.get("ageIntervalSlots").asInt() > 0 ? "on" : "off")
            + " --flow-order " + (oracle.get("order").asText().startsWith("shortest") ? "shortest" : "round-robin")
            + " --flows " + resource(name + ".csv.gz") + " --threads " + threads + " --out " + out);
        assertEquals(0, run.code(), run.err());
        final JsonNode summary = new ObjectMapper().readTree(run.out());
        final JsonNode queue = oracle.get("queue");
        assertEquals(List.of(queue.get("p90").asInt(), queue.get("p95").asInt(), queue.get("p99").asInt(),
            queue.get("p999").asInt(), queue.get("max").asInt(), oracle.get("maxReorderCells").asInt()),
            Stream.of("queueP90", "queueP95", "queueP99", "queueP999", "queueMax", "maxParkedCells")
                .map(key -> summary.get(key).asInt()).toList());
        final List<String> expected = lines(new GZIPInputStream(Files.newInputStream(resource(name + ".fct.csv.gz"))));
        final List<String> flows = Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .sorted((one, other) -> Long.compare(id(one), id(other))).toList();
        assertEquals(oracle.get("flows").asInt(), expected.size());
        assertEquals(expected.size(), flows.size());
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(expected.get(i), flows.get(i));
        }
    }

    private static long id(final String line) {
        return Long.parseLong(line.substring(0, line.indexOf(',')));
    }

    private static List<String> lines(final GZIPInputStream file) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static Path resource(final String name) throws URISyntaxException {
        return Path.of(ShoalExactTest.class.getResource("/oracle/shoal-exact/" + name).toURI());
    }
}
