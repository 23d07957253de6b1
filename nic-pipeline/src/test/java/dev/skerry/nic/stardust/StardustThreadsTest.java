package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Free-running threads have the result of lock step, to the last counter. */
class StardustThreadsTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 1000);
    private static final ReachTiming SOON = new ReachTiming(20, 3, 3, 300);

    private static List<Threading> threadings() {
        return List.of(Threading.shared(1, Idle.BACKOFF), Threading.shared(3, Idle.YIELD),
            Threading.separate(1, 1, Idle.YIELD), Threading.separate(3, 2, Idle.PARK),
            Threading.separate(16, 24, Idle.YIELD), Threading.shared(40, Idle.BACKOFF));
    }

    private static List<Threading> fewThreadings() {
        return threadings().subList(0, SEEDS > 1 ? threadings().size() : 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void shouldEndAsLockStepDoes(final int linkSlots) {
        final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, linkSlots == 1);
        assertSame(fabric, Fabrics.mixed(fabric.nodes(), 400), Faults.NONE, 0, threadings());
    }

    /** Small queues: elements pause one another all the time. */
    @Test
    void shouldPauseAsLockStepDoes() {
        final Stardust fabric = Fabrics.packed(2, new LinkRules(2, 4, 8, 16, 12, true, Spraying.RENEWED), true);
        final Outcome outcome = assertSame(fabric, incast(fabric.nodes()), Faults.NONE, 1500, fewThreadings());
        assertTrue(outcome.count(NicCounter.PAUSES) > 100, "pauses=" + outcome.count(NicCounter.PAUSES));
    }

    @Test
    void shouldDropAsLockStepDoesWhereLinksAreNotLossless() {
        final HostSide hosts = new HostSide(4, 4, 1, 256, 1 << 16, 1 << 15, true);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, hosts, new CellCut(256, 256, false,
            CellPacker.Packing.CONTINUOUS), Credits.paced(256), LinkRules.dropping(12, Spraying.HASHED), false, 5);
        final Outcome outcome = assertSame(fabric, Fabrics.allToAll(fabric.nodes(), 1), Faults.NONE, 400,
            List.of(Threading.separate(1, 2, Idle.YIELD), Threading.separate(3, 1, Idle.YIELD)));
        assertTrue(outcome.count(NicCounter.DROPPED_TAIL) > 0);
    }

    /** A link is cut, an element fails, one is added, cells are damaged, an adapter goes and comes back. */
    @Test
    void shouldGetOverFaultsAsLockStepDoes() {
        final Stardust fabric = Fabrics.packed(2, new LinkRules(20, 40, 80, 64, 128, true, Spraying.RENEWED), true);
        final int top = fabric.clos().tierStart(2);
        final Outcome outcome = assertSame(fabric, Fabrics.mixed(fabric.nodes(), 900), script(
            new Fault.Node(0, top, false), new Fault.Link(200, 16, 2, false), new Fault.Node(300, top + 3, false),
            new Fault.Corruption(400, 1e-3), new Fault.Node(500, 7, false), new Fault.Node(700, top, true),
            new Fault.Node(900, 7, true)), 0, fewThreadings());
        assertTrue(outcome.count(NicCounter.DROPPED_ON_WAY) > 0);
        assertTrue(outcome.count(NicCounter.CELLS_DAMAGED) > 0);
        assertTrue(outcome.count(NicCounter.PACKETS_LOST) > 0);
    }

    /** Cells are lost on their way and an adapter is gone for a while: senders find out by their timers. */
    @Test
    void shouldSpeakTcpAsLockStepDoes() {
        final Stardust fabric = Fabrics.withHosts(new Reno(40, 4, 600, 40, 12, 3), HostSignals.NONE);
        final Outcome outcome = assertSame(fabric, Fabrics.mixed(64, 300), script(new Fault.Corruption(50, 1e-3),
            new Fault.Node(700, 5, false), new Fault.Node(2000, 5, true), new Fault.Corruption(3000, 0)), 0,
            List.of(Threading.separate(1, 1, Idle.YIELD), Threading.separate(3, 2, Idle.YIELD)));
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
        final Outcome outcome = assertSame(fabric, flows, Faults.NONE, 0, List.of(Threading.shared(2, Idle.YIELD)));
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

    /** Runs lock step once and threads in each way; returns the outcome that all of them have. */
    private static Outcome assertSame(final Stardust fabric, final FlowSet flows, final Faults faults,
        final long slots, final List<Threading> threadings) {
        final Outcome one = Outcomes.run(new StardustEngine(fabric, flows, faults, HEALING, 2, false), slots);
        for (final Threading threading : threadings) {
            Outcomes.same(one, Outcomes.run(new StardustThreads(fabric, flows, faults, HEALING, null, threading),
                slots), threading.toString());
        }
        return one;
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "5, true"})
    void shouldDeliverEveryFlowWhateverTheWorkers(final int linkSlots, final boolean continuous) {
        final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, continuous);
        final FlowSet flows = Fabrics.mixed(fabric.nodes(), 600);
        final Outcome one = run(fabric, flows, 1, 0);
        assertEquals(flows.size(), one.completed().length);
        assertEquals(0, one.dropped());
        assertEquals(0, one.cellsHeld());
        for (final int workers : new int[] {2, 3, 4, 16}) {
            Outcomes.same(one, run(fabric, flows, workers, 0), "workers=" + workers);
        }
    }

    @Test
    void shouldDependOnTheSeed() {
        final FlowSet flows = Fabrics.allToAll(16, 2);
        final Outcome one = run(Fabrics.even(Fabrics.SMALL, 0.9, LinkRules.USUAL, 1), flows, 1, 300);
        final Outcome two = run(Fabrics.even(Fabrics.SMALL, 0.9, LinkRules.USUAL, 2), flows, 1, 300);
        assertNotEquals(one.digest(), two.digest());
    }

    /** Up to the slot of a flow's first cell: one for each link; a request and a credit go before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 6})
    void shouldTakeOneControlRoundTripAndOneTransit(final int linkSlots) {
        final Stardust fabric = Fabrics.packed(linkSlots, LinkRules.USUAL, true);
        for (final int to : new int[] {5, 60}) {
            final FlowSet flows = Fabrics.one(0, to, 64, 1, 100);
            final Outcome outcome = run(fabric, flows, 1, 0);
            final int links = to == 5 ? 2 : 4;
            // The scheduler hands out a credit every 2048 / 235 slots, so the first one may wait for up to 9 of them.
            final long least = 100L + 3L * links * linkSlots;
            assertTrue(outcome.completedIn()[0] >= least && outcome.completedIn()[0] <= least + 9,
                "slot=" + outcome.completedIn()[0] + " least=" + least);
        }
    }

    @Test
    void shouldKeepCellsInTheBooksInEverySlot() {
        final Stardust fabric = Fabrics.packed(3, new LinkRules(2, 4, 8, 16, 64, true, Spraying.RENEWED), true);
        try (StardustEngine engine = new StardustEngine(fabric, Fabrics.mixed(fabric.nodes(), 400), 2)) {
            for (int slot = 0; slot < 400; slot++) {
                engine.advance(1);
                engine.checkConserved();
            }
            assertTrue(engine.count(NicCounter.CELLS_DELIVERED) > 1000);
        }
    }

    private static Outcome run(final Stardust fabric, final FlowSet flows, final int workers, final long slots) {
        return Outcomes.run(new StardustEngine(fabric, flows, workers), slots);
    }

    /** Marks, pauses, queues that refuse packets, damage and loss: what comes is what the words alone say. */
    @ParameterizedTest
    @CsvSource({"CONTINUOUS, 256, 0, false", "NONE, 256, 0, true", "SIMPLE, 500, 0.005, true",
        "CONTINUOUS, 100, 0.005, true"})
    void shouldCarryTheBytesOfEveryPacket(final Packing packing, final int cellBytes, final double damage,
        final boolean capped) {
        final Credits credits = new Credits(2048, 235, 0, 0, Double.POSITIVE_INFINITY, true);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2,
            new HostSide(4, 4, 1, 230, 1 << 14, 1 << 13, false), new CellCut(1500, cellBytes, true, packing),
            capped ? credits.with(credits.voqs().capped(12_000, 40_000)) : credits,
            new LinkRules(2, 4, 8, 32, 32, true, Spraying.RENEWED), true, 7);
        final Faults faults = damage == 0 ? Faults.NONE : new Faults(new FaultPlan(List.of(
            new Fault.Corruption(50, damage), new Fault.Node(400, 20, false), new Fault.Node(600, 20, true))), 3);
        final FlowSet flows = Fabrics.mixed(64, 250);
        final Outcome bytes = Outcomes.run(new StardustEngine(fabric, flows, faults, SOON, 1, true), 1200);
        for (int workers = 2; workers <= 3; workers++) {
            Outcomes.same(bytes, Outcomes.run(new StardustEngine(fabric, flows, faults, SOON, workers,
                workers == 3), 1200), "workers=" + workers);
        }
        assertTrue(bytes.count(NicCounter.CELLS_MARKED) > 100);
        assertTrue(damage == 0 || bytes.count(NicCounter.CELLS_DAMAGED) > 10);
        assertTrue(!capped || bytes.count(NicCounter.PACKETS_REFUSED) > 0);
    }
}
