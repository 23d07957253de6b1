package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;

/** Throttles against an array: no two of them share a place, and a new flow may use every link at once. */
final class ThrottlesModelTest {
    private static final int NODES = 3;
    private static final int STEPS = 20_000;

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "7, 3", "16, 4", "17, 5", "70, 6"})
    void shouldKeepEveryThrottleApart(final int links, final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final Throttles throttles = new Throttles(arena, NODES, links, links);
            final int[][][] model = new int[NODES][links][links];
            final int[] flows = new int[NODES];
            for (int step = 0; step < STEPS; step++) {
                final int node = random.nextInt(NODES);
                if (flows[node] == 0 || flows[node] < links && random.nextInt(50) == 0) {
                    throttles.add(node, flows[node]++);
                }
                final int flow = random.nextInt(flows[node]);
                final int link = random.nextInt(links);
                assertEquals(model[node][flow][link], throttles.freeFrom(node, flow, link), "seed=" + seed);
                model[node][flow][link] = random.nextInt();
                throttles.set(node, flow, link, model[node][flow][link]);
            }
            for (int node = 0; node < NODES; node++) {
                for (int flow = 0; flow < flows[node]; flow++) {
                    for (int link = 0; link < links; link++) {
                        assertEquals(model[node][flow][link], throttles.freeFrom(node, flow, link), "seed=" + seed);
                    }
                }
            }
        }
    }

    /**
     * The first flows of a row in one call against one by one, as a row of a slot is worked on: what changes in the
     * column is written to the index as well, where there is one.
     */
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 2"})
    void shouldTakeManyNodesAtOnce(final boolean indexed, final long seed) {
        final int nodes = 70;
        final int flows = 3;
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final Throttles one = throttles(arena, nodes, flows, indexed);
            final Throttles other = throttles(arena, nodes, flows, indexed);
            assertEquals(indexed, other.indexed());
            for (int step = 0; step < 500; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int link = random.nextInt(flows);
                final int first = random.nextInt(nodes);
                final int count = random.nextInt(nodes + 1 - first);
                final int from = random.nextInt(4);
                final int[] column = new int[from + count + 1];
                Arrays.fill(column, -1);
                other.getFirst(first, count, link, column, from);
                assertEquals(-1, column[from + count], where);
                assertTrue(from == 0 || column[from - 1] == -1, where);
                for (int i = 0; i < count; i++) {
                    assertEquals(one.freeFrom(first + i, 0, link), column[from + i], where);
                    final int epoch = step + random.nextInt(20);
                    final int flow = random.nextInt(3) == 0 ? random.nextInt(flows) : 0;
                    if (random.nextBoolean()) {
                        one.set(first + i, flow, link, epoch);
                        if (flow == 0) {
                            column[from + i] = epoch;
                        }
                        if (flow != 0 || indexed) {
                            other.set(first + i, flow, link, epoch);
                        }
                    }
                }
                other.setFirst(first, count, link, column, from);
                same(one, other, flows, nodes, where);
                for (int node = 0; indexed && node < nodes; node += 2) {
                    assertEquals(one.free(node, link, 0, step), other.free(node, link, 0, step), where);
                }
            }
        }
    }

    private static void same(final Throttles one, final Throttles other, final int flows, final int nodes,
        final String where) {
        for (int node = 0; node < nodes; node++) {
            for (int flow = 0; flow < flows; flow++) {
                for (int link = 0; link < flows; link++) {
                    assertEquals(one.freeFrom(node, flow, link), other.freeFrom(node, flow, link), where);
                }
            }
        }
    }

    private static Throttles throttles(final Arena arena, final int nodes, final int flows, final boolean indexed) {
        final Throttles throttles = new Throttles(arena, nodes, flows, flows);
        for (int node = 0; node < nodes; node++) {
            for (int flow = 0; flow < flows; flow++) {
                throttles.add(node, flow);
            }
            if (indexed && node % 2 == 0) {
                throttles.index(node, flows);
            }
        }
        return throttles;
    }

    /** The index against all throttles of a link, which is at least as far at every look as at the one before. */
    @ParameterizedTest
    @CsvSource({"17, 1", "63, 2", "64, 3", "65, 4", "200, 5"})
    void shouldKnowWhichFlowsAreFree(final int links, final long seed) {
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final Throttles throttles = new Throttles(arena, 1, links, links);
            final int[] atMost = new int[links];
            int flows = 0;
            for (int step = 0; step < STEPS; step++) {
                if (flows < links && random.nextInt(100) == 0) {
                    throttles.add(0, flows++);
                }
                if (flows > Throttles.FEW) {
                    throttles.index(0, flows);
                }
                final int link = random.nextInt(Math.min(links, 5));
                if (flows > 0 && random.nextInt(3) < 2) {
                    throttles.set(0, random.nextInt(flows), link, random.nextInt(8) > 0
                        ? atMost[link] + random.nextInt(20) : random.nextInt(2) > 0 ? Throttles.HELD : Throttles.AWAIT);
                } else if (flows > Throttles.FEW) {
                    atMost[link] += random.nextInt(3);
                    for (int flow = 0; flow < flows; flow++) {
                        assertEquals(throttles.freeFrom(0, flow, link) <= atMost[link],
                            (throttles.free(0, link, flow >> 6, atMost[link]) >>> flow & 1) != 0,
                            "seed=" + seed + " step=" + step + " flow=" + flow);
                    }
                }
            }
        }
    }
}
