package dev.skerry.tools.stat;

import static java.net.HttpURLConnection.HTTP_INTERNAL_ERROR;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;
import static java.net.HttpURLConnection.HTTP_OK;

import com.sun.net.httpserver.HttpExchange;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.stat.Snapshot.Metrics;
import dev.skerry.tools.stat.Snapshot.Metrics.Label;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code skerry stat}: prints the counters of dataplanes in other processes. */
@Command(name = "stat", description = {
        "Shows the counters of your running fabrics (skerry live, and run --publish).",
        "Reading them does not slow the fabrics down. Files left behind by killed processes are named, not shown.",
        ""
    },
    footer = {
        "",
        "Example, every second until Ctrl-C:",
        "  ./skerry stat --watch",
        "",
        "For Prometheus, at http://localhost:9400/metrics:",
        "  ./skerry stat --prometheus 9400"
    })
public final class StatCommand extends ToolCommand {
    private static final String CLEAR = "\033[H\033[2J";
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MAX_PORT = 65_535;
    private static final Pattern LISTEN = Pattern.compile("(?:([^:]+|\\[[0-9a-fA-F:.]+\\]):)?([0-9]{1,5})");
    private static final long PAUSE_NS = 50_000_000;
    private static final double NS = 1e9;
    /**
     * Time for which Prometheus receives the last values of a process that has ended; longer than usual scrape
     * intervals.
     */
    private static final double ENDED_SECONDS = 300;

    @Option(names = "--dir", paramLabel = "DIR",
        description = "Folder of the counters (default: /dev/shm/skerry-USER, or skerry-USER in the folder for "
            + "temporary files).")
    Path folder;

    @Option(names = "--all", description = "Include counters that are 0.")
    boolean all;

    @Option(names = "--watch", paramLabel = "SECONDS", arity = "0..1", fallbackValue = "1",
        description = "Print one line per port, with rates, every SECONDS (default: 1) until Ctrl-C. With --all, "
            + "print every counter.")
    Double watch;

    @Option(names = "--matrix",
        description = "Draw the connections of the nodes in the most recent slot, for fabrics of up to 156 nodes.")
    boolean matrix;

    @Option(names = "--json", description = "Print the counters as JSON.")
    boolean json;

    @Option(names = "--prometheus", paramLabel = "[ADDRESS:]PORT",
        description = "Serve the counters to Prometheus at this port until Ctrl-C; 0: any free port. Only this "
            + "machine can read them unless you give an ADDRESS to listen at; then every host that can reach this "
            + "address can read them.")
    String prometheus;

    @Override
    public Integer call() throws IOException {
        final Path where = Choices.userFolder("--dir", folder);
        Choices.refuseIf(prometheus != null && (json || watch != null || matrix), "--prometheus", prometheus,
            "--json, --watch or --matrix is given too", "leave out all but one");
        Choices.refuseIf(matrix && json, "--matrix", null, "--json is given too", "leave out one of them");
        Choices.refuseIf(watch != null && !(watch > 0 && watch <= 1e6), "--watch", watch, "must be more than 0 s",
            "give seconds, for example 1");
        if (prometheus != null) {
            return serve(where);
        }
        final PrintWriter out = out();
        if (watch != null) {
            return watch(where, out);
        }
        final Snapshot snapshot = Snapshot.of(where);
        out.print(json ? snapshot.json() : snapshot.table(all, null) + matrices(where, snapshot));
        out.flush();
        return 0;
    }

    private Integer watch(final Path where, final PrintWriter out) throws IOException {
        Snapshot before = null;
        final Snapshot.Reader reader = new Snapshot.Reader(where, 2 * watch);
        try (StopSignal stop = StopSignal.listen()) {
            while (!stop.requested() && !out.checkError()) {
                final Snapshot now = reader.read();
                out.print(json ? now.json() : (System.console() == null ? "" : CLEAR)
                    + (all ? now.table(true, before) : now.ports(before)) + matrices(where, now));
                before = now;
                final long until = System.nanoTime() + (long) (watch * NS);
                while (!stop.requested() && System.nanoTime() - until < 0) {
                    LockSupport.parkNanos(Math.min(PAUSE_NS, Math.max(1, until - System.nanoTime())));
                }
            }
        }
        return 0;
    }

