package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Runs behind a figure are taken from the folder that keeps them if they are the very same, and else run. */
final class KeptRunsTest {
    private static final PrintWriter NOWHERE = new PrintWriter(Writer.nullWriter());

    @TempDir
    private Path folder;

    /** A figure of three runs of Shoal, the first two of the same flows, and one of an endless flow. */
    private static final class ThreeRuns {
        private static final Figure FIGURE = new Figure("shoal-three", "nowhere", "three runs", 1, 1, Map.of(),
            ThreeRuns::measure);

        private static void measure(final Effort effort, final Findings found) {
            for (int run = 0; run < 3; run++) {
                final FlowSet flows = new FlowSet();
                flows.add(0, 0, 1, 560L * (effort.seed() + run / 2), 10 * ((int) effort.seed() + run / 2), 0);
                final var outcome = Runs.run(Shoal.of(RoundRobin.plain(4, 1), ReleaseRule.EXACT, false, 0),
                    flows, 0, effort);
                found.reported("slots of " + run, outcome.slots()).reported("digest", outcome.digest());
                outcome.latency().forEach((slots, count) -> found.reported("latency " + slots, count));
                found.reported("queue", outcome.nodes().queueLength()[0]);
            }
            final var steady = Runs.steady(Shoal.of(RoundRobin.plain(4, 1), ReleaseRule.EXACT, false, 0),
                endless(), 10, 20, effort);
            found.reported("steady", steady.rate(1));
        }

        private static FlowSet endless() {
            final FlowSet flows = new FlowSet();
            Runs.endless(flows, 2, 3);
            return flows;
        }
    }

    private List<Path> files() {
        if (!Files.exists(folder.resolve("kept"))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder.resolve("kept"))) {
            return files.sorted().toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Effort effort(final String engines, final String program, final long seed) {
        return new Effort(true, seed, Extent.ALL, 1, KeptRuns.in(folder.resolve("kept"), engines, program),
            Effort.Progress.NONE);
    }

    private List<Check> measured(final String engines, final long seed, final AtomicInteger steps) {
        return Measured.of(ThreeRuns.FIGURE, effort(engines, "program", seed),
            () -> steps.incrementAndGet() < 0, NOWHERE).found().checks();
    }

    @Test
    void shouldGoOnWhereAFigureStopped() {
        final List<Check> whole = Measured.of(ThreeRuns.FIGURE, new Effort(true, 1, 1), () -> false, NOWHERE)
            .found().checks();
        assertTrue(whole.size() > 10, whole.toString());
        assertNull(Measured.of(ThreeRuns.FIGURE, effort("v", "program", 1), () -> files().size() == 2,
            NOWHERE));
        assertEquals(2, files().size(), "two of three that differ were done when it was stopped");
        final AtomicInteger steps = new AtomicInteger();
        assertEquals(whole, measured("v", 1, steps));
        assertEquals(3, files().size());
        assertNotEquals(0, steps.getAndSet(0));
        assertEquals(whole, measured("v", 1, steps));
        assertEquals(0, steps.get(), "all were there, so nothing ran");
        assertEquals(whole, Measured.of(ThreeRuns.FIGURE, effort("v", "drawn in another way", 1),
            () -> steps.incrementAndGet() < 0, NOWHERE).found().checks());
        assertEquals(0, steps.get(), "the engines are the same");
    }

    @Test
    void shouldTakeNothingThatIsOfAnother() throws IOException {
        measured("v", 1, new AtomicInteger());
        final AtomicInteger steps = new AtomicInteger();
        measured("v", 2, steps);
        assertNotEquals(0, steps.getAndSet(0), "another seed");
        measured("w", 1, steps);
        assertNotEquals(0, steps.get(), "other engines");
        for (final Path file : files()) {
            final byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length - 12] ^= 1;
            Files.write(file, bytes);
        }
        final InputException damaged = assertThrows(InputException.class,
            () -> measured("v", 1, new AtomicInteger()));
        assertTrue(damaged.getMessage().contains("check sum"), damaged.getMessage());
    }
}
