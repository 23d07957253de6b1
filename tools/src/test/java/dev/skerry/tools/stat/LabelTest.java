package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.stat.Snapshot.Metrics.Label;
import org.junit.jupiter.api.Test;

final class LabelTest {
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
