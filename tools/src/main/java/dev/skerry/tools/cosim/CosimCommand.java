package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.trace.VectorFiles.VcdWriter;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.WaveFields;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
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
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** {@code skerry cosim}: compares a verilated model with the Java model that it names. */
@Command(name = "cosim", description = {
        "Checks RTL against the Java reference models.",
        "",
        "MODEL.so is a shared library of verilated RTL behind five C functions (tools/cosim/model/skerry_model.h; "
            + "the models beside it are examples). It names the reference model to compare with: a PIEO, a circuit "
            + "switch, the cell codec of Shoal or Shale, or a whole node of Shale. Both start from reset and perform "
            + "the same random steps; all outputs are compared after each step. A sequence of steps that shows a "
            + "difference is shortened as far as possible and printed, row by row.",
        "",
        "The output is 'N operations, all equal' (exit code 0) or the shortest sequence found (exit code 1), "
            + "followed by how often each interesting case occurred: full, empty, ties, requests in the same cycle "
            + "and so on. A wrong file or option is reported on standard error (exit code 2).",
        ""
    },
    footer = {
        "",
        "Example, the RTL of this project (needs verilator and g++):",
        "  make -C tools/cosim models && ./skerry cosim tools/cosim/target/pieo64.so"
    })
public final class CosimCommand extends ToolCommand {
    private static final int MOST_ROWS = 100_000;
    private static final int SHRINK_REPLAYS = 20_000;

    @Parameters(paramLabel = "MODEL.so", description = "Library with the RTL.")
    Path model;

    @Option(names = "--operations", paramLabel = "N", defaultValue = "1000000",
        description = "Number of random steps, at least 1 (default: ${DEFAULT-VALUE}).")
    long operations;

    @Option(names = "--length", paramLabel = "N", defaultValue = "1000",
        description = "Steps between resets, 1 to 100000 (default: ${DEFAULT-VALUE}).")
    int length;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Seed of the random steps (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--weight", paramLabel = "CHOICE=W",
        description = "Relative frequency of a kind of step; can be given several times. PIEO: enqueue, dequeue, "
            + "dequeue-f, together, absent. Switch: cell, none, stale, twice. Codecs: encode, valid, foreign, "
            + "damaged, noise, relay. Node: first, passing, home, none.")
    Map<String, Integer> weights = new TreeMap<>();

    @Option(names = "--out", paramLabel = "DIR",
        description = "New folder for sequence.txt and wave.vcd of a difference.")
    Path out;

    @Option(names = "--replay", paramLabel = "FILE", description = "Replay a sequence.txt instead of random steps.")
    Path replay;

    @Override
    public Integer call() {
        check();
        try (Verilated library = new Verilated(model)) {
            final TestBench bench = bench(library);
            return replay == null ? explore(bench) : replay(bench);
        }
    }

    private void check() {
        Choices.refuseIf(operations < 1, "--operations", operations, "there is nothing to compare",
            "give a number from 1");
        Choices.refuseIf(length < 1 || length > MOST_ROWS, "--length", length, "a sequence has 1 to " + MOST_ROWS
            + " steps", "give a number in this range");
        if (out != null) {
            OutFolder.checkFree(out);
        }
    }

    private TestBench bench(final Verilated library) {
        try {
            return new TestBench(library, Description.of(library.description()), weights);
        } catch (final IllegalArgumentException e) {
            throw new InputException("model", model.toString(), "it describes itself as \"" + library.description()
                + "\": " + e.getMessage(), "see tools/cosim/c/skerry.h");
        }
    }

