package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** What banks count over time, by duration and at their most, against lists, maps and lengths kept cell by cell. */
final class CountersModelTest {
    private static final int BANKS = 3;
    private static final int NODES = 70;
    private static final int QUEUES = 3;
    private static final int STEPS = 5_000;
    private final NodeMaxima one = new NodeMaxima(NODES);
    private final NodeMaxima many = new NodeMaxima(NODES);
    private final int[][] lengths = new int[NODES][QUEUES];
    private final int[] mostHeld = new int[NODES];
    private final int[] mostInQueue = new int[NODES];

    @ParameterizedTest
    @CsvSource({"1, 1", "511, 1", "512, 1", "513, 2", "1024, 2", "1025, 4", "100000, 256"})
    void shouldJoinNeighboursWhenItOutgrowsItsIntervals(final int slots, final long interval) {
        final Timeline timeline = new Timeline();
        for (int slot = 0; slot < slots; slot++) {
            timeline.add(slot, slot % 7);
        }
        timeline.endBefore(slots);
        assertEquals(interval, Timeline.merged(new Timeline[] {timeline}).intervalSlots());
        final long[] delivered = timeline.delivered();
        assertEquals((slots + interval - 1) / interval, delivered.length);
        for (int i = 0; i < delivered.length; i++) {
            long expected = 0;
            for (long slot = i * interval; slot < Math.min(slots, (i + 1) * interval); slot++) {
                expected += slot % 7;
            }
            assertEquals(expected, delivered[i], "interval " + i);
        }
    }

    /** Beside a list of the cells that every bank held before every slot. Banks rest, and tell nothing then. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 255, 256, 257, 512, 513, 5000, 70_000})
    void shouldTellWhatAllBanksHeld(final int slots) {
        for (long seed = 1; seed <= 5; seed++) {
            final Random random = new Random(seed);
            final List<HeldTimeline> timelines = new ArrayList<>();
            final long[][] cells = new long[BANKS][slots + 1];
            for (final long[] held : cells) {
                timelines.add(bank(random, held, slots));
            }
            final List<HeldTimeline.At> all = HeldTimeline.sum(timelines.stream()
                .map(timeline -> HeldTimeline.of(timeline.columns())).toList()).until(slots);
            assertTrue(all.size() <= 257, () -> all.size() + " samples");
            assertTrue(all.size() > Math.min(slots, 128), () -> all.size() + " samples");
            for (int i = 0; i < all.size(); i++) {
                final HeldTimeline.At at = all.get(i);
                assertEquals(i == all.size() - 1 ? slots : i * all.get(Math.min(1, all.size() - 1)).slot(), at.slot());
                long sum = 0;
                long most = 0;
                for (final long[] held : cells) {
                    sum += held[(int) at.slot()];
                    most = Math.max(most, held[(int) at.slot()]);
                }
                assertEquals(new HeldTimeline.Sample(sum, most, 2 * sum, most + 1), at.sample(),
                    "seed " + seed + ", slot " + at.slot());
            }
        }
    }

    /** What it holds changes in the slots that it sends in, seen before the next one. */
    private static HeldTimeline bank(final Random random, final long[] held, final int slots) {
        final HeldTimeline timeline = new HeldTimeline();
        final int restsFrom = random.nextInt(slots + 1);
        long now = 0;
        for (int slot = 0; slot <= slots; slot++) {
            held[slot] = now;
            if (slot == slots) {
                timeline.finish(sample(now));
            } else if (slot < restsFrom && random.nextInt(4) > 0) {
                if (timeline.isDue(slot)) {
                    timeline.add(slot, sample(now));
                }
                now = random.nextInt(100);
            }
        }
        return timeline;
    }

    private static HeldTimeline.Sample sample(final long held) {
        return new HeldTimeline.Sample(held, held, 2 * held, held + 1);
    }

