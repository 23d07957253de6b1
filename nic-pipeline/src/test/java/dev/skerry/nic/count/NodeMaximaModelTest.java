package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.stream.IntStream;

/** Single cells, batches and rows of nodes, counted in random order, against lengths kept cell by cell. */
final class NodeMaximaModelTest {
    private static final int NODES = 70;
    private static final int QUEUES = 3;
    private static final int STEPS = 5_000;

    private final NodeMaxima one = new NodeMaxima(NODES);
    private final NodeMaxima many = new NodeMaxima(NODES);
    private final int[][] lengths = new int[NODES][QUEUES];
    private final int[] mostHeld = new int[NODES];
    private final int[] mostInQueue = new int[NODES];

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldCountRowsLikeNodeAfterNode(final long seed) {
        final Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            final boolean joining = random.nextInt(8) < (step / 100 % 2 == 0 ? 5 : 3);
            switch (random.nextInt(3)) {
                case 0 -> row(random, joining);
                case 1 -> batch(random, joining);
                default -> {
                    final int node = random.nextInt(NODES);
                    final int length = change(random, node, joining);
                    if (joining) {
                        many.onEnqueue(node, length);
                    } else if (length >= 0) {
                        many.onDequeue(node);
                    }
                }
            }
            for (int node = 0; node < NODES; node++) {
                final String where = "seed=" + seed + " step=" + step + " node=" + node;
                same(held(node), one.held(node), many.held(node), where);
                same(mostHeld[node], one.maxHeld(node), many.maxHeld(node), where);
                same(mostInQueue[node], one.maxQueue(node), many.maxQueue(node), where);
            }
        }
        assertTrue(IntStream.range(0, NODES).filter(node -> mostHeld[node] > Math.max(mostInQueue[node], held(node)))
            .count() > NODES / 2, "maxima of several queues are passed: seed=" + seed);
    }

    private static void same(final int expected, final int oneByOne, final int together, final String where) {
        assertEquals(expected, oneByOne, where);
        assertEquals(expected, together, where);
    }

    private int held(final int node) {
        return lengths[node][0] + lengths[node][1] + lengths[node][2];
    }

    /**
     * Lets a cell join or leave a queue of a node; returns the queue's new length, -1 if there was no cell to leave.
     */
    private int change(final Random random, final int node, final boolean joining) {
        final int queue = random.nextInt(QUEUES);
        if (joining) {
            lengths[node][queue]++;
            mostHeld[node] = Math.max(mostHeld[node], held(node));
            mostInQueue[node] = Math.max(mostInQueue[node], lengths[node][queue]);
            one.onEnqueue(node, lengths[node][queue]);
            return lengths[node][queue];
        }
        if (lengths[node][queue] == 0) {
            return -1;
        }
        one.onDequeue(node);
        return --lengths[node][queue];
    }

    /** Counts a row of adjacent nodes. Column entries outside the row are arbitrary and must not matter. */
    private void row(final Random random, final boolean joining) {
        final int first = random.nextInt(NODES);
        final int end = first + random.nextInt(NODES + 1 - first);
        final int[] column = random.ints(NODES, 0, 1_000).toArray();
        for (int node = first; node < end; node++) {
            final int length = random.nextBoolean() ? change(random, node, joining) : -1;
            column[node] = joining ? Math.max(length, 0) : length >= 0 ? 1 : 0;
        }
        if (joining) {
            many.onEnqueue(first, end, column);
        } else {
            many.onDequeue(first, end, column);
        }
    }

    private void batch(final Random random, final boolean joining) {
        final CellBatch batch = new CellBatch(NODES);
        final int first = random.nextInt(NODES);
        final int end = first + random.nextInt(NODES - first + 1);
        for (int node = first; node < end; node++) {
            final int length = random.nextBoolean() ? change(random, node, joining) : -1;
            if (length >= 0) {
                batch.add(node, 0, length, 0, 0);
            }
        }
        if (joining) {
            many.onEnqueue(first, end, batch);
        } else {
            many.onDequeue(batch);
        }
    }
}
