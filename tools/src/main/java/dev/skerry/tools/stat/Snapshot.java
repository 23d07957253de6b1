package dev.skerry.tools.stat;

import dev.skerry.dataplane.counter.CounterView;
import dev.skerry.tools.stat.Metrics.Label;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

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

    /** A run that publishes counters, in a few lines. Pure function; any thread. */
    private static final class RunLines {
        private static final double MILLION = 1e6;
        private static final String FABRIC = "fabric_";

        private RunLines() {
        }

        /** The lines of a process; empty if it is no run. */
        static String of(final Snapshot.Process process) {
            final Long slots = process.values().get("run_slots");
            if (slots == null) {
                return "";
            }
            final StringBuilder out = new StringBuilder();
            final long limit = value(process, "run_slot_limit");
            line(out, "slot %,d%s, %,d slots/s, %.4f cells a node and slot", slots,
                limit > 0 ? String.format(Locale.ROOT, " of %,d", limit) : "", value(process, "run_slots_per_second"),
                value(process, "run_throughput_ppm") / MILLION);
            line(out, "%,d of %,d flows completed, %,d cells in the fabric", value(process, "run_flows_completed"),
                value(process, "run_flows"), value(process, "run_cells_in_fabric"));
            if (process.values().containsKey("run_queued_cells{of=\"most\"}")) {
                line(out, "queued at a node: mean %,.1f, most %,d cells; latency p50 %,d, p99 %,d, most %,d slots",
                    value(process, "run_queued_cells_ppm{of=\"mean\"}") / MILLION,
                    value(process, "run_queued_cells{of=\"most\"}"), latency(process, "0.5"), latency(process, "0.99"),
                    latency(process, "1.0"));
            }
            process.values().forEach((label, count) -> {
                if (label.startsWith(FABRIC) && count != 0) {
                    line(out, "%,d %s", count, label.substring(FABRIC.length()).replace('_', ' '));
                }
            });
            return out.toString();
        }

        private static long latency(final Snapshot.Process process, final String quantile) {
            return value(process, "run_latency_slots{quantile=\"" + quantile + "\"}");
        }

        private static long value(final Snapshot.Process process, final String label) {
            return process.values().getOrDefault(label, 0L);
        }

        private static void line(final StringBuilder out, final String format, final Object... values) {
            out.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
        }
    }

    /** A process in a few lines: one a port, one a bank, and one for each thing that the fabric lost. One thread. */
    private static final class PortTable {
        private static final double NS = 1e9;
        private static final double NS_PER_US = 1e3;
        private static final double BITS = 8;
        private static final double PER_CENT = 1e4;
        private static final int NAME = 28;

        private final Snapshot.Process now;
        /** The same process a while ago; null if it was not there. */
        private final Snapshot.Process before;
        private final double seconds;
        private final StringBuilder out = new StringBuilder();

        private PortTable(final Snapshot.Process now, final Snapshot.Process before, final double seconds) {
            this.now = now;
            this.before = before;
            this.seconds = seconds;
        }

        /**
         * The lines of a process; empty if it has no ports.
         *
         * @param now     the process.
         * @param before  the same process a while ago; null if it was not there.
         * @param seconds how long ago.
         */
        static String of(final Snapshot.Process now, final Snapshot.Process before, final double seconds) {
            final Map<String, String> ports = new LinkedHashMap<>();
            for (final String label : now.values().keySet()) {
                final Label parsed = Label.of(label);
                if (parsed.name().equals(Metrics.STATE)) {
                    ports.put(parsed.keys(), parsed.value("node") + " " + parsed.value("port"));
                }
            }
            return ports.isEmpty() ? "" : new PortTable(now, before, seconds).lines(ports);
        }

        private String lines(final Map<String, String> ports) {
            banks();
            line("%-28s %-6s %11s %8s %11s %8s %11s %9s %10s %10s", "port", "state", "in pps", "in Gb/s", "out pps",
                "out Gb/s", "dropped", "drops/s", "p50 us", "p99 us");
            ports.forEach((keys, name) -> {
                final long state = value("port_state", keys);
                long dropped = 0;
                double drops = 0;
                for (final String label : losses("port_", keys)) {
                    dropped += now.values().get(label);
                    drops += rate(label);
                }
                line("%-28s %-6s %,11.0f %8.3f %,11.0f %8.3f %,11d %,9.0f %,10.1f %,10.1f", cut(name),
                    state >= 0 && state < Metrics.STATES.length ? Metrics.STATES[(int) state] : "?",
                    rate("port_rx_packets{" + keys + "}"), rate("port_rx_bytes{" + keys + "}") * BITS / NS,
                    rate("port_tx_packets{" + keys + "}"), rate("port_tx_bytes{" + keys + "}") * BITS / NS, dropped,
                    drops, value("port_latency_ns", keys + ",over=\"1s\",quantile=\"0.5\"") / NS_PER_US,
                    value("port_latency_ns", keys + ",over=\"1s\",quantile=\"0.99\"") / NS_PER_US);
            });
            for (final String label : losses("fabric_", "")) {
                if (now.values().get(label) != 0) {
                    line("%,20d %,12.0f/s %s", now.values().get(label), rate(label), label);
                }
            }
            return out.toString();
        }

        private void banks() {
            now.values().forEach((label, slots) -> {
                final Label parsed = Label.of(label);
                if (parsed.name().equals("slots")) {
                    line("bank %s: %,d slots, %,d/s while cells are under way, idle %.1f %%", parsed.value("bank"),
                        slots, value("slots_per_second", parsed.keys()), value("idle_ppm", parsed.keys()) / PER_CENT);
                }
            });
        }

        /** Labels of losses; of one port if keys are given. */
        private List<String> losses(final String group, final String keys) {
            final TreeSet<String> labels = new TreeSet<>();
            for (final String label : now.values().keySet()) {
                final Label parsed = Label.of(label);
                if (parsed.name().startsWith(group) && Metrics.isLoss(parsed)
                    && (keys.isEmpty() || parsed.keys().equals(keys))) {
                    labels.add(label);
                }
            }
            return List.copyOf(labels);
        }

        private long value(final String name, final String keys) {
            return now.values().getOrDefault(name + "{" + keys + "}", 0L);
        }

        private double rate(final String label) {
            final Long old = before == null ? null : before.values().get(label);
            return old == null || seconds <= 0 ? 0 : (now.values().getOrDefault(label, 0L) - old) / seconds;
        }

        private static String cut(final String text) {
            return text.length() <= NAME ? text : text.substring(0, NAME - 2) + "..";
        }

        private void line(final String format, final Object... values) {
            out.append(String.format(Locale.ROOT, format, values)).append('\n');
        }
    }
}
