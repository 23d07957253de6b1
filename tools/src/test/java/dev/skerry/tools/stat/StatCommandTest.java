package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.tools.command.Invocation;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.stat.WatchCommand.WatchServer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** {@code stat}, and the servers of {@code stat --prometheus} and of {@code watch}. */
final class StatCommandTest {
    private static final String LABEL = "port_rx_packets{node=\"0\",port=\"memif:\\\"x\\\"\"}";
    private static final int START_AT = 16;
    private static final String END_OF_HEADERS = "\r\n\r\n";

    @TempDir
    private Path folder;

    private Invocation stat(final String more) {
        return Invocation.ofLine(("stat --dir " + folder + " " + more).strip());
    }

    @Test
    void shouldShowALiveProcess() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "live \"test\"", 10)) {
            file.set(file.add(LABEL), 12_345);
            file.add("zero");
            final Invocation table = stat("").ok().prints("live \"test\"", "12,345");
            assertFalse(table.out().contains("zero"), table.out());
            assertTrue(stat("--all").out().contains("zero"));
            final JsonNode process = new ObjectMapper().readTree(stat("--json").out()).get("processes").get(0);
            assertEquals(ProcessHandle.current().pid(), process.get("pid").asLong());
            assertEquals(12_345, process.get("counters").get(LABEL).asLong());
        }
        assertTrue(stat("").out().startsWith("no dataplane is running"));
    }

    /** Another process wrote it: nothing of it works on a terminal, or takes memory without end. */
    @Test
    void shouldShowNothingHarmfulOfAFileOfOthers() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "evil \033[31m\007", 10)) {
            file.set(file.add("a\033[31m{node=\"0\"}\nfake_metric 99"), 5);
            file.set(file.add("long"), 7);
            file.set(file.add("good"), 8);
            try (RandomAccessFile bytes = new RandomAccessFile(file.path().toFile(), "rw")) {
                bytes.seek(256 + CountersReader.metaDataOffset(1) + CountersReader.LABEL_OFFSET);
                bytes.writeInt(Integer.reverseBytes(0x7fff_ffff));
            }
            final Invocation run = stat("--all").ok().prints("good");
            assertFalse(run.out().contains("\033") || run.out().contains("\007"), run.out());
            assertTrue(run.out().lines().noneMatch(line -> line.startsWith("fake_metric")), run.out());
        }
    }

    @Test
    void shouldNameAStaleFileAndNotShowIt() throws IOException {
        try (CounterFile file = CounterFile.create(folder, "gone", 10)) {
            file.set(file.add("one"), 1);
            // The same number, but of a process that started at another time.
            try (RandomAccessFile bytes = new RandomAccessFile(file.path().toFile(), "rw")) {
                bytes.seek(START_AT);
                final int first = bytes.readByte();
                bytes.seek(START_AT);
                bytes.writeByte(first ^ 1);
            }
            final Invocation run = stat("");
            assertTrue(run.out().startsWith("no dataplane is running"), run.out());
            run.prints("stale: " + file.path());
            final JsonNode json = new ObjectMapper().readTree(stat("--json").out());
            assertEquals(0, json.get("processes").size());
            assertEquals(1, json.get("stale").size());
        }
    }

    @Test
    void shouldNotTrustAFileThatIsNotWhole() throws IOException {
        Files.write(folder.resolve("1.counters"), new byte[10]);
        Files.write(folder.resolve("2.counters"), new byte[5_000]);
        final Invocation run = stat("").ok();
        assertEquals(2, run.out().lines().filter(line -> line.startsWith("no counters: ")).count(), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--watch 0", "--watch x", "--prometheus 70000", "--prometheus 1 --json"})
    void shouldRefuseInOneLine(final String line) {
        stat(line).refused();
    }

    @Test
    void shouldServeCountersByName() throws Exception {
        try (CounterFile file = CounterFile.create(folder, "test", 10);
            LoopbackServer server = StatCommand.prometheus(LoopbackServer.LOCAL, 0, folder)) {
            file.set(file.add("port_rx_packets{node=\"0\"}"), 5);
            file.set(file.add("slots{bank=\"0\"}"), 9);
            file.set(file.add("port_rx_packets{node=\"1\"}"), 7);
            final long pid = ProcessHandle.current().pid();
            final String info = "skerry_process_info{pid=\"" + pid + "\",name=\"test\"} 1";
            assertEquals(List.of("# HELP skerry_port_rx_packets_total packets taken from the port",
                "# TYPE skerry_port_rx_packets_total counter",
                "skerry_port_rx_packets_total{pid=\"" + pid + "\",node=\"0\"} 5",
                "skerry_port_rx_packets_total{pid=\"" + pid + "\",node=\"1\"} 7",
                "# HELP skerry_process_info processes with counters, by what they do",
                "# TYPE skerry_process_info gauge", info,
                "# HELP skerry_slots_total slots that a bank has done", "# TYPE skerry_slots_total counter",
                "skerry_slots_total{pid=\"" + pid + "\",bank=\"0\"} 9",
                "# HELP skerry_stale_files files of counters whose process has ended without removing them",
                "# TYPE skerry_stale_files gauge", "skerry_stale_files 0"), metrics(server).lines().toList());
            assertThrows(InputException.class, () -> StatCommand.prometheus(LoopbackServer.LOCAL, server.port(),
                folder));
        }
    }

    @Test
    void shouldAnswerOnlyGetOfMetrics() throws Exception {
        try (LoopbackServer server = StatCommand.prometheus(LoopbackServer.LOCAL, 0, folder)) {
            assertTrue(ask(server.port(), "GET /metrics?x=1").startsWith("HTTP/1.1 200 "));
            for (final String path : List.of("/", "/metricsx", "/metrics/", "/metrics/x", "/favicon.ico")) {
                assertTrue(ask(server.port(), "GET " + path).startsWith("HTTP/1.1 404 "), path);
            }
            for (final String method : List.of("POST", "HEAD", "PUT", "DELETE", "OPTIONS")) {
                final String answer = ask(server.port(), method + " /metrics");
                assertTrue(answer.startsWith("HTTP/1.1 405 ") && answer.contains("Allow: GET"), answer);
            }
        }
    }

    /** Who never finishes asking holds up nobody else, and a page elsewhere cannot ask under a name of its own. */
    @Test
    void shouldAnswerBesideUnfinishedRequestsAndOnlyToItsName() throws Exception {
        try (LoopbackServer server = StatCommand.prometheus(LoopbackServer.LOCAL, 0, folder);
            Socket one = new Socket(InetAddress.getLoopbackAddress(), server.port());
            Socket two = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            one.getOutputStream().write("GET / HTTP/1.1\r\nHost: x".getBytes(StandardCharsets.US_ASCII));
            two.getOutputStream().write("GET".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 3; i++) {
                metrics(server);
            }
            try (Socket other = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                other.getOutputStream().write("GET /metrics HTTP/1.0\r\nHost: evil.com\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
                assertTrue(new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .startsWith("HTTP/1.1 403 "));
            }
            assertEquals(-1, one.getInputStream().read(), "it is cut off");
        }
    }

    private static String metrics(final LoopbackServer server) throws IOException {
        final String answer = ask(server.port(), "GET /metrics");
        assertTrue(answer.endsWith("\n"), answer);
        return body(answer);
    }

    @Test
    void shouldServeThePageToWhoKnowsTheAddress() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String page = get(server, "");
            assertTrue(page.toLowerCase(Locale.ROOT).contains("content-security-policy: default-src 'none'"), page);
            assertTrue(page.contains("<title>Skerry: running fabrics</title>"), page);
            for (final String name : List.of("style.css", "library.js", "watch.js", "data")) {
                assertTrue(page.contains(name) || name.equals("data"), name);
                assertTrue(get(server, name).startsWith("HTTP/1.1 200 "), name);
            }
        }
    }

    @Test
    void shouldTellWrongTokensNothing() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String path = URI.create(server.address()).getPath();
            final String other = path.substring(0, path.length() - 2) + (path.contains("0/") ? "1/" : "0/");
            for (final String wrong : List.of("/", "/data", other, other + "data", path.replaceFirst("/$", ""),
                path.toUpperCase(Locale.ROOT) + "x/", "/x" + path)) {
                assertTrue(ask(port(server), "GET " + wrong, host(server)).startsWith("HTTP/1.1 404 "), wrong);
            }
            assertTrue(ask(port(server), "GET " + path + "other", host(server)).startsWith("HTTP/1.1 404 "));
        }
    }

    @Test
    void shouldRefuseOtherHostsAndMethods() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String path = URI.create(server.address()).getPath();
            for (final String host : List.of("evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:"
                + host(server).replaceFirst(".*:", ""), "")) {
                assertTrue(ask(port(server), "GET " + path, host).startsWith("HTTP/1.1 403 "), host);
            }
            assertTrue(ask(port(server), "GET " + path, host(server).replace("127.0.0.1", "localhost"))
                .startsWith("HTTP/1.1 200 "));
            for (final String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "HEAD")) {
                assertTrue(ask(port(server), method + " " + path, host(server)).startsWith("HTTP/1.1 405 "), method);
            }
        }
    }

    @Test
    void shouldHaveAnotherTokenEachTime() {
        final Set<String> tokens = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            try (WatchServer server = new WatchServer(0, folder)) {
                final String path = URI.create(server.address()).getPath();
                assertTrue(path.matches("/[0-9a-f]{32}/"), path);
                tokens.add(path);
            }
        }
        assertEquals(4, tokens.size());
    }

    @Test
    void shouldGiveTheNamesOfOthersAsTheyAre() throws IOException {
        final String name = "live </script><img src=x onerror=alert(1)> \"\\ \u00e9";
        try (CounterFile file = CounterFile.create(folder, name, 4);
            WatchServer server = new WatchServer(0, folder)) {
            file.set(file.add("fabric_cells_dropped_full"), 3);
            file.set(file.add("port_rx_dropped_wrong{node=\"0\",port=\"<b>\"}"), 7);
            final JsonNode process = new ObjectMapper().readTree(body(get(server, "data"))).get("processes").get(0);
            assertEquals(name, process.get("name").asText());
            assertEquals("[\"port_rx_dropped_wrong{node=\\\"0\\\",port=\\\"<b>\\\"}\"]",
                process.get("losses").toString());
        }
    }

    @Test
    void shouldServeSchedulesAndNoOtherFile() throws IOException {
        Files.writeString(folder.resolve("12.schedule"), "2 1 1\n1 0\n");
        Files.writeString(folder.resolve("secret.schedule"), "no");
        Files.writeString(folder.resolve("12.counters"), "no");
        try (WatchServer server = new WatchServer(0, folder)) {
            assertEquals("2 1 1\n1 0\n", body(get(server, "schedule?pid=12")));
            for (final String query : List.of("", "?pid=13", "?pid=", "?pid=secret", "?pid=../x/12", "?pid=12.counters",
                "?pid=12%00", "?pid=-1")) {
                final String answer = get(server, "schedule" + query);
                assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
                assertFalse(answer.endsWith("no"), answer);
            }
        }
    }

    private static String host(final WatchServer server) {
        return URI.create(server.address()).getAuthority();
    }

    private static String get(final WatchServer server, final String name) throws IOException {
        return ask(port(server), "GET " + URI.create(server.address()).getPath() + name, host(server));
    }

    private static String body(final String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        return answer.substring(answer.indexOf(END_OF_HEADERS) + END_OF_HEADERS.length());
    }

    private static int port(final WatchServer server) {
        return URI.create(server.address()).getPort();
    }

    private static String ask(final int port, final String what) throws IOException {
        return ask(port, what, "localhost:" + port);
    }

    /** By a plain socket: the JDK's client sets the host itself and keeps its socket, which others would count. */
    private static String ask(final int port, final String what, final String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write((what + " HTTP/1.0\r\nHost: " + host + END_OF_HEADERS)
                .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
