package dev.skerry.tools.stat;

import dev.skerry.dataplane.counter.CounterView;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The counters of all processes at one time. Immutable.
 *
 * @param takenNs   time by {@link System#nanoTime()}.
 * @param processes running processes.
 * @param stale     one line for each file without a running process.
 */
record Snapshot(long takenNs, List<Process> processes, List<String> stale) {
    private static final double NS = 1e9;
    private static final String PREFIX = "skerry_";
    private static final String TOTAL = "_total";

    /**
     * One process.
     *
     * @param pid    process id.
     * @param name   program of the process.
     * @param values values by label.
     */
    record Process(long pid, String name, Map<String, Long> values) {
    }

    /**
     * Reads all files of a folder.
     *
     * @throws IOException if the folder cannot be read.
     */
    static Snapshot of(final Path folder) throws IOException {
        final List<Process> processes = new ArrayList<>();
        final List<String> stale = new ArrayList<>();
        for (final Path file : CounterView.files(folder)) {
            try {
                final Optional<CounterView> view = CounterView.open(file);
                if (view.isEmpty()) {
                    stale.add("no counters: " + file + ": it is not whole, its process may just be starting; else "
                        + "remove it");
                } else if (!view.get().isLive()) {
                    stale.add("stale: " + file + ": process " + view.get().pid() + " (" + view.get().name()
                        + ") has ended without removing it; remove it");
                } else {
                    final Map<String, Long> values = new LinkedHashMap<>();
                    view.get().forEach(values::put);
                    processes.add(new Process(view.get().pid(), view.get().name(), values));
                }
            } catch (final NoSuchFileException e) {
                // The process ended after the folder was listed.
                assert e != null;
            }
        }
        return new Snapshot(System.nanoTime(), processes, stale);
    }

    /**
     * A table for a terminal.
     *
     * @param all    whether to show counters at 0.
     * @param before previous snapshot for rates; or null.
     */
    String table(final boolean all, final Snapshot before) {
        final StringBuilder out = new StringBuilder();
        for (final Process process : processes) {
            out.append("process ").append(process.pid).append(": ").append(process.name).append('\n');
            process.values.forEach((label, value) -> {
                if (all || value != 0) {
                    out.append(String.format(Locale.ROOT, "%,20d %s %s%n", value, rate(process, label, value, before),
                        label));
                }
            });
        }
        if (processes.isEmpty()) {
            out.append("no dataplane is running\n");
        }
        stale.forEach(line -> out.append(line).append('\n'));
        return out.toString();
    }

    private String rate(final Process process, final String label, final long value, final Snapshot before) {
        if (before == null) {
            return "";
        }
        for (final Process earlier : before.processes) {
            final Long old = earlier.pid == process.pid ? earlier.values.get(label) : null;
            if (old != null && takenNs > before.takenNs) {
                return String.format(Locale.ROOT, "%,14.0f/s", (value - old) / ((takenNs - before.takenNs) / NS));
            }
        }
        return String.format(Locale.ROOT, "%16s", "");
    }

    /** One JSON object, ended by a line feed. */
    String json() {
        final List<String> each = new ArrayList<>();
        for (final Process process : processes) {
            final List<String> values = new ArrayList<>();
            process.values.forEach((label, value) -> values.add(quoted(label) + ": " + value));
            each.add("{\"pid\": " + process.pid + ", \"name\": " + quoted(process.name) + ", \"counters\": {"
                + String.join(", ", values) + "}}");
        }
        return "{\"processes\": [" + String.join(", ", each) + "], \"stale\": ["
            + String.join(", ", stale.stream().map(Snapshot::quoted).toList()) + "]}\n";
    }

    /** Text for Prometheus: the values of a name together, labelled by process. */
    String prometheus() {
        final Map<String, List<String>> byName = new TreeMap<>();
        for (final Process process : processes) {
            process.values.forEach((label, value) -> {
                final int brace = label.indexOf('{');
                final String plain = brace < 0 ? label : label.substring(0, brace);
                final String name = PREFIX + plain + (isGauge(plain) ? "" : TOTAL);
                final String keys = brace < 0 ? "" : "," + label.substring(brace + 1, label.length() - 1);
                byName.computeIfAbsent(name, n -> new ArrayList<>())
                    .add(name + "{pid=\"" + process.pid + "\"" + keys + "} " + value);
            });
        }
        final StringBuilder out = new StringBuilder();
        byName.forEach((name, lines) -> {
            out.append("# TYPE ").append(name).append(name.endsWith(TOTAL) ? " counter\n" : " gauge\n");
            lines.forEach(line -> out.append(line).append('\n'));
        });
        return out.append("# TYPE skerry_stale_files gauge\nskerry_stale_files ").append(stale.size()).append('\n')
            .toString();
    }

    /** Whether a value may fall: a duration. All others are counters. */
    private static boolean isGauge(final String name) {
        return name.endsWith("_ns");
    }

    private static String quoted(final String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + '"';
    }
}
