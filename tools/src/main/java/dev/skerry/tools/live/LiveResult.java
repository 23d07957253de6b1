package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgeCounter.EdgeCounts;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.live.LiveCounters.LatencyLog;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.Page;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Result of a run of {@code skerry live}, and its report as a table for a terminal and as JSON.
 *
 * @param headline  fabric and engine.
 * @param ports     ports in the order of the command line.
 * @param edges     edges with all counters.
 * @param seconds   time from the first slot to the last.
 * @param slots     slots executed.
 * @param cells     cells delivered.
 * @param counted   counts of the fabric.
 * @param control   share of the link bandwidth that control messages used; 0 for fabrics without control messages.
 * @param latency   latencies by second.
 * @param failures  for each port, the cause of its failure in one line; empty if it did not fail.
 * @param held      packets still in the fabric.
 * @param givenUp   whether the run ended without waiting any longer for packets in flight.
 * @param violation violated conservation law; empty if all hold.
 */
record LiveResult(String headline, List<PortSlot> ports, PacketEdges edges, double seconds, long slots, long cells,
    Map<NicCounter, Long> counted, double control, LatencyLog latency, List<String> failures, long held,
    boolean givenUp, String violation) {
    private static final int LOST = 1;
    private static final int WRONG_INPUT = 2;
    private static final double NS_PER_US = 1e3;

    /** Returns the exit code: 1 if packets were not conserved, delivered or written, 2 if an input was damaged. */
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

    /** Returns the report of the present or last generator of a port; null if there was none. */
    private GeneratorReport generator(final int port) {
        final GeneratorPort generator = ports.get(port).generator();
        return generator == null ? null : generator.report();
    }

    /** Returns the table, followed by a line feed. */
    String text() {
        final StringBuilder out = new StringBuilder(4096);
        final double time = Math.max(seconds, 1e-9);
        line(out, "%s", headline);
        line(out, "%.2f s, %,d slots (%,.0f/s), %,d cells delivered (%,.0f/s)", seconds, slots, slots / time, cells,
            cells / time);
        line(out, "");
        throughput(out, time);
        line(out, "%-25s %5s %9s %9s %9s %9s", "time in the fabric, us", "p50", "p90", "p99", "p99.9", "max");
        for (int port = 0; port < ports.size(); port++) {
            latency(out, "to " + name(port), latency.of(port, LatencyLog.SINCE_START));
        }
        latency(out, "to all", latency.ofAll(LatencyLog.SINCE_START));
        latency(out, "to all, last minute", latency.ofAll(LatencyLog.KEPT));
        latency(out, "to all, last second", latency.ofAll(1));
        line(out, "");
        out.append(flows().text());
        losses().forEach(row -> line(out, "%-21s %13s %s", row.toArray()));
        line(out, "packets in + copies = packets out + dropped + lost + %,d held: %s", held,
            violation.isEmpty() ? "yes" : "NO, " + violation);
        return out.toString();
    }

    private void throughput(final StringBuilder out, final double time) {
        line(out, "%-26s %13s %15s %13s %15s %9s", "port", "packets in", "bytes in", "packets out", "bytes out",
            "dropped");
        long in = 0;
        long sent = 0;
        for (int port = 0; port < ports.size(); port++) {
            final EdgeCounts counts = edges.counts(port);
            line(out, "%-26s %,13d %,15d %,13d %,15d %,9d", name(port), counts.get(EdgeCounter.RX_PACKETS),
                counts.get(EdgeCounter.RX_BYTES), counts.get(EdgeCounter.TX_PACKETS),
                counts.get(EdgeCounter.TX_BYTES), counts.dropped());
            in += counts.get(EdgeCounter.RX_PACKETS);
            sent += counts.get(EdgeCounter.TX_PACKETS);
        }
        line(out, "%-26s %,13d %15s %,13d", "all", in, "", sent);
        line(out, "%-26s %,13.0f %15s %,13.0f", "packets a second", in / time, "", sent / time);
        line(out, "");
    }

    private static void latency(final StringBuilder out, final String name, final Histogram histogram) {
        if (histogram.getTotalCount() > 0) {
            out.append(String.format(Locale.ROOT, "%-21s", cut(name, 21)));
            for (final double percentile : FlowResults.PERCENTILES) {
                out.append(String.format(Locale.ROOT, " %,9.1f",
                    histogram.getValueAtPercentile(percentile) / NS_PER_US));
            }
            line(out, " %,9.1f", histogram.getMaxValue() / NS_PER_US);
        }
    }

    /** Returns what was dropped, lost or counted about peers: port, number and description. */
    private List<List<String>> losses() {
        final List<List<String>> rows = new ArrayList<>();
        for (int port = 0; port < ports.size(); port++) {
            final GeneratorReport report = generator(port);
            if (report != null) {
                count(rows, name(port), report.foreign(), 0, "packets received from no known generator");
                count(rows, name(port), report.untracked(), 0, "packets received of flows above the limit of 4,096");
            }
        }
        drops(rows);
        fabric(rows);
        return rows;
    }

    /** Returns the flows of all generators. */
    FlowResults flows() {
        final Map<PortPlace, PortPlace> mapped = new HashMap<>();
        for (int port = 0; port < ports.size(); port++) {
            final PortPlace place = ports.get(port).choice().place();
            if (edges.port(port).forwarding() instanceof final MacForwarding forwarding
                && forwarding.to() != MacForwarding.BY_ADDRESS) {
                mapped.put(place, forwarding.to() < 0 ? PortPlace.NONE : ports.get(forwarding.to()).choice().place());
            }
        }
        return FlowResults.of(ports, mapped);
    }

    private void drops(final List<List<String>> out) {
        for (int port = 0; port < ports.size(); port++) {
            for (final EdgeCounter counter : EdgeCounter.values()) {
                final long count = edges.counts(port).get(counter);
                if (counter.isDrop() || counter == EdgeCounter.FLOODED || counter == EdgeCounter.COPIES
                    || counter == EdgeCounter.WAITS || counter == EdgeCounter.SET_ASIDE) {
                    count(out, name(port), count, 0, counter.sentence());
                }
                for (int to = 0; counter == EdgeCounter.DROPPED_DESTINATION_FULL && count > 0 && to < ports.size();
                    to++) {
                    count(out, "", edges.counts(port).droppedFor(to), 0, "of them to " + name(to));
                }
            }
        }
        for (int port = 0; port < ports.size(); port++) {
            for (final PortCounter counter : LiveCounters.OF_PEERS) {
                // One connection and one disconnection are normal.
                final boolean isLink = counter == PortCounter.LINKS_UP || counter == PortCounter.LINKS_DOWN;
                count(out, name(port), edges.port(port).port().counts().get(counter), isLink ? 1 : 0,
                    counter.sentence());
            }
        }
        for (int port = 0; port < ports.size(); port++) {
            if (!failures.get(port).isEmpty()) {
                out.add(List.of(cut(name(port), 21), "failed:", failures.get(port)));
            }
        }
    }

    private void fabric(final List<List<String>> out) {
        for (final PacketCounter counter : PacketCounter.values()) {
            if (counter.isDrop() || counter.isLoss()) {
                count(out, "fabric", edges.count(counter), 0, counter.sentence());
            }
        }
        counted.forEach((counter, count) -> {
            if (counter != NicCounter.CONTROL_BYTES) {
                count(out, "fabric", count, 0, counter.sentence());
            }
        });
        count(out, "fabric", counted.get(NicCounter.CONTROL_BYTES), 0, NicCounter.CONTROL_BYTES.sentence()
            + String.format(Locale.ROOT, ", %.2f %% of all links", 100 * control));
    }

    /** Adds a line if a count exceeds its normal value. */
    private static void count(final List<List<String>> out, final String name, final long count, final int normal,
        final String sentence) {
        if (count > normal) {
            out.add(List.of(cut(name, 21), grouped(count), sentence));
        }
    }

    private String name(final int port) {
        final PortChoice choice = ports.get(port).choice();
        return cut(choice.place() + " " + choice.shown(), 26);
    }

    private static String cut(final String text, final int most) {
        return text.length() <= most ? text : text.substring(0, most - 2) + "..";
    }

    private static void line(final StringBuilder out, final String format, final Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** Writes report.html with its plots, and report.json. */
    void write(final List<String> words, final Path folder) throws IOException {
        final Page page = new Page("live: " + headline);
        page.heading("Skerry live report", headline).text(String.format(Locale.ROOT, "%.2f s, %,d slots, %,d cells "
            + "delivered, %,d packets held.", seconds, slots, cells, held)).command("./skerry live", words);
        failures.stream().filter(failure -> !failure.isEmpty()).forEach(page::alert);
        if (!violation.isEmpty()) {
            page.alert("not conserved: " + violation);
        }
        final Map<String, Histogram> byPort = new LinkedHashMap<>();
        final List<List<String>> rows = new ArrayList<>();
        for (int port = 0; port < ports.size(); port++) {
            final EdgeCounts counts = edges.counts(port);
            rows.add(List.of(name(port), grouped(counts.get(EdgeCounter.RX_PACKETS)),
                grouped(counts.get(EdgeCounter.RX_BYTES)), grouped(counts.get(EdgeCounter.TX_PACKETS)),
                grouped(counts.get(EdgeCounter.TX_BYTES)), grouped(counts.dropped())));
            byPort.put("to " + name(port), latency.of(port, LatencyLog.SINCE_START));
        }
        byPort.values().removeIf(histogram -> histogram.getTotalCount() == 0);
        page.section("Ports", "Packets received from a port and sent to it.").table(List.of("port", "packets in",
            "bytes in", "packets out", "bytes out", "dropped"), rows, false).end();
        final FlowResults flows = flows();
        final List<Plot> plots = new ArrayList<>();
        if (!flows.isEmpty()) {
            page.section("Flows", "Packets of generators. Latency: " + FlowResults.CLOCK + "."
                + (flows.rows().stream().anyMatch(FlowResults.FlowRow::removed) ? " *: " + FlowResults.REMOVED : ""))
                .table(FlowResults.heads(), flows.rows().stream().map(FlowResults::cells).toList(), false).end();
            plots.add(flows.plot());
        }
        plots.add(FlowResults.histogram("time", "Time in the fabric by port", byPort));
        plots.removeIf(plot -> plot.lines().isEmpty());
        plots.forEach(plot -> page.section(plot.title(), "").plot(plot).end());
        page.section("Counted", "What was dropped, lost, or counted by peers.").table(List.of("where", "count", "what"),
            losses(), false).end();
        Files.writeString(folder.resolve("report.html"), page.finish(), StandardCharsets.UTF_8);
        PlotFigure.writeAll(plots, folder);
        Files.writeString(folder.resolve("report.json"), json(), StandardCharsets.UTF_8);
    }

    private static String grouped(final long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Returns the report as a JSON object, followed by a line feed. */
    String json() {
        final long lost = counted.entrySet().stream().filter(count -> count.getKey().isDrop())
            .mapToLong(Map.Entry::getValue).sum();
        final Json json = Json.document().put("fabric", headline).put("seconds", seconds).put("slots", slots)
            .put("cellsDelivered", cells).put("cellsLost", lost).put("packetsHeld", held)
            .put("conserved", violation.isEmpty());
        latencies(json, latency::ofAll);
        json.open("latencySeconds", '[');
        for (final LatencyLog.OfSecond second : latency.seconds()) {
            json.open(null, '{').put("second", second.number());
            FlowResults.latency(json, "latencyNs", second.latency()).close('}');
        }
        json.close(']').open("counters", '{');
        counted.forEach((counter, count) -> json.put(LiveCounters.nameOf(counter), count));
        json.put("control_share", control).close('}').open("ports", '[');
        final FlowResults flows = flows();
        for (int port = 0; port < ports.size(); port++) {
            port(port, flows, json);
        }
        json.close(']');
        flows.write(json);
        json.open("packets", '{');
        for (final PacketCounter counter : PacketCounter.values()) {
            json.put(LiveCounters.nameOf(counter), edges.count(counter));
        }
        return json.close('}').close('}').toString();
    }

    private void port(final int port, final FlowResults flows, final Json json) {
        final PortChoice choice = ports.get(port).choice();
        final EdgeCounts counts = edges.counts(port);
        json.open(null, '{').put("node", choice.node());
        if (choice.place().number() > 0) {
            json.put("place", choice.place().toString());
        }
        json.put("port", choice.shown());
        LiveCounters.forEach(edges, port, (name, value) -> json.put(name, value.longValue()));
        if (!failures.get(port).isEmpty()) {
            json.put("failure", failures.get(port));
        }
        json.open("dropped_for", '{');
        for (int to = 0; to < ports.size(); to++) {
            if (counts.droppedFor(to) > 0) {
                json.put(ports.get(to).choice().place().toString(), counts.droppedFor(to));
            }
        }
        json.close('}');
        latencies(json, most -> latency.of(port, most));
        final GeneratorReport report = generator(port);
        if (report != null) {
            final FlowReport.Counts total = report.total();
            final long sent = ports.get(port).generators().stream().mapToLong(one -> one.report().sent()).sum();
            json.open("generator", '{').put("sent", sent).put("received", total.received())
                .put("lost", flows.lost(choice.place())).put("reordered", total.reordered())
                .put("duplicates", total.duplicates())
                .put("damaged", total.damaged()).put("foreign", report.foreign()).close('}');
        }
        json.close('}');
    }

    private static void latencies(final Json json, final IntFunction<Histogram> ofLast) {
        FlowResults.latency(json, "latencyNs", ofLast.apply(LatencyLog.SINCE_START));
        FlowResults.latency(json, "latencyLastMinuteNs", ofLast.apply(LatencyLog.KEPT));
        FlowResults.latency(json, "latencyLastSecondNs", ofLast.apply(1));
    }
}