    private int explore(final TestBench bench) {
        final SplittableRandom seeds = new SplittableRandom(seed);
        final List<long[]> rows = new ArrayList<>();
        long made = 0;
        boolean differs = false;
        while (made < operations && !differs) {
            rows.clear();
            differs = bench.explore(seeds.split(), rows, (int) Math.min(length, operations - made));
            made += rows.size();
        }
        if (differs) {
            final List<long[]> shortest = new Shrinker(bench::differsAt, SHRINK_REPLAYS).shrink(rows);
            report(bench, shortest, "after " + (made - 1) + " equal operations (seed " + seed + "), shrunk from "
                + rows.size() + " to " + shortest.size());
        } else {
            out().println(made + " operations, all equal");
        }
        out().println("covered: " + bench.stimulus.coverage);
        out().flush();
        return differs ? 1 : 0;
    }

    private int replay(final TestBench bench) {
        final List<long[]> rows = TestBench.read(replay, bench.inputs);
        final PrintWriter to = out();
        final int at;
        try {
            bench.steps(rows);
            at = bench.differsAt(rows);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--replay", replay.toString(), e.getMessage(), "correct the row");
        }
        if (at >= 0) {
            report(bench, rows.subList(0, at + 1), "after " + at + " equal operations of " + replay);
        } else {
            to.println(rows.size() + " operations, all equal");
        }
        to.flush();
        return at < 0 ? 0 : 1;
    }

    private void report(final TestBench bench, final List<long[]> rows, final String how) {
        final List<TestBench.Step> steps = bench.steps(rows);
        final String text = bench.text(steps);
        final PrintWriter to = out();
        to.println("differs " + how + " operations:");
        to.print(text);
        if (out != null) {
            OutFolder.write(out, false, folder -> {
                Files.writeString(folder.resolve("sequence.txt"), text, StandardCharsets.US_ASCII);
                bench.writeWave(folder.resolve("wave.vcd"), steps);
            });
            to.println("written: " + out.resolve("sequence.txt") + ", " + out.resolve("wave.vcd"));
        }
    }

    /**
     * Shortens a failing sequence by delta debugging (Zeller, Hildebrandt, TSE 2002), first its rows, then its words.
     * The result still fails, and every single row is necessary, unless the replays ran out.
     */
    static final class Shrinker {
        /** Means "none" where a word allows it, and is as simple as 0. */
        private static final long NONE = -1;

        private final ToIntFunction<List<long[]>> failsAt;
        private int replaysLeft;

        /**
         * Creates a shrinker.
         *
         * @param failsAt returns the index of the row at which a sequence fails, below 0 if it passes.
         * @param replays maximum number of calls of {@code failsAt}.
         */
        Shrinker(final ToIntFunction<List<long[]>> failsAt, final int replays) {
            this.failsAt = failsAt;
            this.replaysLeft = replays;
        }

        /** Shortens a failing sequence. The last row of the result is the one that fails. */
        List<long[]> shrink(final List<long[]> rows) {
            List<long[]> shortest = cut(rows);
            if (shortest == null) {
                throw new IllegalStateException("the models do not differ when the same rows come again: rows="
                    + rows.size());
            }
            // Smaller words make more rows superfluous. Repeat until no row goes.
            int before;
            do {
                before = shortest.size();
                shortest = withSmallWords(withoutRows(shortest));
            } while (shortest.size() < before);
            return shortest;
        }

        /** The rows up to the failing one; null if the sequence passes. */
        private List<long[]> cut(final List<long[]> rows) {
            if (replaysLeft == 0) {
                return null;
            }
            replaysLeft--;
            final int at = failsAt.applyAsInt(rows);
            return at < 0 ? null : new ArrayList<>(rows.subList(0, at + 1));
        }

        private List<long[]> withoutRows(final List<long[]> rows) {
            List<long[]> shortest = rows;
            for (int chunk = Math.max(1, rows.size() / 2); chunk > 0; chunk /= 2) {
                int from = 0;
                while (from < shortest.size()) {
                    final List<long[]> candidate = new ArrayList<>(shortest);
                    candidate.subList(from, Math.min(from + chunk, candidate.size())).clear();
                    final List<long[]> failing = candidate.isEmpty() ? null : cut(candidate);
                    if (failing == null) {
                        from += chunk;
                    } else {
                        shortest = failing;
                    }
                }
            }
            return shortest;
        }

