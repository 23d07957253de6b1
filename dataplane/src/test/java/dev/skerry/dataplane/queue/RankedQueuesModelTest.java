package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Ranked queues under random traffic and random eligibility, against lists and the definition of their order. */
final class RankedQueuesModelTest {
    private static final int STEPS = 20_000;
    private static final int QUEUES = 5;
    private static final int GROUPS = 7;
    private static final int MARK = 1 << 20;
    /** Entries of a queue that needs several chunks of memory. */
    private static final int LONG = 20_000;

    private final Arena arena = Arena.ofAuto();

    /** Words are groups, with a mark that a rewrite sets; payloads numbers of arrival. */
    private record Entry(long word, long payload, long rank) {
        int group() {
            return (int) word % MARK;
        }
    }

    private final List<List<Entry>> model = new ArrayList<>();
    private boolean isGrouped;
    private int spread;
    private long arrivals;
    private long eligible;

    /** Ranks of a random part above the time; few of them, so that many are equal. */
    private long rank(final long now, final long payload) {
        return now / 4 + Math.floorMod(payload * 0x9E3779B97F4A7C15L >>> 40, spread);
    }

    @ParameterizedTest
    @CsvSource({"1, true, 6, 12", "2, true, 40, 40", "3, true, 400, 300", "4, false, 6, 12", "5, false, 40, 40",
        "6, false, 400, 300", "7, true, 1, 40", "8, false, 1, 40"})
    void shouldDequeueTheFirstEligibleByRank(final long seed, final boolean grouped, final int ranks,
        final int longest) {
        final Random random = new Random(seed);
        isGrouped = grouped;
        spread = ranks;
        Stream.<List<Entry>>generate(ArrayList::new).limit(QUEUES).forEach(model::add);
        final RankedQueues queues = new RankedQueues(arena, QUEUES, ranking());
        int target = 0;
        int most = 0;
        int together = 0;
        for (int step = 0; step < STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            if (step % 500 == 0) {
                target = random.nextInt(longest);
            }
            queues.turnTo(step);
            final int queue = random.nextInt(QUEUES);
            final int length = model.get(queue).size();
            if (random.nextInt(8) == 0) {
                together += enqueueTogether(queues, step, random, target, where);
            } else if (length < longest && random.nextInt(4) < (length < target ? 3 : 1)) {
                enqueue(queues, queue, step, random.nextInt(GROUPS), where);
            } else {
                eligible = random.nextInt(4) == 0 ? -1 : random.nextLong() & random.nextLong();
                change(queues, queue, random, where);
            }
            same(queues, queue, where);
            most = Math.max(most, length);
        }
        assertTrue(together > STEPS / 100, "together=" + together + " seed=" + seed);
        assertTrue(most > longest / 2, "longest=" + most + " seed=" + seed);
        drain(queues, "seed=" + seed);
    }

    private Ranking ranking() {
        return new Ranking() {
            @Override
            public long rank(final long now, final long word, final long payload) {
                return RankedQueuesModelTest.this.rank(now, payload);
            }
            @Override
            public int group(final long word) {
                return isGrouped ? (int) word % MARK : Ranking.ALONE;
            }
        };
    }

    private void enqueue(final RankedQueues queues, final int queue, final int now, final int group,
        final String where) {
        model.get(queue).add(new Entry(group, arrivals, rank(now, arrivals)));
        assertEquals(model.get(queue).size(), queues.enqueue(queue, group, arrivals), where);
        arrivals++;
    }

    /** An entry for each of some queues, in a batch; returns how many. */
    private int enqueueTogether(final RankedQueues queues, final int now, final Random random, final int target,
        final String where) {
        final CellBatch batch = new CellBatch(QUEUES);
        for (int queue = 0; queue < QUEUES; queue++) {
            if (random.nextBoolean() && model.get(queue).size() < target) {
                final int group = random.nextInt(GROUPS);
                model.get(queue).add(new Entry(group, arrivals, rank(now, arrivals)));
                batch.add(queue, 0, queue, group);
                batch.cell()[batch.count() - 1] = arrivals++;
            }
        }
        queues.enqueue(batch);
        for (int k = 0; k < batch.count(); k++) {
            assertEquals(model.get(batch.queue()[k]).size(), batch.length()[k], where);
            same(queues, batch.queue()[k], where);
        }
        return batch.count();
    }

