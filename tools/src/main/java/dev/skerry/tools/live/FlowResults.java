package dev.skerry.tools.live;

import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.LatencyBuckets;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.report.Json;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Results of the packets of each generator flow, by the port that received them. Created after the end of a run, or by
 * the thread that serves all its ports.
 */
final class FlowResults {
    /** Definition of the latencies, for reports. */
    static final String CLOCK = "from the generator's send call to the receive call, on the monotonic clock of this "
        + "machine";
    static final String REMOVED = "This generator was removed, or replaced by one with other destinations.";
    static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private static final double NS_PER_US = 1e3;
    /**
     * Maximum number of flows that are listed one per line; with more flows, a table has one line for each pair of
     * ports.
     */
    private static final int MOST_LINES = 40;
    /** Maximum number of lines in a plot. */
    private static final int MOST_PLOTTED = 8;
    /** Plot intervals per power of two of latency. */
    private static final int PARTS = 4;

    private final List<FlowRow> rows;

    private FlowResults(final List<FlowRow> rows) {
        this.rows = rows;
    }

    /**
     * A flow at one receiver.
     *
     * @param from    place of the generator; {@link PortPlace#NONE} if it is in another process.
     * @param flow    number of the flow at its generator, from 0.
     * @param flows   number of flows that this row covers: 1, or all between two ports.
     * @param to      place of the receiver, or of the destination if nothing was received.
     * @param sent    packets sent; -1 if the generator is not in this process.
     * @param seen    what the receiver counted; null if the port at the destination is not a generator, so that packets
     *     were not checked.
     * @param copy    whether the flow was flooded and another port received more of it.
     * @param removed whether the generator was removed, or replaced by one with other destinations.
     */
    record FlowRow(PortPlace from, int flow, int flows, PortPlace to, long sent, FlowReport seen, boolean copy,
        boolean removed) {
        /** Packets sent that did not arrive undamaged; -1 if unknown. */
        long lost() {
            return seen == null || copy ? -1 : sent < 0 ? seen.counts().lost() : sent - seen.counts().received();
        }

        private FlowRow plus(final FlowRow other) {
            return new FlowRow(from, flow, flows + other.flows, to, sent + other.sent,
                seen == null ? null : seen.plus(other.seen), copy, removed);
        }

        private List<Object> pair() {
            return List.of(from, to, seen == null, copy, removed);
        }

        /** Returns the name of the row in a plot. */
        private String name() {
            return from + " -> " + to + (flows > 1 ? "" : " flow " + flow);
        }
    }

    /** A receiver of a flow with its counts. */
    private record FlowAt(PortPlace place, FlowReport report) {
    }

    /**
     * Returns the results of generators, except for flows of identical packets, which cannot be told apart.
     *
     * @param slots  ports with their generators, including removed ones.
     * @param mapped destination of all packets of a port, by place of the port; ports that forward by address are
     *     absent.
     */
    static FlowResults of(final List<PortSlot> slots, final Map<PortPlace, PortPlace> mapped) {
        final Map<Integer, List<FlowAt>> seen = new TreeMap<>();
        final Set<PortPlace> receivers = new HashSet<>();
        slots.stream().filter(slot -> slot.generator() != null).forEach(slot -> {
            receivers.add(slot.choice().place());
            slot.generator().report().flows().forEach(flow -> seen.computeIfAbsent(flow.id() << Short.SIZE
                | flow.flow(), _ -> new ArrayList<>()).add(new FlowAt(slot.choice().place(), flow)));
        });
        seen.values().forEach(at -> at.sort(Comparator.comparingLong(flow -> -flow.report().counts().received())));
        final List<FlowRow> rows = new ArrayList<>();
        for (final PortSlot slot : slots) {
            final PortPlace place = slot.choice().place();
            for (final GeneratorPort generator : slot.generators()) {
                final GeneratorSettings settings = generator.settings();
                final boolean isRemoved = generator != slot.port();
                for (int flow = 0; flow < settings.headers().flows(); flow++) {
                    final List<FlowAt> at = seen.remove(generator.id() << Short.SIZE | flow);
                    final PortPlace to = mapped.getOrDefault(place,
                        PortPlace.ofMac(settings.headers().destinationMac().at(flow)));
                    final long sent = generator.sent(flow);
                    if (at != null) {
                        add(rows, new FlowRow(place, flow, 1, to, sent, null, false, isRemoved), at);
                    } else if (sent > 0 && !settings.same()) {
                        rows.add(new FlowRow(place, flow, 1, to, sent, receivers.contains(to)
                            ? FlowReport.empty(generator.id(), flow) : null, false, isRemoved));
                    }
                }
            }
        }
        seen.values().forEach(at -> add(rows, new FlowRow(PortPlace.NONE, at.getFirst().report.flow(), 1,
            PortPlace.NONE, -1, null, false, false), at));
        return new FlowResults(rows);
    }

