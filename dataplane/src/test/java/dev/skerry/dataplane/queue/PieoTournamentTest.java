package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

final class PieoTournamentTest {
    private final PieoTournament pieo = new PieoTournament(Arena.ofAuto(), new PieoLayout(16));

    private static PieoTournament pieo(final PieoLayout layout) {
        return new PieoTournament(Arena.ofAuto(), layout);
    }

    private void assertLeaves(final int id, final long rank, final long sendTime) {
        assertEquals(id, pieo.id());
        assertEquals(rank, pieo.rank());
        assertEquals(sendTime, pieo.sendTime());
    }

    @Test
    void shouldLetTheSmallestRankLeaveWhoseTimeHasCome() {
        pieo.enqueue(1, 5, 9);
        pieo.enqueue(2, 7, 3);
        pieo.enqueue(3, 6, 4);
        assertEquals(Pieo.NOTHING, pieo.dequeue(2));
        assertEquals(Pieo.DONE, pieo.dequeue(3));
        assertLeaves(2, 7, 3);
        assertEquals(Pieo.DONE, pieo.dequeue(9));
        assertLeaves(1, 5, 9);
        assertEquals(Pieo.DONE, pieo.dequeue(9));
        assertLeaves(3, 6, 4);
        assertEquals(Pieo.NOTHING, pieo.dequeue(9));
    }

    @Test
    void shouldServeEqualRanksInOrderOfArrivalNotOfEligibility() {
        pieo.enqueue(1, 5, 9);
        pieo.enqueue(2, 5, 0);
        pieo.enqueue(3, 5, 9);
        pieo.enqueue(4, 5, 9);
        assertEquals(Pieo.DONE, pieo.dequeue(0));
        assertLeaves(2, 5, 0);
        pieo.enqueue(5, 5, 0);
        for (final int id : new int[] {1, 3, 4, 5}) {
            assertEquals(Pieo.DONE, pieo.dequeue(9));
            assertEquals(id, pieo.id());
        }
    }

    @Test
    void shouldLetNothingLeaveEarlyWhenTimeGoesBack() {
        pieo.enqueue(1, 1, 5000);
        pieo.enqueue(2, 2, 100);
        pieo.enqueue(3, 3, 6000);
        assertEquals(Pieo.DONE, pieo.dequeueF(3));
        pieo.enqueue(3, 3, 6000);
        assertEquals(Pieo.DONE, pieo.dequeue(5500));
        assertLeaves(1, 1, 5000);
        pieo.enqueue(4, 0, 5400);
        assertEquals(Pieo.NOTHING, pieo.dequeue(99));
        assertEquals(Pieo.DONE, pieo.dequeue(100));
        assertLeaves(2, 2, 100);
        assertEquals(Pieo.NOTHING, pieo.dequeue(5399));
        assertEquals(Pieo.DONE, pieo.dequeue(60_000));
        assertLeaves(4, 0, 5400);
    }

    @Test
    void shouldTakeAnElementOutByItsIdWhereverItIs() {
        pieo.enqueue(1, 1, 0);
        pieo.enqueue(2, 1, 70);
        pieo.enqueue(3, 1, 70);
        pieo.enqueue(4, 1, 70);
        for (final int id : new int[] {3, 1, 4, 2}) {
            assertEquals(Pieo.DONE, pieo.dequeueF(id));
            assertEquals(id, pieo.id());
            assertEquals(Pieo.ABSENT, pieo.dequeueF(id));
            assertLeaves(15, 65_535, 65_535);
        }
        assertEquals(0, pieo.size());
        assertEquals(Pieo.NOTHING, pieo.dequeue(100));
    }

    @Test
    void shouldTakeEqualIdsInOrderOfRank() {
        pieo.enqueue(7, 30, 0);
        pieo.enqueue(7, 20, 9);
        pieo.enqueue(7, 20, 1);
        assertEquals(Pieo.DONE, pieo.dequeueF(7));
        assertLeaves(7, 20, 9);
        assertEquals(Pieo.DONE, pieo.dequeueF(7));
        assertLeaves(7, 20, 1);
    }

