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

/**
 * The counters of all processes at one time. Immutable.
 *
 * @param takenNs   time by {@link System#nanoTime()}.
 * @param processes running processes.
 * @param stale     one line for each file without a running process.
 */
public record Snapshot(long takenNs, List<Process> processes, List<String> stale) {
    private static final double NS = 1e9;

    /**
     * One process.
     *
     * @param pid    process id.
     * @param name   program of the process.
     * @param values values by label.
     */
    public record Process(long pid, String name, Map<String, Long> values) {
    }

    /**
     * Reads all files of a folder.
     *
     * @throws IOException if the folder cannot be read.
     */
    public static Snapshot of(final Path folder) throws IOException {
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
        stale.replaceAll(line -> line.replaceAll("\\p{Cntrl}", "?"));
        return new Snapshot(System.nanoTime(), processes, stale);
    }

    /**
     * A table for a terminal: every counter.
     *
     * @param all whether to show counters at 0, and buckets of histograms.
     * @param before previous snapshot for rates; or null.
     */
    String table(final boolean all, final Snapshot before) {
        final StringBuilder out = new StringBuilder();
        for (final Process process : processes) {
            heading(out, process);
            counters(out, process, all, before);
        }
        return ended(out);
    }

    /**
     * A table for a terminal with one line a port; processes without ports show every counter.
     *
     * @param before previous snapshot for rates; or null.
     */
    String ports(final Snapshot before) {
        final StringBuilder out = new StringBuilder();
        for (final Process process : processes) {
            heading(out, process);
            final Process earlier = before == null ? null : before.processes.stream()
                .filter(other -> other.pid == process.pid).findFirst().orElse(null);
            final String lines = RunLines.of(process)
                + PortTable.of(process, earlier, before == null ? 0 : (takenNs - before.takenNs) / NS);
            if (lines.isEmpty()) {
                counters(out, process, false, before);
            } else {
                out.append(lines);
            }
        }
        return ended(out);
    }

    private static void heading(final StringBuilder out, final Process process) {
        out.append("process ").append(process.pid).append(": ").append(process.name).append('\n');
    }

    private void counters(final StringBuilder out, final Process process, final boolean all, final Snapshot before) {
        process.values.forEach((label, value) -> {
            if (all || value != 0 && !label.startsWith(Metrics.BUCKET)) {
                out.append(String.format(Locale.ROOT, "%,20d %s %s%n", value, rate(process, label, value, before),
                    label));
            }
        });
    }

    private String ended(final StringBuilder out) {
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

    /** One JSON object, ended by a line feed: all counters, and which of them are losses that happened. */
    public String json() {
        final List<String> each = new ArrayList<>();
        for (final Process process : processes) {
            final List<String> values = new ArrayList<>();
            final List<String> losses = new ArrayList<>();
            process.values.forEach((label, value) -> {
                values.add(quoted(label) + ": " + value);
                if (value != 0 && Metrics.isLoss(Label.of(label))) {
                    losses.add(quoted(label));
                }
            });
            each.add("{\"pid\": " + process.pid + ", \"name\": " + quoted(process.name) + ", \"counters\": {"
                + String.join(", ", values) + "}, \"losses\": [" + String.join(", ", losses) + "]}");
        }
        return "{\"schema\": 1, \"processes\": [" + String.join(", ", each) + "], \"stale\": ["
            + String.join(", ", stale.stream().map(Snapshot::quoted).toList()) + "]}\n";
    }

    private static String quoted(final String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + '"';
    }
}
