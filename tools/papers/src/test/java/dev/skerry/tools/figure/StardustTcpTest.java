package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.StardustTransports.StardustTcp;
import dev.skerry.tools.figure.StardustTransports.WebFlows;
import dev.skerry.tools.figure.StardustUtilization.LinkLoads;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

/** The fat tree of Stardust Figure 10, and what figures do with its engine. */
final class StardustTcpTest {
    private static final StardustTcp TCP = StardustTcp.PAPER;

    private static FlowSet two() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 36, 0, 90_000, 1, 0);
        flows.add(1, 1, 72, 90_000, 1, 0);
        return flows;
    }

    @Test
    void shouldCountTimeInEighthsOfACell() {
        assertEquals(64, TCP.slotBytes());
        assertEquals(51.2, TCP.slotNs(), 1e-9);
        assertEquals(10_000, TCP.slots(0.512));
        assertEquals(0.512, TCP.ms(10_000), 1e-9);
        assertEquals(StardustTcp.HOSTS, TCP.fabric(1).nodes());
    }

    /** Ten packets take ten times 7.2 us, and the ways there and back while the window is short. */
    @Test
    void shouldRunUntilAllFlowsAreComplete() {
        try (StardustEngine engine = new StardustEngine(TCP.fabric(1), two(), 1)) {
            final Outcome outcome = Runs.complete(engine, 2, new Effort(true, 1, 1));
            assertEquals(2, outcome.completed().length);
            assertTrue(TCP.ms(outcome.completedIn()[1]) > 0.072 && TCP.ms(outcome.completedIn()[1]) < 0.3,
                "ms=" + TCP.ms(outcome.completedIn()[1]));
            assertEquals(0, Runs.dropped(engine));
            assertEquals(90_000, Runs.bytes(engine, 73)[72]);
            final FoldedClos clos = new FoldedClos(FoldedClosConfig.N432);
            assertTrue(new LinkLoads(clos, IntStream.range(0, clos.ports()).mapToDouble(engine::sentInto).toArray())
                .meanOverMost() < 0.1);
        }
    }

    /** Ten packets that are sent before anything is acknowledged wait for no acknowledgement. */
    @Test
    void shouldSendTheFirstPacketsAtOnce() {
        final double waiting = lastMs(StardustTcp.FIRST_PACKETS);
        final double atOnce = lastMs(WebFlows.FIRST_PACKETS);
        assertTrue(atOnce > 0.072 && atOnce < 0.1 && waiting > atOnce + 0.02, "ms=" + waiting + " at once " + atOnce);
    }

    private static double lastMs(final int firstPackets) {
        try (StardustEngine engine = new StardustEngine(TCP.fabric(1, firstPackets), two(), 1)) {
            return TCP.ms(Runs.complete(engine, 2, new Effort(true, 1, 1)).completedIn()[1]);
        }
    }

    @Test
    void shouldStopWhenNobodyWantsMore() {
        try (StardustEngine engine = new StardustEngine(TCP.fabric(1), two(), 1)) {
            assertThrows(Effort.StoppedException.class, () -> Runs.complete(engine, 2,
                new Effort(true, 1, 1).heardBy(share -> {
                    throw new Effort.StoppedException();
                })));
        }
    }
}
