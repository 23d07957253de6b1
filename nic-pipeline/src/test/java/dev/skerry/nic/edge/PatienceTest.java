package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.edge.PacketEgress.Patience;
import org.junit.jupiter.api.Test;

final class PatienceTest {
    private static final long MS = 1_000_000;
    private static final long STALL_NS = 200 * MS;

    private final Patience patience = new Patience(STALL_NS);
    private long nowNs = Long.MAX_VALUE - 100 * MS;

    private void offer(final long pauseNs, final int times) {
        for (int i = 0; i < times; i++) {
            nowNs += pauseNs;
            patience.offer(nowNs);
        }
    }

    @Test
    void shouldEndAfterTheTimeInWhichPacketsWereOffered() {
        patience.rest(nowNs);
        offer(MS, 200);
        assertFalse(patience.isOver());
        offer(1, 1);
        assertTrue(patience.isOver());
    }

    /** A thread that did not run for a minute offered nothing in that minute. */
    @Test
    void shouldNotBlameThePortForThePausesOfItsThread() {
        patience.rest(nowNs);
        offer(60_000 * MS, 1);
        assertFalse(patience.isOver());
        offer(60_000 * MS, 19);
        assertFalse(patience.isOver());
        offer(60_000 * MS, 1);
        assertTrue(patience.isOver());
    }

    @Test
    void shouldBeginAnewWhenNothingWaits() {
        patience.rest(nowNs);
        offer(MS, 200);
        patience.rest(nowNs);
        offer(MS, 200);
        assertFalse(patience.isOver());
    }

    /** Later packets for a stalled port do not wait for a new time-out. */
    @Test
    void shouldStayOverUntilThePortTakesAPacket() {
        patience.rest(nowNs);
        offer(MS, 201);
        assertTrue(patience.isOver());
        patience.rest(nowNs);
        offer(1, 1);
        assertTrue(patience.isOver());
        patience.took();
        offer(MS, 200);
        assertFalse(patience.isOver());
    }
}
