package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StardustEngineTest {
    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "5, true"})
    void shouldDeliverEveryFlowWhateverTheWorkers(final int linkSlots, final boolean continuous) {
        final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, continuous);
        final FlowSet flows = Fabrics.mixed(fabric.nodes(), 600);
        final Outcome one = run(fabric, flows, 1, 0);
        assertEquals(flows.size(), one.completed().length);
        assertEquals(0, one.dropped());
        assertEquals(0, one.cellsHeld());
        for (final int workers : new int[] {2, 3, 4, 16}) {
            final Outcome many = run(fabric, flows, workers, 0);
            assertEquals(one.digest(), many.digest(), "workers=" + workers);
            assertArrayEquals(one.counts(), many.counts(), "workers=" + workers);
            assertArrayEquals(one.completed(), many.completed(), "workers=" + workers);
            assertArrayEquals(one.completedIn(), many.completedIn(), "workers=" + workers);
        }
    }

    @Test
    void shouldDependOnTheSeed() {
        final FlowSet flows = Fabrics.allToAll(16, 2);
        final Outcome one = run(Fabrics.even(Fabrics.SMALL, 0.9, LinkRules.USUAL, 1), flows, 1, 300);
        final Outcome two = run(Fabrics.even(Fabrics.SMALL, 0.9, LinkRules.USUAL, 2), flows, 1, 300);
        assertNotEquals(one.digest(), two.digest());
    }

    /** Up to the slot of a flow's first cell: one for each link; a request and a credit go before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 6})
    void shouldTakeOneControlRoundTripAndOneTransit(final int linkSlots) {
        final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, true);
        for (final int to : new int[] {5, 60}) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, to, 64, 1, 100);
            final Outcome outcome = run(fabric, flows, 1, 0);
            final int links = to == 5 ? 2 : 4;
            // The scheduler hands out a credit every 2048 / 235 slots, so the first one may wait for up to 9 of them.
            final long least = 100L + 3L * links * linkSlots;
            assertTrue(outcome.completedIn()[0] >= least && outcome.completedIn()[0] <= least + 9,
                "slot=" + outcome.completedIn()[0] + " least=" + least);
        }
    }

    @Test
    void shouldKeepCellsInTheBooksInEverySlot() {
        final Stardust fabric = Fabrics.packed(3, new LinkRules(2, 4, 8, 16, 64, true, Spraying.RENEWED), true);
        try (StardustEngine engine = new StardustEngine(fabric, Fabrics.mixed(fabric.nodes(), 400), 2)) {
            for (int slot = 0; slot < 400; slot++) {
                engine.advance(1);
                engine.checkConserved();
            }
            assertTrue(engine.count(NicCounter.CELLS_DELIVERED) > 1000);
        }
    }

    private static Outcome run(final Stardust fabric, final FlowSet flows, final int workers, final long slots) {
        return Outcomes.run(new StardustEngine(fabric, flows, workers), slots);
    }
}
