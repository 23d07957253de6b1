package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.cosim.CosimCommand.Shrinker;
import dev.skerry.tools.cosim.CosimCommand.TestBench.Sequence;
import dev.skerry.tools.cosim.Stimulus.Weights;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Errors found before a library is loaded; .ci/cosim tests the libraries themselves. */
final class CosimCommandTest {
    private static final String[] NAMES = {"a", "b"};
    private static final int ENOUGH = 100_000;

    @TempDir
    private Path folder;

    private static String refusal(final String... arguments) {
        final CosimCommand command = new CosimCommand();
        new CommandLine(command).parseArgs(arguments);
        return assertThrows(InputException.class, command::call).getMessage();
    }

    @Test
    void shouldRefuseWhatIsNoLibraryOrNoModel() throws IOException {
        final Path text = Files.writeString(folder.resolve("text.so"), "no library");
        assertTrue(refusal(folder.resolve("absent.so").toString()).startsWith("skerry: model: "));
        assertTrue(refusal(folder.toString()).contains("no such file"));
        assertTrue(refusal(text.toString()).contains("it is no shared library"));
        // A library that every JDK has.
        final Path library = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("java"));
        assertTrue(refusal(library.toString()).contains("no function skerry_model_version"));
    }

    @Test
    void shouldRefuseOptionsOutOfRange() {
        assertTrue(refusal("x.so", "--operations", "0").startsWith("skerry: --operations: 0: "));
        assertTrue(refusal("x.so", "--length", "100001").startsWith("skerry: --length: "));
        assertTrue(refusal("x.so", "--out", folder.toString()).contains("already exists"));
    }

    @Test
    void shouldRefuseWeightsOfNothing() {
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("c", 1)));
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("a", -1)));
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("a", 0, "b", 0)));
        final Weights weights = new Weights("a=1", "b=2").with(Map.of("a", 0));
        for (int i = 0; i < 100; i++) {
            assertEquals("b", weights.draw(new SplittableRandom(i)));
        }
    }

    @Test
    void shouldReadASequenceBack() throws IOException {
        final Path file = Files.writeString(folder.resolve("s.txt"), "a=1 b=-2  # c=3\n\n# nothing\n a=4 b=5\n");
        final List<long[]> rows = Sequence.read(file, NAMES);
        assertEquals(2, rows.size());
        assertArrayEquals(new long[] {1, -2}, rows.get(0));
        assertArrayEquals(new long[] {4, 5}, rows.get(1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a=1|:1", "a=1 c=2|:1", "a=x b=1|:1", "a=1 b=2 c=3|:1", "#|no row"})
    void shouldNameTheLineThatIsNoRow(final String line, final String reason) throws IOException {
        final Path file = Files.writeString(folder.resolve("s.txt"), line + "\n");
        final String message = assertThrows(InputException.class, () -> Sequence.read(file, NAMES)).getMessage();
        assertTrue(message.contains(reason), message);
    }

    private static List<long[]> noise(final long seed, final int rows) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<long[]> noise = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            noise.add(new long[] {random.nextInt(10), random.nextLong(1000)});
        }
        return noise;
    }

    /** Fails at the row that completes 7, then 7, then a row with 3 and at least 100, with any rows between. */
    private static int failsAt(final List<long[]> rows) {
        int sevens = 0;
        for (int i = 0; i < rows.size(); i++) {
            final long[] row = rows.get(i);
            if (sevens == 2 && row[0] == 3 && row[1] >= 100) {
                return i;
            }
            sevens += row[0] == 7 && sevens < 2 ? 1 : 0;
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldLeaveTheRowsThatMatterWithTheirSmallestWords(final long seed) {
        final List<long[]> rows = noise(seed, 1000);
        assertTrue(failsAt(rows) > 3, "seed " + seed);
        final List<long[]> shortest = new Shrinker(CosimCommandTest::failsAt, ENOUGH).shrink(rows);
        assertEquals(3, shortest.size(), "seed " + seed);
        assertArrayEquals(new long[] {7, 0}, shortest.get(0));
        assertArrayEquals(new long[] {7, 0}, shortest.get(1));
        assertEquals(3, shortest.get(2)[0]);
        assertTrue(shortest.get(2)[1] >= 100 && shortest.get(2)[1] < 200, "seed " + seed);
    }

    @Test
    void shouldEndWithTheFailingRowAndStopWhenTheReplaysRunOut() {
        final List<long[]> all = new Shrinker(CosimCommandTest::failsAt, ENOUGH).shrink(noise(9, 500));
        assertEquals(all.size() - 1, failsAt(all));
        final AtomicInteger replays = new AtomicInteger();
        final List<long[]> shortest = new Shrinker(rows -> {
            replays.incrementAndGet();
            return failsAt(rows);
        }, 5).shrink(noise(1, 1000));
        assertEquals(5, replays.get());
        assertEquals(shortest.size() - 1, failsAt(shortest));
    }

    @Test
    void shouldSayWhenTheFailureDoesNotComeAgain() {
        final List<long[]> rows = noise(1, 10);
        assertThrows(IllegalStateException.class, () -> new Shrinker(each -> -1, ENOUGH).shrink(rows));
    }
}