    private void change(final RankedQueues queues, final int queue, final Random random, final String where) {
        switch (random.nextInt(20)) {
            case 0 -> {
                model.get(queue).replaceAll(e -> new Entry(e.word % MARK + MARK, e.payload, e.rank));
                queues.rewrite(queue, word -> word % MARK + MARK);
            }
            case 1 -> {
                final List<Long> expected = new ArrayList<>();
                final List<Entry> left = new ArrayList<>(model.get(queue));
                while (!left.isEmpty()) {
                    final Entry first = first(left, e -> true).orElseThrow();
                    left.remove(first);
                    if (!isEligible(first)) {
                        expected.add(first.payload);
                        model.get(queue).remove(first);
                    }
                }
                final List<Long> away = new ArrayList<>();
                queues.remove(queue, (asked, word) -> isEligible(new Entry(word, 0, 0)),
                    (word, payload) -> away.add(payload));
                assertEquals(expected, away, where);
            }
            case 2 -> dequeueTogether(queues, where);
            default -> dequeue(queues, queue, where);
        }
    }

    private boolean isEligible(final Entry entry) {
        return (eligible >>> entry.group() & 1) != 0;
    }

    private interface Rule {
        boolean of(Entry entry);
    }

    /** The obvious rule: of the ranked entries that may leave, the lowest rank; ties as {@link Ranking#group} says. */
    private Optional<Entry> first(final List<Entry> list, final Rule rule) {
        final List<Entry> ranked = new ArrayList<>();
        final Set<Integer> seen = new HashSet<>();
        for (final Entry entry : list) {
            if (!isGrouped || seen.add(entry.group())) {
                ranked.add(entry);
            }
        }
        ranked.removeIf(entry -> !rule.of(entry));
        return ranked.stream().min(Comparator.comparingLong(Entry::rank)
            .thenComparing(isGrouped ? Collections.reverseOrder(Comparator.comparingInt(Entry::group))
                : Comparator.comparingLong(Entry::payload)));
    }

    private void dequeue(final RankedQueues queues, final int queue, final String where) {
        final Optional<Entry> expected = first(model.get(queue), this::isEligible);
        assertEquals(expected.isPresent(), queues.dequeue(queue, (asked, word) -> {
            assertEquals(queue, asked, where);
            return isEligible(new Entry(word, 0, 0));
        }), where);
        expected.ifPresent(entry -> {
            assertEquals(entry.payload, queues.payload(), where);
            assertEquals(entry.word, queues.entry(), where);
            model.get(queue).remove(entry);
        });
    }

    private void same(final RankedQueues queues, final int queue, final String where) {
        final List<Entry> expected = model.get(queue);
        assertEquals(expected.size(), queues.length(queue), where);
        assertEquals(model.stream().mapToLong(List::size).sum(), queues.held(), where);
        final Set<Long> shown = new HashSet<>();
        queues.forEach(queue, (word, payload) -> assertTrue(shown.add(payload), where));
        assertEquals(new HashSet<>(expected.stream().map(Entry::payload).toList()), shown, where);
        if (!expected.isEmpty()) {
            final Entry first = first(expected, e -> true).orElseThrow();
            assertEquals(first.word, queues.first(queue), where);
            assertEquals(first.rank, queues.firstRank(queue), where);
        }
        assertEquals(-1, queues.disordered(), where);
    }

