package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.control.LimitedControl.TokenFifos;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Tokens spent and given back at random on a few links, against a map for each; none touches others. */
final class TokenLedgerModelTest {
    private static final int STEPS = 15_000;
    private static final int LARGEST = (1 << 23) - 1;
    /** Destinations and phases of a table, and the largest bucket that it has. */
    private static final int DESTINATIONS = 64;
    private static final int PHASES = 8;
    private static final int LARGEST_OF_TABLE = (1 << 9) - 1;
    private static final int OWED_STEPS = 10_000;
    private static final int LINKS = 3;
    private static final int QUEUES = 3;
    private static final int FIFO_STEPS = 20_000;

    private final Arena arena = Arena.ofAuto();
    private final List<Map<Integer, Integer>> model = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"1, 3, 1, 40", "2, 6, 1, 17", "3, 15, 14, 30", "4, 9, 12, 100", "5, 6, 60, 120", "6, 3, 1024, 150",
        "7, 12, 3, 9"})
    void shouldCountWhatIsOutstandingInLists(final long seed, final int links, final int inline, final int used) {
        final SpillPool pool = new SpillPool(arena, 1);
        final TokenLedger ledger = new TokenLedger.Lists(arena, links, inline, pool);
        assertTrue(play(ledger, links, used, LARGEST, seed, pool) > 10, "hardly anything spilled: seed=" + seed);
        assertEquals(0, pool.used(), "seed=" + seed);
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 40", "2, 6, 17", "3, 12, 9"})
    void shouldCountWhatIsOutstandingInATable(final long seed, final int links, final int used) {
        final TokenLedger ledger = new TokenLedger.Table(arena, links, DESTINATIONS, PHASES);
        play(ledger, links, used, LARGEST_OF_TABLE, seed, new SpillPool(arena, 1));
    }

    /** Returns the most entries of the pool. */
    private int play(final TokenLedger ledger, final int links, final int used, final int largest, final long seed,
        final SpillPool pool) {
        final Random random = new Random(seed);
        Stream.<Map<Integer, Integer>>generate(TreeMap::new).limit(links).forEach(model::add);
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
            assertEquals(before > 0, ledger.returnToken(link, bucket), where);
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
                    assertTrue(ledger.returnToken(link, entry.getKey()), where);
                }
                assertFalse(ledger.returnToken(link, entry.getKey()), where);
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

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldGiveTokensBackInOrder(final long seed) {
        final Random random = new Random(seed);
        final List<Deque<Integer>> model = Stream.<Deque<Integer>>generate(ArrayDeque::new).limit(LINKS).toList();
        int longest = 0;
        final SpillPool pool = new SpillPool(arena, 1);
        final OwedTokens owed = new OwedTokens(arena, LINKS, pool);
        for (int step = 0; step < OWED_STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int link = random.nextInt(LINKS);
            final int often = step / 500 % 2 == 0 ? 3 : 2;
            if (random.nextInt(4) < often) {
                final int bucket = random.nextInt(8) == 0 ? 0 : random.nextInt(8) == 0 ? LARGEST
                    : random.nextInt(LARGEST);
                owed.owe(link, bucket);
                model.get(link).add(bucket);
            } else if (random.nextInt(3) == 0) {
                final Integer token = model.get(link).poll();
                assertEquals(token == null ? OwedTokens.NO_TOKEN : token, owed.takeOne(link), where);
            } else if (random.nextInt(200) == 0) {
                owed.clear(link);
                model.get(link).clear();
            } else if (random.nextInt(4) == 0) {
                takeTwoOfAll(owed, model, where);
            } else {
                takeTwo(owed, link, model.get(link), where);
            }
            same(owed, link, model.get(link), where);
            longest = Math.max(longest, owed.length(link));
        }
        assertTrue(longest > 12, "hardly spilled: seed=" + seed + " longest=" + longest);
        for (int link = 0; link < LINKS; link++) {
            while (!model.get(link).isEmpty()) {
                takeTwo(owed, link, model.get(link), "seed=" + seed);
            }
            takeTwo(owed, link, model.get(link), "seed=" + seed);
        }
        takeTwoOfAll(owed, model, "nothing owed: seed=" + seed);
        owed.owe(1, LARGEST);
        model.get(1).add(LARGEST);
        takeTwoOfAll(owed, model, "one owed: seed=" + seed);
        assertEquals(0, pool.used(), "seed=" + seed);
    }

    private static void takeTwoOfAll(final OwedTokens owed, final List<Deque<Integer>> model, final String where) {
        final long[] words = new long[LINKS];
        owed.takeTwo(0, LINKS, words);
        for (int link = 0; link < LINKS; link++) {
            same(words[link], model.get(link), where);
        }
    }

    private static void takeTwo(final OwedTokens owed, final int link, final Deque<Integer> model, final String where) {
        same(owed.takeTwo(link), model, where);
    }

    private static void same(final long two, final Deque<Integer> model, final String where) {
        final boolean none = model.isEmpty();
        assertEquals(none, two == InFlightCells.NO_FEEDBACK, where);
        if (!none) {
            assertEquals(model.remove(), OwedTokens.firstOf(two), where);
            assertEquals(model.isEmpty() ? OwedTokens.NO_TOKEN : (int) model.remove(), OwedTokens.secondOf(two), where);
        }
    }

    private static void same(final OwedTokens owed, final int link, final Deque<Integer> model, final String where) {
        final List<Integer> shown = Arrays.stream(owed.buckets(link)).boxed().toList();
        assertEquals(new ArrayList<>(model), shown, where);
        assertEquals(shown.size(), owed.length(link), where);
    }

    /** Owes tokens in order, as much as anyone wants. */
    private static final class Owing implements CongestionControl {
        private final List<Deque<Integer>> owed = new ArrayList<>();
        Owing() {
            Stream.<Deque<Integer>>generate(ArrayDeque::new).limit(QUEUES).forEach(owed::add);
        }

        @Override
        public int takeNotice(final int queue) {
            return owed.get(queue).isEmpty() ? Admission.NO_NOTICE : owed.get(queue).remove();
        }

        @Override
        public long takeFeedback(final int queue) {
            final int first = takeNotice(queue);
            return (long) takeNotice(queue) << Integer.SIZE | first & 0xFFFF_FFFFL;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void shouldLetOnlyTokensOfTheFifoLeave(final int places) {
        final SplittableRandom random = new SplittableRandom(places);
        final Owing control = new Owing();
        final TokenFifos fifos = new TokenFifos(control, QUEUES, places);
        final List<Deque<Integer>> inside = new Owing().owed;
        final List<Deque<Integer>> outside = new Owing().owed;
        final long[] into = new long[QUEUES];
        long overflowed = 0;
        for (int step = 0; step < FIFO_STEPS; step++) {
            final String at = "places=" + places + " step=" + step;
            // More come than leave, then fewer.
            if (random.nextInt(100) < (step / 1_000 % 2 == 0 ? 88 : 70)) {
                final int queue = random.nextInt(QUEUES);
                final boolean waits = inside.get(queue).size() == places || !outside.get(queue).isEmpty();
                control.owed.get(queue).add(step);
                (waits ? outside : inside).get(queue).add(step);
                overflowed += waits ? 1 : 0;
                assertEquals(waits, fifos.owe(queue), at);
            } else {
                fifos.take(0, QUEUES, into);
                for (int queue = 0; queue < QUEUES; queue++) {
                    assertEquals(leaves(inside.get(queue)), into[queue], at);
                    final boolean comesIn = !outside.get(queue).isEmpty();
                    assertEquals(comesIn, into[queue] != InFlightCells.NO_FEEDBACK && fifos.removed(queue, into[queue]),
                        at);
                    if (comesIn) {
                        inside.get(queue).add(outside.get(queue).remove());
                    }
                }
            }
            for (int queue = 0; queue < QUEUES; queue++) {
                assertEquals(inside.get(queue).size(), fifos.inside(queue), at);
                assertEquals(outside.get(queue).size(), fifos.outside(queue), at);
            }
            assertEquals(overflowed, fifos.overflowed, at);
        }
        assertTrue(fifos.overflowed > 100 && fifos.returned > 100, "places=" + places);
    }

    private static long leaves(final Deque<Integer> inside) {
        final int first = inside.isEmpty() ? Admission.NO_NOTICE : inside.remove();
        final int second = inside.isEmpty() ? Admission.NO_NOTICE : inside.remove();
        return (long) second << Integer.SIZE | first & 0xFFFF_FFFFL;
    }
}
