package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.host.Sender.WindowRule.DctcpWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The state machine of DCTCP (RFC 8257 §3.3), step by step and against the pseudocode of the RFC. */
class DctcpWindowTest {
    private static final double EPSILON = 1e-4;

    /** Alpha begins at 1; a window without a mark takes a sixteenth of it, one that is half marked adds 1/32. */
    @Test
    void shouldEstimateOnceAWindow() {
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 2);
        assertEquals(1, alpha(dctcp, 1));
        // The window observed first ends with the first segment; the next with that which was to be sent then.
        assertEquals(0, dctcp.onAck(1, 1, 1, 11, false));
        assertEquals(15.0 / 16, alpha(dctcp, 1), EPSILON);
        for (int una = 2; una <= 11; una++) {
            dctcp.onAck(1, una, 1, 30, una % 2 == 0);
            assertEquals(15.0 / 16, alpha(dctcp, 1), EPSILON);
        }
        dctcp.onAck(1, 13, 2, 30, false);
        assertEquals(15.0 / 16 * 15 / 16 + 5.0 / 12 / 16, alpha(dctcp, 1), EPSILON);
        assertEquals(1, alpha(dctcp, 0));
    }

    /** The first echo takes alpha / 2; others only when all that was under way is acknowledged. */
    @Test
    void shouldCutOnceAWindow() {
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 1);
        assertEquals(0, dctcp.onAck(0, 1, 1, 20, false));
        assertEquals(15.0 / 32, dctcp.onAck(0, 2, 1, 22, true) / 65536.0, EPSILON);
        assertEquals(0, dctcp.onAck(0, 3, 1, 22, true));
        assertEquals(0, dctcp.onAck(0, 22, 19, 40, true));
        assertTrue(dctcp.onAck(0, 23, 1, 41, true) > 0);
    }

    /** The RFC's own steps in floating point, over random acknowledgements. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldDoWhatTheRfcSays(final long seed) {
        final Random random = new Random(seed);
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 1);
        double alpha = 1;
        double acked = 0;
        double marked = 0;
        int windowEnd = 0;
        int cwr = 0;
        int una = 0;
        final double share = random.nextDouble();
        for (int i = 0; i < 3000; i++) {
            final int newly = random.nextInt(3);
            final int next = una + newly + random.nextInt(40);
            final boolean ece = random.nextDouble() < share;
            una += newly;
            acked += newly;
            marked += ece ? newly : 0;
            if (una > windowEnd) {
                alpha = alpha * (1 - 1.0 / 16) + 1.0 / 16 * (marked / acked);
                windowEnd = next;
                acked = 0;
                marked = 0;
            }
            double cut = 0;
            if (ece && una > cwr) {
                cut = alpha / 2;
                cwr = next;
            }
            assertEquals(cut, dctcp.onAck(0, una, newly, next, ece) / 65536.0, EPSILON, "seed=" + seed + " i=" + i);
            assertEquals(alpha, alpha(dctcp, 0), EPSILON, "seed=" + seed + " i=" + i);
        }
    }

    /** The sender: an echo cuts its window and sets its threshold, and no echo makes it grow. */
    @Test
    void shouldShrinkTheWindowOfItsSender() {
        final Reno rules = new Reno(64, 16, 100, 40, 300, 0, Congestion.Dctcp.USUAL);
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1_000_000, 1, 0);
        final List<Integer> sent = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final RenoSender sender = new RenoSender(RenoSender.table(arena, 1, rules),
                new Connections(flows, 1000, 1), rules,
                (slot, flow, number) -> sent.add(number));
            sender.start(0, 0);
            assertEquals(16, sent.size());
            sender.onAck(5, 0, 1, true);
            // One segment of one was marked: alpha stays 1, and half of the window goes.
            assertEquals(8, sender.window(0), EPSILON);
            sender.onAck(6, 0, 2, true);
            assertEquals(8, sender.window(0), EPSILON);
            sender.onAck(7, 0, 3, false);
            assertEquals(8 + 1.0 / 8, sender.window(0), EPSILON);
            assertEquals(16, sent.size());
        }
    }

    private static double alpha(final DctcpWindow dctcp, final int flow) {
        return dctcp.markedShare(flow);
    }
}
