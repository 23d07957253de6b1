package dev.skerry.tools.report;

import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.Coverage.Point;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Functional coverage of runs, as a JSON file that can be merged with others. Not thread-safe. */
public final class CoverageFile {
    private static final String COVERAGE = "coverage.";
    private static final String RUN = "runs.";

    private final List<Run> runs = new ArrayList<>();
    private final Map<String, Coverage> kinds = new LinkedHashMap<>();

    /**
     * A run whose coverage was counted.
     *
     * @param tool     name of the tool, such as {@code cosim}, {@code score} or {@code library}.
     * @param model    description of the model or of the trace.
     * @param options  options that matter, such as the seed; may be empty.
     * @param steps    rows or slots.
     * @param findings differences, or violations of laws.
     */
    public record Run(String tool, String model, String options, long steps, long findings) {
    }

    /** Creates a file without runs. */
    public CoverageFile() {
    }

    /** Creates a file with the coverage of one run. */
    public CoverageFile(final Run run, final Coverage coverage) {
        runs.add(run);
        of(coverage.kind()).add(coverage);
    }

    /**
     * Reads a file.
     *
     * @throws InputException if it cannot be read, or is not a coverage file.
     */
    public static CoverageFile read(final Path file) {
        try {
            final SortedMap<String, String> values = Json.values(Files.readString(file));
            if (!"1".equals(values.get("schema"))) {
                throw new IllegalArgumentException("its schema is not 1");
            }
            final CoverageFile read = new CoverageFile();
            for (int i = 0; values.containsKey(RUN + i + ".tool"); i++) {
                final String run = RUN + i + ".";
                read.runs.add(new Run(values.get(run + "tool"), needed(values, run + "model"),
                    needed(values, run + "options"), number(values.get(run + "steps")),
                    number(values.get(run + "findings"))));
            }
            values.tailMap(COVERAGE).forEach((name, hits) -> read.put(name, hits));
            if (read.runs.isEmpty()) {
                throw new IllegalArgumentException("no run");
            }
            return read;
        } catch (final IOException | IllegalArgumentException e) {
            throw new InputException("coverage", file.toString(), e instanceof IOException ? "it cannot be read"
                : "it is not a coverage file: " + e.getMessage(), "give a file that --coverage has written");
        }
    }

    private void put(final String name, final String hits) {
        final int kind = name.indexOf('.', COVERAGE.length());
        final int bin = name.lastIndexOf('.');
        if (name.startsWith(COVERAGE) && kind > 0 && kind < bin) {
            of(name.substring(COVERAGE.length(), kind)).point(name.substring(kind + 1, bin))
                .add(name.substring(bin + 1), number(hits));
        }
    }

    private static String needed(final SortedMap<String, String> values, final String name) {
        if (values.get(name) == null) {
            throw new IllegalArgumentException("no " + name);
        }
        return values.get(name);
    }

    private static long number(final String text) {
        final long number = text == null ? 0 : Long.parseLong(text);
        if (number < 0) {
            throw new IllegalArgumentException("a count below 0: " + text);
        }
        return number;
    }

    /**
     * Checks before a long run that a file can be written afterwards.
     *
     * @throws InputException if its folder cannot be written to, or the name is taken by something other than a regular
     *     file.
     */
    public static void checkPlace(final Path file) {
        final Path parent = file.toAbsolutePath().normalize().getParent();
        Choices.refuseIf(Files.exists(file) && !Files.isRegularFile(file), "--coverage", file,
            "it is not a regular file", "choose another file");
        Choices.refuseIf(parent == null || !Files.isDirectory(parent) || !Files.isWritable(parent), "--coverage", file,
            parent + " is not a writable folder", "choose another folder");
    }

    /** Returns the runs. */
    public List<Run> runs() {
        return runs;
    }

    /** Returns the coverage of each kind of device. */
    public Collection<Coverage> kinds() {
        return kinds.values();
    }

    private Coverage of(final String kind) {
        return kinds.computeIfAbsent(kind, Coverage::new);
    }

    /** Adds the runs and counts of another file. */
    public void add(final CoverageFile other) {
        runs.addAll(other.runs);
        other.kinds().forEach(coverage -> of(coverage.kind()).add(coverage));
    }

    /** Writes the file; an existing file is replaced. */
    public void write(final Path file) {
        checkPlace(file);
        try {
            WholeFile.write(file, text());
        } catch (final IOException e) {
            throw InputException.notWritten("--coverage", file, e, "choose a file on a disk with room");
        }
    }

    /** Returns the contents of the file. */
    public String text() {
        final Json json = Json.document().open("runs", '[');
        for (final Run run : runs) {
            json.open(null, '{').put("tool", run.tool).put("model", run.model).put("options", run.options)
                .put("steps", run.steps).put("findings", run.findings).close('}');
        }
        json.close(']').open("coverage", '{');
        for (final Coverage coverage : kinds()) {
            json.open(coverage.kind(), '{');
            for (final Point point : coverage.points()) {
                json.open(point.name(), '{');
                for (int bin = 0; bin < point.bins().size(); bin++) {
                    json.put(point.bins().get(bin), point.hits(bin));
                }
                json.close('}');
            }
            json.close('}');
        }
        return json.close('}').close('}').toString();
    }
}
