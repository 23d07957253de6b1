package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle.RealTimeBackoff;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** How a real-time thread waits and rests, by a clock that the test has. */
final class RealTimeBackoffTest {
    private static final long LATENCY_NS = 5_000;

    private final List<Long> parks = new ArrayList<>();
    private long nowNs;
    private long parkedNs;
    private final RealTimeBackoff idle = new RealTimeBackoff(() -> nowNs, ns -> {
        parks.add(ns);
        nowNs += ns + LATENCY_NS;
        parkedNs += ns + LATENCY_NS;
    });

    @Test
    void shouldSpinThenParkForLongerAndLonger() {
        for (int wait = 0; wait < 2; wait++) {
            parks.clear();
            final long beganNs = nowNs;
            while (parks.isEmpty()) {
                idle.idle(0);
                nowNs += parks.isEmpty() ? 100 : 0;
            }
            assertTrue(nowNs - parkedNs - beganNs >= RealTimeBackoff.SPIN_NS || wait > 0);
            for (int i = 0; i < 12; i++) {
                idle.idle(0);
            }
            assertEquals(List.of(20_000L, 20_000L, 20_000L, 20_000L, 20_000L, 40_000L, 80_000L, 160_000L, 320_000L,
                640_000L, 1_000_000L, 1_000_000L, 1_000_000L), parks);
            idle.idle(1);
        }
    }

    /** The kernel stops a thread that has used 95 % of a second. */
    @ParameterizedTest
    @CsvSource({"1000, 0, 0.81", "9000, 1000, 0.70", "5000, 5000, 0.70", "500000, 1000, 0.81"})
    void shouldStayBelowItsShareHoweverItsWorkComes(final long workNs, final long waitNs, final double share) {
        for (int second = 0; second < 3; second++) {
            final long beganNs = nowNs;
            final long before = parkedNs;
            while (nowNs - beganNs < 1_000_000_000) {
                nowNs += workNs;
                idle.idle(1);
                for (final long endNs = nowNs + waitNs; nowNs < endNs;) {
                    nowNs += 100;
                    idle.idle(0);
                }
            }
            final double used = 1 - (double) (parkedNs - before) / (nowNs - beganNs);
            assertTrue(used <= share + 0.005, "used=" + used);
            assertTrue(used > share - 0.3, "it rests no more than it has to: used=" + used);
        }
    }

    @Test
    void shouldNotRestWhereWorkComesNowAndThen() {
        for (int i = 0; i < 1_000; i++) {
            nowNs += 10_000;
            idle.idle(1);
            final int before = parks.size();
            for (final long endNs = nowNs + 200_000; nowNs < endNs;) {
                nowNs += 100;
                idle.idle(0);
            }
            assertTrue(parks.size() > before);
            parks.clear();
            idle.idle(1);
            assertEquals(List.of(), parks, "work is not made to wait");
        }
    }
}
