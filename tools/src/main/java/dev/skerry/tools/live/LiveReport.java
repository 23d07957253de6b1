package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgeCounts;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorReport.FlowReport;
import dev.skerry.tools.port.generator.GeneratorReport;
import dev.skerry.tools.report.Json;
import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The final report, as a table for a terminal or as JSON. */
final class LiveReport {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final double NS_PER_US = 1e3;

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
        line("%-25s %5s %9s %9s %9s %9s", "time in the fabric, us", "p50", "p90", "p99", "p99.9", "max");
        for (int port = 0; port < result.ports().size(); port++) {
            latency("to " + name(port), result.latencyNs(port));
        }
        latency("to all", result.latencyNs());
        latency("to all, last minute", result.latency().lastMinute());
        latency("to all, last second", result.latency().lastSecond());
        line("");
    }

    private void latency(final String name, final Histogram histogram) {
        if (histogram.getTotalCount() > 0) {
            final StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%-21s", cut(name, 21)));
            for (final double percentile : PERCENTILES) {
                text.append(String.format(Locale.ROOT, " %,9.1f",
                    histogram.getValueAtPercentile(percentile) / NS_PER_US));
            }
            line("%s %,9.1f", text, histogram.getMaxValue() / NS_PER_US);
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
        final Json json = Json.document()
            .put("fabric", result.headline())
            .put("seconds", result.seconds())
            .put("slots", result.slots())
            .put("cellsDelivered", result.cells())
            .put("cellsLost", result.lost())
            .put("packetsHeld", result.held())
            .put("conserved", result.violation().isEmpty());
        latency(json, "latencyNs", result.latencyNs());
        latency(json, "latencyLastMinuteNs", result.latency().lastMinute());
        latency(json, "latencyLastSecondNs", result.latency().lastSecond());
        json.open("latencySeconds", '[');
        for (final LatencyLog.OfSecond second : result.latency().seconds()) {
            latency(json.open(null, '{').put("second", second.number()), "latencyNs", second.latency()).close('}');
        }
        json.close(']').open("counters", '{');
        result.counted().forEach((counter, count) -> json.put(LiveCounters.nameOf(counter), count));
        json.put("control_share", result.control()).close('}').open("ports", '[');
        for (int port = 0; port < result.ports().size(); port++) {
            port(result, port, json);
        }
        json.close(']').open("packets", '{');
        for (final PacketCounter counter : PacketCounter.values()) {
            json.put(LiveCounters.nameOf(counter), result.edges().count(counter));
        }
        return json.close('}').close('}').toString();
    }

    private static void port(final LiveResult result, final int port, final Json json) {
        final PortChoice choice = result.ports().get(port).choice();
        final EdgeCounts counts = result.edges().counts(port);
        json.open(null, '{').put("node", choice.node());
        if (choice.place().number() > 0) {
            json.put("place", choice.place().toString());
        }
        json.put("port", choice.shown());
        for (final EdgeCounter counter : EdgeCounter.values()) {
            json.put(LiveCounters.nameOf(counter), counts.get(counter));
        }
        for (final PortCounter counter : LiveCounters.OF_PEERS) {
            json.put(LiveCounters.nameOf(counter), result.edges().port(port).port().counts().get(counter));
        }
        if (!result.failures().get(port).isEmpty()) {
            json.put("failure", result.failures().get(port));
        }
        json.open("dropped_for", '{');
        for (int to = 0; to < result.ports().size(); to++) {
            if (counts.droppedFor(to) > 0) {
                json.put(result.ports().get(to).choice().place().toString(), counts.droppedFor(to));
            }
        }
        json.close('}');
        latency(json, "latencyNs", result.latencyNs(port));
        latency(json, "latencyLastMinuteNs", result.latency().lastMinute(port));
        latency(json, "latencyLastSecondNs", result.latency().lastSecond(port));
        final GeneratorReport report = result.generator(port);
        if (report != null) {
            final FlowReport.Counts total = report.total();
            json.open("generator", '{').put("sent", report.sent()).put("received", total.received())
                .put("lost", total.lost()).put("reordered", total.reordered()).put("duplicates", total.duplicates())
                .put("damaged", total.damaged()).put("foreign", report.foreign()).close('}');
        }
        json.close('}');
    }

    private static Json latency(final Json json, final String name, final Histogram histogram) {
        json.open(name, '{').put("count", histogram.getTotalCount());
        for (final double percentile : PERCENTILES) {
            json.put("p" + (percentile == (int) percentile ? Integer.toString((int) percentile) : percentile),
                histogram.getValueAtPercentile(percentile));
        }
        return json.put("max", histogram.getMaxValue()).close('}');
    }

    /**
     * Result of one run of {@code skerry live}.
     *
     * @param headline  fabric and engine.
     * @param ports     ports in the order of the command line.
     * @param edges     edges with all counters.
     * @param seconds   time from the first slot to the last.
     * @param slots     slots executed.
     * @param cells     cells delivered.
     * @param counted   what the fabric counted, by its own names.
     * @param control   share of all links that control messages took; 0 where a fabric has none.
     * @param latency   latencies by second.
     * @param failures  by port: why it failed, one line; empty if it did not.
     * @param held      packets still held.
     * @param givenUp   whether packets that were held did not arrive and the run did not wait for them any longer.
     * @param violation broken conservation law; empty if all hold.
     */
    record LiveResult(String headline, List<PortSeat> ports, PacketEdges edges, double seconds, long slots, long cells,
        Map<NicCounter, Long> counted, double control, LatencyLog latency, List<String> failures, long held,
        boolean givenUp, String violation) {
        private static final int DIGITS = 3;
        private static final int LOST = 1;
        private static final int WRONG_INPUT = 2;

        /**
         * Exit code: 1 if something was not conserved, did not arrive or was not put out, 2 if an input was damaged.
         */
        int exitCode() {
            boolean isDamaged = false;
            for (int port = 0; port < ports.size(); port++) {
                final PortCounts counts = ports.get(port).counts();
                if (counts.get(PortCounter.TX_FAILED) > 0 || edges.failure(port) != null) {
                    return LOST;
                }
                isDamaged |= counts.get(PortCounter.RX_FAILED) > 0;
            }
            return !violation.isEmpty() || givenUp ? LOST : isDamaged ? WRONG_INPUT : 0;
        }

        /** Cells lost, under any name. */
        long lost() {
            return counted.entrySet().stream().filter(count -> count.getKey().isDrop()).mapToLong(Map.Entry::getValue)
                .sum();
        }

        /** Time in ns from receipt at any port to hand-over to this port. */
        Histogram latencyNs(final int port) {
            return latency.sinceStart(port);
        }

        /** Latency in ns over all ports. */
        Histogram latencyNs() {
            final Histogram all = new Histogram(DIGITS);
            for (int port = 0; port < edges.ports(); port++) {
                all.add(latencyNs(port));
            }
            return all;
        }

        /** Report of a port's generator; null for a port of another kind. */
        GeneratorReport generator(final int port) {
            return ports.get(port).port() instanceof final FinitePortGuard guard
                && guard.port() instanceof final GeneratorPort generator ? generator.report() : null;
        }
    }
}
