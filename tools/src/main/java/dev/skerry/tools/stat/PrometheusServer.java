package dev.skerry.tools.stat;

import static java.net.HttpURLConnection.HTTP_INTERNAL_ERROR;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;
import static java.net.HttpURLConnection.HTTP_OK;

import com.sun.net.httpserver.HttpExchange;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.stat.Metrics.Label;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Serves counters to Prometheus at the local host, on a thread of its own, see {@link PrometheusText}. Only
 * {@code GET /metrics} is answered: 404 for another path, 405 for another method.
 */
final class PrometheusServer implements AutoCloseable {
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final LoopbackServer server;

    private PrometheusServer(final LoopbackServer server) {
        this.server = server;
    }

    /**
     * Starts the server.
     *
     * @param port   port to listen at, 0 for any free one.
     * @param folder folder of the counter files.
     * @throws InputException if the port is not available.
     */
    static PrometheusServer start(final int port, final Path folder) {
        return new PrometheusServer(LoopbackServer.start("--prometheus", port, exchange -> answer(exchange, folder)));
    }

    /** Port of the server. */
    int port() {
        return server.port();
    }

    private static void answer(final HttpExchange exchange, final Path folder) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                LoopbackServer.send(exchange, HTTP_NOT_FOUND, TYPE, "there is only /metrics\n");
            } else if (LoopbackServer.isGet(exchange)) {
                metrics(exchange, folder);
            }
        }
    }

    private static void metrics(final HttpExchange exchange, final Path folder) throws IOException {
        String page;
        int code = HTTP_OK;
        try {
            page = PrometheusText.of(Snapshot.of(folder));
        } catch (final IOException e) {
            page = "the counters cannot be read: " + e.getMessage() + "\n";
            code = HTTP_INTERNAL_ERROR;
        }
        LoopbackServer.send(exchange, code, TYPE, page);
    }

    @Override
    public void close() {
        server.close();
    }

    /**
     * The counters of all processes in Prometheus's text format 0.0.4: the samples of a metric together, below what it
     * means and its type. A histogram's sums over buckets are made here, so they are right however the counters lag.
     * One thread.
     */
    static final class PrometheusText {
        private static final String INFINITE = "+Inf";

        /** By name of the metric. */
        private final Map<String, Family> families = new TreeMap<>();

        /**
         * A metric's samples.
         *
         * @param metric the metric.
         * @param lines  a line each.
         */
        private record Family(Metrics.Metric metric, List<String> lines) {
        }

        /** A histogram that is being read: values by end of bucket in ns, ascending, and the sum in ns. */
        private static final class Buckets {
            private final TreeMap<Long, Long> counts = new TreeMap<>();
            private long sumNs;
        }

        private PrometheusText() {
        }

        /** The text of a snapshot. */
        static String of(final Snapshot snapshot) {
            final PrometheusText text = new PrometheusText();
            snapshot.processes().forEach(text::add);
            final StringBuilder out = new StringBuilder();
            text.families.forEach((name, family) -> {
                out.append("# HELP ").append(name).append(' ').append(family.metric.help()).append('\n');
                out.append("# TYPE ").append(name).append(' ').append(switch (family.metric.kind()) {
                    case COUNTER -> "counter";
                    case GAUGE, STATE -> "gauge";
                    case HISTOGRAM -> "histogram";
                }).append('\n');
                family.lines.forEach(line -> out.append(line).append('\n'));
            });
            return out.append("# HELP skerry_stale_files files of counters whose process has ended without "
                    + "removing them\n")
                .append("# TYPE skerry_stale_files gauge\nskerry_stale_files ").append(snapshot.stale().size())
                .append('\n').toString();
        }

        private void add(final Snapshot.Process process) {
            line(Metrics.Metric.gauge("skerry_process_info", "processes with counters, by what they do", 1),
                "skerry_process_info{pid=\"" + process.pid() + "\",name=\"" + process.name().replace("\\", "\\\\")
                    .replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + "\"} 1");
            final Map<String, Buckets> histograms = new LinkedHashMap<>();
            process.values().forEach((text, value) -> {
                final Label label = Label.of(text);
                final Metrics.Metric metric = Metrics.of(label);
                switch (metric.kind()) {
                    case STATE -> states(metric, label, process.pid(), value);
                    case HISTOGRAM -> bucket(histograms, label, process.pid(), value);
                    // The key quantile is for summaries alone.
                    default -> line(metric, metric.name() + "{" + label.keysWith(process.pid(), "").replace(
                        ",quantile=\"", ",share=\"")
                        + (metric.keys().isEmpty() ? "" : "," + metric.keys()) + "} " + number(value,
                        metric.divisor()));
                }
            });
            histograms.forEach((keys, buckets) -> histogram(Metrics.of(Label.of(Metrics.BUCKET)), keys, buckets));
        }

        private void states(final Metrics.Metric metric, final Label label, final long pid, final long value) {
            for (int state = 0; state < Metrics.STATES.length; state++) {
                line(metric, metric.name() + "{" + label.keysWith(pid, "") + ",state=\"" + Metrics.STATES[state]
                    + "\"} " + (state == value ? 1 : 0));
            }
        }

        private static void bucket(final Map<String, Buckets> histograms, final Label label, final long pid,
            final long value) {
            final Buckets buckets = histograms.computeIfAbsent(label.keysWith(pid, "le"), keys -> new Buckets());
            if (label.name().equals(Metrics.SUM)) {
                buckets.sumNs = value;
            } else {
                final String end = label.value("le");
                buckets.counts.put(end.equals(INFINITE) ? Long.MAX_VALUE : Long.parseLong(end), value);
            }
        }

        private void histogram(final Metrics.Metric metric, final String keys, final Buckets buckets) {
            long upTo = 0;
            for (final Map.Entry<Long, Long> bucket : buckets.counts.entrySet()) {
                upTo += bucket.getValue();
                line(metric, metric.name() + "_bucket{" + keys + ",le=\""
                    + (bucket.getKey() == Long.MAX_VALUE ? INFINITE
                    : number(bucket.getKey(), metric.divisor())) + "\"} " + upTo);
            }
            line(metric, metric.name() + "_sum{" + keys + "} " + number(buckets.sumNs, metric.divisor()));
            line(metric, metric.name() + "_count{" + keys + "} " + upTo);
        }

        private void line(final Metrics.Metric metric, final String line) {
            families.computeIfAbsent(metric.name(), name -> new Family(metric, new ArrayList<>())).lines.add(line);
        }

        /** A value in the unit of its metric, exactly. */
        private static String number(final long value, final double divisor) {
            return divisor == 1 ? Long.toString(value)
                : BigDecimal.valueOf(value).divide(BigDecimal.valueOf((long) divisor)).toPlainString();
        }
    }
}
