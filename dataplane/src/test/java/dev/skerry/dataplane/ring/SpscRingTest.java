package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

final class SpscRingTest {
    private static final int STEPS = 20_000;
    /** On a busy machine each time that the ring is full or empty costs a thread its turn; so there are few of them. */
    private static final int TIMES_FULL = 1_000;
    private static final int CELLS = 256;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int LENT = 100;
    private static final int ROUNDS = 32_000;

    private final Arena arena = Arena.ofAuto();
    private final ArrayDeque<int[]> open = new ArrayDeque<>();
    private final ArrayDeque<int[]> published = new ArrayDeque<>();
    private Random random;
    private LinkBundle link;
    private String where;

    @Test
    void shouldWorkWithOneSlot() {
        final SpscRing ring = new SpscRing(arena, 1);
        for (int handle = 0; handle < 5; handle++) {
            assertTrue(ring.producer().offer(handle));
            assertFalse(ring.producer().offer(99));
            assertEquals(handle, ring.consumer().poll());
            assertEquals(SpscRing.NONE, ring.consumer().poll());
        }
    }

    @Test
    void shouldCarryNoHandleInBulk() {
        final SpscRing ring = new SpscRing(arena, 2);
        final int[] into = new int[2];
        assertTrue(ring.producer().offerBulk(new int[] {SpscRing.NONE, 3}, 0, 2));
        assertTrue(ring.consumer().pollBulk(into, 0, 2));
        assertArrayEquals(new int[] {SpscRing.NONE, 3}, into);
    }

    @Test
    void shouldCatchNoHandleInOffer() {
        final SpscRing ring = new SpscRing(arena, 2);
        assertThrows(AssertionError.class, () -> ring.producer().offer(SpscRing.NONE));
        assertEquals(0, ring.size());
    }

