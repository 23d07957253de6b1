package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.pieo.PieoList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A bank of queues under random traffic and random eligibility, against the definition of PIEO with rank = arrival. */
final class EligibilityQueuesModelTest {
    private static final int STEPS = 12_000;
    private static final int QUEUES = 5;
    private static final int BUCKETS = 6;
    private static final int LONGEST = 40;
    private static final long WORD = 0xFEDC_BA98_0000_0000L;
    private static final int BATCH_STEPS = 1_000;
    private static final int LINKS = 3;
    private static final int UNTOUCHED = 77;
    private static final int CHAIN_STEPS = 20_000;
    private static final int CHUNK = 4096;

    private final Arena arena = Arena.ofAuto();
    private final List<List<PieoList.Element>> model = new ArrayList<>();
    private int arrivals;
    private long eligible;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldDequeueTheFirstEligible(final long seed) {
        final Random random = new Random(seed);
        Stream.<List<PieoList.Element>>generate(ArrayList::new).limit(QUEUES).forEach(model::add);
        final int[] seen = new int[LONGEST + 1];
        final SpillPool pool = new SpillPool(arena, QUEUES * LONGEST);
        final EligibilityQueues queues = new EligibilityQueues(arena, QUEUES, pool);
        int target = 0;
        for (int step = 0; step < STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            if (step % 100 == 0) {
                target = random.nextInt(random.nextBoolean() ? 12 : LONGEST);
            }
            final int queue = random.nextInt(QUEUES);
            final int length = model.get(queue).size();
            if (length < LONGEST && random.nextInt(4) < (length < target ? 3 : 1)) {
                enqueue(queues, queue, random.nextInt(BUCKETS), where);
            } else {
                eligible = random.nextInt(4) == 0 ? -1 : random.nextLong() & random.nextLong();
                dequeue(queues, queue, where);
            }
            same(queues, queue, where);
            assertEquals(model.stream().mapToLong(List::size).sum(), queues.held(), where);
            seen[model.get(queue).size()]++;
        }
        drain(queues, "seed=" + seed);
        assertEquals(0, pool.used(), "seed=" + seed);
        assertEquals(0, queues.held(), "seed=" + seed);
        for (int length = 0; length <= 25; length++) {
            assertTrue(seen[length] > 0, "length never reached: " + length + " seed=" + seed);
        }
    }

    private void enqueue(final EligibilityQueues queues, final int queue, final int bucket, final String where) {
        model.get(queue).add(new PieoList.Element(bucket, arrivals, 0));
        assertEquals(model.get(queue).size(), queues.enqueue(queue, WORD | bucket, ~(long) arrivals), where);
        arrivals++;
    }

    /** The obvious rule: through the list in order of arrival, out with the first whose bucket is in the set. */
    private void dequeue(final EligibilityQueues queues, final int queue, final String where) {
        PieoList.Element expected = null;
        for (final PieoList.Element element : model.get(queue)) {
            if (expected == null && (eligible >>> element.id() & 1) != 0) {
                expected = element;
            }
        }
        assertEquals(expected != null, queues.dequeue(queue, (asked, entry) -> {
            assertEquals(queue, asked, where);
            assertEquals(WORD, entry & ~0xFFL, where);
            return (eligible >>> (int) (entry & 0xFF) & 1) != 0;
        }), where);
        if (expected != null) {
            model.get(queue).remove(expected);
            assertEquals(WORD | expected.id(), queues.entry(), where);
            assertEquals(~expected.rank(), queues.payload(), where);
        }
    }

    private void same(final EligibilityQueues queues, final int queue, final String where) {
        final List<PieoList.Element> found = new ArrayList<>();
        queues.forEach(queue, (word, payload) ->
            found.add(new PieoList.Element((int) (word & 0xFF), ~payload, 0)));
        assertEquals(model.get(queue), found, where);
        assertEquals(found.size(), queues.length(queue), where);
    }

