package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;

/** Against a bounded {@link ArrayDeque}, on one thread: every operation, random sizes, random capacities. */
final class SpscRingModelTest {
    private static final int STEPS = 20_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldBehaveAsABoundedQueue(final long seed) {
        final Random random = new Random(seed);
        final int capacity = 1 << random.nextInt(7);
        final long start = random.nextBoolean() ? 0 : Integer.MAX_VALUE - random.nextInt(STEPS);
        final ArrayDeque<Integer> model = new ArrayDeque<>();
        try (Arena arena = Arena.ofConfined()) {
            final SpscRing ring = new SpscRing(arena, capacity, start);
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step + " capacity=" + capacity;
                final int operation = random.nextInt(6);
                final int count = random.nextInt(capacity + 2);
                final int from = random.nextInt(3);
                if (operation < 3) {
                    final int[] handles = random.ints(from + count, 0, 1000).toArray();
                    offer(ring.producer(), model, operation, from, capacity, handles, where);
                } else {
                    poll(ring.consumer(), model, operation, from, count, where);
                }
                assertEquals(model.size(), ring.size(), where);
            }
        }
    }

    private static void offer(
        final SpscRing.Producer producer,
        final ArrayDeque<Integer> model,
        final int operation,
        final int from,
        final int capacity,
        final int[] handles,
        final String where
    ) {
        final int count = handles.length - from;
        final int room = capacity - model.size();
        final int moved;
        if (operation == 0) {
            moved = Math.min(1, room);
            final int handle = handles.length == 0 ? 5 : handles[0];
            assertEquals(moved == 1, producer.offer(handle), where);
            if (moved == 1) {
                model.add(handle);
            }
            return;
        }
        if (operation == 1) {
            moved = count <= room ? count : 0;
            assertEquals(count <= room, producer.offerBulk(handles, from, count), where);
        } else {
            moved = Math.min(count, room);
            assertEquals(moved, producer.offerBurst(handles, from, count), where);
        }
        Arrays.stream(handles, from, from + moved).forEach(model::add);
    }

    private static void poll(
        final SpscRing.Consumer consumer,
        final ArrayDeque<Integer> model,
        final int operation,
        final int from,
        final int count,
        final String where
    ) {
        if (operation == 3) {
            assertEquals(model.isEmpty() ? SpscRing.NONE : model.remove(), consumer.poll(), where);
            return;
        }
        final int there = model.size();
        final int[] into = new int[from + count];
        final int moved;
        if (operation == 4) {
            moved = count <= there ? count : 0;
            assertEquals(count <= there, consumer.pollBulk(into, from, count), where);
        } else {
            moved = Math.min(count, there);
            assertEquals(moved, consumer.pollBurst(into, from, count), where);
        }
        final int[] expected = new int[from + count];
        for (int i = 0; i < moved; i++) {
            expected[from + i] = model.remove();
        }
        assertArrayEquals(expected, into, where);
    }
}
