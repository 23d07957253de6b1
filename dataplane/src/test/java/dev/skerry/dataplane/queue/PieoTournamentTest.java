package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
