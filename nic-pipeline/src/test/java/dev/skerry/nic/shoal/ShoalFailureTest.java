package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a fabric of nine nodes does slot by slot when a link or a node goes down and comes up (docs/spec/shoal.md §5).
 */
final class ShoalFailureTest {
    private static final int NODES = 9;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(NODES, 1);
    private static final int EPOCH = SCHEDULE.epochSlots();
    private static final int PROBE = Resilience.DEFAULT.probeEpochs();
    private static final long CUT = 5 * EPOCH + 3;

    private static Shoal shoal(final int propagation) {
        return Shoal.of(SCHEDULE, ReleaseRule.EXACT, true, propagation);
    }

    /** The first slot from one on in which a node sends to another. */
    private static long turn(final int from, final int to, final long since) {
        return since + Math.floorMod(SCHEDULE.slotTo(from, to) - since, EPOCH);
    }

    private static FlowSet flow(final int from, final int to, final int cells) {
        final FlowSet flows = new FlowSet();
        flows.add(1, from, to, 56L * cells, cells, 0);
        return flows;
    }

    private static FaultyShoal fabric(final FlowSet flows, final Faults faults) {
        return new FaultyShoal(shoal(0), flows, faults, 2);
    }

    @ParameterizedTest
    @CsvSource({"0, 3, 5", "0, 5, 3", "0, 8, 0", "3, 3, 5", "20, 3, 5"})
    void shouldTakeEachOtherForDownAtTheFirstSilence(final int propagation, final int from, final int to) {
        final long heard = turn(from, to, CUT) + propagation;
        final long answered = turn(to, from, heard + 1) + propagation;
        try (FaultyShoal fabric = new FaultyShoal(shoal(propagation), flow(0, 1, 3),
            Scripts.of(new Fault.Link(CUT, from, to, false)), 2)) {
            fabric.stepTo(heard);
            assertEquals(NODES * (NODES - 1), fabric.up());
            fabric.step();
            assertEquals(NeighbourTable.DOWN, fabric.state(to, from));
            assertEquals(NODES * (NODES - 1) - 1, fabric.up());
            fabric.stepTo(answered);
            assertEquals(NeighbourTable.UP, fabric.state(from, to));
            fabric.step();
            assertEquals(NeighbourTable.DOWN, fabric.state(from, to));
            fabric.stepTo(answered + 5 * EPOCH);
            assertEquals(NODES * (NODES - 1) - 2, fabric.up(), "nobody else is concerned");
        }
    }

