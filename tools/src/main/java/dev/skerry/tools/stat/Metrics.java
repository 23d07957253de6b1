package dev.skerry.tools.stat;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.packet.PacketCounter;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The metrics of all counters that a dataplane writes, by the name of the counter. What is dropped or lost has one
 * metric for each place, and the reason is a key of it. Immutable.
 */
final class Metrics {
    /** States of a port, by the value in the file. */
    static final String[] STATES = {"down", "up", "failed"};
    /** Counter of a port's state. */
    static final String STATE = "port_state";
    /** Counters of a histogram's buckets; the key {@code le} says where one ends, in ns. */
    static final String BUCKET = "port_latency_bucket";
    /** Sum of all durations of a histogram, in ns. */
    static final String SUM = "port_latency_sum_ns";

    private static final String PREFIX = "skerry_";
    private static final String TOTAL = "_total";
    private static final String DROPPED = "dropped_";
    /** Stands before names of counters that each bank has. */
    private static final String OF_BANK = "bank ";
    private static final double NS = 1e9;
    private static final double MILLION = 1e6;
    private static final Map<String, Metric> BY_NAME = new HashMap<>();

    static {
        for (final EdgeCounter counter : EdgeCounter.values()) {
            put("port_", counter, counter.sentence(), counter.isDrop() ? "port_dropped_packets" : "",
                "packets taken from a port, or refused by it, that nobody got, by reason");
        }
        for (final PortCounter counter : PortCounter.values()) {
            if (!BY_NAME.containsKey("port_" + lower(counter))) {
                final boolean isLoss = lower(counter).contains(DROPPED) || counter == PortCounter.RX_LEFT
                    || counter == PortCounter.TX_LEFT;
                put("port_", counter, counter.sentence(), isLoss ? "port_dropped_packets" : "",
                    "packets taken from a port, or refused by it, that nobody got, by reason");
            }
        }
        for (final PacketCounter counter : PacketCounter.values()) {
            put(OF_BANK + "fabric_", counter, counter.sentence(), counter.isDrop() ? "edge_dropped_cells"
                : counter.isLoss() ? "edge_lost_packets" : "", counter.isDrop()
                ? "cells that arrived and could not be part of a packet, by reason"
                : "packets lost between their ports, by reason");
        }
        for (final NicCounter counter : NicCounter.values()) {
            put("fabric_", counter, counter.sentence(), counter.isDrop() ? "fabric_dropped_cells" : "",
                "cells that the fabric lost, by reason");
        }
        add("slots", Metric.counter(PREFIX + "slots" + TOTAL, "slots that a bank has done", ""));
        add("port_dropped_for", Metric.counter(PREFIX + "port_dropped_to_packets" + TOTAL,
            "packets dropped as their destination has its share of the port's cells, by destination", ""));
        add("slots_per_second", Metric.gauge(PREFIX + "slots_per_second",
            "slots a second of a bank while it has cells under way", 1));
        add("idle_ppm", Metric.gauge(PREFIX + "idle_ratio", "share of the time in which a bank had nothing to do",
            MILLION));
        add("port_queue_cells", Metric.gauge(PREFIX + "port_queue_cells",
            "cells at a port: in, they wait to enter the fabric; out, they have arrived and wait for the port", 1));
        ofRuns();
        add("port_held_cells", Metric.gauge(PREFIX + "port_held_cells",
            "cells of a port's packets that are under way, by destination, from cut to handed over", 1));
        add("port_latency_ns", Metric.gauge(PREFIX + "port_latency_recent_seconds",
            "time in the fabric that a percentage of packets to a port did not exceed, over a time or since the start",
            NS));
        add("build_info", Metric.gauge(PREFIX + "build_info", "version of the program and of its JVM", 1));
        add(STATE, new Metric(PREFIX + STATE, Metric.Kind.STATE, "state of a port: 1 for the present one", "", 1));
        final Metric latency = new Metric(PREFIX + "port_latency_seconds", Metric.Kind.HISTOGRAM,
            "time in the fabric of packets handed to a port", "", NS);
        add(BUCKET, latency);
        add(SUM, latency);
    }

