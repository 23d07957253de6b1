package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** The return FIFOs of a few links, against an {@link ArrayDeque} for each. */
final class OwedTokensModelTest {
    private static final int STEPS = 10_000;
    private static final int LINKS = 3;
    private static final int LARGEST = (1 << 23) - 1;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldGiveTokensBackInOrder(final long seed) {
        final Random random = new Random(seed);
        final List<Deque<Integer>> model = new ArrayList<>();
        for (int link = 0; link < LINKS; link++) {
            model.add(new ArrayDeque<>());
        }
        int longest = 0;
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, 1);
            final OwedTokens owed = new OwedTokens(arena, LINKS, pool);
            for (int step = 0; step < STEPS; step++) {
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
            assertEquals(model.isEmpty() ? OwedTokens.NO_TOKEN : (int) model.remove(), OwedTokens.secondOf(two),
                where);
        }
    }

    private static void same(final OwedTokens owed, final int link, final Deque<Integer> model, final String where) {
        final List<Integer> shown = Arrays.stream(owed.buckets(link)).boxed().toList();
        assertEquals(new ArrayList<>(model), shown, where);
        assertEquals(shown.size(), owed.length(link), where);
    }
}