    @Test
    void shouldLeaveTheRingAloneWhenTheArrayIsTooShort() {
        final SpscRing ring = new SpscRing(arena, 4);
        final int[] handles = new int[3];
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBulk(handles, 0, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBurst(handles, 2, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.producer().offerBurst(handles, 0, -1));
        assertEquals(0, ring.size());
        assertTrue(ring.producer().offerBulk(handles, 0, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.consumer().pollBulk(handles, 1, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> ring.consumer().pollBurst(handles, 4, 0));
        assertEquals(3, ring.size());
    }

    @Test
    void shouldStartEmptyInUsedMemory() {
        final MemorySegment used = arena.allocate(1024, 128).fill((byte) 0x5A);
        final SpscRing ring = new SpscRing(SegmentAllocator.slicingAllocator(used), 4);
        assertEquals(SpscRing.NONE, ring.consumer().poll());
        assertTrue(ring.producer().offer(1));
        assertEquals(1, ring.consumer().poll());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldBehaveAsABoundedQueue(final long seed) {
        final Random random = new Random(seed);
        final int capacity = 1 << random.nextInt(7);
        final long start = random.nextBoolean() ? 0 : Integer.MAX_VALUE - random.nextInt(STEPS);
        final ArrayDeque<Integer> model = new ArrayDeque<>();
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

    private static void offer(final SpscRing.Producer producer, final ArrayDeque<Integer> model, final int operation,
        final int from, final int capacity, final int[] handles, final String where) {
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

    private static void poll(final SpscRing.Consumer consumer, final ArrayDeque<Integer> model, final int operation,
        final int from, final int count, final String where) {
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

    @ParameterizedTest
    @Timeout(300)
    @CsvSource({"1, 1", "2, 1", "64, 1", "64, 7", "128, 32"})
    void shouldDeliverEveryWordInOrder(final int capacity, final int burst) throws InterruptedException {
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 32, 1 << 20, SpscRing.MAX_CAPACITY})
    void shouldRoundLengthUpToWholeBlocks(final int capacity) {
        assertArrayEquals(new long[] {0, 128, 256},
            new long[] {SpscRing.TAIL_OFFSET, SpscRing.HEAD_OFFSET, SpscRing.SLOTS_OFFSET}, "blocks of their own");
        final long bytes = SpscRing.lengthBytes(capacity);
        final long needed = SpscRing.SLOTS_OFFSET + 4L * capacity;
        assertEquals(0, bytes % SpscRing.BLOCK_BYTES);
        assertTrue(bytes >= needed && bytes < needed + SpscRing.BLOCK_BYTES, "bytes=" + bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 12, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldRefuseWhatIsNoPowerOfTwo(final int capacity) {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> SpscRing.lengthBytes(capacity));
        assertTrue(e.getMessage().endsWith("capacity=" + capacity), e.getMessage());
    }

    @Test
    void shouldBringCellsHome() {
        final FreeList home = new FreeList(arena, 0, LENT);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        for (int i = 0; i < LENT; i++) {
            assertTrue(way.free(home.alloc()));
        }
        assertArrayEquals(new int[] {LENT, LENT, LENT, 0, 0},
            new int[] {home.held(), way.size(), way.collect(), way.collect(), home.held()});
        home.verify();
    }

    @Test
    void shouldLeaveTheCellWithTheCallerWhenFull() {
        final FreeList home = new FreeList(arena, 0, LENT);
        final FreeListReturn way = new FreeListReturn(arena, home, 1);
        home.alloc();
        home.alloc();
        assertTrue(way.free(0));
        assertFalse(way.free(1));
        assertEquals(1, way.collect());
        assertTrue(way.free(1));
        assertEquals(1, way.collect());
        assertEquals(0, home.held());
    }

    @Test
    void shouldCatchForeignCellsAtOnceAndCellsFreedTwiceWhenCollected() {
        final FreeList home = new FreeList(arena, 0, LENT);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        assertThrows(AssertionError.class, () -> way.free(LENT));
        home.alloc();
        way.free(0);
        way.free(0);
        assertThrows(AssertionError.class, way::collect);
    }

    /** Cells circulate: owner allocates, writes, sends; the foreign thread checks, overwrites, sends home. */
    @Test
    @Timeout(300)
    void shouldCarryOwnershipRoundTwoThreads() throws InterruptedException {
        final Slab slab = new Slab(arena, LENT, 64);
        final FreeList home = new FreeList(arena, 0, LENT);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        final SpscRing out = new SpscRing(arena, 32);
        final AtomicLong wrong = new AtomicLong();
        final Thread foreign = new Thread(() -> {
            long seen = 0;
            while (seen < ROUNDS) {
                final int cell = out.consumer().poll();
                if (cell == Slab.NONE) {
                    Thread.yield();
                    continue;
                }
                final long word = slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(cell));
                wrong.addAndGet(word == seen ? 0 : 1);
                slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), -seen - 1);
                wrong.addAndGet(way.free(cell) ? 0 : 1);
                seen++;
            }
        });
        foreign.start();
        final long[] lastRound = new long[LENT];
        for (int round = 0; round < ROUNDS; round++) {
            int cell = home.alloc();
            while (cell == Slab.NONE) {
                Thread.yield();
                way.collect();
                cell = home.alloc();
            }
            final long expected = lastRound[cell];
            wrong.addAndGet(slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(cell)) == expected ? 0 : 1);
            lastRound[cell] = -round - 1;
            slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), (long) round);
            while (!out.producer().offer(cell)) {
                Thread.yield();
            }
        }
        foreign.join();
        way.collect();
        assertEquals(0, wrong.get());
        assertEquals(0, home.held());
        home.verify();
    }

    @Test
    void shouldNotWriteWhatTheConsumerStillHas() {
        final LinkBundle link = new LinkBundle(arena, 1, 2, 0);
        link.producer().publish(2);
        assertEquals(2, link.producer().writableUntil(2));
        assertThrows(IllegalStateException.class, () -> link.producer().put(2, 0, 1));
        assertThrows(IllegalStateException.class, () -> link.producer().put(1, 0, 1), "published");
        assertThrows(IllegalStateException.class, () -> link.producer().publish(3));
        assertThrows(IllegalStateException.class, () -> link.producer().publish(1));
        assertEquals(2, link.consumer().readableUntil(0));
        link.consumer().free(1);
        assertEquals(3, link.producer().writableUntil(2));
        assertThrows(IllegalStateException.class, () -> link.consumer().handle(0, 0), "freed");
        assertThrows(IllegalStateException.class, () -> link.consumer().handle(2, 0), "not come");
        assertThrows(IllegalStateException.class, () -> link.consumer().free(3));
        assertThrows(IllegalStateException.class, () -> link.consumer().free(0));
    }

    @Test
    void shouldRefuseALaneThatIsNotThere() {
        final LinkBundle link = new LinkBundle(arena, 3, 2, 0);
        assertThrows(IndexOutOfBoundsException.class, () -> link.producer().put(0, 3, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> link.producer().put(0, -1, 1));
        link.producer().publish(1);
        assertEquals(1, link.consumer().readableUntil(0));
        assertThrows(IndexOutOfBoundsException.class, () -> link.consumer().handle(0, 3));
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 0", "-1, 2, 0", "1, 0, 0", "1, 3, 0", "1, 2, -1"})
    void shouldRefuseAShapeItCannotHave(final int lanes, final int rows, final long firstSlot) {
        assertThrows(IllegalArgumentException.class, () -> new LinkBundle(arena, lanes, rows, firstSlot));
    }

    /** Rows on lines of their own, a surplus word each, and the block of the two positions. */
    @ParameterizedTest
    @CsvSource({"1, 16, 1408", "8, 16, 1408", "9, 16, 2432", "32, 16, 4480", "64, 64, 33536"})
    void shouldTakeThatMuchMemory(final int lanes, final int rows, final long bytes) {
        try (CountedArena counted = new CountedArena()) {
            new LinkBundle(counted, lanes, rows, 0);
            assertEquals(bytes, counted.bytes());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldCarryRowsInOrder(final long seed) {
        random = new Random(seed);
        final int lanes = 1 + random.nextInt(20);
        final int rows = 1 << random.nextInt(6);
        final long first = new long[] {0, (1L << 31) - 50, (1L << 32) - 50, (1L << 40) + 3}[random.nextInt(4)];
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
