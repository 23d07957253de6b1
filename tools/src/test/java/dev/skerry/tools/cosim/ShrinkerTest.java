package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.cosim.CosimCommand.Shrinker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

final class ShrinkerTest {
    private static final int ENOUGH = 100_000;

    private static List<long[]> noise(final long seed, final int rows) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<long[]> noise = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            noise.add(new long[] {random.nextInt(10), random.nextLong(1000)});
        }
        return noise;
    }

    /**
     * Fails at the row that completes 7, then 7, then a row with 3 and at least 100, in this order, with any rows
     * between.
     */
    private static int failsAt(final List<long[]> rows) {
        int sevens = 0;
        for (int i = 0; i < rows.size(); i++) {
            final long[] row = rows.get(i);
            if (sevens == 2 && row[0] == 3 && row[1] >= 100) {
                return i;
            }
            sevens += row[0] == 7 && sevens < 2 ? 1 : 0;
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldLeaveTheRowsThatMatterWithTheirSmallestWords(final long seed) {
        final List<long[]> rows = noise(seed, 1000);
        assertTrue(failsAt(rows) > 3, "seed " + seed);
        final List<long[]> shortest = new Shrinker(ShrinkerTest::failsAt, ENOUGH).shrink(rows);
        assertEquals(3, shortest.size(), "seed " + seed);
        assertArrayEquals(new long[] {7, 0}, shortest.get(0));
        assertArrayEquals(new long[] {7, 0}, shortest.get(1));
        assertEquals(3, shortest.get(2)[0]);
        assertTrue(shortest.get(2)[1] >= 100 && shortest.get(2)[1] < 200, "seed " + seed);
    }

    @Test
    void shouldEndWithTheFailingRow() {
        final List<long[]> rows = noise(9, 500);
        final List<long[]> shortest = new Shrinker(ShrinkerTest::failsAt, ENOUGH).shrink(rows);
        assertEquals(shortest.size() - 1, failsAt(shortest));
    }

    @Test
    void shouldStopWhenTheReplaysRunOut() {
        final AtomicInteger replays = new AtomicInteger();
        final List<long[]> shortest = new Shrinker(rows -> {
            replays.incrementAndGet();
            return failsAt(rows);
        }, 5).shrink(noise(1, 1000));
        assertEquals(5, replays.get());
        assertEquals(shortest.size() - 1, failsAt(shortest));
    }

    @Test
    void shouldSayWhenTheFailureDoesNotComeAgain() {
        final List<long[]> rows = noise(1, 10);
        assertThrows(IllegalStateException.class, () -> new Shrinker(each -> -1, ENOUGH).shrink(rows));
    }
}
