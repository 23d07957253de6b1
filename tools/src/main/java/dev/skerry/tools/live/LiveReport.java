package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgeCounts;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.port.generator.FlowReport;
import dev.skerry.tools.port.generator.GeneratorReport;
import dev.skerry.tools.report.Json;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The final report, as a table for a terminal or as JSON. */
final class LiveReport {
    private final LiveResult result;
    private final StringBuilder out = new StringBuilder(4096);

    private LiveReport(final LiveResult result) {
        this.result = result;
    }

    /** The table, ended by a line feed. */
    static String text(final LiveResult result) {
        final LiveReport report = new LiveReport(result);
        report.heading();
        report.ports();
        report.generators();
        report.drops();
        return report.out.toString();
    }

    private void heading() {
        final double seconds = Math.max(result.seconds(), 1e-9);
        line("%s", result.headline());
        line("%.2f s, %,d slots (%,.0f/s), %,d cells delivered (%,.0f/s)", result.seconds(), result.slots(),
            result.slots() / seconds, result.cells(), result.cells() / seconds);
        line("");
    }

    private void ports() {
        line("%-26s %13s %15s %13s %15s %9s", "port", "packets in", "bytes in", "packets out", "bytes out", "dropped");
        long in = 0;
        long out1 = 0;
        for (int port = 0; port < result.ports().size(); port++) {
            final EdgeCounts counts = result.edges().counts(port);
            line("%-26s %,13d %,15d %,13d %,15d %,9d", name(port), counts.get(EdgeCounter.RX_PACKETS),
                counts.get(EdgeCounter.RX_BYTES), counts.get(EdgeCounter.TX_PACKETS),
                counts.get(EdgeCounter.TX_BYTES), counts.dropped());
            in += counts.get(EdgeCounter.RX_PACKETS);
            out1 += counts.get(EdgeCounter.TX_PACKETS);
        }
        final double seconds = Math.max(result.seconds(), 1e-9);
        line("%-26s %,13d %15s %,13d", "all", in, "", out1);
        line("%-26s %,13.0f %15s %,13.0f", "packets a second", in / seconds, "", out1 / seconds);
        line("");
        line("%s", LatencyReport.heading("time in the fabric"));
        for (int port = 0; port < result.ports().size(); port++) {
            latency("to " + name(port), result.latencyNs(port));
        }
        latency("to all", result.latencyNs());
        latency("to all, last minute", result.latency().lastMinute());
        latency("to all, last second", result.latency().lastSecond());
        line("");
    }

    private void latency(final String name, final Histogram histogram) {
        final String text = LatencyReport.line(name, histogram);
        if (!text.isEmpty()) {
            line("%s", text);
        }
    }

    private void generators() {
        boolean some = false;
        for (int port = 0; port < result.ports().size(); port++) {
            final GeneratorReport report = result.generator(port);
            if (report != null) {
                if (!some) {
                    line("%-21s %12s %12s %9s %9s %9s %9s", "generators", "sent", "received", "lost", "reordered",
                        "twice", "damaged");
                }
                some = true;
                final FlowReport.Counts counts = report.total();
                line("%-21s %,12d %,12d %,9d %,9d %,9d %,9d", cut(name(port), 21), report.sent(), counts.received(),
                    counts.lost(), counts.reordered(), counts.duplicates(), counts.damaged());
            }
        }
        if (some) {
            line("");
        }
    }

    private void drops() {
        for (int port = 0; port < result.ports().size(); port++) {
            for (final EdgeCounter counter : EdgeCounter.values()) {
                final long count = result.edges().counts(port).get(counter);
                if (count > 0 && (counter.isDrop() || counter == EdgeCounter.FLOODED || counter == EdgeCounter.COPIES
                    || counter == EdgeCounter.WAITS || counter == EdgeCounter.SET_ASIDE)) {
                    line("%-21s %,13d %s", cut(name(port), 21), count, counter.sentence());
                    if (counter == EdgeCounter.DROPPED_DESTINATION_FULL) {
                        droppedFor(port);
                    }
                }
            }
        }
        for (int port = 0; port < result.ports().size(); port++) {
            final PortCounts counts = result.edges().port(port).port().counts();
            for (final PortCounter counter : LiveCounters.OF_PEERS) {
                // One connection and one disconnection are normal.
                final boolean isLink = counter == PortCounter.LINKS_UP || counter == PortCounter.LINKS_DOWN;
                if (counts.get(counter) > (isLink ? 1 : 0)) {
                    line("%-21s %,13d %s", cut(name(port), 21), counts.get(counter), counter.sentence());
                }
            }
        }
        for (int port = 0; port < result.ports().size(); port++) {
            if (!result.failures().get(port).isEmpty()) {
                line("%-21s %13s: %s", cut(name(port), 21), "failed", result.failures().get(port));
            }
        }
        for (final PacketCounter counter : PacketCounter.values()) {
            final long count = result.edges().count(counter);
            if (count > 0 && (counter.isDrop() || counter.compareTo(PacketCounter.PACKETS_RESET) >= 0)) {
                line("%-21s %,13d %s", "fabric", count, counter.sentence());
            }
        }
        result.counted().forEach((counter, count) -> {
            if (count > 0 && counter != NicCounter.CONTROL_BYTES) {
                line("%-21s %,13d %s", "fabric", count, counter.sentence());
            }
        });
        if (result.counted().get(NicCounter.CONTROL_BYTES) > 0) {
            line("%-21s %,13d %s, %.2f %% of all links", "fabric",
                result.counted().get(NicCounter.CONTROL_BYTES), NicCounter.CONTROL_BYTES.sentence(),
                100 * result.control());
        }
        line("packets in + copies = packets out + dropped + lost + %,d held: %s", result.held(),
            result.violation().isEmpty() ? "yes" : "NO, " + result.violation());
    }

