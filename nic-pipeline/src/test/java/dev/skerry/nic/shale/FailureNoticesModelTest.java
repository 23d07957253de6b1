package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.PathReachability.BucketSets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Waiting notices and sets of buckets, against lists and sets of the library. */
final class FailureNoticesModelTest {
    private static final int STEPS = 20_000;
    private static final int LINKS = 3;
    private static final int BUCKETS = 12;

    /** Losses and gains told in turn, taken out now and then: who listens knows what is lost once nothing waits. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTellWhatIsLostAndNoMoreThanThat(final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1);
            final FailureNotices notices = new FailureNotices(arena, LINKS, pool);
            final List<List<Integer>> waiting = new ArrayList<>();
            final List<Set<Integer>> lost = new ArrayList<>();
            final List<Set<Integer>> told = new ArrayList<>();
            for (int link = 0; link < LINKS; link++) {
                waiting.add(new ArrayList<>());
                lost.add(new HashSet<>());
                told.add(new HashSet<>());
            }
            for (int step = 0; step < STEPS; step++) {
                final int link = random.nextInt(LINKS);
                final int bucket = Route.bucket(random.nextInt(BUCKETS) << 16, random.nextInt(8));
                if (random.nextInt(3) > 0) {
                    final boolean isLost = lost.get(link).add(bucket) || !lost.get(link).remove(bucket);
                    final int notice = FailureNotices.of(bucket, isLost);
                    notices.add(link, notice);
                    if (!waiting.get(link).remove((Integer) FailureNotices.of(bucket, !isLost))) {
                        waiting.get(link).add(notice);
                    }
                } else {
                    take(notices, link, waiting.get(link), told.get(link), "seed=" + seed + " step=" + step);
                }
                final int first = random.nextInt(LINKS);
                final int count = random.nextInt(LINKS - first + 1);
                assertEquals(waiting.subList(first, first + count).stream().allMatch(List::isEmpty),
                    notices.areEmpty(first, count), "seed=" + seed + " step=" + step);
            }
            for (int link = 0; link < LINKS; link++) {
                while (!notices.isEmpty(link)) {
                    take(notices, link, waiting.get(link), told.get(link), "seed=" + seed);
                }
                assertEquals(lost.get(link), told.get(link), "seed=" + seed);
                assertEquals(FailureNotices.NONE, notices.poll(link));
            }
            assertEquals(0, pool.used());
        }
    }

    private static void take(final FailureNotices notices, final int link, final List<Integer> waiting,
        final Set<Integer> told, final String where) {
        assertEquals(waiting.isEmpty(), notices.isEmpty(link), where);
        final int notice = notices.poll(link);
        assertEquals(waiting.isEmpty() ? FailureNotices.NONE : waiting.removeFirst(), notice, where);
        if (notice != FailureNotices.NONE) {
            assertFalse(FailureNotices.isToken(notice) || FailureNotices.isMissing(notice), where);
            final int bucket = FailureNotices.bucket(notice);
            assertTrue(FailureNotices.isLoss(notice) ? told.add(bucket) : told.remove(bucket), where);
        }
    }

    @Test
    void shouldTellOfAMissingCellBeforeAnythingElse() {
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1);
            final FailureNotices notices = new FailureNotices(arena, 1, pool);
            notices.add(0, FailureNotices.of(Route.bucket(7, 0), true));
            notices.addFirst(0, FailureNotices.missing(9));
            assertTrue(FailureNotices.isMissing(notices.peek(0)));
            assertFalse(FailureNotices.isToken(notices.peek(0)));
            assertEquals(FailureNotices.missing(9), notices.poll(0));
            notices.clear(0);
            notices.addFirst(0, FailureNotices.missing(9));
            notices.add(0, FailureNotices.of(Route.bucket(7, 0), true));
            notices.add(0, FailureNotices.of(Route.bucket(8, 0), true));
            assertFalse(notices.areEmpty(0, 1));
            assertEquals(FailureNotices.missing(9), notices.poll(0));
            assertEquals(FailureNotices.of(Route.bucket(7, 0), true), notices.poll(0));
            assertEquals(FailureNotices.of(Route.bucket(8, 0), true), notices.poll(0));
            assertTrue(notices.areEmpty(0, 1));
            assertEquals(FailureNotices.NONE, notices.peek(0));
            assertEquals(0, pool.used());
        }
        assertFalse(FailureNotices.isMissing(FailureNotices.NONE));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldKeepSetsOfBuckets(final long seed) {
        final Random random = new Random(seed);
        final BucketSets sets = new BucketSets(LINKS);
        final List<TreeSet<Integer>> model = new ArrayList<>();
        for (int index = 0; index < LINKS; index++) {
            model.add(new TreeSet<>());
        }
        for (int step = 0; step < STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int index = random.nextInt(LINKS);
            final int bucket = random.nextInt(40);
            switch (random.nextInt(4)) {
                case 0 -> assertEquals(model.get(index).add(bucket), sets.add(index, bucket), where);
                case 1 -> assertEquals(model.get(index).remove(bucket), sets.remove(index, bucket), where);
                case 2 -> assertEquals(model.get(index).contains(bucket), sets.contains(index, bucket), where);
                default -> {
                    if (random.nextInt(100) == 0) {
                        sets.clear(index);
                        model.get(index).clear();
                    }
                }
            }
            assertEquals(new ArrayList<>(model.get(index)), Arrays.stream(sets.of(index)).boxed().toList(),
                where);
            assertEquals(model.get(index).size(), sets.size(index), where);
        }
    }
}
