package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.shale.Route;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Tokens spent, given back and owed by rows of nodes, against the same done at each node by itself. */
@Sampled
final class TokenBatchTest {
    private static final int STEPS = 1_200;
    private static final int OWED_STEPS = 1_000;
    private static final int LINKS = 3;
    private static final int UNTOUCHED = 77;
    private static final int NONE = -1;
    /** Destinations and phases of a table of tokens: buckets are numbers below 512. */
    private static final int DESTINATIONS = 64;
    private static final int PHASES = 8;

    private final Arena arena = Arena.ofAuto();

    /** What happened often enough for the test to mean anything. */
    private int paid;
    private int refused;
    private int free;
    private int notAsked;
    private int twice;
    private int fromPool;
    private int missing;
    private int mostSpilled;
    private int highest;

    @ParameterizedTest
    @CsvSource({"1, 3, 1, 2, lists", "2, 123, 1, 3, lists", "3, 192, 14, 12, lists", "4, 390, 2, 4, lists",
        "5, 1800, 3, 2, lists", "6, 390, 30, 20, lists", "7, 51, 12, 9, lists", "1, 3, 1, 2, table",
        "2, 123, 1, 3, table"})
    void shouldSpendAndGiveBackAsEachLinkDoesAlone(final long seed, final int links, final int inline,
        final int buckets, final String kept) {
        final boolean isTable = "table".equals(kept);
        highest = isTable ? Route.bucket(DESTINATIONS - 1, PHASES - 1) : (1 << 23) - 1;
        final Random random = new Random(seed);
        final int steps = links > CellBatch.CELLS ? STEPS / 3 : STEPS;
        final SpillPool pool = new SpillPool(arena, 1 << 18);
        final SpillPool poolOfAlone = new SpillPool(arena, 1 << 18);
        final TokenLedger rows = isTable ? new TokenLedger.Table(arena, links, DESTINATIONS, PHASES)
            : new TokenLedger.Lists(arena, links, inline, pool);
        final TokenLedger alone = new TokenLedger.Lists(arena, links, inline, poolOfAlone);
        for (int step = 0; step < steps; step++) {
            final String where = "seed=" + seed + " step=" + step;
            // Whole blocks, up to the last link, or any links that follow each other.
            final int first = random.nextBoolean() ? random.nextInt(Math.ceilDiv(links, CellBatch.CELLS))
                * CellBatch.CELLS : random.nextInt(links);
            final int most = CellBatch.block(links - first);
            final int count = random.nextInt(3) > 0 ? most : 1 + random.nextInt(most);
            if (step / 150 % 2 == 0 || random.nextInt(4) == 0) {
                spend(rows, alone, first, count, buckets, random, where);
            } else {
                final int spilled = poolOfAlone.used();
                giveBack(rows, alone, first, count, random, where);
                fromPool += spilled - poolOfAlone.used();
            }
            for (int link = first; link < first + count; link++) {
                assertEquals(shown(alone, link), shown(rows, link), where + " link=" + link);
            }
            if (step % 20 == 0) {
                assertShown(rows, alone, links, where);
            }
            assertEquals(isTable ? 0 : poolOfAlone.used(), pool.used(), where);
            mostSpilled = Math.max(mostSpilled, poolOfAlone.used());
        }
        assertShown(rows, alone, links, "seed=" + seed);
        assertOften("seed=" + seed);
    }

    private void spend(final TokenLedger rows, final TokenLedger alone, final int first, final int count,
        final int buckets, final Random random, final String where) {
        final int[] keys = new int[count];
        final int[] limits = new int[count];
        final int[] spent = new int[count + 1];
        Arrays.fill(spent, UNTOUCHED);
        for (int i = 0; i < count; i++) {
            final int what = random.nextInt(8);
            keys[i] = what == 0 ? Route.NO_TOKEN : what == 1 ? 0 : 1 + bucket(random.nextInt(buckets));
            limits[i] = what == 1 || random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(4);
        }
        final int[] keysBefore = keys.clone();
        final int[] limitsBefore = limits.clone();
        Arrays.fill(spent, 0, count, 0);
        final int[] which = IntStream.range(0, count).filter(i -> limits[i] > 0 || keys[i] == 0).toArray();
        rows.spend(first, which, which.length, keys, limits, spent);
        for (int i = 0; i < count; i++) {
            final boolean needsNone = keys[i] == Route.NO_TOKEN;
            final boolean may = limits[i] > 0 && (needsNone || alone.out(first + i, keys[i] - 1) < limits[i]);
            assertEquals(may ? 1 : 0, spent[i], where + " i=" + i);
            if (may && !needsNone) {
                alone.spend(first + i, keys[i] - 1);
                paid++;
            }
            free += may && needsNone ? 1 : 0;
            notAsked += limits[i] == 0 ? 1 : 0;
            refused += !may && limits[i] > 0 ? 1 : 0;
        }
        assertEquals(UNTOUCHED, spent[count], where);
        assertArrayEquals(keysBefore, keys, where);
        assertArrayEquals(limitsBefore, limits, where);
    }