    private void droppedFor(final int port) {
        for (int to = 0; to < result.ports().size(); to++) {
            final long count = result.edges().counts(port).droppedFor(to);
            if (count > 0) {
                line("%-21s %,13d of them to %s", "", count, name(to));
            }
        }
    }

    private String name(final int port) {
        final PortChoice choice = result.ports().get(port).choice();
        return cut(choice.place() + " " + choice.shown(), 26);
    }

    private static String cut(final String text, final int most) {
        return text.length() <= most ? text : text.substring(0, most - 2) + "..";
    }

    private void line(final String format, final Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** The report as one JSON object, ended by a line feed. */
    static String json(final LiveResult result) {
        final List<String> ports = new ArrayList<>();
        for (int port = 0; port < result.ports().size(); port++) {
            final List<String> fields = new ArrayList<>();
            fields.add("\"node\": " + result.ports().get(port).choice().node());
            if (result.ports().get(port).choice().place().number() > 0) {
                fields.add("\"place\": " + Json.quoted(result.ports().get(port).choice().place().toString()));
            }
            fields.add("\"port\": " + Json.quoted(result.ports().get(port).choice().shown()));
            for (final EdgeCounter counter : EdgeCounter.values()) {
                fields.add(Json.quoted(LiveCounters.nameOf(counter)) + ": " + result.edges().counts(port).get(counter));
            }
            for (final PortCounter counter : LiveCounters.OF_PEERS) {
                fields.add(Json.quoted(LiveCounters.nameOf(counter)) + ": "
                    + result.edges().port(port).port().counts().get(counter));
            }
            failure(result, port, fields);
            fields.add("\"dropped_for\": {" + droppedForJson(result, port) + "}");
            fields.add("\"latencyNs\": " + LatencyReport.json(result.latencyNs(port)));
            fields.add("\"latencyLastMinuteNs\": " + LatencyReport.json(result.latency().lastMinute(port)));
            fields.add("\"latencyLastSecondNs\": " + LatencyReport.json(result.latency().lastSecond(port)));
            final GeneratorReport report = result.generator(port);
            if (report != null) {
                fields.add(String.format(Locale.ROOT, "\"generator\": {\"sent\": %d, \"received\": %d, \"lost\": %d, "
                    + "\"reordered\": %d, \"duplicates\": %d, \"damaged\": %d, \"foreign\": %d}", report.sent(),
                    report.total().received(), report.total().lost(), report.total().reordered(),
                    report.total().duplicates(), report.total().damaged(), report.foreign()));
            }
            ports.add("    {" + String.join(", ", fields) + "}");
        }
        final List<String> fabric = new ArrayList<>();
        for (final PacketCounter counter : PacketCounter.values()) {
            fabric.add(Json.quoted(LiveCounters.nameOf(counter)) + ": " + result.edges().count(counter));
        }
        final String cells = result.counted().entrySet().stream()
            .map(count -> Json.quoted(LiveCounters.nameOf(count.getKey())) + ": " + count.getValue())
            .collect(Collectors.joining(", "));
        return "{\n  \"schema\": 1,\n  \"fabric\": " + Json.quoted(result.headline())
            + ",\n  \"seconds\": " + result.seconds()
            + ",\n  \"slots\": " + result.slots() + ",\n  \"cellsDelivered\": " + result.cells()
            + ",\n  \"cellsLost\": " + result.lost() + ",\n  \"packetsHeld\": " + result.held()
            + ",\n  \"conserved\": " + result.violation().isEmpty()
            + ",\n  \"latencyNs\": " + LatencyReport.json(result.latencyNs())
            + ",\n  \"latencyLastMinuteNs\": " + LatencyReport.json(result.latency().lastMinute())
            + ",\n  \"latencyLastSecondNs\": " + LatencyReport.json(result.latency().lastSecond())
            + ",\n  \"latencySeconds\": " + LatencyReport.seconds(result.latency())
            + ",\n  \"counters\": {" + cells + ", \"control_share\": " + result.control() + "}"
            + ",\n  \"ports\": [\n" + String.join(",\n", ports) + "\n  ],\n  \"packets\": {"
            + String.join(", ", fabric) + "}\n}\n";
    }

    private static void failure(final LiveResult result, final int port, final List<String> fields) {
        if (!result.failures().get(port).isEmpty()) {
            fields.add("\"failure\": " + Json.quoted(result.failures().get(port)));
        }
    }

    private static String droppedForJson(final LiveResult result, final int port) {
        return IntStream.range(0, result.ports().size()).filter(to -> result.edges().counts(port).droppedFor(to) > 0)
            .mapToObj(to -> "\"" + result.ports().get(to).choice().place() + "\": "
                + result.edges().counts(port).droppedFor(to))
            .collect(Collectors.joining(", "));
    }
}
