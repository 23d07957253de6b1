package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Tokens spent and given back at random on a few links, against a map for each; none touches others. */
final class TokenLedgerModelTest {
    private static final int STEPS = 15_000;
    private static final int LARGEST = (1 << 23) - 1;
    /** Destinations and phases of a table, and the largest bucket that it has. */
    private static final int DESTINATIONS = 64;
    private static final int PHASES = 8;
    private static final int LARGEST_OF_TABLE = (1 << 9) - 1;

    private final List<Map<Integer, Integer>> model = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"1, 3, 1, 40", "2, 6, 1, 17", "3, 15, 14, 30", "4, 9, 12, 100", "5, 6, 60, 120", "6, 3, 1024, 150",
        "7, 12, 3, 9"})
    void shouldCountWhatIsOutstandingInLists(final long seed, final int links, final int inline, final int used) {
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1);
            final TokenLedger ledger = new TokenLedger.Lists(arena, links, inline, pool);
            assertTrue(play(ledger, links, used, LARGEST, seed, pool) > 10, "hardly anything spilled: seed=" + seed);
            assertEquals(0, pool.used(), "seed=" + seed);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 40", "2, 6, 17", "3, 12, 9"})
    void shouldCountWhatIsOutstandingInATable(final long seed, final int links, final int used) {
        try (Arena arena = Arena.ofConfined()) {
            final TokenLedger ledger = new TokenLedger.Table(arena, links, DESTINATIONS, PHASES);
            play(ledger, links, used, LARGEST_OF_TABLE, seed, new SpillPool(arena, 1));
        }
    }

    /** Returns the most entries of the pool. */
    private int play(final TokenLedger ledger, final int links, final int used, final int largest, final long seed,
        final SpillPool pool) {
        final Random random = new Random(seed);
        for (int link = 0; link < links; link++) {
            model.add(new TreeMap<>());
        }
        final int[] buckets = buckets(random, used, largest);
        int mostSpilled = 0;
        for (int step = 0; step < STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int link = random.nextInt(links);
            final boolean growing = step / 2000 % 2 == 0;
            if (random.nextInt(2000) == 0) {
                ledger.clear(link);
                model.get(link).clear();
                assertEquals(0, ledger.total(link), where);
            } else {
                change(ledger, link, model.get(link), buckets[random.nextInt(buckets.length)],
                    random.nextInt(4) == 0 ? !growing : growing, where);
            }
            if (step % 50 == 0) {
                assertShown(ledger, where);
            }
            mostSpilled = Math.max(mostSpilled, pool.used());
        }
        drain(ledger, "seed=" + seed);
        return mostSpilled;
    }

    private static void change(final TokenLedger ledger, final int link, final Map<Integer, Integer> out,
        final int bucket, final boolean more, final String where) {
        final int before = out.getOrDefault(bucket, 0);
        assertEquals(before, ledger.out(link, bucket), where);
        if (more) {
            ledger.spend(link, bucket);
            out.merge(bucket, 1, Integer::sum);
        } else {
            assertEquals(before > 0, ledger.giveBack(link, bucket), where);
            out.computeIfPresent(bucket, (b, n) -> n == 1 ? null : n - 1);
        }
        assertEquals(out.getOrDefault(bucket, 0), ledger.out(link, bucket), where);
        assertEquals(total(out), ledger.total(link), where);
    }

    private void assertShown(final TokenLedger ledger, final String where) {
        for (int link = 0; link < model.size(); link++) {
            assertEquals(model.get(link), shown(ledger, link), where + " link=" + link);
            assertEquals(total(model.get(link)), ledger.total(link), where);
        }
    }

    private void drain(final TokenLedger ledger, final String where) {
        assertShown(ledger, where);
        for (int link = 0; link < model.size(); link++) {
            for (final Map.Entry<Integer, Integer> entry : model.get(link).entrySet()) {
                for (int token = 0; token < entry.getValue(); token++) {
                    assertTrue(ledger.giveBack(link, entry.getKey()), where);
                }
                assertFalse(ledger.giveBack(link, entry.getKey()), where);
            }
            assertEquals(0, ledger.total(link), where);
            model.get(link).clear();
            assertShown(ledger, where);
        }
    }

    private static int total(final Map<Integer, Integer> out) {
        return out.values().stream().mapToInt(tokens -> tokens).sum();
    }

    /** The ends of the range, neighbours that differ in one bit, and budgets counted to their largest. */
    private static int[] buckets(final Random random, final int count, final int largest) {
        final int[] buckets = random.ints(0, largest).distinct().limit(count).toArray();
        buckets[0] = 0;
        buckets[1] = largest - 1;
        buckets[2] = 1;
        buckets[3] = largest >>> 1;
        buckets[4] = 2;
        return Arrays.stream(buckets).distinct().toArray();
    }

    private static Map<Integer, Integer> shown(final TokenLedger ledger, final int link) {
        final Map<Integer, Integer> shown = new TreeMap<>();
        ledger.forEach(link, (bucket, tokens) -> assertEquals(null, shown.put(bucket, tokens), "shown twice"));
        return shown;
    }
}
