package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

/** Free-running threads have the result of lock step, to the last counter. */
class StardustThreadsTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 1000);

    static Stream<Threading> threadings() {
        return Stream.of(Threading.shared(1, Idle.BACKOFF), Threading.shared(3, Idle.YIELD),
            Threading.separate(1, 1, Idle.YIELD), Threading.separate(3, 2, Idle.PARK),
            Threading.separate(16, 24, Idle.YIELD), Threading.shared(40, Idle.BACKOFF));
    }

    static Stream<Threading> fewThreadings() {
        return threadings().limit(SEEDS > 1 ? Long.MAX_VALUE : 4);
    }

    @ParameterizedTest
    @MethodSource("threadings")
    void shouldEndAsLockStepDoes(final Threading threading) {
        for (final int linkSlots : new int[] {1, 5}) {
            final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, linkSlots == 1);
            final FlowSet flows = Fabrics.mixed(fabric.nodes(), 400);
            assertSame(fabric, flows, Faults.NONE, threading, 0);
        }
    }

    /** Small queues: elements pause one another all the time. */
    @ParameterizedTest
    @MethodSource("fewThreadings")
    void shouldPauseAsLockStepDoes(final Threading threading) {
        final Stardust fabric = Fabrics.packed(2, new LinkRules(2, 4, 8, 16, 12, true, Spraying.RENEWED), true);
        final Outcome outcome = assertSame(fabric, incast(fabric.nodes()), Faults.NONE, threading, 1500);
        assertTrue(outcome.count(NicCounter.PAUSES) > 100, "pauses=" + outcome.count(NicCounter.PAUSES));
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void shouldDropAsLockStepDoesWhereLinksAreNotLossless(final int nics, final int switches) {
        final HostSide hosts = new HostSide(4, 4, 1, 256, 1 << 16, 1 << 15, true);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, hosts, new CellCut(256, 256, false,
            CellPacker.Packing.CONTINUOUS), Credits.paced(256), LinkRules.dropping(12, Spraying.HASHED), false, 5);
        final Outcome outcome = assertSame(fabric, Fabrics.allToAll(fabric.nodes(), 1), Faults.NONE,
            Threading.separate(nics, switches, Idle.YIELD), 400);
        assertTrue(outcome.count(NicCounter.DROPPED_TAIL) > 0);
    }

    /** A link is cut, an element fails, one is added, cells are damaged, an adapter goes and comes back. */
    @ParameterizedTest
    @MethodSource("fewThreadings")
    void shouldGetOverFaultsAsLockStepDoes(final Threading threading) {
        final Stardust fabric = Fabrics.packed(2, new LinkRules(20, 40, 80, 64, 128, true, Spraying.RENEWED), true);
        final int top = fabric.clos().tierStart(2);
        final Outcome outcome = assertSame(fabric, Fabrics.mixed(fabric.nodes(), 900), script(
            new Fault.Node(0, top, false), new Fault.Link(200, 16, 2, false), new Fault.Node(300, top + 3, false),
            new Fault.Corruption(400, 1e-3), new Fault.Node(500, 7, false), new Fault.Node(700, top, true),
            new Fault.Node(900, 7, true)), threading, 0);
        assertTrue(outcome.count(NicCounter.DROPPED_ON_WAY) > 0);
        assertTrue(outcome.count(NicCounter.CELLS_DAMAGED) > 0);
        assertTrue(outcome.count(NicCounter.PACKETS_LOST) > 0);
    }

    /** Cells are lost on their way and an adapter is gone for a while: senders find out by their timers. */
    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void shouldSpeakTcpAsLockStepDoes(final int nics, final int switches) {
        final Reno rules = new Reno(40, 4, 600, 40, 12, 3);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2,
            new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, rules), new CellCut(1500, 256, true,
            CellPacker.Packing.CONTINUOUS), new Credits(2048, 235, 0, 0, 1, true), LinkRules.USUAL, true, 7);
        final Outcome outcome = assertSame(fabric, Fabrics.mixed(64, 300), script(new Fault.Corruption(50, 1e-3),
            new Fault.Node(700, 5, false), new Fault.Node(2000, 5, true), new Fault.Corruption(3000, 0)),
            Threading.separate(nics, switches, Idle.YIELD), 0);
        assertEquals(300, outcome.completed().length);
        assertTrue(outcome.count(NicCounter.TIMEOUTS) > 0);
    }

    @Test
    void shouldRunTheNetworkOfFigure10() {
        final HostSide hosts = new HostSide(6, 1, 1, 230, 1 << 16, 1 << 15, false);
        final Stardust fabric = new Stardust(Fabrics.full(FoldedClosConfig.N432), 6, hosts, CellCut.USUAL,
            new Credits(4096, 235, 0, 0, 1, true), LinkRules.USUAL, true, 3);
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 432; host++) {
            flows.add(host, host, (host + 77) % 432, 60_000, 250, host / 9);
        }
        final Outcome outcome = assertSame(fabric, flows, Faults.NONE, Threading.shared(2, Idle.YIELD), 0);
        assertEquals(432, outcome.completed().length);
    }

    @Test
    void shouldStopBetweenTwoSlotsWhenItIsToldTo() {
        final Stardust fabric = Fabrics.packed(3, LinkRules.USUAL, true);
        try (StardustThreads engine = new StardustThreads(fabric, Fabrics.allToAll(64, 1), Faults.NONE, HEALING, null,
            Threading.shared(3, Idle.YIELD))) {
            engine.run(0, (slot, delivered, completed) -> delivered < 1000);
            // Conservation was checked at the end: every agent stands before the same slot.
            assertTrue(engine.count(NicCounter.CELLS_DELIVERED) >= 1000);
            assertTrue(engine.outcome().cellsHeld() > 0);
        }
    }

    @Test
    void shouldRefuseFaultsOfDevicesThatThereAreNot() {
        final Stardust fabric = Fabrics.packed(3, LinkRules.USUAL, true);
        assertThrows(IllegalArgumentException.class, () -> new StardustThreads(fabric, Fabrics.mixed(64, 3),
            script(new Fault.Node(0, 999, false)), HEALING, null, Threading.shared(1, Idle.YIELD)));
    }

    private static FlowSet incast(final int endpoints) {
        final FlowSet flows = new FlowSet();
        for (int from = 4; from < endpoints; from++) {
            flows.add(flows.size(), from, flows.size() % 4, 30_000, 118, from / 8);
        }
        return flows;
    }

    private static Faults script(final Fault... faults) {
        return new Faults(new FaultPlan(List.of(faults)), 3);
    }

    private static Outcome assertSame(final Stardust fabric, final FlowSet flows, final Faults faults,
        final Threading threading, final long slots) {
        try (StardustEngine lockStep = new StardustEngine(fabric, flows, faults, HEALING, 2, false);
            StardustThreads threads = new StardustThreads(fabric, flows, faults, HEALING, null, threading)) {
            lockStep.run(slots);
            threads.run(slots);
            final Outcome one = lockStep.outcome();
            final Outcome other = threads.outcome();
            assertEquals(one.digest(), other.digest());
            assertEquals(one.slots(), other.slots());
            assertArrayEquals(one.counts(), other.counts());
            assertEquals(one.firstDrop(), other.firstDrop());
            assertEquals(one.cellsHeld(), other.cellsHeld());
            assertEquals(one.maxReorder(), other.maxReorder());
            assertArrayEquals(one.completed(), other.completed());
            assertArrayEquals(one.completedIn(), other.completedIn());
            assertArrayEquals(one.nodes().bufferOccupancy(), other.nodes().bufferOccupancy());
            assertArrayEquals(one.nodes().queueLength(), other.nodes().queueLength());
            assertArrayEquals(one.timeline().cells(), other.timeline().cells());
            return other;
        }
    }
}
