package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Slots of blocks and single reasons mixed at random, against a map from bucket to reasons for each node. Reads are
 * rare, so that notes become full between them, but may come at any time, so that partly filled notes are counted, too.
 */
final class ActiveBucketsModelTest {
    private static final int NONE = -1;

    private final Arena arena = Arena.ofAuto();
    private final List<Map<Integer, Integer>> reasons = new ArrayList<>();
    /** Every reason of a node, to draw one from. */
    private final List<List<Integer>> drawn = new ArrayList<>();
    private int[] most;
    private int destinations;
    private int sprays;
    private int block;
    private Random random;

    @ParameterizedTest
    @CsvSource({"1, 1, 40, 40, 3000", "2, 2, 8, 64, 3000", "3, 2, 24, 576, 700", "4, 3, 4, 64, 3000",
        "5, 3, 9, 600, 500", "6, 5, 2, 32, 3000", "7, 8, 2, 256, 1000", "8, 8, 2, 1, 4000", "9, 2, 34, 1156, 400"})
    void shouldCountBlocksAndSingleReasons(final long seed, final int phases, final int radix, final int nodes,
        final int slots) {
        final Shale shale = prepare(seed, phases, radix, nodes);
        int largest = 0;
        final ActiveBuckets active = new ActiveBuckets(arena, shale, nodes);
        for (int slot = 0; slot < slots; slot++) {
            final boolean growing = slot / 200 % 2 == 0;
            for (int first = 0; first < nodes; first += block) {
                final int count = Math.min(block, nodes - first);
                if (slot / 150 % 2 == 1 && random.nextInt(8) > 0) {
                    fewEnd(active, first, count, growing);
                } else {
                    slot(active, first, count, growing, slot / 100 % 3 == 2);
                }
            }
            if (random.nextInt(150) == 0) {
                assertSame(active, "seed=" + seed + " slot=" + slot);
            }
            largest = Math.max(largest, reasons.get(0).size());
        }
        final String where = "seed=" + seed;
        assertSame(active, where);
        drain(active, where);
        assertTrue(largest > Math.min(70, destinations * sprays / 2), where + " largest=" + largest);
    }

