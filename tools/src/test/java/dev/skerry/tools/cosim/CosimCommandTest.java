package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.cosim.CosimCommand.TestBench.Sequence;
import dev.skerry.tools.cosim.Stimulus.Weights;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Errors found before a library is loaded; .ci/cosim tests the libraries themselves. */
final class CosimCommandTest {
    private static final String[] NAMES = {"a", "b"};

    @TempDir
    private Path folder;

    private static String refusal(final String... arguments) {
        final CosimCommand command = new CosimCommand();
        new CommandLine(command).parseArgs(arguments);
        return assertThrows(InputException.class, command::call).getMessage();
    }

    @Test
    void shouldRefuseWhatIsNoLibrary() throws IOException {
        final Path text = Files.writeString(folder.resolve("text.so"), "no library");
        assertTrue(refusal(folder.resolve("absent.so").toString()).startsWith("skerry: model: "));
        assertTrue(refusal(folder.toString()).contains("no such file"));
        assertTrue(refusal(text.toString()).contains("it is no shared library"));
    }

    @Test
    void shouldRefuseALibraryThatIsNoModel() {
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
}
