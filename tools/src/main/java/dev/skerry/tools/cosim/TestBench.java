package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.trace.Scope;
import dev.skerry.tools.trace.VcdWriter;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.StringJoiner;

/**
 * Feeds a Java model and a verilated one the same rows from reset until their answers differ. Every sequence starts
 * with new instances. One thread.
 */
final class TestBench {
    private final Verilated verilated;
    private final Description description;
    private final String[] inputs;
    private final String[] outputs;

    TestBench(final Verilated verilated, final Description description) {
        this.verilated = verilated;
        this.description = description;
        try (Arena arena = Arena.ofConfined()) {
            final Twin twin = description.twin(arena);
            inputs = twin.names().inputs();
            outputs = twin.names().outputs();
            twin.close();
        }
    }

    /** Names of the words of an input row. */
    String[] inputs() {
        return inputs;
    }

    /** Names of the words of an output row. */
    String[] outputs() {
        return outputs;
    }

    /** A stimulus for the model. */
    Stimulus stimulus(final Map<String, Integer> weights) {
        try (Arena arena = Arena.ofConfined()) {
            final Twin twin = description.twin(arena);
            final Stimulus stimulus = Stimulus.of(twin, weights);
            twin.close();
            return stimulus;
        }
    }

    /**
     * Draws rows until the models differ.
     *
     * @param random source of the rows.
     * @param rows   receives the rows drawn; the last one differs.
     * @param length maximum number of rows.
     * @return whether the models differ.
     */
    boolean explore(final Stimulus stimulus, final SplittableRandom random, final List<long[]> rows, final int length) {
        try (Pair pair = new Pair()) {
            stimulus.begin(pair.twin);
            for (int i = 0; i < length; i++) {
                final long[] row = new long[inputs.length];
                stimulus.draw(random, row);
                rows.add(row);
                pair.step(row);
                stimulus.covered(row, pair.expected);
                if (!Arrays.equals(pair.expected, pair.got)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Replays a sequence.
     *
     * @return index of the first row with different answers; -1 if there is none, or if a row before it is refused.
     */
    int differsAt(final List<long[]> rows) {
        try (Pair pair = new Pair()) {
            for (int i = 0; i < rows.size(); i++) {
                pair.step(rows.get(i));
                if (!Arrays.equals(pair.expected, pair.got)) {
                    return i;
                }
            }
            return -1;
        } catch (final IllegalArgumentException e) {
            // Shrinking can make a row invalid. A refused row is no difference.
            return -1;
        }
    }

    /** One row with both answers; {@code in} is what the models received. */
    record Step(long[] in, long[] expected, long[] got) {
    }

    /** Replays rows and returns both answers to each. */
    List<Step> steps(final List<long[]> rows) {
        try (Pair pair = new Pair()) {
            return rows.stream().map(row -> {
                pair.step(row);
                return new Step(pair.resolved(), pair.expected.clone(), pair.got.clone());
            }).toList();
        }
    }

    /** One instance of each model. */
    private final class Pair implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final Twin twin = description.twin(arena);
        private final MemorySegment instance = verilated.create();
        private final MemorySegment in = arena.allocate(ValueLayout.JAVA_LONG, inputs.length);
        private final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, outputs.length);
        private final long[] expected = new long[outputs.length];
        private final long[] got = new long[outputs.length];

        private void step(final long[] row) {
            MemorySegment.copy(row, 0, in, ValueLayout.JAVA_LONG, 0, row.length);
            twin.resolve(in, 0);
            twin.step(in, 0, out, 0);
            MemorySegment.copy(out, ValueLayout.JAVA_LONG, 0, expected, 0, expected.length);
            verilated.step(instance, in, out);
            MemorySegment.copy(out, ValueLayout.JAVA_LONG, 0, got, 0, got.length);
        }

        private long[] resolved() {
            return in.toArray(ValueLayout.JAVA_LONG);
        }

        @Override
        public void close() {
            verilated.destroy(instance);
            twin.close();
            arena.close();
        }
    }

    /** Rows of a model in files: a text with both answers, which can be read again for a replay, and a waveform. */
    static final class Sequence {
        private static final long STEP_PS = 1_000;

        private Sequence() {
        }

        /**
         * One line per row: the input words by name, the answer of the model, and the answer of the RTL where it
         * differs.
         */
        static String text(final TestBench bench, final List<TestBench.Step> steps) {
            final StringBuilder text = new StringBuilder();
            for (final TestBench.Step step : steps) {
                text.append(named(bench.inputs(), step.in())).append("  #");
                if (!Arrays.equals(step.expected(), step.got())) {
                    final StringJoiner differences = new StringJoiner(", ");
                    for (int word = 0; word < step.got().length; word++) {
                        if (step.expected()[word] != step.got()[word]) {
                            differences.add(bench.outputs()[word] + ": model " + step.expected()[word] + ", RTL "
                                + step.got()[word]);
                        }
                    }
                    text.append(" DIFFERS ").append(differences).append(';');
                }
                text.append(' ').append(named(bench.outputs(), step.expected())).append('\n');
            }
            return text.toString();
        }

        private static String named(final String[] names, final long[] words) {
            final StringJoiner text = new StringJoiner(" ");
            for (int word = 0; word < words.length; word++) {
                text.add(names[word] + "=" + words[word]);
            }
            return text.toString();
        }

        /**
         * Reads the rows of a file. Comments start with #.
         *
         * @throws InputException if a line is malformed.
         */
        static List<long[]> read(final Path file, final String[] names) {
            final List<String> lines;
            try {
                lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
            } catch (final IOException e) {
                throw new InputException("--replay", file.toString(), "it cannot be read",
                    "give a sequence.txt that cosim has written");
            }
            final List<long[]> rows = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                final String line = lines.get(i).replaceFirst("#.*", "").strip();
                if (!line.isEmpty()) {
                    rows.add(row(file + ":" + (i + 1), line, names));
                }
            }
            if (rows.isEmpty()) {
                throw new InputException("--replay", file.toString(), "it holds no row",
                    "give a sequence.txt of this model");
            }
            return rows;
        }

        private static long[] row(final String where, final String line, final String[] names) {
            final String[] words = line.split("\\s+");
            final long[] row = new long[names.length];
            try {
                for (int word = 0; word < names.length; word++) {
                    final String start = names[word] + "=";
                    if (words.length != names.length || !words[word].startsWith(start)) {
                        throw new InputException("sequence", where, "it is no row of this model",
                            "write " + String.join("=... ", names) + "=...");
                    }
                    row[word] = Long.parseLong(words[word].substring(start.length()));
                }
            } catch (final NumberFormatException e) {
                throw new InputException("sequence", where, "a word is no number", "write name=number for each word");
            }
            return row;
        }

        /** Writes a waveform of the inputs, the answers of the model and the answers of the RTL, 1 ns per step. */
        static void writeWave(final Path file, final TestBench bench, final List<TestBench.Step> steps)
            throws IOException {
            final List<Scope> scopes = List.of(scope("stimulus", bench.inputs()), scope("model", bench.outputs()),
                scope("rtl", bench.outputs()), new Scope("compare", List.of(new Signal("differs", 1))));
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file));
                VcdWriter wave = new VcdWriter(out, scopes, STEP_PS)) {
                for (int i = 0; i < steps.size(); i++) {
                    final TestBench.Step step = steps.get(i);
                    wave.time(i);
                    wave.vector(0, step.in());
                    wave.vector(1, step.expected());
                    wave.vector(2, step.got());
                    wave.vector(3, new long[] {Arrays.equals(step.expected(), step.got()) ? 0 : 1});
                }
            }
        }

        private static Scope scope(final String name, final String[] words) {
            return new Scope(name, Arrays.stream(words).map(word -> new Signal(word, Long.SIZE)).toList());
        }
    }
}
