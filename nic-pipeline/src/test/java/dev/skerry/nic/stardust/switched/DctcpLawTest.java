package dev.skerry.nic.stardust.switched;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;

/**
 * DCTCP on one bottleneck against the analysis of its paper (Alizadeh et al., SIGCOMM 2010, §3.3): with N flows, a pipe
 * of C·RTT packets and marks above K, a window of W* = (C·RTT + K) / N swings by W*·alpha / 2, alpha is about
 * sqrt(2 / W*), the queue swings by sqrt(N (C·RTT + K) / 2), its longest is K + N, and nothing is lost of the rate for
 * K above C·RTT / 7.
 */
class DctcpLawTest {
    private static final int LINK_SLOTS = 156;
    /** Three links, both transmissions and that of the acknowledgement, in packets of the bottleneck. */
    private static final double PIPE = (3 * LINK_SLOTS + Bottleneck.SLOTS + 2 + 1) / (double) Bottleneck.SLOTS;

    private record Steady(double rate, long most, long least, double alpha) {
    }

    private static Steady run(final int senders, final int mark, final Congestion congestion) {
        final Bottleneck routes = new Bottleneck(senders);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = new SwitchedNetwork(arena, routes.flows(),
                new Reno(1000, 2, 1000, 40, 100_000, 0, congestion),
                new SwitchRules(Bottleneck.PACKET, LINK_SLOTS, 1000L * Bottleneck.PACKET,
                    mark * (long) Bottleneck.PACKET), routes);
            network.advance(400_000);
            final long before = received(network, senders);
            long most = 0;
            long least = Long.MAX_VALUE;
            double alpha = 0;
            final int samples = 20_000;
            for (int i = 0; i < samples; i++) {
                network.advance(Bottleneck.SLOTS);
                final long queue = network.backlog(senders) / Bottleneck.PACKET;
                most = Math.max(most, queue);
                least = Math.min(least, queue);
                alpha += network.markedShare(0) / samples;
            }
            network.checkConserved();
            assertEquals(0, network.timeouts());
            return new Steady((received(network, senders) - before) / (double) (samples * Bottleneck.PACKET), most,
                least, alpha);
        }
    }

    private static long received(final SwitchedNetwork network, final int senders) {
        long sum = 0;
        for (int flow = 0; flow < senders; flow++) {
            sum += network.receivedOf(flow);
        }
        return sum;
    }

    /** Rate, longest queue, swing and alpha of one flow and of several, with K well above C·RTT / 7. */
    @ParameterizedTest
    @CsvSource({"1, 20", "1, 40", "1, 80", "2, 30", "4, 40"})
    void shouldSwingAsItsPaperSays(final int senders, final int mark) {
        final Steady steady = run(senders, mark, Congestion.Dctcp.USUAL);
        final double window = (PIPE + mark) / senders;
        final String what = steady + " pipe=" + PIPE + " window=" + window;
        assertTrue(steady.rate > 0.995, what);
        assertTrue(steady.most >= mark && steady.most <= mark + 3L * senders + 1, what);
        assertTrue(steady.least > 0, what);
        final double swing = Math.sqrt(senders * (PIPE + mark) / 2);
        final double swung = steady.most - steady.least;
        assertTrue(swung > 0.6 * swing && swung < 1.6 * swing + 2, what + " swing=" + swing);
        assertEquals(Math.sqrt(2 / window), steady.alpha, 0.35 * Math.sqrt(2 / window), what);
    }

    /** A mark far below C·RTT / 7 costs rate. New Reno, which is deaf to marks, fills the queue. */
    @Test
    void shouldLoseRateWithEarlyMarksAndFillTheQueueWithoutThem() {
        assertTrue(1 < PIPE / 7 / 4);
        final Steady early = run(1, 1, Congestion.Dctcp.USUAL);
        assertTrue(early.rate < 0.99 && early.least == 0, early.toString());
        final Steady deaf = run(1, 20, Congestion.NEW_RENO);
        assertTrue(deaf.most > 200, deaf.toString());
    }
}
