package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lanes: each slot goes over one of them, in turn, and connects as the schedule does (docs/spec/shale.md §2.6). */
class LanePlanesTest {
    /** The last column: lane-slots after which the table of a lane repeats, lcm(E, L)/L. */
    @ParameterizedTest
    @CsvSource({"2, 4, 8, 3", "4, 10, 8, 9", "2, 5, 8, 1", "3, 3, 5, 6", "2, 4, 1, 6"})
    void shouldServeTheSlotsOfEachLaneOnly(final int h, final int r, final int lanes, final int laneSlots) {
        final Phased phased = new Phased(h, r);
        final LanedSchedule schedule = new LanedSchedule(phased, lanes);
        assertEquals(laneSlots, schedule.epochSlots() / lanes);
        final int step = phased.nodes() > 1000 ? 37 : 1;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < phased.nodes(); node += step) {
                assertEquals(phased.peerOf(node, (long) slot), schedule.peerAt(node, 0, slot));
            }
        }
        if (phased.nodes() > 1000) {
            return;
        }
        final Wiring wiring = Crossbar.lanes(schedule);
        assertEquals(lanes, wiring.switches());
        for (int lane = 0; lane < lanes; lane++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < phased.nodes(); node++) {
                    final int expected = slot % lanes == lane ? phased.senderTo(node, (long) slot) : SwitchTable.DARK;
                    assertEquals(expected, wiring.table(lane).selected(slot, node), "lane=" + lane + " slot=" + slot);
                }
            }
        }
    }

    @Test
    void shouldRefuseWhatHasNoTurns() {
        assertThrows(IllegalArgumentException.class, () -> new LanedSchedule(RoundRobin.plain(8, 2), 8));
        assertThrows(IllegalArgumentException.class, () -> new LanedSchedule(new Phased(2, 4), 0));
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new LanedSchedule(new Phased(2, 4), Integer.MAX_VALUE));
        assertTrue(refused.getMessage().contains("lanes=" + Integer.MAX_VALUE), refused.getMessage());
    }
}
