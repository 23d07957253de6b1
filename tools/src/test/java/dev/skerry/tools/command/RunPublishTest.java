package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A run that publishes its counters: what others see while it goes on, and that it is the same run. */
@Timeout(120)
final class RunPublishTest {
    private static final String MEDIAN = "run_latency_slots{quantile=\"0.5\"}";
    private static final String RUN = "run --nodes 16 --load 0.3 --slots 20000 --propagation-slots 7";

    @TempDir
    private Path folder;

    @Test
    void shouldBeShownWhileItRunsAndLeaveNothing() throws Exception {
        final Thread run = Thread.ofPlatform().start(() -> Invocation.ofLine(
            "run --nodes 16 --workload permutation --slots 2000000000 --publish " + folder));
        try {
            JsonNode counters = process(folder).path("counters");
            // Counters are written one after the other, latencies last.
            while (counters.path("run_slots").asLong() < 1000 || counters.path(MEDIAN).asLong() == 0) {
                assertTrue(run.isAlive());
                counters = process(folder).path("counters");
            }
            assertEquals(2_000_000_000, counters.get("run_slot_limit").asLong());
            assertTrue(counters.get("run_throughput_ppm").asLong() > 100_000, counters.toString());
            assertTrue(counters.get(MEDIAN).asLong() >= 89, "propagation at least");
            final String lines = Invocation.ofLine("stat --dir " + folder).out();
            assertTrue(lines.contains("run --nodes 16"), lines);
            final List<String> schedule = Files.readAllLines(folder.resolve(ProcessHandle.current().pid()
                + ".schedule"));
            assertEquals("16 1 6", schedule.getFirst(), "h = 2 of radix 4");
            assertEquals(1 + 6, schedule.size());
            final List<String> matrix = Invocation.ofLine("stat --matrix --dir " + folder).out().lines()
                .dropWhile(line -> !line.contains(" of an epoch of 6: ")).toList();
            assertEquals(schedule.get(1 + Integer.parseInt(matrix.getFirst().replaceAll(".*, (\\d) of an.*", "$1"))),
                receivers(matrix.subList(1, 5)));
        } finally {
            run.interrupt();
            run.join();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** What dots of Braille say: the receiver of each of 16 senders. */
    private static String receivers(final List<String> dots) {
        final String bits = "\u2801\u2808\u2802\u2810\u2804\u2820\u2840\u2880";
        final StringBuilder receivers = new StringBuilder();
        for (int sender = 0; sender < 16; sender++) {
            for (int receiver = 0; receiver < 16; receiver++) {
                final char bit = bits.charAt(2 * (sender % 4) + receiver % 2);
                if ((dots.get(sender / 4).charAt(2 + receiver / 2) & bit & 0xFF) != 0) {
                    receivers.append(receivers.isEmpty() ? "" : " ").append(receiver);
                }
            }
        }
        return receivers.toString();
    }

    @Test
    void shouldNotChangeTheResult() throws IOException {
        for (final String more : List.of("", " --threads 2", " --fabric shoal", " --fabric stardust",
            " --mode threads")) {
            final String line = RUN.replace(more.contains("stardust") ? " --propagation-slots 7" : "none", "") + more
                + " --json";
            final Invocation plain = Invocation.ofLine(line);
            assertEquals(0, plain.code(), plain.err());
            final Invocation shown = Invocation.ofLine(line + " --publish " + folder);
            assertEquals(0, shown.code(), shown.err());
            assertEquals(read(plain).get("digest"), read(shown).get("digest"), more);
            assertEquals(read(plain).get("maxQueueLength"), read(shown).get("maxQueueLength"), more);
        }
    }

    @Test
    void shouldSayThatThereCanBeNoFile() throws IOException {
        final Path file = Files.writeString(folder.resolve("file"), "");
        final Invocation run = Invocation.ofLine(RUN + " --publish " + file.resolve("below"));
        assertEquals(2, run.code());
        assertTrue(run.err().lines().anyMatch(line -> line.startsWith("skerry: --publish: " + file)), run.err());
    }

    private static JsonNode read(final Invocation run) throws IOException {
        return new ObjectMapper().readTree(run.out());
    }

    private static JsonNode process(final Path folder) throws IOException {
        return new ObjectMapper().readTree(Invocation.ofLine("stat --json --dir " + folder).out()).get("processes")
            .path(0);
    }
}