    @Test
    void shouldRefuseWhatTheReferenceRefuses() {
        assertEquals(Pieo.BAD_ID, pieo.enqueue(-1, 1, 1));
        assertEquals(Pieo.BAD_ID, pieo.enqueue(16, 1, 1));
        assertEquals(Pieo.BAD_RANK, pieo.enqueue(9, -1, 1));
        assertEquals(Pieo.BAD_RANK, pieo.enqueue(9, 65_535, 1));
        assertEquals(Pieo.BAD_TIME, pieo.enqueue(9, 1, -1));
        assertEquals(Pieo.BAD_TIME, pieo.enqueue(9, 1, 65_535));
        assertEquals(Pieo.BAD_TIME, pieo.dequeue(-1));
        pieo.enqueue(4, 1, 0);
        assertEquals(Pieo.DONE, pieo.dequeue(1));
        assertEquals(Pieo.BAD_TIME, pieo.dequeue(65_535));
        assertLeaves(pieo.layout().nullId(), pieo.layout().noRank(), pieo.layout().noTime());
        assertEquals(Pieo.BAD_ID, pieo.dequeueF(-1));
        assertEquals(Pieo.BAD_ID, pieo.dequeueF(16));
        assertEquals(Pieo.ABSENT, pieo.dequeueF(3));
        for (int i = 0; i < 16; i++) {
            assertEquals(Pieo.DONE, pieo.enqueue(i, 1, 1));
        }
        assertEquals(Pieo.FULL, pieo.enqueue(3, 1, 1));
        assertEquals(16, pieo.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 9, 63, 64, 65, 513, 65_536})
    void shouldHoldItsCapacityAndNotOneMore(final int capacity) {
        final PieoTournament queue = pieo(new PieoLayout(capacity));
        for (int i = 0; i < capacity; i++) {
            assertEquals(Pieo.DONE, queue.enqueue(i, capacity - i - 1 >>> 1, i & 1));
        }
        assertEquals(Pieo.FULL, queue.enqueue(0, 0, 0));
        long last = 0;
        for (int i = 0; i < capacity; i++) {
            assertEquals(Pieo.DONE, queue.dequeue(1));
            assertEquals(true, queue.rank() >= last);
            last = queue.rank();
        }
        assertEquals(Pieo.NOTHING, queue.dequeue(1));
    }

    @Test
    void shouldCompareWideFieldsAsUnsigned() {
        final PieoTournament wide = pieo(new PieoLayout(32_768, 30, 32, 32));
        assertEquals(Pieo.DONE, wide.enqueue((1 << 30) - 1, 0xFFFF_FFFEL, 0));
        assertEquals(Pieo.DONE, wide.enqueue(1, 0x7FFF_FFFFL, 0xFFFF_FFFEL));
        assertEquals(Pieo.DONE, wide.dequeue(0x8000_0000L));
        assertEquals((1 << 30) - 1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.rank());
        assertEquals(Pieo.DONE, wide.dequeue(0xFFFF_FFFEL));
        assertEquals(1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.sendTime());
    }

    @Test
    void shouldStartAgainAfterReset() {
        pieo.enqueue(1, 1, 1);
        pieo.enqueue(2, 1, 900);
        pieo.dequeue(50);
        pieo.reset();
        assertEquals(0, pieo.size());
        assertEquals(Pieo.ABSENT, pieo.dequeueF(2));
        pieo.enqueue(3, 1, 10);
        assertEquals(Pieo.NOTHING, pieo.dequeue(9));
        assertEquals(Pieo.DONE, pieo.dequeue(10));
    }

    @ParameterizedTest
    @CsvSource({"65536, 30, true", "65536, 31, false", "32768, 32, true", "32769, 31, false"})
    void shouldSayWhichRanksItServes(final int capacity, final int rankBits, final boolean serves) {
        final PieoLayout layout = new PieoLayout(capacity, 16, rankBits, 32);
        if (serves) {
            assertEquals(Pieo.DONE, pieo(layout).enqueue(1, layout.noRank() - 1, 0));
        } else {
            assertThrows(IllegalArgumentException.class, () -> pieo(layout));
        }
    }

    @Test
    void shouldShowNoElementBeforeTheFirst() {
        assertLeaves(pieo.layout().nullId(), pieo.layout().noRank(), pieo.layout().noTime());
    }
}