    /** Returns the matrices of all processes; empty without {@code --matrix}. */
    private String matrices(final Path where, final Snapshot now) throws IOException {
        final StringBuilder out = new StringBuilder();
        for (final Snapshot.Process process : matrix ? now.processes() : List.<Snapshot.Process>of()) {
            out.append("process ").append(process.pid()).append('\n').append(CircuitMatrix.of(where, process));
        }
        return out.toString();
    }

    private Integer serve(final Path where) {
        final Matcher at = LISTEN.matcher(prometheus);
        Choices.refuseIf(!at.matches() || Integer.parseInt(at.group(2)) > MAX_PORT, "--prometheus", prometheus,
            "must be a port, 0 to 65535, or an address and a port", "write for example 9400 or 0.0.0.0:9400");
        final String host = at.group(1) == null ? LoopbackServer.LOCAL : at.group(1);
        try (LoopbackServer server = prometheus(host, Integer.parseInt(at.group(2)), where)) {
            return LoopbackServer.untilStopped(err(), "skerry: stat: http://" + host + ":" + server.port()
                + "/metrics");
        }
    }

    /**
     * Serves counters to Prometheus; see {@link PrometheusText}. The only page is {@code /metrics}; other paths are
     * answered with 404, methods other than GET with 405.
     *
     * @param address address or name of this machine to listen on; {@link LoopbackServer#LOCAL} for the local host
     *     only.
     * @param port    port to listen on; 0 for any free one.
     * @param folder  folder of the counter files.
     * @throws InputException if the port is not available.
     */
    static LoopbackServer prometheus(final String address, final int port, final Path folder) {
        final Snapshot.Reader reader = new Snapshot.Reader(folder, ENDED_SECONDS);
        return LoopbackServer.start("--prometheus", address, port, exchange -> answer(exchange, reader));
    }

