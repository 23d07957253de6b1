package dev.skerry.tools.stat;

import dev.skerry.dataplane.counter.CounterView;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.port.FlowMeter.FlowCounter;
import dev.skerry.tools.stat.Snapshot.Metrics.Label;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The counters of all processes at one time. Immutable.
 *
 * @param takenNs   time of the snapshot by {@link System#nanoTime()}.
 * @param processes running processes, and those that ended shortly before.
 * @param stale     one line for each file of a process that was killed.
 */
public record Snapshot(long takenNs, List<Process> processes, List<String> stale) {
    private static final double NS = 1e9;
    private static final String RECEIVED = "flow_received_packets{";

    /**
     * A process.
     *
     * @param pid    process id.
     * @param name   name of the program, and the state of the process if it has ended.
     * @param values counter values by label.
     */
    public record Process(long pid, String name, Map<String, Long> values) {
    }

    /**
     * Reads all counter files in a folder.
     *
     * @throws IOException if the folder cannot be read.
     */
    public static Snapshot of(final Path folder) throws IOException {
        return new Reader(folder, 0).read();
    }

    /**
     * Reads the counter files in a folder repeatedly. It keeps the files open, so that the last values of a process are
     * available for some time after its end. Thread-safe.
     */
    static final class Reader {
        private final Path folder;
        private final double keptSeconds;
        private final Map<Path, CounterView> open = new TreeMap<>();
        /** For each file that has disappeared, the time at which this was first seen. */
        private final Map<Path, Long> goneNs = new HashMap<>();

        /**
         * Creates a reader.
         *
         * @param folder      folder of the counter files.
         * @param keptSeconds time for which a process is shown after its end.
         */
        Reader(final Path folder, final double keptSeconds) {
            this.folder = folder;
            this.keptSeconds = keptSeconds;
        }

        /** Reads all files. */
        synchronized Snapshot read() throws IOException {
            final long nowNs = System.nanoTime();
            final List<Process> processes = new ArrayList<>();
            final List<String> stale = new ArrayList<>();
            final Set<Path> ended = new TreeSet<>(open.keySet());
            for (final Path file : CounterView.files(folder)) {
                try {
                    final Optional<CounterView> view = CounterView.open(file);
                    ended.remove(file);
                    goneNs.remove(file);
                    open.remove(file);
                    if (view.isEmpty()) {
                        stale.add("no counters: " + file + ": it is incomplete; its process may be starting, "
                            + "otherwise remove it");
                    } else if (!view.get().isLive()) {
                        stale.add("stale: " + file + ": process " + view.get().pid() + " (" + view.get().name()
                            + ") has ended without removing it; remove it");
                    } else {
                        open.put(file, view.get());
                        processes.add(process(view.get(), ""));
                    }
                } catch (final NoSuchFileException e) {
                    // The process has ended since the folder was listed.
                    assert e != null;
                }
            }
            for (final Path file : ended) {
                goneNs.putIfAbsent(file, nowNs);
                if (nowNs - goneNs.get(file) <= keptSeconds * NS) {
                    processes.add(process(open.get(file), " (ended)"));
                } else {
                    open.remove(file);
                    goneNs.remove(file);
                }
            }
            stale.replaceAll(line -> line.replaceAll("\\p{Cntrl}", "?"));
            return new Snapshot(nowNs, processes, stale);
        }

        private static Process process(final CounterView view, final String state) {
            final Map<String, Long> values = new LinkedHashMap<>();
            view.forEach(values::put);
            lost(values);
            return new Process(view.pid(), view.name() + state, values);
        }
    }

    /** Adds the lost packets of each flow: packets sent, minus those received at the port that received most. */
    private static void lost(final Map<String, Long> values) {
        final Map<String, Label> most = new LinkedHashMap<>();
        values.forEach((label, received) -> {
            if (label.startsWith(RECEIVED)) {
                final Label parsed = Label.of(label);
                final Label other = most.get(parsed.sender());
                if (other == null || values.get(RECEIVED + other.keys() + "}") < received) {
                    most.put(parsed.sender(), parsed);
                }
            }
        });
        most.forEach((sender, to) -> {
            final Long sent = values.get("flow_sent_packets{" + sender + "}");
            if (sent != null) {
                values.put("flow_lost_packets{" + to.keys() + "}", Math.max(0, sent - values.get(RECEIVED + to.keys()
                    + "}")));
            }
        });
    }

    /**
     * Returns a table of every counter for a terminal.
     *
     * @param all    whether to include counters that are 0, and the buckets of histograms.
     * @param before previous snapshot, to show rates; null for none.
     */
    String table(final boolean all, final Snapshot before) {
        return lines(before, process -> process.counters(all));
    }

    /**
     * Returns a table for a terminal with one line per port. For processes without ports, it has every counter.
     *
     * @param before previous snapshot, to show rates; null for none.
     */
    String ports(final Snapshot before) {
        return lines(before, ProcessLines::brief);
    }

    private String lines(final Snapshot before, final Consumer<ProcessLines> content) {
        final StringBuilder out = new StringBuilder();
        for (final Process process : processes) {
            out.append("process ").append(process.pid).append(": ").append(process.name).append('\n');
            content.accept(before == null ? new ProcessLines(out, process, null, 0)
                : new ProcessLines(out, process, before.processes.stream().filter(other -> other.pid == process.pid)
                    .findFirst().orElse(null), (takenNs - before.takenNs) / NS));
        }
        if (processes.isEmpty()) {
            out.append("no dataplane is running\n");
        }
        stale.forEach(line -> out.append(line).append('\n'));
        return out.toString();
    }

    /** Returns a JSON object, followed by a line feed, with all counters and the labels of non-zero losses. */
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

    /**
     * Writes the lines of a process: either all of its counters; or a few lines for a run, and one line for each port,
     * bank and kind of loss. Not thread-safe.
     *
     * @param out     receives the lines.
     * @param now     the process.
     * @param before  the same process in the previous snapshot; null if it was not there.
     * @param seconds time since the previous snapshot; 0 if there is none.
     */
    private record ProcessLines(StringBuilder out, Process now, Process before, double seconds) {
        private static final double NS_PER_US = 1e3;
        private static final double BITS = 8;
        private static final double MILLION = 1e6;
        private static final double PER_CENT = 1e4;
        private static final int NAME = 28;
        private static final String FABRIC = "fabric_";

        void counters(final boolean all) {
            now.values.forEach((label, value) -> {
                if (all || value != 0 && !label.contains(Metrics.BUCKET)) {
                    line("%,20d %s %s", value, seconds == 0 ? "" : before == null || !before.values.containsKey(label)
                        ? " ".repeat(16) : String.format(Locale.ROOT, "%,14.0f/s", rate(label)), label);
                }
            });
        }

        /** Writes the lines of a run and its ports, or all counters if the process has neither. */
        void brief() {
            final int start = out.length();
            if (now.values.containsKey("run_slots")) {
                run();
            }
            final Map<String, String> ports = new LinkedHashMap<>();
            for (final String label : now.values.keySet()) {
                final Label parsed = Label.of(label);
                if (parsed.name().equals(Metrics.STATE)) {
                    ports.put(parsed.keys(), parsed.value("node") + " " + parsed.value("port"));
                }
            }
            if (!ports.isEmpty()) {
                ports(ports);
                flows();
            }
            if (out.length() == start) {
                counters(false);
            }
        }

        private void run() {
            final long limit = value("run_slot_limit");
            line("  slot %,d%s, %,d slots/s, %.4f cells per node and slot", value("run_slots"),
                limit > 0 ? String.format(Locale.ROOT, " of %,d", limit) : "", value("run_slots_per_second"),
                value("run_throughput_ppm") / MILLION);
            line("  %,d of %,d flows completed, %,d cells in the fabric", value("run_flows_completed"),
                value("run_flows"), value("run_cells_in_fabric"));
            if (now.values.containsKey("run_queued_cells{of=\"most\"}")) {
                line("  queued at a node: mean %,.1f, max %,d cells; latency p50 %,d, p99 %,d, max %,d slots",
                    value("run_queued_cells_ppm{of=\"mean\"}") / MILLION, value("run_queued_cells{of=\"most\"}"),
                    value("run_latency_slots{quantile=\"0.5\"}"), value("run_latency_slots{quantile=\"0.99\"}"),
                    value("run_latency_slots{quantile=\"1.0\"}"));
            }
            now.values.forEach((label, count) -> {
                if (label.startsWith(FABRIC) && count != 0) {
                    line("  %,d %s", count, label.substring(FABRIC.length()).replace('_', ' '));
                }
            });
        }

        private void ports(final Map<String, String> ports) {
            banks();
            line("%-28s %-6s %11s %8s %11s %8s %11s %9s %10s %10s", "port", "state", "in pps", "in Gb/s", "out pps",
                "out Gb/s", "dropped", "drops/s", "p50 us", "p99 us");
            ports.forEach((keys, name) -> {
                final long state = value("port_state", keys);
                long dropped = 0;
                double drops = 0;
                for (final String label : losses("port_", keys)) {
                    dropped += value(label);
                    drops += rate(label);
                }
                line("%-28s %-6s %,11.0f %8.3f %,11.0f %8.3f %,11d %,9.0f %,10.1f %,10.1f", cut(name),
                    state >= 0 && state < Metrics.STATES.length ? Metrics.STATES[(int) state] : "?",
                    rate("port_rx_packets{" + keys + "}"), rate("port_rx_bytes{" + keys + "}") * BITS / NS,
                    rate("port_tx_packets{" + keys + "}"), rate("port_tx_bytes{" + keys + "}") * BITS / NS, dropped,
                    drops, value("port_latency_ns", keys + ",over=\"1s\",quantile=\"0.5\"") / NS_PER_US,
                    value("port_latency_ns", keys + ",over=\"1s\",quantile=\"0.99\"") / NS_PER_US);
            });
            for (final String label : losses(FABRIC, "")) {
                if (value(label) != 0) {
                    line("%,20d %,12.0f/s %s", value(label), rate(label), label);
                }
            }
        }

        /** Writes one line for each flow that a generator received. */
        private void flows() {
            boolean isFirst = true;
            for (final String label : now.values.keySet()) {
                final Label parsed = Label.of(label);
                if (parsed.name().equals("flow_received_packets")) {
                    if (isFirst) {
                        line("%-28s %13s %13s %11s %9s %9s %9s %9s %10s %10s", "flow", "sent", "received",
                            "received/s", "lost", "reordered", "twice", "damaged", "p50 us", "p99 us");
                        isFirst = false;
                    }
                    final String keys = parsed.keys();
                    line("%-28s %,13d %,13d %,11.0f %,9d %,9d %,9d %,9d %,10.1f %,10.1f",
                        cut(parsed.value("from") + " -> " + parsed.value("to") + " flow " + parsed.value("flow")),
                        value("flow_sent_packets", parsed.sender()), value(label), rate(label),
                        value("flow_lost_packets", keys), value("flow_reordered_packets", keys),
                        value("flow_duplicates_packets", keys), value("flow_damaged_packets", keys),
                        value("flow_latency_ns", keys + ",quantile=\"0.5\"") / NS_PER_US,
                        value("flow_latency_ns", keys + ",quantile=\"0.99\"") / NS_PER_US);
                }
            }
        }

        private void banks() {
            now.values.forEach((label, slots) -> {
                final Label parsed = Label.of(label);
                if (parsed.name().equals("slots")) {
                    line("bank %s: %,d slots, %,d/s while cells are in flight, idle %.1f %%", parsed.value("bank"),
                        slots, value("slots_per_second", parsed.keys()), value("idle_ppm", parsed.keys()) / PER_CENT);
                }
            });
        }

        /** Returns the labels of losses; only those of one port if keys are given. */
        private Set<String> losses(final String group, final String keys) {
            final Set<String> labels = new TreeSet<>();
            for (final String label : now.values.keySet()) {
                final Label parsed = Label.of(label);
                if (parsed.name().startsWith(group) && Metrics.isLoss(parsed)
                    && (keys.isEmpty() || parsed.keys().equals(keys))) {
                    labels.add(label);
                }
            }
            return labels;
        }

        private long value(final String name, final String keys) {
            return value(name + "{" + keys + "}");
        }

        private long value(final String label) {
            return now.values.getOrDefault(label, 0L);
        }

        private double rate(final String label) {
            final Long old = before == null ? null : before.values.get(label);
            return old == null || seconds <= 0 ? 0 : (value(label) - old) / seconds;
        }

        private static String cut(final String text) {
            return text.length() <= NAME ? text : text.substring(0, NAME - 2) + "..";
        }

        private void line(final String format, final Object... values) {
            out.append(String.format(Locale.ROOT, format, values)).append('\n');
        }
    }

    /**
     * The metrics of all counters that a dataplane writes, by the name of the counter. All drops and losses at one
     * place share a metric, with the reason as a key. Immutable.
     */
    static final class Metrics {
        /** States of a port; the index is the value in the file. */
        static final String[] STATES = {"down", "up", "failed"};
        /** Counter with the state of a port. */
        static final String STATE = "port_state";
        /** Suffix of the buckets of a histogram. The key {@code le} is the upper bound of a bucket in ns. */
        static final String BUCKET = "_latency_bucket";
        /** Suffix of the sum of all durations in a histogram, in ns. */
        static final String SUM = "_latency_sum_ns";

        private static final String PREFIX = "skerry_";
        private static final String TOTAL = "_total";
        private static final String DROPPED = "dropped_";
        /** Prefix of the names of counters of banks. */
        private static final String OF_BANK = "bank ";
        private static final double NS = 1e9;
        private static final double MILLION = 1e6;
        private static final Map<String, Metric> BY_NAME = new HashMap<>();

        static {
            for (final EdgeCounter counter : EdgeCounter.values()) {
                put("port_", counter, counter.sentence(), counter.isDrop() ? "port_dropped_packets" : "",
                    "packets accepted from a port, or rejected by it, that were not delivered, by reason");
            }
            for (final PortCounter counter : PortCounter.values()) {
                if (!BY_NAME.containsKey("port_" + lower(counter))) {
                    final boolean isLoss = lower(counter).contains(DROPPED) || counter == PortCounter.RX_LEFT
                        || counter == PortCounter.TX_LEFT;
                    put("port_", counter, counter.sentence(), isLoss ? "port_dropped_packets" : "",
                        "packets accepted from a port, or rejected by it, that were not delivered, by reason");
                }
            }
            for (final PacketCounter counter : PacketCounter.values()) {
                put(OF_BANK + "fabric_", counter, counter.sentence(), counter.isDrop() ? "edge_dropped_cells"
                    : counter.isLoss() ? "edge_lost_packets" : "", counter.isDrop()
                    ? "cells that arrived but could not be assembled into packets, by reason"
                    : "packets lost between their ports, by reason");
            }
            for (final NicCounter counter : NicCounter.values()) {
                put("fabric_", counter, counter.sentence(), counter.isDrop() ? "fabric_dropped_cells" : "",
                    "cells that the fabric lost, by reason");
            }
            total("slots", "slots", "slots that a bank has done");
            total("port_dropped_for", "port_dropped_to_packets",
                "packets dropped because their destination already occupies its share of the port's cells, by "
                    + "destination");
            gauge("slots_per_second", "slots_per_second", "slots per second of a bank while it has cells in flight", 1);
            gauge("idle_ppm", "idle_ratio", "share of the time in which a bank had nothing to do", MILLION);
            gauge("port_queue_cells", "port_queue_cells",
                "cells waiting at a port; in: to enter the fabric; out: to leave through the port", 1);
            ofRuns();
            gauge("port_held_cells", "port_held_cells",
                "cells in flight of a port's packets, by destination, from segmentation to delivery", 1);
            gauge("port_latency_ns", "port_latency_recent_seconds", "percentiles of the time in the fabric of "
                + "packets to a port, over a period or since the start", NS);
            gauge("build_info", "build_info", "version of the program and of its JVM", 1);
            add(STATE, new Metric(PREFIX + STATE, Metric.Kind.STATE, "state of a port: 1 for the present one", "", 1));
            final Metric latency = new Metric(PREFIX + "port_latency_seconds", Metric.Kind.HISTOGRAM,
                "time in the fabric of packets handed to a port", "", NS);
            add("port" + BUCKET, latency);
            add("port" + SUM, latency);
            ofFlows();
        }

        private static void ofFlows() {
            total("flow_sent_packets", "flow_sent_packets", "packets that a generator sent in a flow");
            for (final FlowCounter counter : FlowCounter.values()) {
                final String name = "flow_" + lower(counter) + "_packets";
                total(name, name, counter.sentence());
            }
            gauge("flow_lost_packets", "flow_lost_packets", "packets of a flow that were sent and have not arrived "
                + "undamaged; until the end also those in flight", 1);
            gauge("flow_latency_ns", "flow_latency_quantile_seconds", "quantiles of the latency of a flow's packets "
                + "since the start", NS);
            final Metric latency = new Metric(PREFIX + "flow_latency_seconds", Metric.Kind.HISTOGRAM,
                "time from the generator that sends a packet to the one that receives it", "", NS);
            add("flow" + BUCKET, latency);
            add("flow" + SUM, latency);
        }

        private static void ofRuns() {
            total("run_slots", "run_slots", "slots that a run has done");
            total("run_cells_delivered", "run_cells_delivered", "cells that a run has delivered");
            total("run_flows_completed", "run_flows_completed", "flows of a run whose last cell has arrived");
            gauge("run_cells_in_fabric", "run_cells_in_fabric", "cells sent and not delivered yet", 1);
            gauge("run_slots_per_second", "run_slots_per_second", "slots per second of a run", 1);
            gauge("run_throughput_ppm", "run_throughput_ratio",
                "cells delivered per node and slot since the last sample", MILLION);
            gauge("run_slot_limit", "run_slot_limit", "number of slots of a run; 0 if it ends with its flows", 1);
            gauge("run_flows", "run_flows", "flows of a run", 1);
            gauge("run_endpoints", "run_endpoints", "nodes at which flows can begin and end", 1);
            gauge("run_latency_slots", "run_latency_slots", "quantiles of the latency of cells so far, in slots", 1);
            gauge("run_queued_cells", "run_queued_cells", "cells that wait at one node", 1);
            gauge("run_queued_cells_ppm", "run_queued_cells_mean", "mean number of cells that wait at a node", MILLION);
        }

        private static void total(final String counter, final String name, final String help) {
            add(counter, Metric.counter(PREFIX + name + TOTAL, help, ""));
        }

        private static void gauge(final String counter, final String name, final String help, final double divisor) {
            add(counter, Metric.gauge(PREFIX + name, help, divisor));
        }

        private Metrics() {
        }

        /**
         * Returns the metric of a counter. An unknown counter is a gauge if its name ends in {@code _ns}, otherwise a
         * counter.
         */
        static Metric of(final Label label) {
            final String counter = label.name();
            // Counters of banks and of the fabric may have the same name.
            final Metric ofBank = label.keys().startsWith("bank=") ? BY_NAME.get(OF_BANK + counter) : null;
            final Metric metric = ofBank != null ? ofBank : BY_NAME.get(counter);
            if (metric != null) {
                return metric;
            }
            final String help = counter.replace('_', ' ');
            return counter.endsWith("_ns")
                ? Metric.gauge(PREFIX + counter.substring(0, counter.length() - 3) + "_seconds", help, NS)
                : Metric.counter(PREFIX + counter + TOTAL, help, "");
        }

        /** Tells whether a counter counts drops or losses. */
        static boolean isLoss(final Label label) {
            return of(label).keys().startsWith("reason=");
        }

        private static void put(final String group, final Enum<?> counter, final String sentence, final String losses,
            final String lossHelp) {
            final String name = lower(counter);
            add(group + name, losses.isEmpty()
                ? Metric.counter(PREFIX + group.replace(OF_BANK, "") + name + TOTAL, sentence, "")
                : Metric.counter(PREFIX + losses + TOTAL, lossHelp,
                    "reason=\"" + name.replace(DROPPED, "").replaceFirst("^packets_", "") + "\""));
        }

        private static void add(final String counter, final Metric metric) {
            BY_NAME.put(counter, metric);
        }

        private static String lower(final Enum<?> counter) {
            return counter.name().toLowerCase(Locale.ROOT);
        }

        /**
         * The Prometheus metric of a counter. Immutable.
         *
         * @param name    name of the metric according to the conventions of Prometheus: with base units, and {@code
         *     _total} for values that only increase.
         * @param kind    type of the metric.
         * @param help    one sentence.
         * @param keys    additional keys of the metric, for example {@code reason="too_long"}; may be empty.
         * @param divisor divisor that converts the value in the file to the unit of the metric.
         */
        record Metric(String name, Kind kind, String help, String keys, double divisor) {
            /** Types of metrics. {@link #STATE} is a gauge for each state, with the value 1 for the current state. */
            enum Kind {
                COUNTER, GAUGE, HISTOGRAM, STATE
            }

            static Metric counter(final String name, final String help, final String keys) {
                return new Metric(name, Kind.COUNTER, help, keys, 1);
            }

            static Metric gauge(final String name, final String help, final double divisor) {
                return new Metric(name, Kind.GAUGE, help, "", divisor);
            }
        }

        /**
         * The label of a counter in its file, {@code name} or {@code name{key="value",...}}. Immutable.
         *
         * @param name name of the counter.
         * @param keys text between the braces; empty if there are none.
         */
        record Label(String name, String keys) {
            /** Splits a label at its braces. */
            static Label of(final String text) {
                final int brace = text.indexOf('{');
                return brace < 0 || !text.endsWith("}") ? new Label(text, "")
                    : new Label(text.substring(0, brace), text.substring(brace + 1, text.length() - 1));
            }

            /** Returns the keys of a received flow without that of its receiver, which is the last one. */
            String sender() {
                return keys.substring(0, keys.lastIndexOf(",to="));
            }

            /** Returns the value of a key, unquoted and unescaped; empty if the key is absent. */
            String value(final String key) {
                final String start = key + "=\"";
                int at = keys.startsWith(start) ? start.length() : keys.indexOf("," + start) + start.length() + 1;
                if (at <= start.length() && !keys.startsWith(start)) {
                    return "";
                }
                final StringBuilder value = new StringBuilder();
                for (; at < keys.length() && keys.charAt(at) != '"'; at++) {
                    at += keys.charAt(at) == '\\' ? 1 : 0;
                    value.append(at < keys.length() ? keys.charAt(at) : "");
                }
                return value.toString();
            }

            /** Returns the keys for Prometheus: the pid and the keys of the label, except for one of them. */
            String keysWith(final long pid, final String without) {
                final String value = without.isEmpty() ? "" : without + "=\"" + value(without) + "\"";
                final String kept = value.isEmpty() ? keys : keys.replace("," + value, "").replace(value, "");
                return "pid=\"" + pid + "\"" + (kept.isEmpty() ? "" : "," + kept);
            }
        }
    }
}
