package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.worker.Idle.Backoff;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How a thread waits, by a clock and a processor that the test has. */
final class BackoffTest {
    private final List<String> did = new ArrayList<>();
    private long nowNs;
    private long yieldNs = 500;
    private final Backoff idle = new Backoff(() -> nowNs, () -> {
        did.add("yield");
        nowNs += yieldNs;
    }, ns -> did.add("park " + ns));

    /** What a wait of some turns does after its spins, and then there is work. */
    private List<String> wait(final int turns) {
        did.clear();
        for (int i = 0; i < Backoff.SPINS + turns; i++) {
            idle.idle(0);
        }
        idle.idle(1);
        return List.copyOf(did);
    }

    @Test
    void shouldYieldAndThenParkForLongerAndLonger() {
        final List<String> expected = new ArrayList<>(Collections.nCopies(Backoff.YIELDS, "yield"));
        for (long ns = Backoff.SHORTEST_PARK_NS; ns < Backoff.LONGEST_PARK_NS; ns *= 2) {
            expected.add("park " + ns);
        }
        expected.addAll(Collections.nCopies(3, "park " + Backoff.LONGEST_PARK_NS));
        assertEquals(expected, wait(expected.size()));
        assertEquals(expected, wait(expected.size()), "the next wait begins anew");
    }

    @Test
    void shouldLeaveYieldsOutAfterALongOneAndForTwiceAsManyWaitsAfterTheNext() {
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        for (int waits = 16; waits <= 1 << 14; waits *= 2) {
            assertEquals(List.of("yield", "park 1000"), wait(2));
            for (int i = 1; i < waits; i++) {
                assertEquals(List.of("park 1000", "park 2000"), wait(2));
            }
        }
        assertEquals(List.of("yield", "park 1000"), wait(2), "16,384 waits are the most");
        for (int i = 1; i < 1 << 14; i++) {
            wait(1);
        }
        yieldNs = 500;
        for (int waits = 1 << 14; waits > 8; waits /= 2) {
            assertEquals(Collections.nCopies(Backoff.YIELDS, "yield"), wait(Backoff.YIELDS));
        }
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        assertEquals(List.of("yield", "park 1000"), wait(2));
        for (int i = 1; i < 16; i++) {
            assertEquals(List.of("park 1000"), wait(1), "short yields have made it few again");
        }
        assertEquals(List.of("yield"), wait(1));
    }

    @Test
    void shouldCountNoWaitThatEndsWhileItSpins() {
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        wait(2);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(List.of(), wait(0));
        }
        assertEquals(List.of("park 1000"), wait(1));
    }
}
