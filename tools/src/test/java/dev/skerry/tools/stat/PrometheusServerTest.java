package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.tools.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

final class PrometheusServerTest {
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
            assertEquals(List.of("# TYPE skerry_port_rx_packets_total counter",
                "skerry_port_rx_packets_total{pid=\"" + pid + "\",node=\"0\"} 5",
                "skerry_port_rx_packets_total{pid=\"" + pid + "\",node=\"1\"} 7",
                "# TYPE skerry_slots_total counter",
                "skerry_slots_total{pid=\"" + pid + "\",bank=\"0\"} 9",
                "# TYPE skerry_stale_files gauge", "skerry_stale_files 0"), get(server).lines().toList());
            assertThrows(InputException.class, () -> PrometheusServer.start(server.port(), folder));
        }
    }

    private static String get(final PrometheusServer server) throws Exception {
        try (InputStream in = URI.create("http://localhost:" + server.port() + "/metrics").toURL().openStream()) {
            final String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(text.endsWith("\n"));
            return text;
        }
    }
}
