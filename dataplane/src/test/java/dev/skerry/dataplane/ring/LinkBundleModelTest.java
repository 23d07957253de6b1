package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;

/** Against queues of rows, on one thread, over slots where the stamps wrap. */
final class LinkBundleModelTest {
    private static final int STEPS = 20_000;

    private final ArrayDeque<int[]> open = new ArrayDeque<>();
    private final ArrayDeque<int[]> published = new ArrayDeque<>();
    private Random random;
    private LinkBundle link;
    private String where;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldCarryRowsInOrder(final long seed) {
        random = new Random(seed);
        final int lanes = 1 + random.nextInt(20);
        final int rows = 1 << random.nextInt(6);
        final long first = new long[] {0, (1L << 31) - 50, (1L << 32) - 50, (1L << 40) + 3}[random.nextInt(4)];
        try (Arena arena = Arena.ofConfined()) {
            link = new LinkBundle(arena, lanes, rows, first);
            for (int step = 0; step < STEPS; step++) {
                where = "seed=" + seed + " step=" + step + " lanes=" + lanes + " rows=" + rows + " first=" + first;
                switch (random.nextInt(3)) {
                    case 0 -> write(lanes, rows);
                    case 1 -> publish();
                    default -> read(lanes);
                }
            }
        }
    }

    /** A row of the model: a handle for each lane, then how many cells were dropped. */
    private void write(final int lanes, final int rows) {
        final LinkBundle.Producer producer = link.producer();
        final long slot = producer.slot() + open.size();
        final long free = producer.writableUntil(slot) - slot;
        assertEquals(free > 0, open.size() + published.size() < rows, where);
        if (free == 0) {
            return;
        }
        final int[] row = new int[lanes + 1];
        Arrays.fill(row, 0, lanes, LinkBundle.MISSING);
        for (int puts = random.nextInt(2 * lanes + 1); puts > 0; puts--) {
            final int lane = random.nextInt(lanes);
            final int handle = random.nextInt(8) - 1;
            final boolean occupied = row[lane] >= 0;
            assertEquals(!occupied, producer.put(slot, lane, handle), where);
            row[lane] = occupied ? row[lane] : handle;
            row[lanes] += occupied && handle >= 0 ? 1 : 0;
        }
        open.add(row);
    }

    private void publish() {
        int count = random.nextInt(open.size() + 1);
        link.producer().publish(link.producer().slot() + count);
        for (; count > 0; count--) {
            published.add(open.remove());
        }
    }

    private void read(final int lanes) {
        final LinkBundle.Consumer consumer = link.consumer();
        long slot = consumer.slot();
        final long there = consumer.readableUntil(slot) - slot;
        assertEquals(published.isEmpty(), there == 0, where);
        for (int count = random.nextInt((int) there + 1); count > 0; count--) {
            final int[] row = published.remove();
            for (int lane = 0; lane < lanes; lane++) {
                assertEquals(row[lane], consumer.handle(slot, lane), where);
            }
            assertEquals(row[lanes], consumer.surplus(slot), where);
            slot++;
        }
        consumer.free(slot);
    }
}
