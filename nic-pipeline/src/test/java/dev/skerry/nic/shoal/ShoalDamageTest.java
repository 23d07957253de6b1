package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** Damaged cells are sent once more, and only so often (docs/spec/shoal.md §6.2). */
final class ShoalDamageTest {
    private static FlowSet allToAll(final int nodes, final int cells) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                if (from != to) {
                    flows.add(flows.size(), from, to, 56L * cells, cells, 0);
                }
            }
        }
        return flows;
    }

    private static Shoal shoal(final int nodes, final int channels, final int propagation) {
        return Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagation);
    }

    /** In one slot every cell is damaged: both ends of every pair that met send their last cells again, once. */
    @ParameterizedTest
    @CsvSource({"5, 1, 0", "8, 1, 0", "8, 2, 0", "9, 1, 4", "9, 2, 30", "8, 1, 13"})
    void shouldRepairOneSlotOfDamage(final int nodes, final int channels, final int propagation) {
        final Shoal shoal = shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final FlowSet flows = allToAll(nodes, 60);
        for (long slot = 10 * epoch; slot < 11 * epoch; slot++) {
            try (FaultyShoal fabric = new FaultyShoal(shoal, flows, Scripts.of(new Fault.Corruption(slot, 1),
                new Fault.Corruption(slot + 1, 0)), 1)) {
                assertTrue(fabric.settle(2000 * epoch), fabric.counts());
                final long cells = fabric.count(NicCounter.DROPPED_DAMAGED);
                assertTrue(cells > 0 && cells <= fabric.count(NicCounter.CELLS_DAMAGED), fabric.counts());
                assertTrue(fabric.count(NicCounter.CELLS_DAMAGED) <= (long) channels * nodes, fabric.counts());
                // A damaged cell, and the one that its report was about: that arrived, so it arrives twice.
                assertTrue(fabric.count(NicCounter.CELLS_RESENT) <= 2 * fabric.count(NicCounter.CELLS_DAMAGED),
                    fabric.counts());
                assertEquals(fabric.count(NicCounter.CELLS_RESENT) - cells,
                    fabric.count(NicCounter.DROPPED_DUPLICATE), fabric.counts());
                assertEquals(0, fabric.lost(), fabric.counts());
                assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED), fabric.counts());
            }
        }
    }

    /** The cell goes again in the next turn of its sender, before all others. */
    @Test
    void shouldSendAgainInTheNextTurn() {
        final Shoal shoal = shoal(5, 1, 0);
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 2, 56, 1, 0);
        // The first turn of node 0 is to node 1, in slot 0; node 1 reports in slot 3; the next turn is in slot 4.
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, Scripts.of(new Fault.Corruption(0, 1),
            new Fault.Corruption(1, 0)), 1)) {
            final List<Long> resent = new ArrayList<>();
            for (int slot = 0; slot < 12; slot++) {
                fabric.step();
                resent.add(fabric.count(NicCounter.CELLS_RESENT));
            }
            assertEquals(List.of(0L, 0L, 0L, 0L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L), resent);
            assertTrue(fabric.isSettled());
            assertEquals(1, fabric.received(0));
        }
    }

    /** After eight repetitions that came to nothing a neighbour counts as down, and the cell goes another way later. */
    @ParameterizedTest
    @CsvSource({"7, 1, 0", "8, 1, 0", "9, 2, 5"})
    void shouldGiveUpANeighbourThatTakesInNothing(final int nodes, final int channels, final int propagation) {
        final Shoal shoal = shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 2, 56L * 40, 40, 0);
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, Scripts.of(new Fault.Corruption(0, 1),
            new Fault.Corruption(40 * epoch, 0)), 1)) {
            long before = 0;
            while (fabric.count(NicCounter.NEIGHBOURS_DOWN) == 0) {
                before = fabric.count(NicCounter.CELLS_RESENT);
                fabric.step();
                assertTrue(fabric.slot < 60 * epoch, fabric.counts());
            }
            assertTrue(before >= 8, "resent before: " + before);
            fabric.stepTo(40 * epoch);
            int down = 0;
            for (int other = 1; other < nodes; other++) {
                down += fabric.state(0, other) == NeighbourTable.UP ? 0 : 1;
            }
            assertEquals(nodes - 1, down, "the source has lost all");
            // Eight repetitions on each link, fewer where several cells were under way at once.
            assertTrue(fabric.count(NicCounter.CELLS_RESENT) <= 8 * (nodes - 1), fabric.counts());
            assertTrue(fabric.count(NicCounter.CELLS_RESENT) == 8 * (nodes - 1) || nodes != 7, fabric.counts());
            assertTrue(fabric.settle(500 * epoch), fabric.counts());
            assertEquals(40, fabric.received(0) + fabric.count(NicCounter.CELLS_NOT_SENT), fabric.counts());
        }
    }
}