    private void giveBack(final TokenLedger rows, final TokenLedger alone, final int first, final int count,
        final Random random, final String where) {
        final int[] one = new int[count];
        final int[] another = new int[count];
        final int surplusIn = random.nextInt(20);
        for (int i = 0; i < count; i++) {
            final List<Integer> out = outstanding(alone, first + i);
            one[i] = draw(out, random);
            another[i] = random.nextInt(3) == 0 && out.contains(one[i]) ? one[i] : draw(out, random);
            out.remove((Integer) one[i]);
            if (surplusIn == 0 && random.nextInt(count) == 0) {
                another[i] = bucket(100);
            } else if (surplusIn == 1 && random.nextInt(count) == 0) {
                one[i] = bucket(100);
            } else if (surplusIn > 2 && !out.contains(another[i])) {
                another[i] = NONE;
            }
        }
        final int[] oneBefore = one.clone();
        final int[] anotherBefore = another.clone();
        int ignored = 0;
        final int returned = giveBack(rows, first, one) + giveBack(rows, first, another);
        for (int i = 0; i < count; i++) {
            final boolean wasOne = oneBefore[i] == NONE || alone.giveBack(first + i, oneBefore[i]);
            final boolean wasAnother = anotherBefore[i] == NONE || alone.giveBack(first + i, anotherBefore[i]);
            twice += wasOne && wasAnother && one[i] == another[i] && one[i] != NONE ? 1 : 0;
            assertEquals(wasOne ? oneBefore[i] : NONE, one[i], where + " i=" + i);
            assertEquals(wasAnother ? anotherBefore[i] : NONE, another[i], where + " i=" + i);
            ignored += (wasOne ? 0 : 1) + (wasAnother ? 0 : 1);
        }
        assertEquals(ignored, returned, where);
        missing += ignored;
    }

    private static int giveBack(final TokenLedger rows, final int first, final int[] buckets) {
        final int[] giving = IntStream.range(0, buckets.length).filter(i -> buckets[i] != NONE).toArray();
        return rows.giveBack(first, giving, giving.length, buckets);
    }

    /** One of the tokens that are outstanding, or none. */
    private static int draw(final List<Integer> out, final Random random) {
        return out.isEmpty() || random.nextInt(4) == 0 ? NONE : out.get(random.nextInt(out.size()));
    }

    private static List<Integer> outstanding(final TokenLedger ledger, final int link) {
        final List<Integer> out = new ArrayList<>();
        ledger.forEach(link, (bucket, tokens) -> out.addAll(Collections.nCopies(tokens, bucket)));
        return out;
    }

    private static void assertShown(final TokenLedger rows, final TokenLedger alone, final int links,
        final String where) {
        for (int link = 0; link < links; link++) {
            assertEquals(shown(alone, link), shown(rows, link), where + " link=" + link);
            assertEquals(alone.total(link), rows.total(link), where);
        }
    }

    private void assertOften(final String where) {
        assertTrue(paid > 100 && refused > 100 && free > 40 && notAsked > 40, () -> where + " paid=" + paid
            + " refused=" + refused + " free=" + free + " notAsked=" + notAsked);
        assertTrue(twice > 10 && missing > 5, () -> where + " twice=" + twice + " missing=" + missing);
        assertTrue(fromPool > 10 && mostSpilled > 0, () -> where + " fromPool=" + fromPool + " mostSpilled="
            + mostSpilled);
    }

    /** Some bucket; the first is the lowest and the second the highest that there is. */
    private int bucket(final int n) {
        return n == 1 ? highest : n * 5;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 41", "3, 64", "4, 130"})
    void shouldOweAndTakeAsEachLinkDoesAlone(final long seed, final int nodes) {
        final Random random = new Random(seed);
        int longest = 0;
        final SpillPool pool = new SpillPool(arena, 1 << 16);
        final OwedTokens batched = new OwedTokens(arena, LINKS * nodes, pool);
        final OwedTokens alone = new OwedTokens(arena, LINKS * nodes, pool);
        final long[] taken = new long[nodes];
        for (int step = 0; step < OWED_STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final CellBatch sent = new CellBatch(nodes);
            final int often = step / 50 % 2 == 0 ? 4 : 2;
            for (int node = 0; node < nodes; node++) {
                if (random.nextInt(5) < often) {
                    sent.add(node, 0, 0, Route.queued(word(random.nextLong(), random) & Route.MAX_SPRAYS | random
                        .nextInt(1 << 20) << 3, 1, random.nextBoolean(), random.nextInt(LINKS)));
                }
            }
            batched.owe(sent, nodes);
            for (int i = 0; i < sent.count(); i++) {
                final long word = sent.word()[i];
                alone.owe(Route.owedLink(word) * nodes + sent.node()[i], Route.owedBucket(word));
                longest = Math.max(longest, alone.length(Route.owedLink(word) * nodes + sent.node()[i]));
            }
            final int first = random.nextInt(LINKS) * nodes;
            batched.takeTwo(first, nodes, taken);
            for (int i = 0; i < nodes; i++) {
                assertEquals(alone.takeTwo(first + i), taken[i], where);
                assertEquals(alone.length(first + i), batched.length(first + i), where);
            }
        }
        assertTrue(longest > 5, "hardly spilled: longest=" + longest + " seed=" + seed);
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