    /** Adds a row for each receiver of a flow. */
    private static void add(final List<FlowRow> rows, final FlowRow of, final List<FlowAt> at) {
        for (final FlowAt one : at) {
            rows.add(new FlowRow(of.from, of.flow, 1, one.place, of.sent, one.report, one != at.getFirst(),
                of.removed));
        }
    }

    /** Returns the lost packets of the flows to a port. */
    long lost(final PortPlace to) {
        return rows.stream().filter(row -> row.to.equals(to)).mapToLong(row -> Math.max(0, row.lost())).sum();
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Returns one row per flow, or, if there are too many flows, one row per pair of ports. */
    List<FlowRow> rows() {
        if (rows.size() <= MOST_LINES) {
            return rows;
        }
        final Map<List<Object>, FlowRow> pairs = new LinkedHashMap<>();
        rows.forEach(row -> pairs.merge(row.pair(), row, FlowRow::plus));
        return List.copyOf(pairs.values());
    }

    /** Returns the column heads of {@link #cells}. */
    static List<String> heads() {
        return List.of("from", "flow", "to", "sent", "received", "lost", "reordered", "twice", "damaged", "p50 us",
            "p99 us", "max us");
    }

    /** Returns a row as texts, with a dash for unknown values. */
    static List<String> cells(final FlowRow row) {
        final List<String> cells = new ArrayList<>(List.of(
            row.from.equals(PortPlace.NONE) ? "id " + row.seen.id() : row.from + (row.removed ? "*" : ""),
            row.flows > 1 ? "all " + row.flows : Integer.toString(row.flow),
            row.to.equals(PortPlace.NONE) ? "-" : row.to.toString(), row.copy ? "copy" : count(row.sent)));
        if (row.seen == null) {
            cells.addAll(List.of("-", "-", "-", "-", "-", "-", "-", "-"));
            return cells;
        }
        final FlowReport.Counts counts = row.seen.counts();
        final Histogram latency = row.seen.latency();
        cells.addAll(List.of(count(counts.received()), count(row.lost()), count(counts.reordered()),
            count(counts.duplicates()), count(counts.damaged()), us(latency.getValueAtPercentile(50)),
            us(latency.getValueAtPercentile(99)), us(latency.getMaxValue())));
        return cells;
    }

    private static String count(final long value) {
        return value < 0 ? "-" : String.format(Locale.ROOT, "%,d", value);
    }

    private static String us(final long ns) {
        return String.format(Locale.ROOT, "%,.1f", ns / NS_PER_US);
    }

    /** Returns the table for a terminal, followed by an empty line; empty if there are no flows. */
    String text() {
        final StringBuilder out = new StringBuilder();
        if (!rows.isEmpty()) {
            line(out, heads());
            rows().forEach(row -> line(out, cells(row)));
            if (rows.stream().anyMatch(FlowRow::removed)) {
                out.append("* ").append(REMOVED).append('\n');
            }
            out.append("latency: ").append(CLOCK).append('\n');
            if (rows.size() > MOST_LINES) {
                out.append(rows.size()).append(" flows: --json has each\n");
            }
            out.append('\n');
        }
        return out.toString();
    }

    private static void line(final StringBuilder out, final List<String> cells) {
        out.append(String.format(Locale.ROOT, "%-7s %8s %-7s %13s %13s %9s %9s %7s %7s %9s %9s %9s", cells.toArray()))
            .append('\n');
    }

    /** Writes every flow as an element of an array. */
    void write(final Json json) {
        json.put("latencyClock", CLOCK).open("flows", '[');
        for (final FlowRow row : rows) {
            json.open(null, '{');
            if (!row.from.equals(PortPlace.NONE)) {
                json.put("from", row.from.toString()).put("removed", row.removed).put("sent", row.sent);
            }
            json.put("flow", row.flow).put("to", row.to.equals(PortPlace.NONE) ? null : row.to.toString())
                .put("copy", row.copy);
            if (row.seen != null) {
                final FlowReport.Counts counts = row.seen.counts();
                json.put("id", row.seen.id()).put("received", counts.received());
                if (!row.copy) {
                    json.put("lost", row.lost());
                }
                json.put("reordered", counts.reordered()).put("duplicates", counts.duplicates())
                    .put("stale", counts.stale()).put("damaged", counts.damaged());
                latency(json, "latencyNs", row.seen.latency());
                buckets(json, row.seen.latency());
            }
            json.close('}');
        }
        json.close(']');
    }

    /** Writes the percentiles of a histogram. */
    static Json latency(final Json json, final String name, final Histogram histogram) {
        json.open(name, '{').put("count", histogram.getTotalCount());
        for (final double percentile : PERCENTILES) {
            json.put("p" + (percentile == (int) percentile ? Integer.toString((int) percentile) : percentile),
                histogram.getValueAtPercentile(percentile));
        }
        return json.put("max", histogram.getMaxValue()).close('}');
    }

    /** Writes a histogram as the packets by the upper bound of their bucket in ns. */
    static void buckets(final Json json, final Histogram histogram) {
        final LatencyBuckets buckets = new LatencyBuckets();
        histogram.recordedValues().forEach(value -> buckets.add(value.getValueIteratedTo(),
            value.getCountAddedInThisIterationStep()));
        json.open("latencyBucketsNs", '{');
        for (int bucket = 0; bucket < LatencyBuckets.BUCKETS; bucket++) {
            if (buckets.count(bucket) > 0) {
                json.put(LatencyBuckets.end(bucket), buckets.count(bucket));
            }
        }
        json.close('}');
    }

    /** Returns a plot with the histograms of the rows that received the most packets. */
    Plot plot() {
        final Map<String, Histogram> named = new LinkedHashMap<>();
        rows().stream().filter(row -> row.seen != null && row.seen.latency().getTotalCount() > 0)
            .sorted(Comparator.comparingLong(row -> -row.seen.counts().received())).limit(MOST_PLOTTED)
            .forEach(row -> named.put(row.name(), row.seen.latency()));
        return histogram("latency", "Latency by flow", named);
    }

    /** Plots histograms by name, with {@link #PARTS} intervals per power of two. */
    static Plot histogram(final String id, final String title, final Map<String, Histogram> named) {
        final Plot plot = new Plot(id, title, "latency, us", Scale.LOGARITHMIC, "share of packets", Scale.LINEAR);
        named.forEach((name, histogram) -> {
            final Map<Integer, Long> counts = new HashMap<>();
            for (final HistogramIterationValue value : histogram.recordedValues()) {
                counts.merge(part(Math.max(1, value.getValueIteratedTo())), value.getCountAddedInThisIterationStep(),
                    Long::sum);
            }
            final int first = part(Math.max(1, histogram.getMinValue()));
            final List<double[]> points = new ArrayList<>();
            for (int part = first; part <= part(histogram.getMaxValue()) + 1; part++) {
                points.add(new double[] {Math.pow(2, (double) part / PARTS) / NS_PER_US,
                    (double) counts.getOrDefault(part, 0L) / histogram.getTotalCount()});
            }
            plot.add(name, Style.STEPS, points);
        });
        return plot;
    }

    private static int part(final long ns) {
        return (int) Math.floor(Math.log(Math.max(1, ns)) / Math.log(2) * PARTS);
    }
}
