package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.engine.FreeRunning.Quiescence;
import org.junit.jupiter.api.Test;

/** When a run whose banks are seen one after the other is over. */
final class QuiescenceTest {
    private static boolean look(final Quiescence settlement, final long from, final long until, final long settled,
        final long moves) {
        settlement.look(from);
        settlement.add(settled - 3, moves);
        settlement.add(3, 0);
        settlement.until(until - 1);
        settlement.until(until);
        return settlement.isReached();
    }

    @Test
    void shouldBelieveASumThatOnlyGrows() {
        final Quiescence settlement = new Quiescence(10, false);
        assertEquals(false, look(settlement, 0, 5, 9, 1));
        assertEquals(true, look(settlement, 0, 5, 10, 1));
    }

    @Test
    void shouldLookTwiceWhereTheSumMayFall() {
        final Quiescence settlement = new Quiescence(10, true);
        assertEquals(false, look(settlement, 0, 100, 10, 7), "the first look");
        assertEquals(false, look(settlement, 100, 150, 10, 7), "a bank may have been behind then");
        assertEquals(false, look(settlement, 140, 200, 9, 8), "it has fallen");
        assertEquals(false, look(settlement, 500, 600, 10, 9), "the first look again");
        assertEquals(false, look(settlement, 700, 800, 10, 10), "something has moved");
        assertEquals(false, look(settlement, 810, 900, 10, 10), "not far enough");
        assertEquals(true, look(settlement, 832, 900, 10, 10));
    }
}
