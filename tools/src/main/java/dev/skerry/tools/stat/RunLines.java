package dev.skerry.tools.stat;

import java.util.Locale;

/** A run that publishes counters, in a few lines. Pure function; any thread. */
final class RunLines {
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
