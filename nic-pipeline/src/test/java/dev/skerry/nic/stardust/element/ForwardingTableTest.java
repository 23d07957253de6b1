package dev.skerry.nic.stardust.element;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.UpDownReach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which link a cell takes while some are paused (docs/spec/stardust.md §3.6). */
class ForwardingTableTest {
    private static final Deployment ALL = Deployment.full(Fabrics.full(Fabrics.SMALL).clos());
    private static final long CELL = StardustCell.route(9, 0, 0);

    /** Over links 0 to 3 of adapter 0; a bit of the mask for each that is paused. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 6, 9, 7, 14, 15})
    void shouldSpreadOverTheLinksThatAreNotPaused(final int mask) {
        final ForwardingTable table = new ForwardingTable(ALL.clos(), DeviceRange.of(ALL.clos(), 1)[0], mask,
            Spraying.RENEWED);
        table.learn(0, new UpDownReach(ALL), false);
        final int[] cells = new int[4];
        for (int cell = 0; cell < 1200; cell++) {
            cells[table.port(0, CELL, 0, port -> (mask >>> port & 1) != 0)]++;
        }
        final int open = mask == 15 ? 4 : 4 - Integer.bitCount(mask);
        for (int link = 0; link < 4; link++) {
            final boolean paused = mask != 15 && (mask >>> link & 1) != 0;
            if (paused) {
                assertEquals(0, cells[link], "mask=" + mask);
            } else {
                final int most = mask == 15 ? 100 : 2;
                assertTrue(Math.abs(cells[link] - 1200 / open) <= most, "mask=" + mask + " cells=" + cells[link]);
            }
        }
    }
}
