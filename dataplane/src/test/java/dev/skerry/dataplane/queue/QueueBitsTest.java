package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Against a BitSet: single bits, ranges, and batches that join and leave queues. */
final class QueueBitsTest {
    private static final long SEED = 17;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 127, 128, 129, 500, 1000})
    void shouldDoAsABitSet(final int queues) {
        final Random random = new Random(queues);
        final QueueBits bits = new QueueBits(queues);
        final BitSet model = new BitSet();
        for (int step = 0; step < 2_000; step++) {
            final int queue = random.nextInt(queues);
            switch (random.nextInt(6)) {
                case 0 -> {
                    bits.set(queue);
                    model.set(queue);
                }
                case 1 -> {
                    bits.clear(queue);
                    model.clear(queue);
                }
                case 2 -> {
                    final int count = random.nextInt(Math.min(queues - queue, 300) + 1);
                    bits.clear(queue, count);
                    model.clear(queue, queue + count);
                }
                case 3 -> {
                    final CellBatch joined = batch(random, queues);
                    bits.onEnqueue(joined);
                    for (int i = 0; i < joined.count(); i++) {
                        model.set(joined.queue()[i]);
                    }
                }
                case 4 -> {
                    final CellBatch some = batch(random, queues);
                    bits.clear(some);
                    for (int i = 0; i < some.count(); i++) {
                        model.clear(some.queue()[i]);
                    }
                }
                default -> {
                    final CellBatch left = batch(random, queues);
                    bits.onDequeue(left);
                    for (int i = 0; i < left.count(); i++) {
                        model.set(left.queue()[i], model.get(left.queue()[i]) && left.length()[i] > 0);
                    }
                }
            }
            assertSame(model, bits, queues, "queues=" + queues + " step=" + step);
            final int end = random.nextInt(queues + 1);
            final int first = model.nextSetBit(queue);
            final int expected = queue >= end || first < 0 || first >= end ? end : first;
            assertEquals(expected, bits.next(queue, end), "queues=" + queues + " from=" + queue + " end=" + end);
            if (step % 8 == 0) {
                assertEquals(expected, bits.take(queue, end), "queues=" + queues + " from=" + queue + " end=" + end);
                model.clear(expected == end ? queues : expected);
            }
        }
    }

    @Test
    void shouldListTheBitsOfWords() {
        final Random random = new Random(5);
        final int[] list = new int[1_000];
        for (int step = 0; step < 2_000; step++) {
            final List<Integer> expected = new ArrayList<>();
            int end = 0;
            for (int base = 0; base < 256; base += Long.SIZE) {
                long word = random.nextLong() | (random.nextInt(8) == 0 ? -1 : 0);
                for (int thin = random.nextInt(7); thin > 0; thin--) {
                    word &= random.nextLong();
                }
                final int offset = base;
                BitSet.valueOf(new long[] {word}).stream().map(bit -> offset + bit).forEach(expected::add);
                end = QueueBits.list(word, base, list, end);
            }
            assertEquals(expected, Arrays.stream(list, 0, end).boxed().toList(), "step=" + step);
        }
    }

    /** Queues in any order, each once; some are empty now. */
    private static CellBatch batch(final Random random, final int queues) {
        final CellBatch batch = new CellBatch(CellBatch.CELLS);
        final int from = random.nextInt(queues);
        final boolean isAscending = random.nextBoolean();
        for (int i = 0; i < Math.min(queues, CellBatch.CELLS); i++) {
            if (random.nextInt(3) > 0) {
                final int queue = isAscending ? i : (from + 7 * i) % queues;
                batch.add(0, queue, random.nextInt(2), 0, 0);
            }
        }
        return batch;
    }

    private static void assertSame(final BitSet model, final QueueBits bits, final int queues, final String where) {
        for (int first = 0; first < queues; first++) {
            assertEquals(model.get(first), bits.isSet(first), where + " queue=" + first);
            final long expected = word(model, first, Math.min(Long.SIZE, queues - first));
            final long mask = queues - first < Long.SIZE ? ~(-1L << queues - first) : -1L;
            assertEquals(expected, bits.from(first) & mask, where + " from=" + first);
        }
    }

    private static long word(final BitSet model, final int first, final int count) {
        final long[] words = model.get(first, first + count).toLongArray();
        return words.length == 0 ? 0 : words[0];
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 64, 1 << 20, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
    void shouldBeOneWhereTheConditionHolds(final int value) {
        assertEquals(value == 0 ? 1 : 0, Branchless.ifZero(value));
        assertEquals(1, Branchless.ifEqual(value, value));
        assertEquals(0, Branchless.ifEqual(value, value ^ 1));
        assertEquals(value > 0 ? 1 : 0, Branchless.ifPositive(value));
        assertEquals(0, Branchless.ifPositive(-value));
        assertEquals(value != 0 ? 1 : 0, Branchless.ifAny(value));
        assertEquals(value != 0 ? 1 : 0, Branchless.ifAny((long) value << 33));
        assertEquals(1, Branchless.ifAny(Long.MIN_VALUE));
        assertEquals(1, Branchless.ifAny(-1L - value));
    }

    @Test
    void shouldSortByKindAndKeepTheOrderWithinOne() {
        final Random random = new Random(SEED);
        final KindPartition sorter = new KindPartition(300);
        for (int round = 0; round < 2_000; round++) {
            final String where = "seed=" + SEED + " round=" + round;
            final int kinds = 1 + random.nextInt(15);
            for (int i = 0; i < 300; i++) {
                do {
                    sorter.kind()[i] = random.nextInt(4);
                } while ((kinds >>> sorter.kind()[i] & 1) == 0);
            }
            final int first = random.nextInt(300);
            final int last = first + random.nextInt(301 - first);
            sorter.sort(first, last);
            final int[] expected = IntStream.range(first, last).boxed()
                .sorted(Comparator.comparingInt(i -> sorter.kind()[i])).mapToInt(i -> i).toArray();
            assertArrayEquals(expected, Arrays.copyOf(sorter.order(), last - first), where);
            for (int kind = 0; kind < 4; kind++) {
                final int upTo = kind;
                assertEquals(IntStream.range(first, last).filter(i -> sorter.kind()[i] <= upTo).count(),
                    sorter.end(kind), where + " kind=" + kind);
            }
        }
    }

    @Test
    void shouldSortAsManyAsItHasRoomFor() {
        final KindPartition sorter = new KindPartition(KindPartition.MAX_CAPACITY);
        for (int kind = 0; kind < 4; kind++) {
            Arrays.fill(sorter.kind(), kind);
            sorter.sort(0, KindPartition.MAX_CAPACITY);
            assertArrayEquals(IntStream.range(0, KindPartition.MAX_CAPACITY).toArray(), sorter.order(), "kind=" + kind);
        }
    }

    @Test
    void shouldRefuseCapacitiesItCannotCount() {
        assertEquals(1, new KindPartition(1).order().length);
        assertThrows(IllegalArgumentException.class, () -> new KindPartition(0));
        assertThrows(IllegalArgumentException.class, () -> new KindPartition(KindPartition.MAX_CAPACITY + 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 65, CellBatch.CELLS})
    void shouldHaveRoomForAsManyCellsAsAskedFor(final int cells) {
        final CellBatch batch = new CellBatch(cells);
        for (int cell = 0; cell < cells; cell++) {
            batch.add(cell, 3 * cell, 5 * cell, 7L * cell);
        }
        assertEquals(cells, batch.count());
        for (int cell = 0; cell < cells; cell++) {
            assertArrayEquals(new long[] {cell, 3 * cell, 5 * cell, 7L * cell},
                new long[] {batch.node()[cell], batch.hop()[cell], batch.queue()[cell], batch.word()[cell]});
        }
        assertThrows(IndexOutOfBoundsException.class, () -> batch.add(0, 0, 0, 0));
        batch.clear();
        assertEquals(0, batch.count());
        batch.add(1, 2, 3, 4, 5);
        assertArrayEquals(new long[] {1, 1, 2, 3, 4, 5}, new long[] {batch.count(), batch.node()[0], batch.queue()[0],
            batch.length()[0], batch.word()[0], batch.cell()[0]});
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, CellBatch.CELLS + 1, Integer.MAX_VALUE})
    void shouldRefuseOtherSizes(final int cells) {
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new CellBatch(cells));
        assertEquals("cells must be 1 to " + CellBatch.CELLS + ": cells=" + cells, refused.getMessage());
    }

    @Test
    void shouldMakeBlocksOfAllNodesOrAsManyAsFit() {
        final int all = CellBatch.CELLS;
        for (final int nodes : new int[] {1, all - 1, all, all + 1, Integer.MAX_VALUE}) {
            assertEquals(Math.min(nodes, CellBatch.CELLS), CellBatch.block(nodes));
        }
    }
}
