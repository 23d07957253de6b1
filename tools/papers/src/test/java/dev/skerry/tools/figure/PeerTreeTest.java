package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.StardustTransports.StardustTcp;
import dev.skerry.tools.figure.StardustTransports.StardustTcp.PeerTree;
import dev.skerry.tools.figure.StardustTransports.WebFlows;
import dev.skerry.tools.traffic.Workload.Permutation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

/** The fat tree of Figure 10's other transports, and the flows of Figure 10b, which wait for each other. */
class PeerTreeTest {
    private static final StardustTcp TIMES = StardustTcp.PAPER;

    /** One flow alone gets the rate of its links with each transport. */
    @Test
    void shouldGiveAFlowThatIsAloneItsRate() {
        for (final PeerTree peer : new PeerTree[] {PeerTree.DCTCP, PeerTree.MPTCP, PeerTree.DCQCN}) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, 431, 9_000_000, 1, 0);
            try (Arena arena = Arena.ofConfined()) {
                final SwitchedNetwork network = peer.network(arena, flows, StardustTcp.FIRST_PACKETS, 1);
                network.advance(TIMES.slots(20));
                final double ms = TIMES.ms(network.completedBefore(0));
                assertTrue(ms > 7.2 && ms < 8, peer.name() + " ms=" + ms);
                network.checkConserved();
            }
        }
    }

    /** Subflows of MPTCP lose packets and fill their gaps later; no flow has more than its link in any window. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldGiveNoFlowMoreThanItsLink(final long seed) {
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(StardustTcp.HOSTS,
            TIMES.payloadBytes(), 1, seed);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = PeerTree.MPTCP.network(arena, flows, StardustTcp.FIRST_PACKETS, seed);
            final long[] before = new long[flows.size()];
            for (int ms = 1; ms <= 20; ms++) {
                final int slots = TIMES.slots(1);
                network.advance(slots);
                for (int flow = 0; flow < before.length; flow++) {
                    final long bytes = network.receivedOf(flow) - before[flow];
                    assertTrue(bytes <= slots * TIMES.slotBytes() + StardustTcp.PACKET_BYTES,
                        "seed=" + seed + " flow=" + flow + " ms=" + ms + " bytes=" + bytes);
                    before[flow] += bytes;
                }
            }
            assertTrue(network.resent() > 0, "seed=" + seed);
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
            assertEquals(TIMES.ms(7000L * (i + 1)), took[i], 1e-9);
            assertEquals(i == 0 ? TIMES.slots(10) : ended[first + i - 1] + TIMES.slots(1), flows.startSlot(first + i));
        }
        assertThrows(IllegalArgumentException.class, () -> flows.startAt(first, flows.startSlot(first) + 1));
    }
}
