package dev.skerry.tools.stat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** A process in a few lines: one a port, one a bank, and one for each thing that the fabric lost. One thread. */
final class PortTable {
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
                rate("port_tx_packets{" + keys + "}"), rate("port_tx_bytes{" + keys + "}") * BITS / NS, dropped, drops,
                value("port_latency_ns", keys + ",over=\"1s\",quantile=\"0.5\"") / NS_PER_US,
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
                line("bank %s: %,d slots, %,d/s while cells are under way, idle %.1f %%", parsed.value("bank"), slots,
                    value("slots_per_second", parsed.keys()), value("idle_ppm", parsed.keys()) / PER_CENT);
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
