package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.CoverageFile;
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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** {@code skerry cosim}: compares a verilated model with the Java model that it names. */
@Command(name = "cosim", description = {
        "Checks RTL against the Java reference models.",
        "",
        "MODEL.so is a shared library of verilated RTL behind five C functions (tools/cosim/model/skerry_model.h; "
            + "the models beside it are examples). It names the reference model to compare with: a PIEO, a circuit "
            + "switch, the cell codec of Shoal or Shale, or a whole node of either. Both start from reset and perform "
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
    /**
     * Number of steps of the shortest sequence; 2^k times this number exceeds the values of a counter of 10 + k bits.
     */
    private static final int SHORT_ROWS = 1040;
    private static final double SHRINK_SECONDS = 60;
    private static final double STEP_SECONDS = 10;
    /** Fraction of the usual time limit of a step while a sequence is being shortened. */
    private static final double SHRINK_PATIENCE = 0.1;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final long PROGRESS_NS = 5 * NS_PER_SECOND;
    private static final int MOST_PRINTED = 100;
    private static final String UNSHRUNK = "unshrunk.txt";
    private static final String SEQUENCE = "sequence.txt";
    private static final String WAVE = "wave.vcd";

    @Parameters(paramLabel = "MODEL.so", description = "Library with the RTL.")
    Path model;

    @Option(names = "--operations", paramLabel = "N", defaultValue = "1000000",
        description = "Number of random steps, at least 1 (default: ${DEFAULT-VALUE}).")
    long operations;

    @Option(names = "--length", paramLabel = "N",
        description = "Steps between resets, 1 to 100000 (default: many short sequences and some long ones, up to a "
            + "sixth of all operations).")
    Integer length;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Seed of the random steps (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--weight", paramLabel = "CHOICE=W",
        description = "Relative frequency of a kind of step; can be given several times. PIEO: enqueue, dequeue, "
            + "dequeue-f, together, absent. Switch: cell, none, stale, twice. Codecs: encode, valid, foreign, "
            + "damaged, noise, relay. Node: first, passing (only Shale), home, none, nothing (only Shale).")
    Map<String, Integer> weights = new TreeMap<>();

    @Option(names = "--compare", paramLabel = "WORD", split = ",",
        description = "Compare only these outputs, for example code,id,rank,time of a PIEO (default: all).")
    List<String> compared;

    @Option(names = "--coverage", paramLabel = "FILE",
        description = "Write the cases, laws and choices that the steps exercised to this file; 'skerry coverage' "
            + "merges such files.")
    Path coverage;

    @Option(names = "--out", paramLabel = "DIR",
        description = "New folder for unshrunk.txt, sequence.txt and wave.vcd of a failure (default: a temporary one).")
    Path out;

    @Option(names = "--replay", paramLabel = "FILE", description = "Replay a sequence.txt instead of random steps.")
    Path replay;

    @Option(names = "--shrink-seconds", paramLabel = "S",
        description = "Seconds for shortening a sequence (default: 60; with --replay: 0).")
    Double shrinkSeconds;

    @Option(names = "--step-seconds", paramLabel = "S",
        description = "Seconds after which a step counts as hanging (default: 10).")
    Double stepSeconds;

    @Option(names = "--in-process",
        description = "Run the RTL inside this process, for a debugger. A step may then take any time.")
    boolean isInProcess;

    @Override
    public Integer call() {
        check();
        final String line;
        try (Verilated library = new Verilated(model)) {
            line = library.description();
        }
        try (TestBench bench = bench(line)) {
            bench.compare(compared);
            bench.host.patience(stepSeconds());
            return replay == null ? explore(bench) : replay(bench);
        }
    }

    private void check() {
        Choices.refuseIf(operations < 1, "--operations", operations, "there is nothing to compare",
            "give a number from 1");
        Choices.refuseIf(length != null && (length < 1 || length > MOST_ROWS), "--length", length,
            "a sequence has 1 to " + MOST_ROWS + " steps", "give a number in this range");
        Choices.refuseIf(stepSeconds != null && isInProcess, "--step-seconds", stepSeconds,
            "a step inside this process cannot be ended", "leave out this option or --in-process");
        Choices.refuseIf(!(stepSeconds() > 0), "--step-seconds", stepSeconds, "a step needs some time",
            "give a number above 0");
        Choices.refuseIf(coverage != null && replay != null, "--coverage", coverage,
            "a replayed sequence is not counted", "leave out this option or --replay");
        if (coverage != null) {
            CoverageFile.checkPlace(coverage);
        }
        if (out != null) {
            OutFolder.checkFree(out);
        }
    }

    /** Seconds that a step may take. */
    private double stepSeconds() {
        return stepSeconds != null ? stepSeconds : isInProcess ? Double.POSITIVE_INFINITY : STEP_SECONDS;
    }

    private TestBench bench(final String line) {
        try {
            final Description described = Description.of(line);
            return new TestBench(coverage != null && described.isNode() ? described.with(Description.COVERAGE, "1")
                : described, weights, names -> isInProcess
                ? DeviceHost.onThread(() -> new Verilated(model), names) : DeviceHost.inProcessOf(model, names));
        } catch (final IllegalArgumentException e) {
            throw new InputException("model", model.toString(), "it describes itself as \"" + line + "\": "
                + e.getMessage(), "see tools/cosim/c/skerry.h");
        }
    }

    /**
     * Returns the number of steps of a sequence: 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, ... times the shortest. Each length thus
     * gets the same total number of steps (Luby, Sinclair, Zuckerman, 1993).
     *
     * @param sequence number of the sequence, 1 for the first one.
     */
    static int usualLength(final long sequence) {
        long i = sequence;
        while (Long.bitCount(i + 1) != 1) {
            i -= Long.highestOneBit(i) - 1;
        }
        return (int) Math.min(MOST_ROWS, SHORT_ROWS * ((i + 1) / 2));
    }

    private int explore(final TestBench bench) {
        final SplittableRandom seeds = new SplittableRandom(seed);
        final List<long[]> rows = new ArrayList<>();
        long made = 0;
        long longest = 0;
        long sequence = 0;
        Failure failure = null;
        while (made < operations && failure == null) {
            rows.clear();
            sequence++;
            failure = bench.explore(seeds.split(), rows,
                (int) Math.min(length == null ? usualLength(sequence) : length, operations - made));
            made += rows.size();
            longest = Math.max(longest, rows.size());
        }
        if (failure == null) {
            out().println(made + " operations, all equal; longest sequence: " + longest);
        } else {
            shrink(bench, rows, failure, "after " + (made - 1) + " equal operations (seed " + seed + ", sequence "
                + sequence + ")");
        }
        out().println("covered: longest sequence " + longest + ", " + bench.stimulus.coverage);
        out().flush();
        if (coverage != null) {
            final String options = weights.entrySet().stream().map(weight -> " --weight " + weight)
                .collect(Collectors.joining("", "--seed " + seed, ""));
            bench.covered.add(bench.stimulus.cases);
            new CoverageFile(new CoverageFile.Run("cosim", bench.description.line(), options, made,
                failure == null ? 0 : 1), bench.covered).write(coverage);
        }
        return failure == null ? 0 : 1;
    }

    private int replay(final TestBench bench) {
        final List<long[]> rows = TestBench.read(replay, bench.inputs, bench.description.kind());
        final List<Step> steps = new ArrayList<>();
        final Failure failure;
        try {
            failure = bench.replay(rows, steps::add);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--replay", replay.toString(), e.getMessage(), "correct the row");
        }
        final String how = "after " + (steps.size() - 1) + " equal operations of " + replay;
        if (failure == null) {
            out().println(rows.size() + " operations, all equal");
        } else if (shrinkSeconds != null) {
            shrink(bench, rows.subList(0, steps.size()), failure, how);
        } else {
            final String text = print(bench, steps, failure, how + ":");
            if (out != null) {
                OutFolder.write(out, false, folder -> write(bench, steps, text, folder));
            }
        }
        out().flush();
        return failure == null ? 0 : 1;
    }

    /** Saves a failing sequence, shortens it, and reports the result. */
    private void shrink(final TestBench bench, final List<long[]> rows, final Failure failure, final String how) {
        final Path folder = save(bench, rows, failure.name() + " " + how);
        final double limit = shrinkSeconds == null ? SHRINK_SECONDS : shrinkSeconds;
        final long start = System.nanoTime();
        final long[] shown = {start};
        final Shrinker shrinker = new Shrinker(candidate -> bench.failsAt(candidate, failure), left -> {
            final long now = System.nanoTime();
            if (now - shown[0] > PROGRESS_NS) {
                shown[0] = now;
                err().println("skerry: cosim: shrinking: " + left + " of " + rows.size() + " operations left after "
                    + (now - start) / NS_PER_SECOND + " s");
                err().flush();
            }
            return now - start < limit * NS_PER_SECOND;
        });
        bench.host.patience(stepSeconds() * SHRINK_PATIENCE);
        final List<long[]> shortest = shrinker.shrink(rows);
        bench.host.patience(stepSeconds());
        final List<Step> steps = new ArrayList<>();
        final Failure again = bench.replay(shortest, steps::add);
        if (again == null) {
            steps.set(steps.size() - 1, failure.step());
        }
        final String text = print(bench, steps, again == null ? failure : again, how + ", shrunk from " + rows.size()
            + " to " + steps.size() + " operations" + (again == null ? ", which do not fail again after a reset"
            : shrinker.isDone ? "" : " in " + limit + " s, which --replay with --shrink-seconds can shorten further")
            + ":");
        try {
            write(bench, steps, text, folder);
        } catch (final IOException e) {
            throw InputException.notWritten("--out", folder, e, "choose a folder on a disk with room");
        }
    }

    /** Saves a sequence as it was found, before anything else can fail. */
    private Path save(final TestBench bench, final List<long[]> rows, final String how) {
        final OutFolder.Content unshrunk = folder -> Files.write(folder.resolve(UNSHRUNK), Stream.concat(
            Stream.of(bench.head(how).stripTrailing()), rows.stream().map(row -> TestBench.named(bench.inputs, row)))
            .toList(), StandardCharsets.US_ASCII);
        final Path folder;
        if (out != null) {
            OutFolder.write(out, false, unshrunk);
            folder = out;
        } else {
            try {
                folder = Files.createTempDirectory("skerry-cosim-");
                unshrunk.write(folder);
            } catch (final IOException e) {
                throw InputException.notWritten("--out", Path.of(System.getProperty("java.io.tmpdir")), e,
                    "name a folder with --out");
            }
        }
        out().println("saved before shrinking: " + folder.resolve(UNSHRUNK));
        out().flush();
        return folder;
    }

    /** Prints the last rows of a failing sequence; returns the text of the file with the whole sequence. */
    private String print(final TestBench bench, final List<Step> steps, final Failure failure, final String how) {
        final String head = failure.name() + " " + how;
        final String text = bench.text(steps, failure);
        final List<String> lines = text.lines().toList();
        final int left = Math.max(0, lines.size() - MOST_PRINTED);
        out().println(head);
        if (left > 0) {
            out().println("... (" + left + " rows)");
        }
        lines.subList(left, lines.size()).forEach(out()::println);
        return bench.head(head) + text;
    }

    private void write(final TestBench bench, final List<Step> steps, final String text, final Path folder)
        throws IOException {
        Files.writeString(folder.resolve(SEQUENCE), text, StandardCharsets.US_ASCII);
        bench.writeWave(folder.resolve(WAVE), steps);
        final Path at = out == null ? folder : out;
        out().println("written: " + at.resolve(SEQUENCE) + ", " + at.resolve(WAVE));
    }

    /**
     * Shortens a failing sequence by delta debugging (Zeller, Hildebrandt, TSE 2002), first its rows, then its words.
     * The result still fails, and every single row is necessary, unless it was stopped before.
     */
    static final class Shrinker {
        /** Means "none" for words that can be absent, and is as simple as 0. */
        private static final long NONE = -1;

        private final ToIntFunction<List<long[]>> failsAt;
        private final IntPredicate goesOn;
        private int left;
        private boolean isDone = true;

        /**
         * Creates a shrinker.
         *
         * @param failsAt returns the index of the row at which a sequence fails, below 0 if it passes.
         * @param goesOn  called before each call of {@code failsAt}, with the number of remaining rows; false stops the
         *                shrinker.
         */
        Shrinker(final ToIntFunction<List<long[]>> failsAt, final IntPredicate goesOn) {
            this.failsAt = failsAt;
            this.goesOn = goesOn;
        }

        /**
         * Shortens a failing sequence. The last row of the result is the one that fails. A sequence that does not fail
         * again is returned unchanged.
         */
        List<long[]> shrink(final List<long[]> rows) {
            left = rows.size();
            List<long[]> shortest = cut(rows);
            if (shortest == null) {
                return rows;
            }
            // Smaller words can make more rows unnecessary, so repeat until no row is removed.
            int before;
            do {
                before = shortest.size();
                shortest = withSmallWords(withoutRows(shortest));
            } while (shortest.size() < before);
            return shortest;
        }

        /** Returns the rows up to the failing one; null if the sequence passes. */
        private List<long[]> cut(final List<long[]> rows) {
            isDone &= goesOn.test(left);
            final int at = isDone ? failsAt.applyAsInt(rows) : -1;
            if (at < 0) {
                return null;
            }
            left = at + 1;
            return new ArrayList<>(rows.subList(0, left));
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
     * One row with both answers; {@code in} is what the models received. {@code got} is null if there was no answer.
     */
    record Step(long[] in, long[] expected, long[] got) {
    }

    /**
     * Failure of a sequence.
     *
     * @param at     index of the row that fails.
     * @param reason why there is no answer; null if the answer differs.
     * @param step   the row with its answers.
     * @param output the last lines printed by a device that gave no answer.
     */
    record Failure(int at, String reason, Step step, List<String> output) {
        String name() {
            return reason == null ? "differs" : reason;
        }
    }

    /**
     * Feeds a Java model and a device the same rows from reset until their answers differ. Every sequence starts with
     * new instances. The model may be ahead of the device. Not thread-safe.
     */
    static final class TestBench implements AutoCloseable {
        private static final long STEP_PS = 1_000;
        private static final String VERSION = "# skerry cosim sequence ";
        private static final String MODEL = "# model: ";
        private static final int VERSION_NUMBER = 1;

        private final Description description;
        /** Names of the words of an input row and of an output row. */
        private final String[] inputs;
        private final String[] outputs;
        private final boolean[] compared;
        private final Stimulus stimulus;
        /** Coverage of the explored sequences. */
        private final Coverage covered;
        private final WaveFields fields;
        final DeviceHost host;
        /**
         * Answers of the model that have not been compared with the device's answers yet, by row modulo their number.
         */
        private final long[][] expected;

        TestBench(final Description description, final Map<String, Integer> weights,
            final Function<Twin.Names, DeviceHost> host) {
            this.description = description;
            this.covered = new Coverage(description.kind());
            try (Arena arena = Arena.ofConfined()) {
                final Twin twin = description.twin(arena);
                inputs = twin.names().inputs();
                outputs = twin.names().outputs();
                stimulus = twin.stimulus(weights);
                fields = twin.fields();
                this.host = host.apply(twin.names());
                twin.close();
            }
            compared = new boolean[outputs.length];
            Arrays.fill(compared, true);
            expected = new long[DeviceHost.ROWS][outputs.length];
        }

        /**
         * Compares only some outputs.
         *
         * @param names their names; null for all.
         * @throws InputException if there is no such output, or no name.
         */
        void compare(final List<String> names) {
            final List<String> all = List.of(outputs);
            if (names == null) {
                return;
            }
            Choices.refuseIf(names.isEmpty(), "--compare", ",", "it names no output", "use " + String.join(", ", all));
            for (final String name : names) {
                Choices.refuseIf(!all.contains(name), "--compare", name, "there is no such output of a "
                    + description.kind(), "use " + String.join(", ", all));
            }
            for (int word = 0; word < outputs.length; word++) {
                compared[word] = names.contains(outputs[word]);
            }
        }

        /**
         * Draws rows until the models differ.
         *
         * @param random source of the rows.
         * @param rows   receives the rows drawn; the last one fails.
         * @param length maximum number of rows.
         * @return null if no row fails.
         */
        Failure explore(final SplittableRandom random, final List<long[]> rows, final int length) {
            try (Run run = new Run(step -> { })) {
                stimulus.begin(run.twin);
                while (rows.size() < length && run.failure == null) {
                    final long[] row = new long[inputs.length];
                    stimulus.draw(random, row);
                    rows.add(row);
                    stimulus.covered(row, run.step(row));
                }
                final Failure failure = run.finish();
                covered.add(run.twin.coverage());
                if (failure != null) {
                    rows.subList(failure.at() + 1, rows.size()).clear();
                }
                return failure;
            }
        }

        /**
         * Replays a sequence until a row fails.
         *
         * @param steps receives the steps, the failing one included.
         * @return null if no row fails.
         * @throws IllegalArgumentException if a row before the failing one is invalid.
         */
        Failure replay(final List<long[]> rows, final Consumer<Step> steps) {
            try (Run run = new Run(steps)) {
                for (int i = 0; i < rows.size() && run.failure == null; i++) {
                    try {
                        run.step(rows.get(i));
                    } catch (final IllegalArgumentException e) {
                        if (run.finish() == null) {
                            throw e;
                        }
                    }
                }
                return run.finish();
            }
        }

        /**
         * Returns the index of the row at which a sequence fails in the same way as another one: with a difference in
         * one of the same words, or without an answer. Returns -1 if it does not, or if a row is invalid.
         */
        int failsAt(final List<long[]> rows, final Failure like) {
            try {
                final Failure failure = replay(rows, step -> { });
                return failure != null && failure.reason() == null == (like.reason() == null)
                    && IntStream.range(0, outputs.length).anyMatch(word -> differs(failure.step(), word)
                    && differs(like.step(), word)) ? failure.at() : -1;
            } catch (final IllegalArgumentException e) {
                // Shrinking can make a row invalid, which is not a difference.
                return -1;
            }
        }

        private boolean differs(final Step step, final int word) {
            return compared[word] && (step.got() == null || step.expected()[word] != step.got()[word]);
        }

        private boolean differs(final Step step) {
            return IntStream.range(0, outputs.length).anyMatch(word -> differs(step, word));
        }

        @Override
        public void close() {
            host.close();
        }

        /** One sequence, with a new instance of each model. */
        private final class Run implements AutoCloseable {
            private final Arena arena = Arena.ofConfined();
            private final Twin twin = description.twin(arena);
            private final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, outputs.length);
            private final Consumer<Step> steps;
            /** Number of the first row, as the host counts rows. */
            private final long first = host.begin();
            /** Number of rows that the model has executed, and of rows whose answers were compared. */
            private int made;
            private int done;
            private Failure failure;

            Run(final Consumer<Step> steps) {
                this.steps = steps;
            }

            /** Executes a row; returns the answer of the model. */
            private long[] step(final long[] row) {
                if (made - done == DeviceHost.ROWS) {
                    compare();
                }
                final long[] answer = expected[made % DeviceHost.ROWS];
                if (failure == null) {
                    final MemorySegment in = host.next();
                    MemorySegment.copy(row, 0, in, ValueLayout.JAVA_LONG, 0, row.length);
                    twin.resolve(in, 0);
                    twin.step(in, 0, out, 0);
                    MemorySegment.copy(out, ValueLayout.JAVA_LONG, 0, answer, 0, answer.length);
                    host.publish(made++ == 0);
                    while (failure == null && done < made && host.isAnswered(first + done)) {
                        compare();
                    }
                }
                return answer;
            }

            /** Waits for all answers. */
            private Failure finish() {
                while (failure == null && done < made) {
                    compare();
                }
                return failure;
            }

            private void compare() {
                final String reason = host.await(first + done);
                final Step step = new Step(host.in(first + done).toArray(ValueLayout.JAVA_LONG),
                    expected[done % DeviceHost.ROWS].clone(),
                    reason == null ? host.out(first + done).toArray(ValueLayout.JAVA_LONG) : null);
                steps.accept(step);
                if (differs(step)) {
                    failure = new Failure(done, reason, step, reason == null ? List.of() : host.printed());
                }
                done++;
            }

            @Override
            public void close() {
                host.settle();
                twin.close();
                arena.close();
            }
        }

        /** The first lines of a file with a sequence. */
        String head(final String how) {
            return VERSION + VERSION_NUMBER + "\n" + MODEL + description.line() + "\n# " + how + "\n";
        }

        /**
         * One line per row: the input words by name, the answer of the model, and the answer of the RTL where it
         * differs; then what the device printed before it failed.
         */
        String text(final List<Step> steps, final Failure failure) {
            final StringBuilder text = new StringBuilder();
            for (final Step step : steps) {
                text.append(named(inputs, step.in())).append("  #");
                if (step.got() == null) {
                    text.append(" DIFFERS ").append(failure.reason()).append(';');
                } else if (differs(step)) {
                    final StringJoiner differences = new StringJoiner(", ");
                    for (int word = 0; word < step.got().length; word++) {
                        if (differs(step, word)) {
                            differences.add(outputs[word] + ": model " + step.expected()[word] + ", RTL "
                                + step.got()[word]);
                        }
                    }
                    text.append(" DIFFERS ").append(differences).append(';');
                }
                text.append(' ').append(named(outputs, step.expected())).append('\n');
            }
            failure.output().forEach(line -> text.append("# device: ").append(line).append('\n'));
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
        static List<long[]> read(final Path file, final String[] names, final String kind) {
            final List<String> lines;
            try {
                lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
            } catch (final IOException e) {
                throw new InputException("--replay", file.toString(), "it cannot be read",
                    "give a sequence.txt that cosim has written");
            }
            final String first = lines.isEmpty() ? "" : lines.getFirst();
            Choices.refuseIf(first.startsWith(VERSION) && !first.equals(VERSION + VERSION_NUMBER), "--replay", file,
                "it does not have version " + VERSION_NUMBER, "record it again");
            lines.stream().filter(line -> line.startsWith(MODEL) && !line.startsWith(MODEL + kind + " ")).findFirst()
                .ifPresent(line -> Choices.refuseIf(true, "--replay", file, "it is for a "
                + line.substring(MODEL.length()).replaceFirst(" .*", "") + ", not for a " + kind,
                "give a sequence.txt of this model"));
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
                        throw new InputException("sequence", where, "it is not a row of this model",
                            "write " + String.join("=... ", names) + "=...");
                    }
                    row[word] = Long.parseLong(words[word].substring(start.length()));
                }
            } catch (final NumberFormatException e) {
                throw new InputException("sequence", where, "a word is not a number",
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
                    wave.vector(2, step.got() == null ? new long[outputs.length] : step.got());
                    wave.vector(3, new long[] {differs(step) ? 1 : 0});
                }
            }
        }

        private static Scope scope(final String name, final String[] words) {
            return new Scope(name, Arrays.stream(words).map(word -> new Signal(word, Long.SIZE)).toList());
        }
    }
}
