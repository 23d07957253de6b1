package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.live.LiveRun.Drain;
import org.junit.jupiter.api.Test;

final class DrainTest {
    private static final int ROUNDS = Drain.MOST_ROUNDS;

    private final Drain drain = new Drain();
    private long looks = 7;

    /** Looks a number of times, each after every bank has looked. Returns the last result. */
    private boolean look(final int times, final long arrived, final long slot, final boolean atRest) {
        boolean givenUp = false;
        for (int i = 0; i < times; i++) {
            givenUp = drain.isGivenUp(arrived, looks++, slot, atRest);
        }
        return givenUp;
    }

    @Test
    void shouldGiveUpWhereNothingMovesAnyMore() {
        assertFalse(look(ROUNDS, 3, 100, true));
        assertTrue(look(1, 3, 100, true));
    }

    @Test
    void shouldBeginAnewWithEveryArrival() {
        assertFalse(look(ROUNDS, 3, 100, true));
        assertFalse(look(ROUNDS, 4, 100, true));
        assertTrue(look(1, 4, 100, true));
    }

    /** A bank that is not scheduled does not look, however often the owner does. */
    @Test
    void shouldWaitForBanksThatDoNotRun() {
        for (int i = 0; i < 100 * ROUNDS; i++) {
            assertFalse(drain.isGivenUp(3, looks, 100, true), "given up at look " + i);
        }
    }

    /** Banks look, but the slots that cells in flight need have not run: switches wait for a processor. */
    @Test
    void shouldWaitForTheSlotsOfWhatIsUnderWay() {
        assertFalse(look(100 * ROUNDS, 3, 100, false));
        assertFalse(look(ROUNDS, 3, 99 + Drain.MOST_SLOTS, false));
        assertTrue(look(1, 3, 100 + Drain.MOST_SLOTS, false));
    }

    @Test
    void shouldCountSlotsFromTheLastArrival() {
        assertFalse(look(ROUNDS, 3, 100, false));
        assertFalse(look(ROUNDS, 4, Drain.MOST_SLOTS, false));
        assertFalse(look(ROUNDS, 4, 2 * Drain.MOST_SLOTS - 1, false));
        assertTrue(look(1, 4, 2 * Drain.MOST_SLOTS, false));
    }

    /** A slow port takes some packets now and then, while the slots of a fabric that never rests pass. */
    @Test
    void shouldNotCountSlotsInWhichAPortHasYetToTakePackets() {
        final long far = 100L * Drain.MOST_SLOTS;
        assertFalse(look(1, 3, 100, false));
        assertFalse(look(1, 3, far, true));
        assertFalse(look(1, 3, far + Drain.MOST_SLOTS - 1, false));
        assertTrue(look(1, 3, far + Drain.MOST_SLOTS, false));
        assertTrue(look(ROUNDS, 3, far, true));
    }
}
