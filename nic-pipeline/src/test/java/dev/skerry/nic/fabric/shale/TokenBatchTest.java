package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Tokens spent, given back and owed by batches, against the same done to each link by itself. */
final class TokenBatchTest {
    private static final int STEPS = 2_000;
    private static final int NODES = 41;
    private static final int LINKS = 3;
    private static final long ALL = -1L >>> -NODES;

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 1, 3", "3, 14, 1", "4, 60, 4"})
    void shouldSpendAndGiveBackAsEachLinkDoesAlone(final long seed, final int inline, final int limit) {
        final Random random = new Random(seed);
        long spent = 0;
        long left = 0;
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 16);
            final TokenLedger batched = new TokenLedger(arena, LINKS * NODES, inline, pool);
            final TokenLedger alone = new TokenLedger(arena, LINKS * NODES, inline, pool);
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int first = random.nextInt(LINKS) * NODES;
                final long which = random.nextLong() & ALL;
                if (step / 200 % 2 == 0 || random.nextInt(4) == 0) {
                    final long[] words = random.longs(CellBatch.CELLS).map(bits -> word(bits, random)).toArray();
                    final long paid = batched.spend(first, which, words, limit);
                    assertEquals(0, paid & ~which, where);
                    for (long rest = which; rest != 0; rest &= rest - 1) {
                        final int i = Long.numberOfTrailingZeros(rest);
                        final boolean may = alone.out(first + i, Route.bucket(words[i])) < limit;
                        final boolean is = (paid >>> i & 1) != 0;
                        assertTrue(may || !is, where);
                        if (is) {
                            alone.spend(first + i, Route.bucket(words[i]), Route.tokens(words[i]));
                        } else if (may) {
                            left++;
                            assertTrue(alone.total(first + i) >= (TokenLedger.stride(inline) - 8) / 4, where);
                            batched.spend(first + i, Route.bucket(words[i]), 1);
                            alone.spend(first + i, Route.bucket(words[i]), 1);
                        }
                        spent += is ? 1 : 0;
                    }
                } else {
                    giveBack(batched, alone, first, which, random, where);
                }
                for (int link = first; link < first + NODES; link++) {
                    assertEquals(shown(alone, link), shown(batched, link), where);
                }
            }
        }
        assertTrue(spent > 100, "hardly anything spent: seed=" + seed);
        assertTrue(inline > 1 || left > 10, "hardly anything left: seed=" + seed);
    }

    private static void giveBack(final TokenLedger batched, final TokenLedger alone, final int first, final long which,
        final Random random, final String where) {
        final int[] buckets = new int[CellBatch.CELLS];
        for (int i = 0; i < NODES; i++) {
            final List<Integer> out = new ArrayList<>();
            alone.forEach(first + i, (bucket, tokens) -> out.add(bucket));
            buckets[i] = out.isEmpty() ? 7 : out.get(random.nextInt(out.size()));
        }
        long left = batched.giveBack(first, which, buckets);
        assertEquals(0, left & ~which, where);
        for (; left != 0; left &= left - 1) {
            final int i = Long.numberOfTrailingZeros(left);
            assertEquals(alone.out(first + i, buckets[i]) > 0, batched.giveBack(first + i, buckets[i]), where);
        }
        for (long rest = which; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            alone.giveBack(first + i, buckets[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldOweAndTakeAsEachLinkDoesAlone(final long seed) {
        final Random random = new Random(seed);
        int longest = 0;
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1 << 16);
            final OwedTokens batched = new OwedTokens(arena, LINKS * NODES, pool);
            final OwedTokens alone = new OwedTokens(arena, LINKS * NODES, pool);
            final long[] taken = new long[CellBatch.CELLS];
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final CellBatch sent = new CellBatch();
                final int often = step / 50 % 2 == 0 ? 4 : 2;
                for (int node = 0; node < NODES; node++) {
                    if (random.nextInt(5) < often) {
                        sent.add(node, 0, 0, Route.queued(word(random.nextLong(), random) & Route.MAX_SPRAYS | random
                            .nextInt(1 << 20) << 3, 1, random.nextBoolean(), random.nextInt(LINKS)));
                    }
                }
                batched.owe(sent, NODES);
                for (int i = 0; i < sent.count(); i++) {
                    final long word = sent.word()[i];
                    alone.owe(Route.owedLink(word) * NODES + sent.node()[i], Route.owedBucket(word));
                    longest = Math.max(longest, alone.length(Route.owedLink(word) * NODES + sent.node()[i]));
                }
                final int first = random.nextInt(LINKS) * NODES;
                batched.takeTwo(first, NODES, taken);
                for (int i = 0; i < NODES; i++) {
                    assertEquals(alone.takeTwo(first + i), taken[i], where);
                    assertEquals(alone.length(first + i), batched.length(first + i), where);
                }
            }
        }
        assertTrue(longest > 5, "hardly spilled: longest=" + longest + " seed=" + seed);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 4_000})
    void shouldCountActiveBucketsAsEachNodeDoesAlone(final int buckets) {
        final long seed = buckets;
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final ActiveBuckets batched = new HashedActiveBuckets(arena, NODES, 8);
            final ActiveBuckets alone = new HashedActiveBuckets(arena, NODES, 8);
            final List<List<Integer>> reasons = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                reasons.add(new ArrayList<>());
            }
            for (int step = 0; step < STEPS; step++) {
                final String where = "buckets=" + buckets + " step=" + step;
                if (step / 40 % 2 == 0) {
                    add(batched, alone, reasons, random, buckets);
                } else {
                    remove(batched, alone, reasons, random);
                }
                for (int node = 0; node < NODES; node++) {
                    assertEquals(alone.active(node), batched.active(node), where);
                    assertEquals(reasons.get(node).stream().distinct().count(), batched.active(node), where);
                    assertEquals(alone.maxActive(node), batched.maxActive(node), where);
                }
            }
        }
    }

    private static void add(final ActiveBuckets batched, final ActiveBuckets alone, final List<List<Integer>> reasons,
        final Random random, final int buckets) {
        final CellBatch joined = new CellBatch();
        for (int node = 0; node < NODES; node++) {
            if (random.nextInt(3) > 0) {
                joined.add(node, 0, 0, Route.queued(Route.bucket(random.nextInt(buckets), 1), random.nextInt(2),
                    random.nextInt(4) == 0, 0));
            }
        }
        batched.add(joined);
        for (int i = 0; i < joined.count(); i++) {
            final int bucket = Route.bucket(joined.word()[i]);
            alone.add(joined.node()[i], bucket, Route.tokens(joined.word()[i]));
            if (Route.tokens(joined.word()[i]) > 0) {
                reasons.get(joined.node()[i]).add(bucket);
            }
        }
    }

    private static void remove(final ActiveBuckets batched, final ActiveBuckets alone,
        final List<List<Integer>> reasons, final Random random) {
        final int[] bucket = new int[CellBatch.CELLS];
        long which = 0;
        for (int node = 0; node < NODES; node++) {
            final List<Integer> ofNode = reasons.get(node);
            if (!ofNode.isEmpty() && random.nextInt(3) > 0) {
                bucket[node] = ofNode.remove(random.nextInt(ofNode.size()));
                alone.remove(node, bucket[node]);
                which |= 1L << node;
            }
        }
        batched.remove(0, which, bucket);
    }

    /** A queued cell of one of few buckets, a last hop now and then. */
    private static long word(final long bits, final Random random) {
        return Route.queued(Route.bucket((int) (bits >>> 60), 1), (int) (bits & 1), random.nextInt(8) == 0, 0);
    }

    private static List<Integer> shown(final TokenLedger ledger, final int link) {
        final List<Integer> shown = new ArrayList<>();
        ledger.forEach(link, (bucket, tokens) -> {
            shown.add(bucket);
            shown.add(tokens);
        });
        return shown;
    }
}
