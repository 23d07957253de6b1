package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Tokens spent and given back at random on a few links, against a {@link HashMap} for each. */
final class TokenLedgerModelTest {
    private static final int STEPS = 15_000;
    private static final int LINKS = 3;
    private static final int LARGEST = (1 << 23) - 1;

    @ParameterizedTest
    @CsvSource({"1, 1, 40", "2, 1, 17", "3, 14, 30", "4, 12, 100", "5, 60, 120", "6, 1024, 150"})
    void shouldCountWhatIsOutstanding(final long seed, final int inline, final int used) {
        final Random random = new Random(seed);
        final List<Map<Integer, Integer>> model = new ArrayList<>();
        for (int link = 0; link < LINKS; link++) {
            model.add(new HashMap<>());
        }
        final int[] buckets = buckets(random, used);
        boolean spilled = false;
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1);
            final TokenLedger ledger = new TokenLedger(arena, LINKS, inline, pool);
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int link = random.nextInt(LINKS);
                final Map<Integer, Integer> out = model.get(link);
                final int bucket = buckets[random.nextInt(buckets.length)];
                final int before = out.getOrDefault(bucket, 0);
                assertEquals(before, ledger.out(link, bucket), where);
                final boolean growing = step / 2000 % 2 == 0;
                if (random.nextInt(4) == 0 ? !growing : growing) {
                    final int tokens = random.nextInt(8) == 0 ? 0 : 1;
                    ledger.spend(link, bucket, tokens);
                    out.merge(bucket, tokens, (a, b) -> a + b);
                    out.remove(bucket, 0);
                } else if (random.nextInt(2000) == 0) {
                    ledger.clear(link);
                    out.clear();
                } else {
                    assertEquals(before > 0, ledger.giveBack(link, bucket), where);
                    out.computeIfPresent(bucket, (b, n) -> n == 1 ? null : n - 1);
                }
                assertEquals(out.getOrDefault(bucket, 0), ledger.out(link, bucket), where);
                assertEquals(out.isEmpty(), ledger.isEmpty(link), where);
                if (step % 50 == 0) {
                    assertEquals(out, shown(ledger, link), where);
                }
                spilled |= pool.used() > 0;
            }
            assertTrue(spilled, "nothing spilled: seed=" + seed);
            drain(ledger, model, "seed=" + seed);
            assertEquals(0, pool.used(), "seed=" + seed);
        }
    }

    private static void drain(final TokenLedger ledger, final List<Map<Integer, Integer>> model, final String where) {
        for (int link = 0; link < LINKS; link++) {
            assertEquals(model.get(link), shown(ledger, link), where);
            for (final Map.Entry<Integer, Integer> entry : model.get(link).entrySet()) {
                for (int token = 0; token < entry.getValue(); token++) {
                    assertTrue(ledger.giveBack(link, entry.getKey()), where);
                }
                assertEquals(false, ledger.giveBack(link, entry.getKey()), where);
            }
            assertTrue(ledger.isEmpty(link), where);
            assertEquals(Map.of(), shown(ledger, link), where);
        }
    }

    /** The ends of the range, neighbours that differ in one bit, and budgets counted to their largest. */
    private static int[] buckets(final Random random, final int count) {
        final int[] buckets = random.ints(0, LARGEST).distinct().limit(count).toArray();
        buckets[0] = 0;
        buckets[1] = LARGEST - 1;
        buckets[2] = 1;
        buckets[3] = 0x7F_FFFF ^ 1 << 22;
        buckets[4] = 2;
        return Arrays.stream(buckets).distinct().toArray();
    }

    private static Map<Integer, Integer> shown(final TokenLedger ledger, final int link) {
        final Map<Integer, Integer> shown = new HashMap<>();
        ledger.forEach(link, (bucket, tokens) -> assertEquals(null, shown.put(bucket, tokens), "shown twice"));
        return shown;
    }
}
