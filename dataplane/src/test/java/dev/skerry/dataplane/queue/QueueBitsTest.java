package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Against a BitSet: single bits, ranges, and batches that join and leave queues. */
final class QueueBitsTest {
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
}
