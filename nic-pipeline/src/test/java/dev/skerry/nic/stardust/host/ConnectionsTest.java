package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.flow.FlowSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connections of flows, and the bytes of their segments, which add up to those of the flow. */
class ConnectionsTest {
    private static final int PACKET = 1000;
    private static final long[] BYTES = {1, 999, 1000, 1001, 7300, 8000};

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldAddUpToTheBytesOfTheFlow(final int each) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < BYTES.length; flow++) {
            flows.add(flow, flow, flow + 1, BYTES[flow], 1, 0);
        }
        final Connections connections = new Connections(flows, PACKET, each);
        assertEquals(BYTES.length * each, connections.count());
        for (int flow = 0; flow < BYTES.length; flow++) {
            final int segments = connections.segments(flow);
            assertEquals((BYTES[flow] + PACKET - 1) / PACKET, segments);
            for (int i = 0; i < each; i++) {
                assertEquals(flow, connections.flow(connections.first(flow) + i));
            }
            // Whoever sends the others: the first segment of the first connection, and full ones of the last.
            long sum = connections.bytes(connections.first(flow), 0);
            for (int number = 1; number < segments; number++) {
                sum += connections.bytes(each == 1 ? flow : connections.first(flow) + each - 1, number);
            }
            assertEquals(BYTES[flow], sum, "flow " + flow);
            assertEquals(BYTES[flow], connections.received(flow, segments, true), "flow " + flow);
            assertEquals(Math.min(BYTES[flow], (segments - 1L) * PACKET),
                connections.received(flow, segments - 1L, false), "flow " + flow);
            if (each > 1) {
                assertEquals(BYTES[flow] - (segments - 1L) * PACKET, connections.received(flow, 1, true));
            }
        }
    }
}
