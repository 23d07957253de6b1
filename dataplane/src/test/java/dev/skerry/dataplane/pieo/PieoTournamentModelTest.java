package dev.skerry.dataplane.pieo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/**
 * {@link PieoTournament} in random operations beside the definition {@link PieoList}, and for millions of operations
 * beside {@link Pieo}; {@link PieoTest} replays the recorded ones of the RTL.
 */
final class PieoTournamentModelTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    private SplittableRandom random;
    private long now;
    private final PieoTournament pieo = new PieoTournament(Arena.ofAuto(), new PieoLayout(16));

    /** How time moves: forward in small steps, forward and back, anywhere. */
    enum Clock { FORWARD, WAVERING, RANDOM }

    private long turn(final Clock clock, final long noTime) {
        now = switch (clock) {
            case FORWARD -> Math.min(noTime - 1, now + random.nextInt(3));
            case WAVERING -> Math.clamp(now + random.nextInt(200) - 95, 0, noTime - 1);
            case RANDOM -> random.nextLong(noTime);
        };
        return now;
    }

    private static PieoList.Element extracted(final PieoTournament pieo) {
        return new PieoList.Element(pieo.id(), pieo.rank(), pieo.sendTime());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 6, 16, 16, FORWARD", "2, 2, 6, 2, 2, RANDOM", "16, 3, 4, 16, 16, WAVERING", "64, 4, 6, 16, 16, RANDOM",
        "64, 5, 30, 32, 32, FORWARD", "100, 6, 10, 3, 16, WAVERING", "100, 7, 2, 16, 6, RANDOM",
        "500, 8, 9, 16, 32, FORWARD", "500, 9, 20, 2, 12, RANDOM", "500, 10, 30, 32, 32, RANDOM"})
    void shouldEqualTheList(final int size, final long seed, final int idBits, final int rankBits, final int timeBits,
        final Clock clock) {
        random = new SplittableRandom(seed);
        final PieoLayout layout = new PieoLayout(size, idBits, rankBits, timeBits);
        final PieoTournament pieo = new PieoTournament(Arena.ofAuto(), layout);
        PieoList list = new PieoList();
        boolean growing = true;
        int turns = 0;
        for (int i = 0; i < 60_000; i++) {
            final String where = "size=" + size + " seed=" + seed + " operation=" + i;
            if (i == 30_000) {
                pieo.reset();
                list = new PieoList();
                now = 0;
                assertEquals(none(layout), extracted(pieo), where);
            }
            final int kind = random.nextInt(10);
            if (kind < (growing ? 6 : 2)) {
                enqueue(pieo, list, clock, where);
            } else if (kind < 9) {
                final PieoList.Element expected = list.dequeue(turn(clock, layout.noTime()));
                assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, pieo.dequeue(now), where);
                assertEquals(expected == null ? none(layout) : expected, extracted(pieo), where);
            } else {
                final int id = list.size() > 0 && random.nextBoolean() ? list.get(random.nextInt(list.size())).id()
                    : random.nextInt(1 << idBits);
                final PieoList.Element expected = list.dequeueF(id);
                assertEquals(expected == null ? Pieo.ABSENT : Pieo.DONE, pieo.dequeueF(id), where);
                assertEquals(expected == null ? none(layout) : expected, extracted(pieo), where);
            }
            assertEquals(list.size(), pieo.size(), where);
            final boolean turned = growing ? list.size() == size : list.size() <= size / 8;
            growing ^= turned;
            turns += turned ? 1 : 0;
        }
        assertTrue(turns > 10, "both ends must be reached: size=" + size + " seed=" + seed + " turns=" + turns);
    }

    private static PieoList.Element none(final PieoLayout layout) {
        return new PieoList.Element(layout.nullId(), layout.noRank(), layout.noTime());
    }

    private void enqueue(final PieoTournament pieo, final PieoList list, final Clock clock, final String where) {
        final PieoLayout layout = pieo.layout();
        final long rank = random.nextLong(layout.noRank());
        // In the past, soon or late; with small steps of time, early enough to leave at all.
        final int bits = random.nextInt((clock == Clock.RANDOM ? layout.timeBits() : 9) + 1);
        final long sendTime = Math.clamp(now + random.nextLong(1L << bits) - 3, 0, layout.noTime() - 1);
        final int id = random.nextInt(1 << layout.idBits());
        if (list.size() == layout.capacity()) {
            assertEquals(Pieo.FULL, pieo.enqueue(id, rank, sendTime), where);
        } else {
            list.enqueue(new PieoList.Element(id, rank, sendTime));
            assertEquals(Pieo.DONE, pieo.enqueue(id, rank, sendTime), where);
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 21, 65535", "1024, 22, 65535", "1024, 23, 8", "30000, 24, 65535", "30000, 25, 2"})
    void shouldEqualTheReferenceForMillionsOfOperations(final int size, final long seed, final int ranks) {
        random = new SplittableRandom(seed);
        now = 0;
        final PieoLayout layout = new PieoLayout(size, 16, 16, 32);
        final PieoTournament pieo = new PieoTournament(Arena.ofAuto(), layout);
        final Pieo reference = new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        for (int i = 0; i < 200_000 * SEEDS; i++) {
            final int kind = random.nextInt(64);
            final int expected;
            final int got;
            if (kind < 32) {
                final int id = random.nextInt(1 << 16);
                final int rank = random.nextInt(ranks);
                final long sendTime = now + Math.max(0, random.nextInt(2 * size) - size / 2);
                expected = reference.enqueue(id, rank, sendTime);
                got = pieo.enqueue(id, rank, sendTime);
            } else if (kind < 63 || size > 1024 && random.nextInt(8) > 0) {
                now += random.nextInt(4);
                expected = reference.dequeue(now);
                got = pieo.dequeue(now);
            } else {
                final int id = random.nextInt(1 << 16);
                expected = reference.dequeueF(id);
                got = pieo.dequeueF(id);
            }
            if (expected != got || reference.id() != pieo.id() || reference.rank() != pieo.rank()
                || reference.sendTime() != pieo.sendTime()) {
                assertEquals(expected + " " + reference.id() + " " + reference.rank() + " " + reference.sendTime(),
                    got + " " + pieo.id() + " " + pieo.rank() + " " + pieo.sendTime(),
                    "size=" + size + " seed=" + seed + " operation=" + i);
            }
        }
        assertEquals(reference.size(), pieo.size());
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32})
    void shouldKeepTheOrderOfEqualRanksWhenArrivalsAreNumberedAnew(final long seed) {
        random = new SplittableRandom(seed);
        final PieoLayout layout = new PieoLayout(32_768, 15, 32, 16);
        final PieoTournament pieo = new PieoTournament(Arena.ofAuto(), layout);
        final PieoList list = new PieoList();
        // 16 bits of arrivals: three rounds.
        for (int i = 0; i < 200_000; i++) {
            final PieoList.Element f = new PieoList.Element(i & 32_767, random.nextInt(4), random.nextInt(3));
            list.enqueue(f);
            assertEquals(Pieo.DONE, pieo.enqueue(f.id(), f.rank(), f.sendTime()));
            while (list.size() > 20) {
                // At a time of 2 all elements stay eligible, so none is put in its place anew.
                final int time = seed == 31 ? 2 : random.nextInt(3);
                final PieoList.Element expected = list.dequeue(time);
                assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, pieo.dequeue(time));
                assertEquals(expected == null ? none(layout) : expected, extracted(pieo),
                    "seed=" + seed + " operation=" + i);
            }
        }
    }

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
