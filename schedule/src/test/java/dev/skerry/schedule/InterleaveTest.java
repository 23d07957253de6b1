package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigInteger;

class InterleaveTest {
    private static final int LONGEST_PERIOD = 40;

    @Test
    void shouldGiveClassHighTheOddSlotsWithEqualShares() {
        final Interleave half = new Interleave(1, 2);
        for (long slot = 0; slot < 20; slot++) {
            assertEquals(slot % 2 == 1, half.isHigh(slot));
            assertEquals(slot / 2, half.subSlot(slot));
        }
    }

    @Test
    void shouldSpreadTwoOfFiveSlotsAsTheDiagramShows() {
        final Interleave twoOfFive = new Interleave(2, 5);
        final long[] subSlots = {0, 1, 0, 2, 1, 3, 4, 2, 5, 3};
        for (int slot = 0; slot < subSlots.length; slot++) {
            assertEquals("..H.H..H.H".charAt(slot) == 'H', twoOfFive.isHigh(slot));
            assertEquals(subSlots[slot], twoOfFive.subSlot(slot));
        }
    }

    @Test
    void shouldLeaveAScheduleAloneThatHasAllSlots() {
        final Interleave onlyLow = new Interleave(0, 7);
        final Interleave onlyHigh = new Interleave(7, 7);
        for (long slot = 0; slot < 100; slot++) {
            assertFalse(onlyLow.isHigh(slot));
            assertTrue(onlyHigh.isHigh(slot));
            assertEquals(slot, onlyLow.subSlot(slot));
            assertEquals(slot, onlyHigh.subSlot(slot));
        }
    }

    /** Every share with a period up to {@link #LONGEST_PERIOD}: the definition, the period, and counting. */
    @Test
    void shouldCountTheSlotsOfEachClassOneByOne() {
        for (int period = 1; period <= LONGEST_PERIOD; period++) {
            for (int share = 0; share <= period; share++) {
                final Interleave interleave = new Interleave(share, period);
                final String what = interleave + " from " + share + "/" + period;
                long high = 0;
                long low = 0;
                for (long slot = 0; slot < 3L * period; slot++) {
                    final boolean isHigh = (slot + 1) * share / period > slot * share / period;
                    assertEquals(isHigh, interleave.isHigh(slot), what);
                    assertEquals(isHigh, interleave.isHigh(slot + interleave.periodSlots()), what);
                    assertEquals(high, interleave.highSlotsBefore(slot), what);
                    assertEquals(low, interleave.lowSlotsBefore(slot), what);
                    assertEquals(isHigh ? high++ : low++, interleave.subSlot(slot), what);
                }
                assertEquals(3L * share, high, what);
            }
        }
    }

    @Test
    void shouldKeepTheShareInLowestTerms() {
        assertEquals(new Interleave(2, 5), new Interleave(40, 100));
        assertEquals(5, new Interleave(40, 100).periodSlots());
        assertEquals(new Interleave(0, 1), new Interleave(0, 8));
        assertEquals(new Interleave(1, 1), new Interleave(8, 8));
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 9223372036854775806", "2, 5, 9223372036854775806", "2147483646, 2147483647, 9223372036854775806",
        "1, 2147483647, 9223372036854775806", "1999999999, 2147483647, 4611686018427387905"})
    void shouldNotOverflowInDistantSlots(final int share, final int period, final long slot) {
        final Interleave interleave = new Interleave(share, period);
        final long before = exactShare(slot, share, period);

        assertEquals(before, interleave.highSlotsBefore(slot));
        assertEquals(slot - before, interleave.lowSlotsBefore(slot));
        assertEquals(exactShare(slot + 1, share, period) > before, interleave.isHigh(slot));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, periodSlots=0", "1, -1, periodSlots=-1", "-1, 2, highSlots=-1", "3, 2, highSlots=3"})
    void shouldRefuseSharesOutsideZeroToOne(final int share, final int period, final String named) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new Interleave(share, period)).getMessage();

        assertTrue(message.contains(named), message);
    }

    private static long exactShare(final long slots, final int share, final int period) {
        return BigInteger.valueOf(slots).multiply(BigInteger.valueOf(share)).divide(BigInteger.valueOf(period))
            .longValueExact();
    }
}
