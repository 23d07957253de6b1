package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Unlimited;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** The rules of docs/spec/shale.md §3, with digits in arrays, for every node, destination, link of arrival and n. */
final class ShaleRouterTest {
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 7", "2, 3", "2, 5", "3, 3", "4, 2", "5, 2"})
    void shouldFollowTheRules(final int h, final int r) {
        final Phased schedule = new Phased(h, r);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH, 1, 1, 0, 9);
        try (Arena arena = Arena.ofConfined()) {
            final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
                new SpillPool(arena, 1));
            final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues, Unlimited.INSTANCE, null);
            for (int inEpoch = 0; inEpoch < schedule.epochSlots(); inEpoch++) {
                router.turnToReceiving(1000 + inEpoch, inEpoch);
                for (int id = 0; id < nodes; id++) {
                    for (int destination = 0; destination < nodes; destination++) {
                        for (int n = 0; id != destination && n < h; n++) {
                            check(router, h, r, inEpoch, id, destination, n);
                        }
                    }
                }
            }
        }
    }

    /** The cells of a block by lists of nodes, in any order, as each of them alone. */
    @ParameterizedTest
    @CsvSource({"hbh+spray, 2, 5, 1", "hbh+spray, 3, 3, 2", "hbh+spray, 2, 70, 3", "hbh+spray, 2, 12, 6",
        "hbh+spray, 3, 5, 7", "hbh, 2, 12, 4", "none, 4, 2, 5"})
    void shouldRouteListsLikeCellAfterCell(final String control, final int h, final int r, final long seed) {
        final Phased schedule = new Phased(h, r);
        final int nodes = CellBatch.block(schedule.nodes());
        final int firstId = (schedule.nodes() - nodes) / 2;
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of(control), 1, 1, 0, 9);
        final Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
                new SpillPool(arena, 1));
            final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues, Unlimited.INSTANCE, null);
            for (int slot = 0; slot < (nodes > 64 ? 100 : 300); slot++) {
                router.turnToReceiving(slot, slot % schedule.epochSlots());
                final List<Integer> cells = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
                Collections.shuffle(cells, random);
                final int[] which = cells.stream().mapToInt(i -> i).toArray();
                final int sprays = random.nextInt(nodes + 1);
                final int end = sprays + random.nextInt(nodes + 1 - sprays);
                final long[] routes = new long[nodes];
                for (int k = 0; k < end; k++) {
                    final int away = 1 + random.nextInt(schedule.nodes() - 1);
                    routes[which[k]] = Route.first((firstId + which[k] + away) % schedule.nodes(),
                        k < sprays ? 1 + random.nextInt(h - 1) : 0, slot);
                }
                final CellBatch batch = new CellBatch(nodes);
                assertEquals(0, router.spray(firstId, 0, which, sprays, routes, batch));
                router.direct(firstId, 0, which, sprays, end, routes, batch);
                assertEquals(end, batch.count());
                for (int k = 0; k < end; k++) {
                    final int i = which[k];
                    final int next = k < sprays ? router.spray(firstId + i, i, routes[i])
                        : router.direct(firstId + i, routes[i]);
                    final String where = "seed=" + seed + " slot=" + slot + " node=" + i;
                    assertEquals(i, batch.node()[k], where);
                    assertEquals(next, batch.hop()[k], where);
                    assertEquals(next * nodes + i, batch.queue()[k], where);
                    assertEquals(router.entry(), batch.word()[k], where);
                }
            }
        }
    }

    private static void check(final ShaleRouter router, final int h, final int r, final int inEpoch, final int id,
        final int destination, final int n) {
        final String where = "h=" + h + " r=" + r + " sent=" + inEpoch + " id=" + id + " d=" + destination + " n=" + n;
        final long arrived = Route.first(destination, n, 77);
        final int next = n > 0 ? router.spray(id, id, arrived) : router.direct(id, arrived);
        assertTrue(next >= 0 && next < h * (r - 1), where);
        final int phase = next / (r - 1);
        final int up = next % (r - 1) + 1;
        final int came = inEpoch / (r - 1);
        final int[] mine = digits(id, h, r);
        final int[] theirs = digits(destination, h, r);
        if (n > 0) {
            assertEquals((came + 1) % h, phase, where);
        } else {
            int expected = (came + 1) % h;
            while (mine[expected] == theirs[expected]) {
                expected = (expected + 1) % h;
            }
            assertEquals(expected, phase, where);
            assertEquals(theirs[phase], (mine[phase] + up) % r, where);
        }
        mine[phase] = (mine[phase] + up) % r;
        final long entry = router.entry();
        assertEquals(Arrays.equals(mine, theirs), Route.isFinal(entry), where);
        assertEquals(Math.max(0, n - 1), Route.sprays(entry), where);
        assertEquals(destination, Route.destination(entry), where);
        assertEquals(Route.bucket(destination, n), Route.owedBucket(entry), where);
        assertEquals(3, Route.age(entry, 80), where);
        // The sender reached us by going up; the owed link goes up the rest of the way round.
        final int owed = Route.owedLink(entry);
        assertEquals(owed, router.owedLink(), where);
        assertEquals(came, owed / (r - 1), where);
        assertEquals(0, (inEpoch % (r - 1) + 1 + owed % (r - 1) + 1) % r, where);
    }

    private static int[] digits(final int node, final int h, final int r) {
        final int[] digits = new int[h];
        for (int phase = 0, rest = node; phase < h; phase++, rest /= r) {
            digits[phase] = rest % r;
        }
        return digits;
    }
}
