package dev.skerry.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.bench.command.Gates.Gate;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

final class BenchTest {
    private final BenchmarkCatalogue catalogue = new BenchmarkCatalogue();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(final String... arguments) {
        return Bench.execute(new PrintWriter(out), new PrintWriter(err), arguments);
    }

    private void assertOneLine(final int code) {
        assertEquals(2, code, err.toString());
        assertTrue(err.toString().startsWith("skerry: "), err.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertEquals("", out.toString());
    }

    /** Picocli warns of a text that it cannot format. */
    @ParameterizedTest
    @ValueSource(strings = {"--help", "load --help", "memif-rates --help", "peers --help"})
    void shouldHelpWithoutAWarning(final String line) {
        final PrintStream before = System.err;
        final ByteArrayOutputStream warnings = new ByteArrayOutputStream();
        System.setErr(new PrintStream(warnings, true));
        try {
            assertEquals(0, run(line.split(" ")));
        } finally {
            System.setErr(before);
        }
        assertEquals("", warnings.toString());
        assertTrue(out.toString().contains("Usage: "), out.toString());
    }

    @Test
    void shouldListEveryBenchmarkWithItsQuestion() {
        assertEquals(0, run("--list"));
        assertFalse(catalogue.all().isEmpty());
        for (final Class<?> type : catalogue.all()) {
            assertTrue(out.toString().contains(type.getSimpleName()), type.getName());
            assertTrue(out.toString().contains(BenchmarkCatalogue.compare(type).question()), type.getName());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nosuch", "--gates /nosuch --gate", "--param x", "--nosuch", "Pieo --profile nosuch",
        "memif-rates nosuch", "memif-rates --runs 0", "memif-rates --seconds x",
        "load --nodes 17", "load --fabric nosuch", "load --ms 1", "peers"})
    void shouldRefuseInOneLine(final String line) {
        final int code = run(line.split(" "));
        assertEquals(2, code, err.toString());
        final String last = err.toString().lines().reduce((a, b) -> b).orElseThrow();
        assertTrue(last.startsWith("skerry: "), err.toString());
    }

    @Test
    void shouldNotWriteOverResults(@TempDir final Path folder) throws IOException {
        final Path there = Files.writeString(folder.resolve("there.json"), "mine");
        assertOneLine(run("Pieo", "--out", there.toString()));
        assertEquals("mine", Files.readString(there));
    }

    @Test
    void shouldHaveGatesForWhatThereIs() {
        final List<Gate> gates = Gate.read(Path.of("gates.txt"), catalogue);
        for (final Gate gate : gates) {
            final List<String> known = catalogueVariants(gate.type());
            assertTrue(known.containsAll(gate.variants()), gate.where() + ": " + gate.variants() + " of " + known);
        }
    }

    /** Values of the parameter that is compared by, or the methods of the class. */
    private static List<String> catalogueVariants(final Class<?> type) {
        final String by = BenchmarkCatalogue.compare(type).by();
        return by.isEmpty() ? Arrays.stream(type.getDeclaredMethods()).map(java.lang.reflect.Method::getName).toList()
            : variants(type, by);
    }

    private static List<String> variants(final Class<?> type, final String by) {
        try {
            return List.of(type.getField(by).getAnnotation(org.openjdk.jmh.annotations.Param.class).value());
        } catch (final NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldReadAGate() {
        final Gate gate = Gate.parse("PieoBenchmark size=64,when=none cpu tournament 1.5 tree-map,reference", "f:1",
            catalogue);
        assertEquals(Map.of("size", "64", "when", "none"), gate.params());
        assertEquals(1.5, gate.limit());
        assertEquals(List.of("tree-map", "reference", "tournament"), gate.variants());
        assertTrue(Gate.methods(gate.type(), gate.variants()).isEmpty());
        assertEquals(3, Gate.values(gate.type(), gate.params(), gate.variants()).get("pieo").length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PieoBenchmark - cpu tournament 1.5", "Nosuch - cpu a 1 b", "PieoBenchmark size cpu a 1 b",
        "PieoBenchmark - time a 1 b", "PieoBenchmark - cpu a x b"})
    void shouldNameAWrongGate(final String line) {
        final InputException refused =
            assertThrows(InputException.class, () -> Gate.parse(line, "gates.txt:7", catalogue));
        assertTrue(refused.getMessage().startsWith("skerry: gates: gates.txt:7: "), refused.getMessage());
    }
}
