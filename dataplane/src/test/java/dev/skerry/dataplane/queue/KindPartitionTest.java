package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;

final class KindPartitionTest {
    private static final long SEED = 17;

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
    void shouldSortListedItems() {
        final Random random = new Random(SEED);
        final KindPartition sorter = new KindPartition(200);
        for (int round = 0; round < 1_000; round++) {
            final String where = "seed=" + SEED + " round=" + round;
            Arrays.setAll(sorter.kind(), i -> random.nextInt(4));
            final int every = 1 + random.nextInt(9);
            final int[] items = IntStream.range(0, 200).filter(i -> random.nextInt(every) == 0).toArray();
            sorter.sort(items, items.length);
            final int[] expected = IntStream.of(items).boxed().sorted(Comparator.comparingInt(i -> sorter.kind()[i]))
                .mapToInt(i -> i).toArray();
            assertArrayEquals(expected, Arrays.copyOf(sorter.order(), items.length), where);
            for (int kind = 0; kind < 4; kind++) {
                final int upTo = kind;
                assertEquals(IntStream.of(items).filter(i -> sorter.kind()[i] <= upTo).count(), sorter.end(kind),
                    where + " kind=" + kind);
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
}