    private static void answer(final HttpExchange exchange, final Snapshot.Reader reader) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                LoopbackServer.send(exchange, HTTP_NOT_FOUND, METRICS_TYPE, "only /metrics exists\n");
            } else if (LoopbackServer.isGet(exchange)) {
                metrics(exchange, reader);
            }
        }
    }

    private static void metrics(final HttpExchange exchange, final Snapshot.Reader reader) throws IOException {
        String page;
        int code = HTTP_OK;
        try {
            page = PrometheusText.of(reader.read());
        } catch (final IOException e) {
            page = "the counters cannot be read: " + e.getMessage() + "\n";
            code = HTTP_INTERNAL_ERROR;
        }
        LoopbackServer.send(exchange, code, METRICS_TYPE, page);
    }

    /**
     * The circuits of a process in one slot as Braille dots: one row per sender, one column per receiver. The schedule
     * is in a file next to the counters. Thread-safe.
     */
    private static final class CircuitMatrix {
        /** Nodes that fit into 80 columns. */
        private static final int MOST_NODES = 156;
        private static final int DOTS_ACROSS = 2;
        private static final int DOTS_DOWN = 4;
        private static final char NO_DOT = '\u2800';
        /** Bit of a dot, by its row and column within a character. */
        private static final int[][] DOT = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

        private CircuitMatrix() {
        }

        /** Returns the lines of a process at its last known slot; one line if the matrix cannot be drawn. */
        static String of(final Path folder, final Snapshot.Process process) throws IOException {
            final Path file = folder.resolve(process.pid() + ".schedule");
            if (!Files.isRegularFile(file)) {
                return "  no schedule to draw\n";
            }
            final List<String> lines = Files.readAllLines(file);
            final int[] head = numbers(lines.getFirst());
            final int nodes = head[0];
            final int channels = head[1];
            if (nodes > MOST_NODES) {
                return "  a matrix of " + nodes + " nodes is too wide, the maximum is " + MOST_NODES + "\n";
            }
            final long slot = slot(process.values());
            final int at = (int) (slot % head[2]);
            final char[][] dots = new char[Math.ceilDiv(nodes, DOTS_DOWN)][Math.ceilDiv(nodes, DOTS_ACROSS)];
            for (final char[] row : dots) {
                Arrays.fill(row, NO_DOT);
            }
            for (int channel = 0; channel < channels; channel++) {
                final int[] receivers = numbers(lines.get(1 + at * channels + channel));
                for (int sender = 0; sender < nodes; sender++) {
                    final int receiver = receivers[sender];
                    if (receiver >= 0) {
                        dots[sender / DOTS_DOWN][receiver / DOTS_ACROSS] |=
                            (char) DOT[sender % DOTS_DOWN][receiver % DOTS_ACROSS];
                    }
                }
            }
            final StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "  slot %,d, %d of an epoch of %d: "
                + "a row for each of %d senders, a column for each receiver%n", slot, at, head[2], nodes));
            for (final char[] row : dots) {
                out.append("  ").append(row).append('\n');
            }
            return out.toString();
        }

        private static long slot(final Map<String, Long> values) {
            return values.entrySet().stream().filter(value -> value.getKey().matches("(run_)?slots(\\{.*)?"))
                .mapToLong(Map.Entry::getValue).max().orElse(0);
        }

        private static int[] numbers(final String line) {
            return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
        }
    }

    /**
     * The counters of all processes in Prometheus's text format 0.0.4: the samples of each metric follow its
     * description and type. Cumulative buckets of histograms are summed here, so that they are consistent even if
     * counters lag. Not thread-safe.
     */
    static final class PrometheusText {
        private static final String INFINITE = "+Inf";

        /** Metrics by name. */
        private final Map<String, Family> families = new TreeMap<>();

        /**
         * A metric with its samples.
         *
         * @param metric the metric.
         * @param lines  the samples, one per line.
         */
        private record Family(Metrics.Metric metric, List<String> lines) {
        }

        /** A histogram: counts by upper bound of the bucket in ns, ascending, and the sum in ns. */
        private static final class Buckets {
            private final TreeMap<Long, Long> counts = new TreeMap<>();
            private long sumNs;
        }

        private PrometheusText() {
        }

        /** Returns the text of a snapshot. */
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
            final Map<Metrics.Metric, Map<String, Buckets>> histograms = new LinkedHashMap<>();
            process.values().forEach((text, value) -> {
                final Label label = Label.of(text);
                final Metrics.Metric metric = Metrics.of(label);
                switch (metric.kind()) {
                    case STATE -> states(metric, label, process.pid(), value);
                    case HISTOGRAM -> bucket(histograms.computeIfAbsent(metric, _ -> new LinkedHashMap<>()), label,
                        process.pid(), value);
                    // The key quantile is reserved for summaries.
                    default -> line(metric, metric.name() + "{" + label.keysWith(process.pid(), "").replace(
                        ",quantile=\"", ",share=\"")
                        + (metric.keys().isEmpty() ? "" : "," + metric.keys()) + "} " + number(value,
                        metric.divisor()));
                }
            });
            histograms.forEach((metric, each) -> each.forEach((keys, buckets) -> histogram(metric, keys, buckets)));
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
            if (label.name().endsWith(Metrics.SUM)) {
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

        /** Returns a value in the unit of its metric, exactly. */
        private static String number(final long value, final double divisor) {
            return divisor == 1 ? Long.toString(value)
                : BigDecimal.valueOf(value).divide(BigDecimal.valueOf((long) divisor)).toPlainString();
        }
    }
}