    /** Two of the ways out leave five entries in each queue, so that blocks shrink and the next needs large ones. */
    @Test
    void shouldUseTheMemoryOfLongQueuesAgain() {
        final long[] taken = new long[1];
        final RankedQueues queues = new RankedQueues(new Arena() {
            @Override
            public MemorySegment allocate(final long bytes, final long alignment) {
                taken[0] += bytes;
                return arena.allocate(bytes, alignment);
            }
            @Override
            public MemorySegment.Scope scope() {
                return arena.scope();
            }
            @Override
            public void close() {
            }
        }, QUEUES, byPayload());
        final CellBatch batch = new CellBatch(1);
        long first = 0;
        for (int round = 0; round < 3 * QUEUES; round++) {
            final int queue = round % QUEUES;
            final int left = queues.length(queue);
            for (long entry = left; entry < LONG; entry++) {
                queues.enqueue(queue, 0, (long) round << 32 | entry);
            }
            for (int length = LONG; length > 5; length--) {
                batch.clear();
                final long head = queues.firstRank(queue);
                if (round % 2 == 0) {
                    queues.dequeueOldest(queue, 0, new int[1], 1, batch);
                } else {
                    queues.dequeue(queue, Eligibility.ALWAYS);
                    batch.add(0, queue, 0, 0, queues.payload());
                }
                assertEquals(head, batch.cell()[0]);
                assertTrue(head < queues.firstRank(queue), () -> "out of order: " + head);
            }
            first = round == 0 ? taken[0] : first;
            assertTrue(taken[0] <= first * 5 / 4, "round=" + round + " bytes=" + taken[0] + " first=" + first);
        }
    }

    private static Ranking byPayload() {
        return new Ranking() {
            @Override
            public long rank(final long now, final long word, final long payload) {
                return payload;
            }
            @Override
            public int group(final long word) {
                return (int) word;
            }
        };
    }

    /** An entry that may leave waits for those of its group in front of it that may not. */
    @Test
    void shouldKeepTheOrderOfAGroup() {
        final RankedQueues queues = new RankedQueues(arena, QUEUES, byPayload());
        final long may = 1L << 32;
        queues.enqueue(2, 3, 5);
        queues.enqueue(2, may | 3, 6);
        assertFalse(queues.dequeue(2, (queue, word) -> word >= may));
        queues.enqueue(2, may | 4, 7);
        assertTrue(queues.dequeue(2, (queue, word) -> word >= may));
        assertEquals(7, queues.payload());
    }

    /** Of equal ranks the higher group goes first; words that change their groups leave the order. */
    @Test
    void shouldNoticeADisorder() {
        final RankedQueues queues = new RankedQueues(arena, QUEUES, byPayload());
        queues.enqueue(1, 4, 7);
        queues.enqueue(3, 3, 7);
        queues.enqueue(3, 1, 7);
        assertEquals(-1, queues.disordered());
        queues.rewrite(3, word -> 4 - word);
        assertEquals(3, queues.disordered());
    }

    private void drain(final RankedQueues queues, final String where) {
        while (queues.held() > 0) {
            dequeueTogether(queues, where);
        }
    }

    private void dequeueTogether(final RankedQueues queues, final String where) {
        final int[] oldest = new int[QUEUES];
        final int[] waiting = new int[QUEUES];
        final int[] which = new int[QUEUES];
        final CellBatch batch = new CellBatch(QUEUES);
        queues.oldest(0, QUEUES, oldest, waiting);
        final int[] lengths = new int[QUEUES];
        final int[] expected = model.stream().mapToInt(List::size).toArray();
        assertEquals(Arrays.stream(expected).min().orElseThrow(), queues.lengths(0, 1, QUEUES, lengths), where);
        assertArrayEquals(expected, lengths, where);
        int taken = 0;
        for (int queue = 0; queue < QUEUES; queue++) {
            assertEquals(model.get(queue).isEmpty() ? 0 : 1, waiting[queue], where);
            if (waiting[queue] == 1) {
                which[taken++] = queue;
            }
        }
        queues.dequeueOldest(0, 0, which, taken, batch);
        assertEquals(taken, batch.count(), where);
        for (int k = 0; k < taken; k++) {
            final List<Entry> of = model.get(which[k]);
            final Entry first = first(of, e -> true).orElseThrow();
            assertArrayEquals(new long[] {(int) first.word, first.word, first.payload},
                new long[] {oldest[which[k]], batch.word()[k], batch.cell()[k]}, where);
            of.remove(first);
            assertEquals(of.size(), batch.length()[k], where);
        }
    }
}
