package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

class SlotSharesTest {
    private static final int LONGEST_PERIOD = 40;

    @Test
    void shouldGiveTheFirstOfTwoEqualSharesTheOddSlots() {
        final SlotShares half = new SlotShares(7, 7);
        assertEquals(2, half.period());
        for (long slot = 0; slot < 20; slot++) {
            assertEquals(slot % 2 == 1 ? 0 : 1, half.owner(slot));
        }
    }

    @Test
    void shouldSpreadTwoOfFiveSlotsAsTheDiagramShows() {
        final SlotShares shares = new SlotShares(2, 3);
        final int[] owner = {1, 1, 0, 1, 0, 1, 1, 0, 1, 0};
        final int[] own = {0, 1, 0, 2, 1, 3, 4, 2, 5, 3};
        for (int slot = 0; slot < owner.length; slot++) {
            assertEquals(owner[slot], shares.owner(slot));
            assertEquals(own[slot], shares.shares().get(owner[slot]).before(slot));
        }
    }

    /** Of two shares, the first has slot t if floor((t + 1) s) is above floor(t s). */
    @Test
    void shouldFollowTheRuleForTwo() {
        for (int period = 2; period <= LONGEST_PERIOD; period++) {
            for (int share = 1; share < period; share++) {
                final SlotShares shares = new SlotShares(share, period - share);
                for (long slot = 0; slot < 3L * period; slot++) {
                    final boolean isFirst = (slot + 1) * share / period > slot * share / period;
                    assertEquals(isFirst ? 0 : 1, shares.owner(slot), share + "/" + period + " slot=" + slot);
                }
            }
        }
    }

    /** Counted slot by slot: every share has its part of every period, numbers its slots, and finds them again. */
    @ParameterizedTest
    @ValueSource(strings = {"1,1", "2,3", "1,2,3", "5,1,1,1", "40,9,2", "3,3,3", "1,9999", "1,1,1,1,1,1,1,1"})
    void shouldNumberTheSlotsOfEachShare(final String text) {
        final int[] slots = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
        final SlotShares shares = new SlotShares(slots);
        final long[] counted = new long[slots.length];
        for (long slot = 0; slot < 2L * shares.period(); slot++) {
            for (int number = 0; number < slots.length; number++) {
                final SlotShare share = shares.shares().get(number);
                assertEquals(number, share.number());
                assertEquals(counted[number], share.before(slot), text + " slot=" + slot);
                assertEquals(shares.owner(slot) == number, share.owns(slot), text + " slot=" + slot);
            }
            final int owner = shares.owner(slot);
            assertEquals(slot, shares.shares().get(owner).slotOf(counted[owner]++), text + " slot=" + slot);
        }
        final int sum = Arrays.stream(slots).sum();
        for (int number = 0; number < slots.length; number++) {
            assertEquals(2L * shares.period() * slots[number] / sum, counted[number], text);
        }
    }

    /** In any stretch of slots the first share has its part but for less than one slot. */
    @Test
    void shouldSpreadEvenly() {
        final SlotShares shares = new SlotShares(3, 5, 9);
        final SlotShare first = shares.shares().getFirst();
        for (long slot = 0; slot < 100; slot++) {
            assertTrue(Math.abs(first.before(slot) - slot * 3 / 17.0) < 1, "slot=" + slot);
        }
    }

    @Test
    void shouldLeaveAScheduleAloneThatHasAllSlots() {
        assertTrue(SlotShare.ALL.isAll());
        for (final long slot : new long[] {0, 1, 12_345, Long.MAX_VALUE}) {
            assertEquals(slot, SlotShare.ALL.before(slot));
            assertEquals(slot, SlotShare.ALL.slotOf(slot));
            assertTrue(SlotShare.ALL.owns(slot));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0,1", "1,10000", "1,-1", "1,1,1,1,1,1,1,1,1"})
    void shouldRefuseWhatCannotBeShared(final String text) {
        final int[] slots = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
        final String message = assertThrows(IllegalArgumentException.class, () -> new SlotShares(slots)).getMessage();
        assertTrue(message.contains(Arrays.toString(slots)), message);
    }
}