    @Test
    void shouldTellTheOthersInTheirNextSlot() {
        final long known = turn(3, 5, CUT);
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), Scripts.of(new Fault.Link(CUT, 3, 5, false)))) {
            for (fabric.stepTo(known + 1); fabric.slot <= known + EPOCH; fabric.step()) {
                for (int other = 0; other < NODES; other++) {
                    if (other != 5 && other != 3) {
                        assertEquals(turn(5, other, known + 1) >= fabric.slot, fabric.believes(other, 5, 3),
                            "node " + other + " before slot " + fabric.slot);
                    }
                }
            }
        }
    }

    /** A message is a cell: damaged, it is as good as not sent, and the next epoch brings it again. */
    @Test
    void shouldTellAnEpochLaterWhomTheMessageReachedDamaged() {
        final long told = turn(5, 7, turn(3, 5, CUT) + 1);
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), Scripts.of(new Fault.Link(CUT, 3, 5, false),
            new Fault.Corruption(told, 1), new Fault.Corruption(told + 1, 0)))) {
            fabric.stepTo(told + EPOCH);
            assertTrue(fabric.believes(7, 5, 3));
            fabric.step();
            assertFalse(fabric.believes(7, 5, 3));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 40", "0, 43", "0, 57", "4, 41", "30, 60"})
    void shouldComeTogetherAtTheStartOfAnEpoch(final int propagation, final int mendedEpoch) {
        final long mended = (long) mendedEpoch * EPOCH + 2;
        try (FaultyShoal fabric = new FaultyShoal(shoal(propagation), flow(0, 1, 3),
            Scripts.of(new Fault.Link(CUT, 3, 5, false), new Fault.Link(mended, 3, 5, true)), 1)) {
            fabric.stepTo(mended);
            while (fabric.up() < NODES * (NODES - 1)) {
                final int before = fabric.up();
                fabric.step();
                assertTrue(fabric.up() == before || (fabric.slot - 1) % EPOCH == 0, "up in slot " + (fabric.slot - 1));
                // A probe, its answer and the answer to that, each in its epoch.
                assertTrue(fabric.slot < mended + (PROBE + 5L) * EPOCH + 4 * propagation, fabric.counts());
            }
            fabric.stepTo(fabric.slot + 3 * EPOCH + propagation);
            for (int other = 0; other < NODES; other++) {
                assertTrue(other == 5 || other == 3 || fabric.believes(other, 5, 3) && fabric.believes(other, 3, 5));
                assertTrue(other == 3 || other == 5 || fabric.believes(3, 5, other), "the two have told each other");
            }
        }
    }

    @Test
    void shouldStayApartWhileOneDirectionIsCut() {
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), Scripts.of(new Fault.Link(CUT, 3, 5, false)))) {
            fabric.stepTo(CUT + 2 * EPOCH);
            for (long end = fabric.slot + 200 * EPOCH; fabric.slot < end; fabric.step()) {
                assertTrue(fabric.state(3, 5) != NeighbourTable.UP && fabric.state(5, 3) != NeighbourTable.UP);
                assertEquals(NeighbourTable.DOWN, fabric.state(5, 3), "hears nothing");
            }
            assertEquals(NeighbourTable.HEARD, fabric.state(3, 5), "hears the other's probes");
        }
    }

    /** The source re-sends what it does not know to have arrived, through others (§5.2 step 3): nothing is lost. */
    @ParameterizedTest
    @CsvSource({"0", "3", "20"})
    void shouldLoseNothingOfASourceThatLosesALink(final int propagation) {
        final int cells = 40 * NODES;
        for (int cut = 1; cut < NODES; cut++) {
            final FlowSet flows = flow(0, 4, cells);
            try (FaultyShoal fabric = new FaultyShoal(shoal(propagation), flows,
                Scripts.of(new Fault.Link(CUT, 0, cut, false)), 1)) {
                assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
                assertEquals(cells, fabric.received(0), "cut=" + cut + " " + fabric.counts());
                assertTrue(fabric.count(NicCounter.DROPPED_ON_WAY) > 0, "the link was in use");
                assertTrue(fabric.count(NicCounter.CELLS_REROUTED) > 0);
                assertEquals(0, fabric.lost(), "cut=" + cut + " " + fabric.counts());
            }
        }
    }

    /** What a relay holds for a neighbour that goes down is dropped; what comes for it later is refused (§5.2, §10). */
    @Test
    void shouldDropWhatWaitsForALostNeighbourAndRefuseWhatComes() {
        final FlowSet flows = new FlowSet();
        for (int from = 1; from < NODES; from++) {
            if (from != 4) {
                flows.add(from, from, 4, 56L * 200, 200, 0);
            }
        }
        long refused = 0;
        for (long late = 30 * EPOCH; late < 40 * EPOCH; late += 7) {
            try (FaultyShoal fabric = fabric(flows, Scripts.of(new Fault.Link(late, 4, 2, false)))) {
                fabric.stepTo(turn(4, 2, late));
                final ShoalQueues queues = fabric.banks[0].parts().queues()[0];
                final long waiting = queues.length(queues.queue(1, 2));
                fabric.step();
                assertTrue(waiting > 2, "waiting=" + waiting);
                assertEquals(waiting - fabric.count(NicCounter.CELLS_RETURNED),
                    fabric.count(NicCounter.DROPPED_WITH_LINK));
                fabric.stepTo(fabric.slot + 3 * EPOCH);
                refused += fabric.count(NicCounter.CELLS_REFUSED);
                final long early = fabric.count(NicCounter.DROPPED_NO_WAY);
                assertTrue(fabric.settle(3000 * EPOCH), fabric.counts());
                assertEquals(early, fabric.count(NicCounter.DROPPED_NO_WAY), "once told, they send no more that way");
                assertEquals(fabric.count(NicCounter.DROPPED_NO_WAY), fabric.count(NicCounter.CELLS_REFUSED));
                assertTrue(fabric.lost() <= fabric.leftToTransport(), fabric.counts());
                assertEquals(7 * 200, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.lost());
            }
        }
        assertTrue(refused > 0, "some come before their sources know");
    }

    @Test
    void shouldGiveUpMessagesToANodeThatFailedAndTakeThemAgainLater() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 1, 4, 56L * 5000, 5000, 0);
        flows.add(1, 4, 2, 56L * 5000, 5000, 0);
        flows.add(2, 3, 4, 56L * 10, 10, CUT + 20 * EPOCH);
        flows.add(3, 3, 4, 56L * 10, 10, CUT + 100 * EPOCH);
        flows.add(4, 4, 3, 56L * 10, 10, CUT + 100 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, Scripts.of(new Fault.Node(CUT, 4, false),
            new Fault.Node(CUT + 60 * EPOCH, 4, true)))) {
            fabric.stepTo(CUT + 1);
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED), "what the node was to send");
            assertEquals(1, fabric.banks[0].count(NicCounter.FLOWS_FAILED)
                + fabric.banks[1].count(NicCounter.FLOWS_FAILED));
            fabric.stepTo(CUT + 5 * EPOCH);
            assertEquals(2, fabric.count(NicCounter.FLOWS_FAILED), "what it was to receive");
            assertTrue(fabric.settle(300 * EPOCH), fabric.counts());
            assertEquals(3, fabric.count(NicCounter.FLOWS_FAILED), "what starts while it is down");
            assertEquals(10, fabric.received(3), "what starts when it is up again");
            assertEquals(10, fabric.received(4));
            assertEquals(0, fabric.received(2));
            assertEquals(10030, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.CELLS_NOT_SENT)
                + fabric.lost());
            assertTrue(fabric.lost() <= fabric.leftToTransport(), fabric.counts());
        }
    }

    /** A node that starts anew has forgotten all and learns it again: later it tells who else has failed. */
    @Test
    void shouldKnowWhoFailedAfterItStartedAnewItself() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 4, 6, 56L * 5000, 5000, 100 * EPOCH);
        flows.add(1, 4, 7, 56L * 500, 500, 100 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, Scripts.of(new Fault.Node(CUT, 4, false),
            new Fault.Node(CUT + 20 * EPOCH, 4, true), new Fault.Node(110 * EPOCH, 6, false)))) {
            fabric.stepTo(110 * EPOCH);
            assertEquals(0, fabric.count(NicCounter.FLOWS_FAILED));
            fabric.stepTo(115 * EPOCH);
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED));
            assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
            assertEquals(5500, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.CELLS_NOT_SENT)
                + fabric.lost());
            assertTrue(fabric.received(1) >= 498, fabric.counts());
        }
    }

    /** Nobody missed a cell of it, but it knows of nobody: all find that out. */
    @Test
    void shouldNoticeANodeThatStartsAnewBetweenTwoTurns() {
        for (int slots = 1; slots < EPOCH; slots++) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 1, 2, 56L * 2000, 2000, 0);
            flows.add(1, 4, 1, 56L * 20, 20, 60 * EPOCH);
            flows.add(2, 1, 4, 56L * 20, 20, 60 * EPOCH);
            try (FaultyShoal fabric = fabric(flows, Scripts.of(new Fault.Node(CUT, 4, false),
                new Fault.Node(CUT + slots, 4, true)))) {
                fabric.stepTo(CUT + slots + EPOCH);
                for (int other = 0; other < NODES; other++) {
                    assertTrue(other == 4 || fabric.state(other, 4) != NeighbourTable.UP,
                        "slots=" + slots + " node=" + other);
                }
                assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
                assertEquals(NODES * (NODES - 1), fabric.up());
                assertEquals(20, fabric.received(1));
                assertEquals(20, fabric.received(2));
            }
        }
    }

    @Test
    void shouldLetInANodeThatIsLate() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 1, 4, 56L * 20, 20, 0);
        flows.add(1, 1, 2, 56L * 200, 200, 0);
        flows.add(2, 4, 1, 56L * 20, 20, 60 * EPOCH);
        flows.add(3, 1, 4, 56L * 20, 20, 60 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, Scripts.of(new Fault.Node(0, 4, false),
            new Fault.Node(30 * EPOCH + 1, 4, true)))) {
            fabric.step();
            assertEquals((NODES - 1) * (NODES - 2), fabric.up(), "known from the start");
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED));
            assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
            assertEquals(0, fabric.received(0));
            assertEquals(200, fabric.received(1));
            assertEquals(20, fabric.received(2));
            assertEquals(20, fabric.received(3));
            assertEquals(0, fabric.count(NicCounter.NEIGHBOURS_DOWN));
            assertEquals(2 * (NODES - 1), fabric.count(NicCounter.NEIGHBOURS_UP));
        }
    }

    /** Who has no neighbour left has nobody who could report; it waits for two probes of each and gives up. */
    @ParameterizedTest
    @CsvSource({"2", "5"})
    void shouldEndWhenANodeIsCutOff(final int nodes) {
        final Fault[] cuts = new Fault[nodes - 1];
        for (int other = 1; other < nodes; other++) {
            cuts[other - 1] = new Fault.Link(30, other, 0, false);
        }
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(1, 1, 0, 56L * 500, 500, 0);
        try (LockStep fabric = new LockStep(Parts.of(Shoal.of(RoundRobin.plain(nodes, 1), ReleaseRule.EXACT, true,
            0)), flows,
            Scripts.of(cuts), 1, true)) {
            fabric.run(0, (slot, delivered, completed) -> slot < 1000L * nodes);
            assertTrue(fabric.outcome().slots() < 100L * nodes, "slots=" + fabric.outcome().slots());
            assertEquals(2, fabric.count(NicCounter.FLOWS_FAILED));
        }
    }
}
