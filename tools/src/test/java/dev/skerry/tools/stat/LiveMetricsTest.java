package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.tools.live.LiveCommand;
import dev.skerry.tools.stat.Snapshot.Metrics;
import dev.skerry.tools.stat.Snapshot.Metrics.Label;
import dev.skerry.tools.stat.StatCommand.PrometheusText;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** What a dataplane that runs gives to Prometheus, and to {@code stat --watch}. */
@Timeout(120)
final class LiveMetricsTest {
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(\\{[^ ]*?\\}|\\{.*\\})? (-?[0-9.]+)");
    private static final Pattern METRIC = Pattern.compile("skerry_[a-z_]+");

    @TempDir
    private static Path folder;
    private static Snapshot earlier;
    private static Snapshot snapshot;
    private static String page;
    /** After the end, from files kept open. */
    private static Snapshot last;
    private static JsonNode report;

    @BeforeAll
    static void run() throws Exception {
        final CommandLine live = new CommandLine(new LiveCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        final StringWriter out = new StringWriter();
        live.setOut(new PrintWriter(out));
        live.setErr(new PrintWriter(Writer.nullWriter()));
        final Thread running = new Thread(() -> live.execute("--json", "--warm-up", "0", "--dir", folder.toString(),
            "--duration", "1.6", "--port", "0=gen:64B,5kpps,to=3", "--port", "3=gen:imix,2kpps,to=0", "--port",
            "5=loop"));
        running.start();
        final Snapshot.Reader reader = new Snapshot.Reader(folder, 60);
        while (running.isAlive()) {
            final Snapshot now = reader.read();
            if (!now.processes().isEmpty() && earlier == null) {
                earlier = now;
            }
            final String text = PrometheusText.of(now);
            if (!now.processes().isEmpty() && hasBuckets(text)) {
                snapshot = now;
                page = text;
                break;
            }
            Thread.sleep(5);
        }
        running.join();
        last = reader.read();
        report = new ObjectMapper().readTree(out.toString());
        assertTrue(page != null, "no latency was ever published");
    }

    private static boolean hasBuckets(final String text) {
        return text.lines().anyMatch(line -> line.startsWith("skerry_port_latency_seconds_count") && !line.endsWith(
            " 0"));
    }

    /** To the packet, and with all that is counted while ports are closed. */
    @Test
    void shouldEndWithTheValuesOfTheReport() {
        assertTrue(last.processes().getFirst().name().endsWith(" (ended)"));
        final Map<String, Long> values = last.processes().getFirst().values();
        int ports = 0;
        int flows = 0;
        for (final Map.Entry<String, Long> value : values.entrySet()) {
            final Label label = Label.of(value.getKey());
            JsonNode is = null;
            if (label.name().startsWith("port_") && label.value("to").isEmpty()) {
                is = StreamSupport.stream(report.get("ports").spliterator(), false)
                    .filter(port -> port.get("node").asText().equals(label.value("node"))).findFirst().orElseThrow()
                    .get(label.name().substring("port_".length()));
                ports += is == null ? 0 : 1;
            } else if (label.name().startsWith("flow_")) {
                is = StreamSupport.stream(report.get("flows").spliterator(), false)
                    .filter(flow -> flow.get("from").asText().equals(label.value("from"))
                        && (label.value("to").isEmpty() || flow.get("to").asText().equals(label.value("to"))))
                    .findFirst().orElseThrow().get(label.name().replaceAll("flow_|_packets", ""));
                flows += is == null ? 0 : 1;
            }
            assertTrue(is == null || is.asLong() == value.getValue(), () -> value + " in " + report);
        }
        assertTrue(ports > 3 * 30 && flows == 2 * 7, ports + " " + flows);
        for (final JsonNode flow : report.get("flows")) {
            assertEquals(0, flow.get("lost").asLong(), flow::toString);
            assertEquals(flow.get("sent"), flow.get("received"), flow::toString);
        }
    }

    @Test
    void shouldExplainEveryMetricOnceAndGiveEverySeriesOnce() {
        final Set<String> explained = new HashSet<>();
        final Set<String> series = new HashSet<>();
        String metric = "";
        String type = "";
        for (final String line : page.lines().toList()) {
            final String[] words = line.split(" ", 4);
            if (words[0].equals("#") && words[1].equals("HELP")) {
                assertTrue(explained.add(words[2]) && words[3].length() > 5, line);
                metric = words[2];
            } else if (words[0].equals("#")) {
                assertTrue(words[1].equals("TYPE") && words[2].equals(metric), line);
                type = words[3];
            } else {
                final Matcher sample = SAMPLE.matcher(line);
                assertTrue(sample.matches(), line);
                final String name = type.equals("histogram")
                    ? sample.group(1).replaceFirst("_(bucket|sum|count)$", "") : sample.group(1);
                assertEquals(metric, name, line);
                assertEquals(type.equals("counter"), name.endsWith("_total"), line);
                assertTrue(series.add(sample.group(1) + sample.group(2)), line);
            }
        }
        // Names made up for counters that the table of metrics does not know repeat the counter's name.
        for (final String label : snapshot.processes().get(0).values().keySet()) {
            final Label parsed = Label.of(label);
            assertFalse(Metrics.of(parsed).help().equals(parsed.name().replace('_', ' ')), "unknown: " + label);
        }
    }

    @Test
    void shouldNameOnlyPortsAndBanksThatThereAre() {
        final Set<String> nodes = new HashSet<>();
        final Set<String> banks = new HashSet<>();
        for (final String label : snapshot.processes().get(0).values().keySet()) {
            final Label parsed = Label.of(label);
            if (!parsed.value("node").isEmpty()) {
                nodes.add(parsed.value("node"));
            }
            if (!parsed.value("bank").isEmpty()) {
                banks.add(parsed.value("bank"));
            }
        }
        assertEquals(Set.of("0", "3", "5"), nodes);
        assertEquals(Set.of("0"), banks);
        assertTrue(page.contains("node=\"5\",port=\"loop\",state=\"up\"} 1"), page);
        assertTrue(page.contains("reason=\"destination_full\"}"), page);
        assertTrue(page.contains("skerry_build_info{") && page.contains("skerry_idle_ratio{"), page);
    }

    @Test
    void shouldGiveBucketsThatRiseToTheCount() {
        final Map<String, Long> upTo = new HashMap<>();
        final Map<String, Double> end = new HashMap<>();
        int checked = 0;
        for (final String line : page.lines().filter(text -> text.startsWith("skerry_port_latency_seconds")).toList()) {
            final Label label = Label.of(line.substring(0, line.lastIndexOf(' ')));
            final String node = label.value("node");
            final String value = line.substring(line.lastIndexOf(' ') + 1);
            if (label.name().endsWith("_bucket")) {
                final double le = label.value("le").equals("+Inf") ? Double.MAX_VALUE
                    : Double.parseDouble(label.value("le"));
                assertTrue(le > end.getOrDefault(node, 0.0) && Long.parseLong(value) >= upTo.getOrDefault(node, 0L),
                    line);
                end.put(node, le);
                upTo.put(node, Long.parseLong(value));
            } else if (label.name().endsWith("_count")) {
                assertEquals(upTo.get(node), Long.parseLong(value), line);
                checked++;
            }
        }
        assertEquals(3, checked);
    }

    @Test
    void shouldShowOneLineAPort() {
        final List<String> lines = snapshot.ports(earlier).lines().toList();
        for (final String port : List.of("0 gen:64B,5kpps,to=3 ", "3 gen:imix,2kpps,to=0 ", "5 loop ")) {
            assertEquals(1, lines.stream().filter(line -> line.startsWith(port)).count(), () -> port + lines);
        }
        assertEquals(1, lines.stream().filter(line -> line.startsWith("bank 0: ")).count(), lines::toString);
        assertEquals(1, lines.stream().filter(line -> line.startsWith("0 -> 3 flow 0 ")).count(), lines::toString);
        assertEquals(9, lines.size(), lines::toString);
    }

    /** A dashboard that asks for what nobody gives shows nothing, and does not say why. */
    @Test
    void shouldGiveEveryMetricOfTheDashboard() throws IOException {
        Path home = Path.of("").toAbsolutePath();
        while (!Files.exists(home.resolve("docs/grafana-dashboard.json"))) {
            home = home.getParent();
        }
        final List<String> asked = new ArrayList<>();
        new ObjectMapper().readTree(Files.readString(home.resolve("docs/grafana-dashboard.json"))).get("panels")
            .forEach(panel -> panel.get("targets").forEach(target -> asked.add(target.get("expr").asText())));
        assertTrue(asked.size() >= 10, asked::toString);
        for (final String expression : asked) {
            final Matcher names = METRIC.matcher(expression);
            assertTrue(names.find(), expression);
            do {
                assertTrue(page.contains("\n" + names.group() + "{"), "nobody gives " + names.group());
            } while (names.find());
        }
    }

    @Test
    void shouldSplitALabel() {
        final Label label = Label.of("port_rx_packets{node=\"3\",port=\"pcap:a\\\"b\\\\,node=\\\"9\\\"\",le=\"1023\"}");
        assertEquals("port_rx_packets", label.name());
        assertEquals("3", label.value("node"));
        assertEquals("pcap:a\"b\\,node=\"9\"", label.value("port"));
        assertEquals("1023", label.value("le"));
        assertEquals("", label.value("ode"));
        assertEquals("pid=\"7\",node=\"3\",port=\"pcap:a\\\"b\\\\,node=\\\"9\\\"\"", label.keysWith(7, "le"));
        assertEquals("pid=\"7\"", Label.of("slots").keysWith(7, ""));
        assertEquals("pid=\"7\"", Label.of("x{le=\"1\"}").keysWith(7, "le"));
    }
}
