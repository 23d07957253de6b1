package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fattree.FatTreeEngine;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.StardustTransports.StardustTcp;
import dev.skerry.tools.figure.StardustTransports.StardustTcp.PeerTree;
import dev.skerry.tools.figure.StardustTransports.WebFlows;
import dev.skerry.tools.figure.StardustUtilization.LinkLoads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.IntStream;

/** Figure 10's fat tree with TCP and other transports, and the flows of Figure 10b, which wait for each other. */
final class StardustTransportsTest {
    private static FlowSet two() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 36, 0, 90_000, 1, 0);
        flows.add(1, 1, 72, 90_000, 1, 0);
        return flows;
    }

    @Test
    void shouldCountTimeInEighthsOfACell() {
        assertEquals(64, StardustTcp.SLOT_BYTES);
        assertEquals(51.2, StardustTcp.SLOT_NS, 1e-9);
        assertEquals(10_000, StardustTcp.slots(0.512));
        assertEquals(0.512, StardustTcp.ms(10_000), 1e-9);
        assertEquals(StardustTcp.HOSTS, StardustTcp.fabric(1).nodes());
    }

    /** Ten packets take ten times 7.2 us, and the ways there and back while the window is short. */
    @Test
    void shouldRunUntilAllFlowsAreComplete() {
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(1), two(), 1)) {
            final Outcome outcome = Runs.complete(engine, 2, new Effort(true, 1, 1));
            assertEquals(2, outcome.completed().length);
            final double ms = StardustTcp.ms(outcome.completedIn()[1]);
            assertTrue(ms > 0.072 && ms < 0.3, "ms=" + ms);
            assertEquals(0, Runs.dropped(engine));
            assertEquals(90_000, Runs.bytes(engine, 73)[72]);
            final FoldedClos clos = new FoldedClos(FoldedClosConfig.N432);
            assertTrue(new LinkLoads(clos, IntStream.range(0, clos.ports()).mapToDouble(engine::sentInto).toArray())
                .meanOverMost() < 0.1);
        }
    }

    /** Ten packets are sent before anything is acknowledged, so that they wait for no acknowledgement. */
    @Test
    void shouldSendTheFirstPacketsAtOnce() {
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(1), two(), 1)) {
            final double ms = StardustTcp.ms(Runs.complete(engine, 2, new Effort(true, 1, 1)).completedIn()[1]);
            assertTrue(ms > 0.072 && ms < 0.1, "ms=" + ms);
        }
    }

    @Test
    void shouldStopWhenNobodyWantsMore() {
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(1), two(), 1)) {
            assertThrows(Effort.StoppedException.class, () -> Runs.complete(engine, 2,
                new Effort(true, 1, 1).heardBy(share -> {
                    throw new Effort.StoppedException();
                })));
        }
    }

    /** One flow alone gets the rate of its links with each transport. */
    @Test
    void shouldGiveAFlowThatIsAloneItsRate() {
        for (final PeerTree peer : new PeerTree[] {PeerTree.DCTCP, PeerTree.MPTCP, PeerTree.DCQCN}) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, 431, 9_000_000, 1, 0);
            try (FatTreeEngine network = peer.network(flows, new Effort(true, 1, 1))) {
                network.advance(StardustTcp.slots(20));
                final double ms = StardustTcp.ms(network.completedBefore(0));
                assertTrue(ms > 7.2 && ms < 8, peer.name() + " ms=" + ms);
                network.checkConserved();
            }
        }
    }

    /** Subflows of MPTCP lose packets and fill their gaps later; no flow has more than its link in any window. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldGiveNoFlowMoreThanItsLink(final long seed) {
        final FlowSet flows = Runs.permutation(StardustTcp.HOSTS, StardustTcp.PAYLOAD_BYTES, seed);
        try (FatTreeEngine network = PeerTree.MPTCP.network(flows, new Effort(true, seed, 1))) {
            final long[] before = new long[flows.size()];
            for (int ms = 1; ms <= 20; ms++) {
                final int slots = StardustTcp.slots(1);
                network.advance(slots);
                for (int flow = 0; flow < before.length; flow++) {
                    final long bytes = network.receivedOf(flow) - before[flow];
                    assertTrue(bytes <= slots * StardustTcp.SLOT_BYTES + StardustTcp.PACKET_BYTES,
                        "seed=" + seed + " flow=" + flow + " ms=" + ms + " bytes=" + bytes);
                    before[flow] += bytes;
                }
            }
            assertTrue(network.count(NicCounter.PACKETS_RESENT) > 0, "seed=" + seed);
            network.checkConserved();
        }
    }

    /** Each flow starts a millisecond after the last one ended, however long that took. */
    @Test
    void shouldStartEachFlowAMillisecondAfterTheLastOne() {
        final WebFlows web = new WebFlows(5, 3);
        final FlowSet flows = web.flows;
        final int first = flows.size() - 5;
        final long[] ended = new long[flows.size()];
        final long[] slot = new long[1];
        final double[] took = web.run(slots -> {
            for (int flow = first; flow < flows.size(); flow++) {
                final long end = flows.startSlot(flow) + 7000L * (flow - first + 1);
                ended[flow] = end < slot[0] + slots && ended[flow] == 0 ? end : ended[flow];
            }
            slot[0] += slots;
        }, flow -> ended[flow], new Effort(true, 1, 1));
        for (int i = 0; i < 5; i++) {
            assertEquals(StardustTcp.ms(7000L * (i + 1)), took[i], 1e-9);
            assertEquals(i == 0 ? StardustTcp.slots(10) : ended[first + i - 1] + StardustTcp.slots(1),
                flows.startSlot(first + i));
        }
        assertThrows(IllegalArgumentException.class, () -> flows.startAt(first, flows.startSlot(first) + 1));
    }
}
