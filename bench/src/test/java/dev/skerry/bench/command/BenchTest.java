package dev.skerry.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.bench.command.Gates.Gate;
import dev.skerry.bench.command.Peers.PeerSimulator;
import dev.skerry.bench.command.Peers.TimedProcess;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
    @TempDir
    private Path folder;

    private int run(final String... arguments) {
        return Bench.execute(new PrintWriter(out), new PrintWriter(err), arguments);
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
        assertFalse(catalogue.named(List.of()).isEmpty());
        for (final Class<?> type : catalogue.named(List.of())) {
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
        assertRefused("there.json", "Pieo", "--out", there.toString());
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

    private Path program(final String text) throws IOException {
        final Path program = Files.writeString(folder.resolve("program"), "#!/bin/sh\n" + text + "\n");
        assertTrue(program.toFile().setExecutable(true));
        return program;
    }

    private void assertRefused(final String why, final String... arguments) {
        assertEquals(2, run(arguments), err.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().startsWith("skerry: ") && err.toString().contains(why), err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void shouldRefuseWhatIsNoProgram() {
        assertRefused("there is no such program", "peers", folder.resolve("nosuch").toString());
    }

    @Test
    void shouldRefuseAProgramOfSomebodyElse() throws IOException {
        assertRefused("it is the simulator neither of", "peers", program("echo usage: fly").toString());
    }

    @Test
    void shouldSayHowAProgramEnded() throws IOException {
        assertRefused("it ended with 3: no memory", "peers", "--pairs", "1", program(
            "[ \"$1\" = --help ] && echo '-l [ --num-phases ]' || { echo start; echo no memory; exit 3; }").toString());
    }

    @Test
    void shouldNotTakeAnEarlyEndForARun() throws IOException {
        assertRefused("it ended with 0: stopped", "peers", "--pairs", "1", program(
            "[ \"$1\" = --help ] && echo '-l [ --num-phases ]' || echo stopped").toString());
    }

    @Test
    void shouldCountTheProcessorTimeOfAProgram() throws Exception {
        final Path busy = program("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 7");
        final TimedProcess run = TimedProcess.run(folder, List.of(busy.toString()));
        assertEquals(7, run.code());
        assertTrue(run.processor() > 0 && run.clock() > 0, run.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveBothTheSameFlows(final PeerSimulator peer) {
        final int slots = 20_000;
        final List<String> theirs = peer.sparse(true, 64, slots).lines().toList();
        final List<String> ours = peer.sparse(false, 64, slots).lines().toList();
        assertEquals(Math.round(0.006 * 64 * slots / 64), ours.size());
        assertEquals(ours.size(), theirs.size());
        long last = 0;
        for (int flow = 0; flow < ours.size(); flow++) {
            final String[] their = theirs.get(flow).split(",");
            final String[] our = ours.get(flow).split(",");
            assertEquals(List.of(our).subList(0, 3), List.of(their).subList(0, 3));
            final long cells = Long.parseLong(our[3]) / (peer == PeerSimulator.SHOAL ? 56 : 244);
            final long start = (long) (Double.parseDouble(our[4]) / 5.632e-9);
            assertTrue(cells >= 1 && cells < 128 && start >= last && start < slots, ours.get(flow));
            if (peer == PeerSimulator.SHOAL) {
                assertEquals(cells + "," + start, their[3] + "," + their[4]);
            } else {
                assertEquals(ours.get(flow), theirs.get(flow));
            }
            last = start;
        }
    }
}