    @Test
    void shouldBeExactBelowItsLimitAndNearAboveItUpToTheLargestLong() {
        final Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            final long ns = i < 600 ? i : i == 600 ? Long.MAX_VALUE : random.nextLong() >>> 1 + random.nextInt(63);
            final NanoHistogram histogram = new NanoHistogram();
            histogram.record(ns);
            final long shown = shown(histogram).firstKey();
            assertTrue(Math.abs(shown - ns) <= (ns < 512 ? 0 : ns / 256), "seed 3 ns=" + ns + " shown=" + shown);
        }
    }

    /** Against a map that keeps the same values: readings at random moments add up to all that was counted. */
    @Test
    void shouldGiveEachDurationToOneInterval() {
        for (long seed = 0; seed < 20; seed++) {
            final Random random = new Random(seed);
            final NanoHistogram counted = new NanoHistogram();
            final NanoHistogram before = new NanoHistogram();
            final NanoHistogram added = new NanoHistogram();
            NanoHistogram between = new NanoHistogram();
            NanoHistogram.Interval interval = null;
            for (int i = 0; i < 2_000; i++) {
                final long ns = random.nextLong() >>> 1 + random.nextInt(63);
                counted.record(ns);
                between.record(ns);
                if (random.nextInt(50) == 0 || i == 1_999) {
                    final NanoHistogram one = new NanoHistogram();
                    interval = interval == null ? counted.since(before) : counted.since(before, interval);
                    one.add(interval);
                    added.add(interval);
                    assertEquals(shown(between), shown(one), "seed " + seed);
                    between = new NanoHistogram();
                }
            }
            assertEquals(shown(counted), shown(added), "seed " + seed);
            assertEquals(2_000, shown(added).values().stream().mapToLong(count -> count).sum(), "seed " + seed);
        }
    }

    /** Against a sorted list, within a step; what is taken away again leaves no trace. */
    @Test
    void shouldFindQuantiles() {
        for (long seed = 0; seed < 20; seed++) {
            final Random random = new Random(seed);
            final long[] all = random.longs(1_000, 0, 1L << 1 + random.nextInt(40)).sorted().toArray();
            final NanoHistogram histogram = new NanoHistogram();
            final NanoHistogram more = new NanoHistogram();
            for (final long ns : all) {
                histogram.record(ns);
                more.record(ns / 3);
            }
            final NanoHistogram.Interval interval = more.since(new NanoHistogram());
            histogram.add(interval);
            histogram.subtract(interval);
            for (final double share : new double[] {0.001, 0.5, 0.99, 1}) {
                final long exact = all[(int) Math.ceil(share * all.length) - 1];
                final long shown = histogram.valueAt(share);
                assertTrue(Math.abs(shown - exact) <= exact / 256, "seed " + seed + " share=" + share
                    + " exact=" + exact + " shown=" + shown);
            }
        }
        assertEquals(0, new NanoHistogram().valueAt(1));
    }

    private static TreeMap<Long, Long> shown(final StepHistogram histogram) {
        final TreeMap<Long, Long> shown = new TreeMap<>();
        histogram.forEach((ns, count) -> {
            assertTrue(shown.isEmpty() || shown.lastKey() < ns, "ascending");
            shown.put(ns, count);
        });
        return shown;
    }

    @Test
    void shouldBeExactBelowItsLimitInSlots() {
        final SlotHistogram histogram = new SlotHistogram();
        for (int slots = 0; slots < 16_384; slots++) {
            histogram.record(slots);
        }
        final TreeMap<Long, Long> shown = shown(histogram);
        assertEquals(16_384, shown.size());
        assertTrue(shown.values().stream().allMatch(count -> count == 1));
        assertEquals(16_383, shown.lastKey());
    }

    @Test
    void shouldBeNearAboveItInSlots() {
        final Random random = new Random(1);
        for (int i = 0; i < 400; i++) {
            final int slots = i == 0 ? Integer.MAX_VALUE : i == 1 ? 16_384 : i == 2 ? 32_767 : i == 3 ? 32_768
                : Math.max(16_384, random.nextInt() >>> 1 + random.nextInt(17));
            final SlotHistogram histogram = new SlotHistogram();
            histogram.record(slots);
            final long shown = shown(histogram).firstKey();
            assertTrue(shown <= slots && slots - shown <= slots / 8192, "slots=" + slots + " shown=" + shown);
        }
    }

    @Test
    void shouldAddUp() {
        final SlotHistogram one = new SlotHistogram();
        final SlotHistogram other = new SlotHistogram();
        one.record(3);
        one.record(1 << 20);
        other.record(3);
        other.record(0);
        one.add(other);
        assertEquals(new TreeMap<>(Map.of(0L, 1L, 3L, 2L, 1L << 20, 1L)), shown(one));
        assertEquals(new TreeMap<>(Map.of(0L, 1L, 3L, 1L)), shown(other));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldCountRowsLikeNodeAfterNode(final long seed) {
        final Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            final boolean joining = random.nextInt(8) < (step / 100 % 2 == 0 ? 5 : 3);
            switch (random.nextInt(3)) {
                case 0 -> row(random, joining);
                case 1 -> batch(random, joining);
                default -> {
                    final int node = random.nextInt(NODES);
                    final int length = change(random, node, joining);
                    if (joining) {
                        many.onEnqueue(node, length);
                    } else if (length >= 0) {
                        many.onDequeue(node);
                    }
                }
            }
            for (int node = 0; node < NODES; node++) {
                final String where = "seed=" + seed + " step=" + step + " node=" + node;
                same(held(node), one.held(node), many.held(node), where);
                same(mostHeld[node], one.maxHeld(node), many.maxHeld(node), where);
                same(mostInQueue[node], one.maxQueue(node), many.maxQueue(node), where);
            }
        }
        assertTrue(IntStream.range(0, NODES).filter(node -> mostHeld[node] > Math.max(mostInQueue[node], held(node)))
            .count() > NODES / 2, "maxima of several queues are passed: seed=" + seed);
    }

    private static void same(final int expected, final int oneByOne, final int together, final String where) {
        assertEquals(expected, oneByOne, where);
        assertEquals(expected, together, where);
    }

    private int held(final int node) {
        return lengths[node][0] + lengths[node][1] + lengths[node][2];
    }

    /**
     * Lets a cell join or leave a queue of a node; returns the queue's new length, -1 if there was no cell to leave.
     */
    private int change(final Random random, final int node, final boolean joining) {
        final int queue = random.nextInt(QUEUES);
        if (joining) {
            lengths[node][queue]++;
            mostHeld[node] = Math.max(mostHeld[node], held(node));
            mostInQueue[node] = Math.max(mostInQueue[node], lengths[node][queue]);
            one.onEnqueue(node, lengths[node][queue]);
            return lengths[node][queue];
        }
        if (lengths[node][queue] == 0) {
            return -1;
        }
        one.onDequeue(node);
        return --lengths[node][queue];
    }

    /** Counts a row of adjacent nodes. Column entries outside the row are arbitrary and must not matter. */
    private void row(final Random random, final boolean joining) {
        final int first = random.nextInt(NODES);
        final int end = first + random.nextInt(NODES + 1 - first);
        final int[] column = random.ints(NODES, 0, 1_000).toArray();
        for (int node = first; node < end; node++) {
            final int length = random.nextBoolean() ? change(random, node, joining) : -1;
            column[node] = joining ? Math.max(length, 0) : length >= 0 ? 1 : 0;
        }
        if (joining) {
            many.onEnqueue(first, end, column);
        } else {
            many.onDequeue(first, end, column);
        }
    }

    private void batch(final Random random, final boolean joining) {
        final CellBatch batch = new CellBatch(NODES);
        final int first = random.nextInt(NODES);
        final int end = first + random.nextInt(NODES - first + 1);
        for (int node = first; node < end; node++) {
            final int length = random.nextBoolean() ? change(random, node, joining) : -1;
            if (length >= 0) {
                batch.add(node, 0, length, 0, 0);
            }
        }
        if (joining) {
            many.onEnqueue(batch);
        } else {
            many.onDequeue(batch);
        }
    }
}
