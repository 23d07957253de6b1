package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.stat.StatCommand.PrometheusServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

final class PrometheusServerTest {
    private static final String END_OF_HEADERS = "\r\n\r\n";

    @TempDir
    private Path folder;

    @Test
    void shouldServeCountersByName() throws Exception {
        try (CounterFile file = CounterFile.create(folder, "test", 10);
            PrometheusServer server = PrometheusServer.start(0, folder)) {
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
                "# TYPE skerry_stale_files gauge", "skerry_stale_files 0"), get(server).lines().toList());
            assertThrows(InputException.class, () -> PrometheusServer.start(server.port(), folder));
        }
    }

    @Test
    void shouldAnswerOnlyGetOfMetrics() throws Exception {
        try (PrometheusServer server = PrometheusServer.start(0, folder)) {
            assertTrue(ask(server, "GET /metrics?x=1").startsWith("HTTP/1.1 200 "));
            for (final String path : List.of("/", "/metricsx", "/metrics/", "/metrics/x", "/favicon.ico")) {
                assertTrue(ask(server, "GET " + path).startsWith("HTTP/1.1 404 "), path);
            }
            for (final String method : List.of("POST", "HEAD", "PUT", "DELETE", "OPTIONS")) {
                final String answer = ask(server, method + " /metrics");
                assertTrue(answer.startsWith("HTTP/1.1 405 ") && answer.contains("Allow: GET"), answer);
            }
        }
    }

    /** Who never finishes asking holds up nobody else, and a page elsewhere cannot ask under a name of its own. */
    @Test
    void shouldAnswerBesideUnfinishedRequestsAndOnlyToItsName() throws Exception {
        try (PrometheusServer server = PrometheusServer.start(0, folder);
            Socket one = new Socket(InetAddress.getLoopbackAddress(), server.port());
            Socket two = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            one.getOutputStream().write("GET / HTTP/1.1\r\nHost: x".getBytes(StandardCharsets.US_ASCII));
            two.getOutputStream().write("GET".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 3; i++) {
                get(server);
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

    /**
     * Uses a plain socket: the JDK's client keeps its socket for seconds, which would disturb tests that count
     * descriptors.
     */
    private static String get(final PrometheusServer server) throws IOException {
        final String answer = ask(server, "GET /metrics");
        assertTrue(answer.startsWith("HTTP/1.1 200 ") && answer.endsWith("\n"), answer);
        return answer.substring(answer.indexOf(END_OF_HEADERS) + END_OF_HEADERS.length());
    }

    private static String ask(final PrometheusServer server, final String what) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write((what + " HTTP/1.0\r\nHost: " + "localhost:" + server.port()
                + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
