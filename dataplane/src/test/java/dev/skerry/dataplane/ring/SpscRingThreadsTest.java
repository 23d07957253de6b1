package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Two threads: handles arrive in order, none is lost, and the memory behind each is seen as written before the offer.
 */
final class SpscRingThreadsTest {
    /** On a busy machine each time that the ring is full or empty costs a thread its turn; so there are few of them. */
    private static final int TIMES_FULL = 1_000;
    private static final int CELLS = 256;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    @ParameterizedTest
    @Timeout(300)
    @CsvSource({"1, 1", "2, 1", "64, 1", "64, 7", "128, 32"})
    void shouldDeliverEveryWordInOrder(final int capacity, final int burst) throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            final int handles = TIMES_FULL * capacity;
            final SpscRing ring = new SpscRing(arena, capacity);
            final MemorySegment cells = arena.allocate(CELLS * 8L, 64);
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread producer = new Thread(() -> {
                if (burst == 1) {
                    produce(ring.producer(), cells, handles);
                } else {
                    produceBursts(ring.producer(), cells, handles, burst);
                }
            });
            producer.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
            producer.start();
            final long checksum = consume(ring.consumer(), cells, handles, burst);
            producer.join();
            assertNull(failure.get());
            assertEquals((long) handles * (handles - 1) / 2, checksum);
            assertEquals(0, ring.size());
        }
    }

    /** Handle i uses cell i mod CELLS, which is free again: at most capacity handles and one burst are in flight. */
    private static void produce(final SpscRing.Producer producer, final MemorySegment cells, final int handles) {
        for (int handle = 0; handle < handles; handle++) {
            cells.set(LONG, handle % CELLS * 8, handle * 31L);
            while (!producer.offer(handle)) {
                Thread.yield();
            }
        }
    }

    private static void produceBursts(final SpscRing.Producer producer, final MemorySegment cells, final int handles,
        final int burst) {
        final int[] words = new int[burst];
        for (int handle = 0; handle < handles; handle += burst) {
            final int count = Math.min(burst, handles - handle);
            for (int i = 0; i < count; i++) {
                words[i] = handle + i;
                cells.set(LONG, (handle + i) % CELLS * 8, (handle + i) * 31L);
            }
            if ((handle / burst & 1) == 0) {
                while (!producer.offerBulk(words, 0, count)) {
                    Thread.yield();
                }
            } else {
                for (int sent = 0; sent < count;) {
                    sent += producer.offerBurst(words, sent, count - sent);
                }
            }
        }
    }

    private static long consume(final SpscRing.Consumer consumer, final MemorySegment cells, final int handles,
        final int burst) {
        final int[] into = new int[burst];
        long checksum = 0;
        int expected = 0;
        while (expected < handles) {
            int count = 1;
            if (burst == 1) {
                into[0] = consumer.poll();
                count = into[0] == SpscRing.NONE ? 0 : 1;
            } else {
                count = consumer.pollBurst(into, 0, burst);
            }
            if (count == 0) {
                Thread.yield();
            }
            for (int i = 0; i < count; i++) {
                if (into[i] != expected || cells.get(LONG, expected % CELLS * 8) != expected * 31L) {
                    throw new AssertionError("handle=" + into[i] + " expected=" + expected
                        + " cell=" + cells.get(LONG, expected % CELLS * 8));
                }
                checksum += into[i];
                expected++;
            }
        }
        return checksum;
    }
}
