package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.live.MacForwarding.MacTable;
import dev.skerry.tools.port.PortPlace;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

final class MacForwardingTest {
    private static final int OFFSET = 5;

    private final MemorySegment bytes = Arena.ofAuto().allocate(64);
    /** Ports at nodes 0, 2 and 3, and a second one at node 2: its number is 3. */
    private final int[][] portAt = MacForwarding.portAt(List.of(new PortPlace(0, 0), new PortPlace(2, 0),
        new PortPlace(3, 0), new PortPlace(2, 1)), 4);
    private final MacForwarding forwarding = new MacForwarding(1, portAt, new MacTable(1_000, 0));

    private void packet(final long destination, final long source) {
        for (int i = 0; i < 6; i++) {
            bytes.set(ValueLayout.JAVA_BYTE, OFFSET + i, (byte) (destination >> 40 - 8 * i));
            bytes.set(ValueLayout.JAVA_BYTE, OFFSET + 6 + i, (byte) (source >> 40 - 8 * i));
        }
    }

    private int route(final long destination, final long nowNs) {
        packet(destination, 0x0A_0B0C_0D0E_0FL);
        return forwarding.route(bytes, OFFSET, 60, nowNs);
    }

    @Test
    void shouldFloodWhatItDoesNotKnowAndGroups() {
        assertEquals(PortForwarding.FLOOD, route(0xFFFF_FFFF_FFFFL, 0));
        assertEquals(PortForwarding.FLOOD, route(0x3333_0000_0001L, 0));
        assertEquals(PortForwarding.FLOOD, route(0xF412_3456_789AL, 0));
    }

    @Test
    void shouldLearnFromWhatComesAndForget() {
        packet(1, 0xF412_3456_789AL);
        forwarding.learn(3, bytes, OFFSET, 60, 10);
        assertEquals(3, route(0xF412_3456_789AL, 20));
        assertEquals(PortForwarding.FLOOD, route(0xF412_3456_789AL, 1_011));
        // Source addresses of the port itself are learned too.
        assertEquals(1, route(0x0A_0B0C_0D0E_0FL, 1_012));
    }

    @Test
    void shouldNotLearnGroups() {
        packet(1, 0x0100_0000_0005L);
        forwarding.learn(3, bytes, OFFSET, 60, 10);
        assertEquals(PortForwarding.FLOOD, route(0x0100_0000_0005L, 20));
    }

    @Test
    void shouldLookForNodesAtTheirNumbers() {
        assertEquals(2, route(0x0200_0000_0003L, 0));
        assertEquals(3, route(0x0201_0000_0002L, 0), "the second port of node 2");
        assertEquals(PortForwarding.FLOOD, route(0x0202_0000_0002L, 0), "no third port");
        assertEquals(PortForwarding.FLOOD, route(0x0201_0000_0003L, 0), "no second port");
        assertEquals(PortForwarding.FLOOD, route(0x0200_0001_0003L, 0), "no node");
        assertEquals(PortForwarding.FLOOD, route(0x0100_0000_0003L, 0), "no such address");
        assertEquals(PortForwarding.FLOOD, route(0x0200_0000_0001L, 0), "no port");
        assertEquals(PortForwarding.FLOOD, route(0x0200_0000_0002L, 0), "its own, not seen here");
        assertEquals(PortForwarding.FLOOD, route(0x0200_0000_0009L, 0), "no node");
        packet(1, 0x0200_0000_0003L);
        forwarding.learn(0, bytes, OFFSET, 60, 5);
        assertEquals(0, route(0x0200_0000_0003L, 6), "seen elsewhere");
    }

    @Test
    void shouldRefuseWhatIsTooShort() {
        assertEquals(PortForwarding.NO_ADDRESS, forwarding.route(bytes, OFFSET, 13, 0));
    }
}
