package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.tools.live.MacForwarding.MacTable;
import dev.skerry.tools.port.PortPlace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

final class MacForwardingTest {
    private static final int OFFSET = 5;
    private static final long AGE = 1_000;

    private final MemorySegment bytes = Arena.ofAuto().allocate(64);
    /** Ports at nodes 0, 2 and 3, and a second one at node 2: its number is 3. */
    private final MacForwarding forwarding = new MacForwarding(1, MacForwarding.portAt(List.of(new PortPlace(0, 0),
        new PortPlace(2, 0), new PortPlace(3, 0), new PortPlace(2, 1))), new MacTable(AGE, 0));
    private final MacTable table = new MacTable(AGE, -50);

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

    @ParameterizedTest
    @CsvSource({"FFFFFFFFFFFF, all", "333300000001, a group", "F4123456789A, not known", "020200000002, no third port",
        "020100000003, no second port", "020000010003, no node", "010000000003, no such address",
        "020000000001, no port", "020000000002, its own and not seen here", "020000000009, no node"})
    void shouldFloodWhatItDoesNotKnow(final String address, final String why) {
        assertEquals(PortForwarding.FLOOD, route(Long.parseLong(address, 16), 0), why);
    }

    @Test
    void shouldLearnFromWhatComesAndForget() {
        packet(1, 0xF412_3456_789AL);
        forwarding.learn(3, bytes, OFFSET, 60, 10);
        assertEquals(3, route(0xF412_3456_789AL, 20));
        assertEquals(PortForwarding.FLOOD, route(0xF412_3456_789AL, 1_011));
        // Source addresses of the port itself are learned too.
        assertEquals(1, route(0x0A_0B0C_0D0E_0FL, 1_012));
        packet(1, 0x0100_0000_0005L);
        forwarding.learn(3, bytes, OFFSET, 60, 10);
        assertEquals(PortForwarding.FLOOD, route(0x0100_0000_0005L, 20));
    }

    @Test
    void shouldLookForNodesAtTheirNumbers() {
        assertEquals(2, route(0x0200_0000_0003L, 0));
        assertEquals(3, route(0x0201_0000_0002L, 0), "the second port of node 2");
        packet(1, 0x0200_0000_0003L);
        forwarding.learn(0, bytes, OFFSET, 60, 5);
        assertEquals(0, route(0x0200_0000_0003L, 6), "seen elsewhere");
        assertEquals(PortForwarding.NO_ADDRESS, forwarding.route(bytes, OFFSET, 13, 0));
    }

    @Test
    void shouldKnowWhatItSawUntilItIsTooOld() {
        assertEquals(MacTable.UNKNOWN, table.find(7, 0));
        table.see(7, 3, 100);
        assertEquals(3, table.find(7, 100 + AGE));
        assertEquals(MacTable.UNKNOWN, table.find(7, 101 + AGE));
        table.see(7, 4, 2_000);
        assertEquals(4, table.find(7, 2_000));
        table.see(7, 5, 2_500);
        assertEquals(5, table.find(7, 2_500 + AGE));
    }

    @Test
    void shouldKeepWhatWasPutIn() {
        assertTrue(table.fix(9, 2));
        table.see(9, 6, 10);
        assertEquals(2, table.find(9, Long.MAX_VALUE / 2));
    }

    @Test
    void shouldForgetTheOldestWhenThereAreTooMany() {
        final int many = 100_000;
        for (int mac = 0; mac < many; mac++) {
            table.see(mac, mac & 7, 0);
            assertEquals(mac & 7, table.find(mac, 1));
        }
        int known = 0;
        for (int mac = 0; mac < many; mac++) {
            known += table.find(mac, 1) == MacTable.UNKNOWN ? 0 : 1;
        }
        assertEquals(8 * MacTable.SETS, known);
    }

    @Test
    void shouldSayWhenFixedAddressesDoNotFit() {
        boolean refused = false;
        for (int mac = 0; mac < 9 * MacTable.SETS && !refused; mac++) {
            refused = !table.fix(mac, 1);
        }
        assertTrue(refused);
        assertEquals(1, table.find(0, 0));
    }

    @Test
    void shouldBeRightOrNotKnow() {
        final long seed = 42;
        final SplittableRandom random = new SplittableRandom(seed);
        final int[] at = new int[3_000];
        for (int i = 0; i < 100_000; i++) {
            final int mac = random.nextInt(at.length);
            if (at[mac] > 0) {
                final int found = table.find(mac, i / 1_000);
                assertTrue(found == MacTable.UNKNOWN || found == at[mac], () -> "seed=" + seed + " mac=" + mac);
            }
            at[mac] = 1 + random.nextInt(8);
            table.see(mac, at[mac], i / 1_000);
        }
    }

    @Test
    void shouldTellGroups() {
        assertTrue(PortPlace.isGroup(0xFFFF_FFFF_FFFFL));
        assertTrue(PortPlace.isGroup(0x0100_5E00_0001L));
        assertFalse(PortPlace.isGroup(0x0200_0000_0001L));
    }
}