    private void drain(final EligibilityQueues queues, final String where) {
        eligible = -1;
        for (int queue = 0; queue < QUEUES; queue++) {
            same(queues, queue, where);
            while (!model.get(queue).isEmpty()) {
                dequeue(queues, queue, where);
            }
            dequeue(queues, queue, where);
            same(queues, queue, where);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 37", "3, 37", "4, 64", "5, 130", "6, 130"})
    void shouldDoWhatEachQueueDoesAlone(final long seed, final int nodes) {
        final Random random = new Random(seed);
        final SpillPool pool = new SpillPool(arena, 1 << 16);
        final EligibilityQueues batched = new EligibilityQueues(arena, LINKS * nodes, pool);
        final EligibilityQueues alone = new EligibilityQueues(arena, LINKS * nodes, pool);
        int longest = 0;
        for (int step = 0; step < BATCH_STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final boolean growing = step / 100 % 2 == 0;
            if (random.nextInt(4) == 0 ? !growing : growing) {
                longest = Math.max(longest, enqueue(batched, alone, nodes, random, where));
            } else {
                dequeue(batched, alone, nodes, random, where);
            }
            for (int queue = step % 3; queue < LINKS * nodes; queue += 3) {
                assertEquals(shown(alone, queue), shown(batched, queue), where);
            }
        }
        assertTrue(longest > 8, "hardly spilled: longest=" + longest + " seed=" + seed);
    }

    /** A batch of all queues of a bank, each of which has spilled. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, CellBatch.CELLS})
    void shouldTakeFromAllQueuesAtOnce(final int queues) {
        final int entries = 6;
        final int[] all = IntStream.range(0, queues).toArray();
        final EligibilityQueues bank = new EligibilityQueues(arena, queues, new SpillPool(arena, queues * entries));
        final CellBatch batch = new CellBatch(queues);
        for (int entry = 0; entry < entries; entry++) {
            batch.clear();
            for (final int queue : all) {
                batch.add(queue, 0, queue, entry);
            }
            bank.enqueue(batch);
        }
        for (int entry = 0; entry < entries; entry++) {
            batch.clear();
            bank.dequeueOldest(0, 0, all, queues, batch);
            for (final int queue : all) {
                assertEquals(entry, batch.word()[queue]);
                assertEquals(entries - 1 - entry, batch.length()[queue]);
            }
        }
        assertEquals(0, bank.held());
    }

    /** What stays keeps its order, spilled or not. */
    @Test
    void shouldRemoveAndRewriteInOrder() {
        final EligibilityQueues queues = new EligibilityQueues(arena, 5, new SpillPool(arena, 20));
        queues.enqueue(3, 0, 0);
        IntStream.range(0, 20).forEach(entry -> queues.enqueue(1, entry, -entry));
        final List<Long> away = new ArrayList<>();
        queues.remove(1, (queue, word) -> word % 9 != 0, (word, with) -> away.addAll(List.of(word, with)));
        assertEquals(List.of(0L, 0L, 9L, -9L, 18L, -18L), away);
        queues.rewrite(1, word -> word + 100);
        assertEquals(LongStream.range(0, 20).filter(entry -> entry % 9 != 0).boxed()
            .flatMap(entry -> Stream.of(entry + 100, -entry)).toList(), shown(queues, 1));
        final int[] lengths = new int[2];
        assertEquals(1, queues.lengths(1, 2, 2, lengths));
        assertArrayEquals(new int[] {17, 1}, lengths);
    }

    private static int enqueue(final EligibilityQueues batched, final EligibilityQueues alone, final int nodes,
        final Random random, final String where) {
        final CellBatch batch = new CellBatch(nodes);
        for (int node = 0; node < nodes; node++) {
            if (random.nextBoolean()) {
                final int hop = random.nextInt(LINKS);
                final int at = batch.count();
                batch.add(node, hop, hop * nodes + node, random.nextLong());
                batch.cell()[at] = random.nextLong();
            }
        }
        batched.enqueue(batch);
        int longest = 0;
        for (int i = 0; i < batch.count(); i++) {
            final int length = alone.enqueue(batch.queue()[i], batch.word()[i], batch.cell()[i]);
            assertEquals(length, batch.length()[i], where);
            longest = Math.max(longest, length);
        }
        return longest;
    }

    private static void dequeue(final EligibilityQueues batched, final EligibilityQueues alone, final int nodes,
        final Random random, final String where) {
        final int firstNode = random.nextInt(nodes);
        final int count = 1 + random.nextInt(nodes - firstNode);
        final int first = random.nextInt(LINKS) * nodes + firstNode;
        final int[] oldest = new int[nodes];
        final int[] waiting = new int[nodes];
        Arrays.fill(waiting, UNTOUCHED);
        batched.oldest(first, count, oldest, waiting);
        final List<Integer> able = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final boolean waits = alone.length(first + i) > 0;
            assertEquals(waits ? 1 : 0, waiting[i], where);
            assertTrue(!waits || oldest[i] == (int) alone.first(first + i), where);
            if (waits && random.nextInt(4) > 0) {
                able.add(i);
            }
        }
        for (int i = count; i < nodes; i++) {
            assertEquals(UNTOUCHED, waiting[i], where);
        }
        Collections.shuffle(able, random);
        final int[] which = able.stream().mapToInt(i -> i).toArray();
        // The batch already holds cells of another list.
        final int before = random.nextInt(which.length + 1);
        final CellBatch batch = new CellBatch(nodes);
        batched.dequeueOldest(first, firstNode, which, before, batch);
        batched.dequeueOldest(first, firstNode, Arrays.copyOfRange(which, before, which.length), which.length - before,
            batch);
        assertEquals(which.length, batch.count(), where);
        for (int k = 0; k < which.length; k++) {
            final int queue = first + which[k];
            assertTrue(alone.dequeue(queue, (asked, entry) -> true), where);
            final long left = alone.length(queue);
            assertEquals(List.of((long) firstNode + which[k], (long) queue, alone.entry(), alone.payload(), left),
                List.of((long) batch.node()[k], (long) batch.queue()[k], batch.word()[k], batch.cell()[k],
                    (long) batch.length()[k]), where);
        }
        assertEquals(alone.held(), batched.held(), where);
    }

    private static List<Long> shown(final EligibilityQueues queues, final int queue) {
        final List<Long> shown = new ArrayList<>();
        queues.forEach(queue, (word, payload) -> {
            shown.add(word);
            shown.add(payload);
        });
        return shown;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldServeFirstComeFirst(final long seed) {
        final Random random = new Random(seed);
        final List<Deque<Long>> model = Stream.<Deque<Long>>generate(ArrayDeque::new).limit(QUEUES).toList();
        final SpillPool pool = new SpillPool(arena, CHAIN_STEPS);
        final ChainedFifos queues = new ChainedFifos(arena, QUEUES, pool);
        for (long step = 0; step < CHAIN_STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int queue = random.nextInt(QUEUES);
            final Deque<Long> expected = model.get(queue);
            if (random.nextInt(5) < (step % 1000 < 500 ? 3 : 2)) {
                expected.add(step);
                queues.enqueue(queue, step, -step);
            } else if (!expected.isEmpty()) {
                queues.dequeue(queue);
                assertEquals(expected.remove(), queues.entry(), where);
                assertEquals(-queues.entry(), queues.payload(), where);
            }
            assertEquals(expected.isEmpty(), queues.isEmpty(queue), where);
            assertEquals(expected.size(), queues.length(queue), where);
            final List<Long> shown = new ArrayList<>();
            queues.forEach(queue, (word, with) -> shown.add(word));
            assertEquals(List.copyOf(expected), shown, where);
            assertEquals(model.stream().mapToInt(Deque::size).sum(), pool.used(), where);
        }
    }

    @Test
    void shouldKeepEveryRecordApartAcrossChunks() {
        final int records = 6 * CHUNK;
        final SpillPool pool = new SpillPool(arena, records);
        final boolean[] lent = new boolean[records];
        int before = SpillPool.NONE;
        for (int i = 0; i < records; i++) {
            final int record = pool.take(i, -i);
            assertTrue(!lent[record], "lent twice: " + record);
            lent[record] = true;
            assertEquals(SpillPool.NONE, pool.next(record));
            pool.setNext(record, before);
            before = record;
        }
        assertEquals(records, pool.used());
        for (int i = records - 1; i >= 0; i--) {
            assertEquals(i, pool.first(before));
            assertEquals(-i, pool.second(before));
            final int next = pool.next(before);
            pool.release(before);
            before = next;
        }
        assertEquals(SpillPool.NONE, before);
        assertEquals(0, pool.used());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, CHUNK - 1, CHUNK})
    void shouldStopAtItsBoundAndGoOnAfterARelease(final int maxRecords) {
        final SpillPool pool = new SpillPool(arena, maxRecords);
        int last = SpillPool.NONE;
        for (int i = 0; i < CHUNK; i++) {
            last = pool.take(i, i);
        }
        final String message = assertThrows(IllegalStateException.class, () -> pool.take(1, 1)).getMessage();
        assertTrue(message.contains("records=" + CHUNK), message);
        assertEquals(CHUNK, pool.used());
        pool.release(last);
        assertEquals(last, pool.take(7, 8));
        assertArrayEquals(new long[] {7, 8}, new long[] {pool.first(last), pool.second(last)});
    }
}