    private Shale prepare(final long seed, final int phases, final int radix, final int nodes) {
        final Phased schedule = new Phased(phases, radix);
        random = new Random(seed);
        destinations = schedule.nodes();
        sprays = phases;
        block = CellBatch.block(nodes);
        most = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            reasons.add(new HashMap<>());
            drawn.add(new ArrayList<>());
        }
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH, 1, 1, 0, seed);
    }

    /**
     * A slot of a block: it begins and ends, or not, and single reasons come and go before, between and after. For
     * some time there are only single reasons.
     */
    private void slot(final ActiveBuckets active, final int first, final int count, final boolean growing,
        final boolean alone) {
        final int kind = alone ? 0 : random.nextInt(8);
        someAlone(active, first, count, growing);
        if (kind > 1) {
            spend(active, first, count, growing);
            someAlone(active, first, count, growing);
        }
        if (kind != 0 && kind != 2) {
            end(active, first, count, growing);
            someAlone(active, first, count, growing);
        }
    }

    /** Some nodes ask for a token for a cell of their own; those that get it gain a reason. */
    private void spend(final ActiveBuckets active, final int first, final int count, final boolean growing) {
        final int[] paid = new int[count];
        final int[] keys = new int[count];
        final int[] which = IntStream.range(0, count).filter(_ -> random.nextInt(16) > 0).toArray();
        for (final int i : which) {
            final int bucket = bucket();
            if (happens(growing)) {
                gained(first + i, bucket);
                paid[i] = 1;
            }
            keys[i] = bucket + 1;
        }
        active.add(first, which, which.length, keys, paid);
    }

    private void end(final ActiveBuckets active, final int first, final int count, final boolean growing) {
        final List<Integer> nodes = new ArrayList<>();
        for (int node = first; node < first + count; node++) {
            nodes.add(node);
        }
        Collections.shuffle(nodes, random);
        final CellBatch joined = new CellBatch(count);
        for (final int node : nodes) {
            if (happens(growing)) {
                final int bucket = bucket();
                final boolean last = random.nextInt(4) == 0;
                joined.add(node, 0, 0, Route.queued(Route.first(Route.bucketDestination(bucket), 0, random.nextInt(99)),
                    bucket & Route.MAX_SPRAYS, last, random.nextInt(5)));
                if (!last) {
                    gained(node, bucket);
                }
            }
        }
        final int[] one = new int[count];
        final int[] another = new int[count];
        for (int i = 0; i < count; i++) {
            one[i] = happens(!growing) ? lost(first + i) : NONE;
            another[i] = (one[i] != NONE || random.nextInt(16) == 0) && happens(!growing) ? lost(first + i) : NONE;
        }
        active.add(joined);
        remove(active, first, one);
        remove(active, first, another);
    }

    /** A token comes back to each of some nodes; those without one are listed or not. */
    private void remove(final ActiveBuckets active, final int first, final int[] buckets) {
        final int[] which = IntStream.range(0, buckets.length)
            .filter(i -> buckets[i] != NONE || random.nextBoolean()).toArray();
        active.remove(first, which, which.length, buckets);
    }

    /** A slot in which few nodes get a token or two back. For some time nearly all are. */
    private void fewEnd(final ActiveBuckets active, final int first, final int count, final boolean growing) {
        someAlone(active, first, count, growing);
        for (int i = 0; i < count; i++) {
            if (growing && random.nextInt(2) == 0) {
                final int bucket = bucket();
                gained(first + i, bucket);
                active.add(first + i, bucket);
            }
            if (random.nextInt(6) == 0 && !drawn.get(first + i).isEmpty()) {
                active.remove(first + i, lost(first + i));
            }
        }
    }

    /** What the path that is not for blocks does, at a few nodes. */
    private void someAlone(final ActiveBuckets active, final int first, final int count, final boolean growing) {
        for (int times = Math.max(0, random.nextInt(9) - 4); times > 0; times--) {
            final int node = first + random.nextInt(count);
            if (happens(growing)) {
                final int bucket = bucket();
                gained(node, bucket);
                active.add(node, bucket);
            } else {
                final int bucket = lost(node);
                if (bucket != NONE) {
                    active.remove(node, bucket);
                }
            }
            if (random.nextInt(2_000) == 0) {
                assertEquals(most[node], active.maxActive(node), "node=" + node);
            }
        }
    }

    private boolean happens(final boolean often) {
        return random.nextInt(5) < (often ? 4 : 2);
    }

    private int bucket() {
        return Route.bucket(random.nextInt(destinations), random.nextInt(sprays));
    }

    private void gained(final int node, final int bucket) {
        reasons.get(node).merge(bucket, 1, Integer::sum);
        drawn.get(node).add(bucket);
        most[node] = Math.max(most[node], reasons.get(node).size());
    }

    /** One reason of a node goes; returns its bucket, or none. */
    private int lost(final int node) {
        final List<Integer> from = drawn.get(node);
        if (from.isEmpty()) {
            return NONE;
        }
        final int at = random.nextInt(from.size());
        final int bucket = from.set(at, from.getLast());
        from.removeLast();
        reasons.get(node).computeIfPresent(bucket, (b, n) -> n == 1 ? null : n - 1);
        return bucket;
    }

    private void assertSame(final ActiveBuckets active, final String where) {
        for (int node = 0; node < most.length; node++) {
            assertEquals(reasons.get(node).size(), active.active(node), where + " node=" + node);
            assertEquals(most[node], active.maxActive(node), where + " node=" + node);
        }
    }

    /** Every reason must still be found. */
    private void drain(final ActiveBuckets active, final String where) {
        for (int first = 0; first < most.length; first += block) {
            final int count = Math.min(block, most.length - first);
            boolean any = true;
            while (any) {
                final int[] one = new int[count];
                final int[] another = new int[count];
                any = false;
                for (int i = 0; i < count; i++) {
                    one[i] = lost(first + i);
                    another[i] = lost(first + i);
                    any |= one[i] != NONE;
                }
                remove(active, first, one);
        remove(active, first, another);
            }
        }
        assertSame(active, where);
    }

    /** Reasons past what a byte holds, and past what two hold. */
    @ParameterizedTest
    @ValueSource(ints = {255, 256, 257, 65_535, 65_536, 66_000})
    void shouldCountManyReasonsOfOneBucket(final int many) {
        final Shale shale = prepare(1, 2, 4, 3);
        final int bucket = Route.bucket(15, 1);
        final ActiveBuckets active = new ActiveBuckets(arena, shale, 3);
        active.add(2, bucket);
        for (int reason = 0; reason < many; reason++) {
            active.add(1, bucket);
        }
        assertEquals(1, active.active(1));
        for (int reason = 1; reason < many; reason++) {
            active.remove(1, bucket);
        }
        assertEquals(1, active.active(1));
        active.remove(1, bucket);
        assertArrayEquals(new int[] {0, 1, 1, 0}, new int[] {active.active(1), active.maxActive(1), active.active(2),
            active.maxActive(0)});
        assertThrows(AssertionError.class, () -> {
            active.remove(1, bucket);
            active.active(1);
        });
    }

    /** What never was, what no longer is, what another node has, and another bucket's. */
    @Test
    void shouldRefuseToRemoveWhatIsNotActive() {
        final int bucket = Route.bucket(6, 1);
        assertRefused(active -> active.remove(1, bucket));
        assertRefused(active -> {
            active.add(2, bucket);
            active.add(1, Route.bucket(6, 0));
            active.remove(1, bucket);
        });
        assertRefused(active -> {
            active.add(1, bucket);
            active.remove(1, bucket);
            active.active(1);
            active.remove(1, bucket);
        });
    }

    /** Both tokens that come back in a slot are of a bucket with a single reason. */
    @Test
    void shouldRefuseToRemoveTheSameReasonTwiceInASlot() {
        final int bucket = Route.bucket(6, 1);
        assertRefused(active -> {
            active.add(1, bucket);
            active.remove(1, bucket);
            active.remove(1, bucket);
        });
    }

    /** Happens to the counts of three nodes. */
    @FunctionalInterface
    private interface Misuse {
        void happens(ActiveBuckets active);
    }

    private void assertRefused(final Misuse misuse) {
        final Shale shale = prepare(1, 2, 4, 3);
        try (Arena arena = Arena.ofConfined()) {
            final ActiveBuckets active = new ActiveBuckets(arena, shale, 3);
            assertThrows(AssertionError.class, () -> {
                misuse.happens(active);
                active.active(1);
            });
        }
    }
}
