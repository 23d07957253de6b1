package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.element.ForwardingTable;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.UpDownReach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How evenly links are used, and what the choice of the order is good for (docs/spec/stardust.md §3.6, §10 row 16). */
class StardustSprayingTest {
    /** The queues of the last stage in the long run, with an order for each destination over those without. */
    private static final double LONG_RUN = 4.7 / 8.9;
    private static final Deployment ALL = Deployment.full(Fabrics.full(Fabrics.SMALL).clos());
    private static final long CELL = StardustCell.route(9, 0, 0);

    /**
     * An arbiter for each destination keeps the last stage emptier than an M/D/1 queue. Queues that were empty a
     * moment ago differ less than in the long run, by at least half.
     */
    @Test
    void shouldSpreadMoreEvenlyWithAnOrderForEachDestination() {
        assertSpreads(240, (1 + LONG_RUN) / 2);
    }

    @Tag("long")
    @Test
    void shouldSpreadMoreEvenlyInTheLongRun() {
        assertSpreads(960, 1.1 * LONG_RUN);
    }

    private static void assertSpreads(final int slots, final double most) {
        final double renewed = mean(Spraying.RENEWED, slots);
        final double each = mean(Spraying.PER_DESTINATION, slots);
        assertTrue(each < most * renewed, "each=" + each + " renewed=" + renewed);
    }

    @Test
    void shouldUseLinksEvenlyUnlessHashed() {
        assertTrue(evenness(Spraying.RENEWED) >= 1 / 1.08);
        assertTrue(evenness(Spraying.HASHED) < 0.8);
    }

    private static double mean(final Spraying spraying, final int slots) {
        final Stardust fabric = Fabrics.even(FoldedClosConfig.N62, 0.95, LinkRules.UNLIMITED.spraying(spraying), 3);
        try (StardustEngine engine = new StardustEngine(fabric, Fabrics.allToAll(256, 2), 1)) {
            engine.advance(slots / 4);
            engine.clearStatistics();
            engine.advance(slots - slots / 4);
            return Fabrics.mean(engine.lengths().stage(1, true));
        }
    }

    /** The least over the most cells that links of tier 1 down carried under a permutation. */
    private static double evenness(final Spraying spraying) {
        final Stardust fabric = Fabrics.even(FoldedClosConfig.N432, 0.9, LinkRules.UNLIMITED.spraying(spraying), 3);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 72; from++) {
            for (int k = 0; k < 60; k++) {
                flows.add(flows.size(), from, (from + 31) % 72, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            }
        }
        try (StardustEngine engine = new StardustEngine(fabric, flows, 1)) {
            engine.advance(2000);
            long least = Long.MAX_VALUE;
            long most = 0;
            for (int device = fabric.clos().tierStart(1); device < fabric.clos().tierStart(2); device++) {
                for (int down = 0; down < fabric.clos().downPorts(device); down++) {
                    final long cells = engine.sentInto(fabric.clos().firstPort(device) + down);
                    least = Math.min(least, cells);
                    most = Math.max(most, cells);
                }
            }
            return (double) least / most;
        }
    }

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
