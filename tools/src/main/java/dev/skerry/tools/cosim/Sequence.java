package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.trace.Scope;
import dev.skerry.tools.trace.VcdWriter;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/** Rows of a model in files: a text with both answers, which can be read again for a replay, and a waveform. */
final class Sequence {
    private static final long STEP_PS = 1_000;

    private Sequence() {
    }

    /**
     * One line per row: the input words by name, the answer of the model, and the answer of the RTL where it differs.
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
    static void writeWave(final Path file, final TestBench bench, final List<TestBench.Step> steps) throws IOException {
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
