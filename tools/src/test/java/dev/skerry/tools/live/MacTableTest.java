package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.live.MacForwarding.MacTable;
import dev.skerry.tools.port.PortPlace;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

final class MacTableTest {
    private static final long AGE = 1_000;

    private final MacTable table = new MacTable(AGE, -50);

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
