package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Runs and numbers behind a figure are taken from the folder that keeps them if they are the very same. */
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
                Runs.endless(new FlowSet(), 2, 3), 10, 20, effort);
            found.reported("steady", steady.rate(1));
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
        assertTrue(damaged.getMessage().contains("checksum"), damaged.getMessage());
    }

    @Test
    void shouldMeasureWithTheSeedsFromThatOfTheEffortOn() {
        final List<Double> shares = new ArrayList<>();
        final Sample[] samples = new Effort(true, 7, 2).heardBy(shares::add).sample(3, effort -> {
            effort.done(0.5);
            return new double[] {effort.seed(), effort.threads(), effort.quick() ? 1 : 0};
        });
        assertArrayEquals(new double[] {7, 8, 9}, samples[0].values());
        assertArrayEquals(new double[] {2, 2, 2}, samples[1].values());
        assertArrayEquals(new double[] {1, 1, 1}, samples[2].values());
        assertEquals(3, shares.size());
        for (int seed = 0; seed < 3; seed++) {
            assertEquals((seed + 0.5) / 3, shares.get(seed), 1e-12);
        }
    }

    /** A figure that is measured again takes the numbers of every seed from where they are kept. */
    @Test
    void shouldKeepTheNumbersOfEachSeed() {
        final List<Long> measured = new ArrayList<>();
        for (int time = 0; time < 2; time++) {
            final Sample[] samples = effort("engines", "program", 3).sample(2, seeded -> {
                measured.add(seeded.seed());
                return new double[] {10 * seeded.seed(), Double.NaN};
            });
            assertArrayEquals(new double[] {30, 40}, samples[0].values());
            assertArrayEquals(new double[] {Double.NaN, Double.NaN}, samples[1].values());
            assertEquals(List.of(3L, 4L), measured);
        }
        effort("engines", "another", 3).sample(2, seeded -> new double[] {measured.add(seeded.seed()) ? 1 : 0});
        assertEquals(List.of(3L, 4L, 3L, 4L), measured, "another program makes its own numbers");
    }

    private static final Phased SCHEDULE = new Phased(2, 4);

    private static Shale shale(final Phased schedule, final int failed, final int tokens, final long seed,
        final SlotShare share) {
        return new Shale(schedule, Population.of(schedule, schedule.nodes(), failed), Mechanisms.HBH_SPRAY, tokens, 2,
            3, seed, FailureRules.PAPER, share);
    }

    private static List<CircuitFabric> fabrics() {
        final List<CircuitFabric> all = new ArrayList<>();
        final int[][] settings = {{0, 1, 1}, {1, 1, 1}, {0, 2, 1}, {0, 1, 2}};
        for (final int[] of : settings) {
            all.add(shale(SCHEDULE, of[0], of[1], of[2], SlotShare.ALL));
        }
        all.add(shale(new Phased(4, 2), 0, 1, 1, SlotShare.ALL));
        final Population complete = Population.complete(SCHEDULE);
        all.add(new Shale(SCHEDULE, Population.fill(SCHEDULE, 15), Mechanisms.HBH_SPRAY, 1, 2, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH, 1, 2, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 1, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 2, 4, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 2, 3, 1, new FailureRules(2, false)));
        for (final int slots : new int[] {1, 2}) {
            final SlotShares shares = new SlotShares(slots, 3);
            all.add(new Interleaved(List.of(shale(new Phased(4, 2), 0, 1, 1, shares.shares().get(0)),
                shale(SCHEDULE, 0, 1, 1, shares.shares().get(1))), shares));
        }
        final Shoal shoal = Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, false, 0);
        all.add(shoal);
        all.add(Shoal.of(RoundRobin.plain(16, 2), ReleaseRule.EXACT, false, 0));
        all.add(Shoal.of(RoundRobin.rearranged(16, 1, 0), ReleaseRule.EXACT, false, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.AUTHORS_SIMULATOR, false, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, true, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, false, 1));
        all.add(shoal.with(new Resilience(2, 16, 3, 8, 0)));
        all.add(shoal.with(FlowOrder.values()[1 - FlowOrder.ROUND_ROBIN.ordinal()]));
        all.add(shoal.withFailedNodes(1));
        return all;
    }

    private static List<String> texts() {
        final FlowSet flows = Runs.endless(new FlowSet(), 0, 1);
        final List<String> texts = new ArrayList<>();
        fabrics().forEach(fabric -> texts.add(Runs.what(fabric, flows, "9")));
        texts.add(Runs.what(fabrics().getFirst(), flows, "10"));
        Runs.endless(flows, 0, 2);
        texts.add(Runs.what(fabrics().getFirst(), flows, "9"));
        return texts;
    }

    /** The text by which a kept run is found has all that decides it. */
    @Test
    void shouldTellEveryRunFromEveryOther() {
        final List<String> texts = texts();
        assertEquals(texts, texts(), "the text is the same every time");
        assertEquals(texts.size(), new HashSet<>(texts).size(), String.join("\n", texts));
        texts.forEach(text -> assertFalse(text.contains("@"), text));
    }
}