    private static void ofRuns() {
        add("run_slots", Metric.counter(PREFIX + "run_slots" + TOTAL, "slots that a run has done", ""));
        add("run_cells_delivered", Metric.counter(PREFIX + "run_cells_delivered" + TOTAL,
            "cells that a run has delivered", ""));
        add("run_flows_completed", Metric.counter(PREFIX + "run_flows_completed" + TOTAL,
            "flows of a run whose last cell has arrived", ""));
        add("run_cells_in_fabric", Metric.gauge(PREFIX + "run_cells_in_fabric", "cells sent and not delivered yet", 1));
        add("run_slots_per_second", Metric.gauge(PREFIX + "run_slots_per_second", "slots a second of a run", 1));
        add("run_throughput_ppm", Metric.gauge(PREFIX + "run_throughput_ratio",
            "cells delivered to a node in a slot, since the last look", MILLION));
        add("run_slot_limit", Metric.gauge(PREFIX + "run_slot_limit", "slots that a run has in all, 0 if flows end it",
            1));
        add("run_flows", Metric.gauge(PREFIX + "run_flows", "flows of a run", 1));
        add("run_endpoints", Metric.gauge(PREFIX + "run_endpoints", "nodes that flows begin and end at", 1));
        add("run_latency_slots", Metric.gauge(PREFIX + "run_latency_slots",
            "slots that a share of the cells did not exceed so far", 1));
        add("run_queued_cells", Metric.gauge(PREFIX + "run_queued_cells", "cells that wait at one node", 1));
        add("run_queued_cells_ppm", Metric.gauge(PREFIX + "run_queued_cells_mean", "mean of cells that wait at a node",
            MILLION));
    }

    private Metrics() {
    }

    /** The metric of a counter; one of a name that is not known is a counter, or a gauge if it is a duration. */
    static Metric of(final Label label) {
        final String counter = label.name();
        // Banks and the fabric count duplicates, each its own.
        final Metric ofBank = label.keys().startsWith("bank=") ? BY_NAME.get(OF_BANK + counter) : null;
        final Metric metric = ofBank != null ? ofBank : BY_NAME.get(counter);
        if (metric != null) {
            return metric;
        }
        final String help = counter.replace('_', ' ');
        return counter.endsWith("_ns") ? Metric.gauge(PREFIX + counter.substring(0, counter.length() - 3) + "_seconds",
            help, NS) : Metric.counter(PREFIX + counter + TOTAL, help, "");
    }

    /** Whether a counter counts what is dropped or lost. */
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
     * How Prometheus gets a counter of a file. Immutable.
     *
     * @param name    name of the metric, as Prometheus's rules want it: base units, and {@code _total} for what only
     * grows.
     * @param kind    its type.
     * @param help    one sentence.
     * @param keys    keys of the metric besides those of the counter, for example {@code reason="too_long"}; or empty.
     * @param divisor what the value in the file is divided by to get the metric's unit.
     */
    record Metric(String name, Kind kind, String help, String keys, double divisor) {
        /** Types of metrics. {@link #STATE} is a gauge for each state, 1 for the present one. */
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
     * @param name what is counted.
     * @param keys all between the braces, as it stands there; empty without braces.
     */
    record Label(String name, String keys) {
        /** Splits a label at its braces. */
        static Label of(final String text) {
            final int brace = text.indexOf('{');
            return brace < 0 || !text.endsWith("}") ? new Label(text, "")
                : new Label(text.substring(0, brace), text.substring(brace + 1, text.length() - 1));
        }

        /** The value of a key, without its quotes and with characters as they were; empty if it has no such key. */
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

        /** The keys that Prometheus gets: those of a process and of the label, without one of them. */
        String keysWith(final long pid, final String without) {
            final String value = without.isEmpty() ? "" : without + "=\"" + value(without) + "\"";
            final String kept = value.isEmpty() ? keys : keys.replace("," + value, "").replace(value, "");
            return "pid=\"" + pid + "\"" + (kept.isEmpty() ? "" : "," + kept);
        }
    }
}
