package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Arrays;

/** The rules of spec/shale §3, with digits in arrays, for every node, destination, link of arrival and n. */
final class ShaleRouterTest {
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 7", "2, 3", "2, 5", "3, 3", "4, 2", "5, 2"})
    void shouldFollowTheRules(final int h, final int r) {
        final Phased schedule = new Phased(h, r);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), CongestionControl.HBH, 1, 1, 0, 9);
        try (Arena arena = Arena.ofConfined()) {
            final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
                new SpillPool(arena, 1));
            final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues);
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
