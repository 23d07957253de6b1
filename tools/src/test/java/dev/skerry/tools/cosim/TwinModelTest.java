package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;

/** Models accept every row of their stimulus, and answer like obvious reference models. */
final class TwinModelTest {
    private static final int STEPS = 20_000;

    private final Arena arena = Arena.ofAuto();

    private static long[] step(final Twin twin, final MemorySegment in, final MemorySegment out, final long[] row) {
        MemorySegment.copy(row, 0, in, ValueLayout.JAVA_LONG, 0, row.length);
        twin.resolve(in, 0);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    private MemorySegment row(final String... names) {
        return arena.allocate(ValueLayout.JAVA_LONG, names.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pieo capacity=64 idBits=7", "pieo capacity=3 rankBits=2 timeBits=3", "pieo capacity=1",
        "switch ports=4 rows=1,2,3,0/2,3,-1,1/-1,-1,0,3", "switch ports=1 rows=0", "shoal nodes=2", "shoal classes=4",
        "shale", "shale layout=L12F nodes=2 phases=1", "shale layout=L12F failures=1",
        "shale layout=L16 nodes=4096 phases=6 failures=1"})
    void shouldTakeEveryRowDrawnAndCoverEveryCase(final String description) {
        final Twin twin = Description.of(description).twin(arena);
        final Stimulus stimulus = twin.stimulus(Map.of());
        final SplittableRandom random = new SplittableRandom(1);
        final MemorySegment in = row(twin.names().inputs());
        final MemorySegment out = row(twin.names().outputs());
        final long[] row = new long[twin.names().inputs().length];
        stimulus.begin(twin);
        for (int i = 0; i < STEPS; i++) {
            stimulus.draw(random, row);
            stimulus.covered(row, step(twin, in, out, row));
        }
        assertTrue(stimulus.coverage.of("full") > 0 && stimulus.coverage.of("empty") > 0,
            stimulus.coverage.toString());
    }

    @Test
    void shouldAnswerAsThePlainList() {
        final Twin twin = Description.of("pieo capacity=16 idBits=5").twin(arena);
        final Stimulus stimulus = twin.stimulus(Map.of("absent", 0));
        final SplittableRandom random = new SplittableRandom(7);
        final PieoList list = new PieoList();
        final MemorySegment in = row(twin.names().inputs());
        final MemorySegment out = row(twin.names().outputs());
        final long[] row = new long[twin.names().inputs().length];
        stimulus.begin(twin);
        for (int i = 0; i < STEPS; i++) {
            stimulus.draw(random, row);
            final long[] answer = step(twin, in, out, row);
            final String where = "seed 7 step " + i;
            if ((row[0] & PieoTwin.ENQUEUE) != 0) {
                assertEquals(list.size() < 16 ? Pieo.DONE : Pieo.FULL, answer[0], where);
                if (answer[0] == Pieo.DONE) {
                    list.enqueue(new PieoList.Element((int) row[1], row[2], row[3]));
                }
            } else {
                final PieoList.Element expected = (row[0] & PieoTwin.DEQUEUE) != 0
                    ? list.dequeue(row[3]) : list.dequeueF((int) row[1]);
                assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, answer[0], where);
                if (expected != null) {
                    assertArrayEquals(new long[] {Pieo.DONE, expected.id(), expected.rank(), expected.sendTime()},
                        new long[] {answer[0], answer[1], answer[2], answer[3]}, where);
                }
            }
        }
    }

    @Test
    void shouldRefuseARowWithoutAStep() {
        final Twin twin = Description.of("switch ports=2 rows=1,0").twin(arena);
        final MemorySegment in = row(twin.names().inputs());
        final MemorySegment out = row(twin.names().outputs());
        assertThrows(IllegalArgumentException.class, () -> step(twin, in, out, new long[] {0, 0, 1, 3, 2, 0}));
        final long[] answer = step(twin, in, out, new long[] {0, 0, 1, 0, 2, 0});
        assertArrayEquals(new long[] {2, 1, 0, 2, 2, 0, 0, 0, 0, 0, 0}, answer);
    }

    @Test
    void shouldRefuseTokensThatNoHeaderHolds() {
        final Twin twin = Description.of("shale").twin(arena);
        final MemorySegment in = row(twin.names().inputs());
        final MemorySegment out = row(twin.names().outputs());
        final long allOnes = 1 << 23 | 32767 << 3 | 3;
        for (final long token : new long[] {allOnes, 2 << 23, 1 << 23 | 4, 5, -1, 1L << 31}) {
            assertThrows(IllegalArgumentException.class,
                () -> step(twin, in, out, new long[] {0, 1, 2, 0, 0, token, 0, 0, 0}), "token=" + token);
        }
        step(twin, in, out, new long[] {0, 1, 2, 0, 0, allOnes - 1, 0, 0, 0});
    }
}