        /** Sets each word to 0, or halves it as long as the sequence fails at the same row. */
        private List<long[]> withSmallWords(final List<long[]> rows) {
            final List<long[]> smallest = new ArrayList<>(rows);
            for (int row = 0; row < rows.size(); row++) {
                for (int word = 0; word < rows.get(row).length; word++) {
                    if (!replaced(smallest, row, word, 0)) {
                        boolean smaller = true;
                        while (smaller) {
                            smaller = replaced(smallest, row, word, smallest.get(row)[word] / 2);
                        }
                    }
                }
            }
            return smallest;
        }

        private boolean replaced(final List<long[]> rows, final int row, final int word, final long by) {
            final long[] before = rows.get(row);
            if (before[word] == by || before[word] == NONE) {
                return false;
            }
            final long[] after = before.clone();
            after[word] = by;
            rows.set(row, after);
            final List<long[]> failing = cut(rows);
            if (failing == null || failing.size() != rows.size()) {
                rows.set(row, before);
                return false;
            }
            return true;
        }
    }

    /**
     * Feeds a Java model and a verilated one the same rows from reset until their answers differ. Every sequence starts
     * with new instances. One thread.
     */
    static final class TestBench {
        private static final long STEP_PS = 1_000;

        private final Verilated verilated;
        private final Description description;
        /** Names of the words of an input row and of an output row. */
        private final String[] inputs;
        private final String[] outputs;
        private final Stimulus stimulus;
        private final WaveFields fields;

        TestBench(final Verilated verilated, final Description description, final Map<String, Integer> weights) {
            this.verilated = verilated;
            this.description = description;
            try (Arena arena = Arena.ofConfined()) {
                final Twin twin = description.twin(arena);
                inputs = twin.names().inputs();
                outputs = twin.names().outputs();
                stimulus = twin.stimulus(weights);
                fields = twin.fields();
                twin.close();
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
        boolean explore(final SplittableRandom random, final List<long[]> rows, final int length) {
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
                    return new Step(pair.in.toArray(ValueLayout.JAVA_LONG), pair.expected.clone(), pair.got.clone());
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

            @Override
            public void close() {
                verilated.destroy(instance);
                twin.close();
                arena.close();
            }
        }

        /**
         * One line per row: the input words by name, the answer of the model, and the answer of the RTL where it
         * differs.
         */
        String text(final List<Step> steps) {
            final StringBuilder text = new StringBuilder();
            for (final Step step : steps) {
                text.append(named(inputs, step.in())).append("  #");
                if (!Arrays.equals(step.expected(), step.got())) {
                    final StringJoiner differences = new StringJoiner(", ");
                    for (int word = 0; word < step.got().length; word++) {
                        if (step.expected()[word] != step.got()[word]) {
                            differences.add(outputs[word] + ": model " + step.expected()[word] + ", RTL "
                                + step.got()[word]);
                        }
                    }
                    text.append(" DIFFERS ").append(differences).append(';');
                }
                text.append(' ').append(named(outputs, step.expected())).append('\n');
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
            Choices.refuseIf(rows.isEmpty(), "--replay", file, "it holds no row",
                "give a sequence.txt of this model");
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
                throw new InputException("sequence", where, "a word is no number",
                    "write name=number for each word");
            }
            return row;
        }

        /** Writes a waveform of the inputs, the answers of the model and the answers of the RTL, 1 ns per step. */
        void writeWave(final Path file, final List<Step> steps) throws IOException {
            final List<Scope> scopes = List.of(scope("stimulus", inputs), scope("model", outputs),
                scope("rtl", outputs), new Scope("compare", List.of(new Signal("differs", 1))));
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file));
                VcdWriter wave = new VcdWriter(out, scopes, STEP_PS, fields)) {
                for (int i = 0; i < steps.size(); i++) {
                    final Step step = steps.get(i);
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
