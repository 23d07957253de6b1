package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

/**
 * The fat tree of Figure 10 with sources that always have something to send: 432 hosts, ports and links of 10 Gb/s,
 * 1 us a link, cells of 496 and 16 bytes, credits of 4096 bytes at 3 % above the rate (docs/spec/stardust.md §10, rows
 * 12 and 14). Slots charge a short cell as a whole, so packets fill 18 cells. In the long run 99 of 100 flows of the
 * permutation have 9.4 Gb/s; adapters that were just slowed down need some time for it.
 */
class StardustHostsTest {
    private static final double PORT_BYTES = 512;
    private static final int POD_HOSTS = 36;
    private static final double SLOT_MS = 512 * 8 / 10.0 / 1e6;
    private static final Reno RULES = new Reno(24, 2, 12, 40, 3000, 3);
    private static final Reno TCP = new Reno(60, 2, 100, 40, 3000, 3);
    private static final int MARK = 12_000;
    private static final long BYTES = 600_000;
    private static final long ROOM = 60_000;
    private static final long PAUSE = 40_000;

    @Test
    void shouldServeAnIncastAtTheRateOfThePortAndFairly() {
        serveIncast(11);
    }

    @Tag("long")
    @Test
    void shouldServeALargeIncastAtTheRateOfThePortAndFairly() {
        serveIncast(51);
    }

    private static void serveIncast(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, 450_000, 908, 0);
        }
        try (StardustEngine engine = new StardustEngine(fabric(), flows, 1)) {
            engine.run(0);
            final Outcome outcome = engine.outcome();
            assertEquals(senders, outcome.completed().length);
            assertEquals(0, outcome.dropped());
            assertEquals(0, engine.count(NicCounter.PAUSES));
            final double first = outcome.completedIn()[0] * SLOT_MS;
            final double last = outcome.completedIn()[senders - 1] * SLOT_MS;
            assertTrue(last >= senders * 0.36 && last <= 1.05 * senders * 0.36, "last=" + last);
            assertTrue(first >= 0.95 * last, "first=" + first + " last=" + last);
        }
    }

    /**
     * All begin at once and are slowed down; what an adapter lost comes back at 1 % in 128 slots. The links into a pod
     * that all its flows come in by carry the rate of all its ports with no speed-up, and are slower
     * (docs/spec/stardust.md §10); the 36 flows of one pod of twelve are such. Of the others 96 % have 9.4 Gb/s.
     */
    @Test
    void shouldCarryAPermutationAtTheRateOfTheLinks() {
        final int counted = 8000;
        final FlowSet flows = permutation(432, new Random(5));
        final boolean[] hasOwn = new boolean[432 / POD_HOSTS];
        for (int flow = 0; flow < 432; flow++) {
            hasOwn[flows.destination(flow) / POD_HOSTS] |= flows.source(flow) / POD_HOSTS
                == flows.destination(flow) / POD_HOSTS;
        }
        try (StardustEngine engine = new StardustEngine(fabric(), flows, 1)) {
            engine.advance(10_000);
            final long[] before = Runs.bytes(engine, 432);
            engine.advance(counted);
            double sum = 0;
            double least = 1;
            int fast = 0;
            for (int host = 0; host < 432; host++) {
                final double rate = (engine.bytesTo(host) - before[host]) / PORT_BYTES / counted;
                sum += rate;
                least = Math.min(least, rate);
                fast += rate >= 0.94 && hasOwn[host / POD_HOSTS] ? 1 : 0;
            }
            assertTrue(sum / 432 >= 0.94, "mean=" + sum / 432);
            assertTrue(least >= 0.88, "least=" + least);
            assertTrue(fast >= 0.96 * (432 - POD_HOSTS), "fast=" + fast);
            assertTrue(engine.count(NicCounter.CELLS_MARKED) > 0);
            Runs.assertNoDrops(engine);
        }
    }

    private static Stardust fabric() {
        return new Stardust(Fabrics.full(FoldedClosConfig.N432), 4,
            new HostSide(6, 6, 1, PORT_BYTES, 1 << 16, 1 << 15, false),
            new CellCut(8926, 496, true, Packing.CONTINUOUS),
            new Credits(4096, PORT_BYTES * 1.03, 0, 0, 1, true), LinkRules.USUAL.marking(64), true, 1);
    }

    private static FlowSet permutation(final int hosts, final Random random) {
        final int[] to = new int[hosts];
        boolean fixed = true;
        while (fixed) {
            fixed = false;
            for (int i = 0; i < hosts; i++) {
                final int j = random.nextInt(i + 1);
                to[i] = to[j];
                to[j] = i;
            }
            for (int i = 0; i < hosts; i++) {
                fixed |= to[i] == i;
            }
        }
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < hosts; host++) {
            flows.add(host, host, to[host], Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    private static StardustEngine runReno(final FlowSet flows, final int workers, final Fault... faults) {
        final StardustEngine engine = new StardustEngine(Fabrics.withHosts(RULES, HostSignals.NONE), flows,
            new Faults(new FaultPlan(List.of(faults)), 3), ReachTiming.USUAL, workers, false);
        engine.run(0);
        return engine;
    }

    /** A flow alone takes the time of its bytes at the rate of its port, and the waits of its window. */
    @Test
    void shouldTakeTheTimeOfAFlowThatIsAlone() {
        final FlowSet flows = Fabrics.one(0, 33, 1500, 1, 5);
        try (StardustEngine engine = runReno(flows, 1)) {
            final Outcome outcome = engine.outcome();
            // Out of the host: 7 slots. Request and credit: 8 each. Over the fabric: 8. To the host: 7, the wires 3.
            assertEquals(5 + 7 + 2 * 8 + 8 + 7 + 3, outcome.completedIn()[0], 4);
            assertEquals(1500, engine.receivedOf(0));
        }
        final FlowSet longer = Fabrics.one(0, 33, 1_500_000, 1, 0);
        try (StardustEngine engine = runReno(longer, 1)) {
            final double slots = engine.outcome().completedIn()[0];
            assertTrue(slots > 1_500_000 / 230.0 && slots < 1.1 * 1_500_000 / 230 + 400, "slots=" + slots);
            assertEquals(0, engine.count(NicCounter.TIMEOUTS));
        }
    }

    @Test
    void shouldDeliverAllOfAnIncastWhateverTheWorkers() {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 40; sender++) {
            flows.add(sender, sender + 8, 3, 90_000 + sender, 1, sender);
        }
        try (StardustEngine one = runReno(flows, 1); StardustEngine two = runReno(flows, 2);
            StardustEngine three = runReno(flows, 3)) {
            Outcomes.same(one.outcome(), two.outcome(), "2 workers");
            Outcomes.same(one.outcome(), three.outcome(), "3 workers");
            assertEquals(40, one.outcome().completed().length);
            assertTrue(one.count(NicCounter.PACKETS_REFUSED) > 0);
            assertTrue(one.count(NicCounter.PACKETS_RESENT) > 0);
            for (final StardustEngine engine : List.of(one, two, three)) {
                for (int flow = 0; flow < 40; flow++) {
                    assertEquals(flows.bytes(flow), engine.receivedOf(flow));
                }
                Runs.assertNoDrops(engine);
            }
        }
    }

    /** Cells are lost on their way and an adapter is gone for a while: what it takes is time. */
    @Test
    void shouldDeliverAllOverFaultsWhateverTheWorkers() {
        final Fault[] faults = {new Fault.Corruption(50, 1e-3), new Fault.Node(700, 5, false),
            new Fault.Node(3000, 5, true), new Fault.Corruption(9000, 0)};
        final FlowSet flows = Fabrics.mixed(64, 400);
        try (StardustEngine one = runReno(flows, 1, faults); StardustEngine many = runReno(flows, 4, faults)) {
            Outcomes.same(one.outcome(), many.outcome(), "4 workers");
            assertEquals(400, many.outcome().completed().length);
            assertTrue(many.count(NicCounter.PACKETS_LOST) > 0);
            assertTrue(many.count(NicCounter.TIMEOUTS) > 0);
            many.checkConserved();
        }
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new Reno(1, 1, 100, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 11, 100, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 1, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 65, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 40, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 40, 1, -1));
        final FoldedClosConfig clos = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
        assertThrows(IllegalArgumentException.class, () -> new Stardust(Fabrics.full(clos), 2,
            new HostSide(2, 2, 1, 512, 1 << 16, 1 << 15, RULES), new CellCut(512, 512, false, Packing.CONTINUOUS),
            Credits.paced(512).of(512), LinkRules.USUAL, false, 1));
    }

    private static Stardust dctcp() {
        return Fabrics.withHosts(TCP.with(Congestion.Dctcp.USUAL), HostSignals.marking(MarkLaw.above(MARK)));
    }

    /** Four hosts of four adapters to one port, long enough for their windows to settle. */
    private static FlowSet fourToOne() {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 4; sender++) {
            flows.add(sender, 8 + 4 * sender, 3, 1_200_000, 1, sender);
        }
        return flows;
    }

    /** Queues stay near their mark where New Reno fills its window, and the port is as busy. */
    @Test
    void shouldKeepQueuesShortAtTheSameRate() {
        try (StardustEngine marked = new StardustEngine(dctcp(), fourToOne(), 1);
            StardustEngine deaf = new StardustEngine(Fabrics.withHosts(TCP, HostSignals.NONE), fourToOne(), 1)) {
            marked.run(0);
            deaf.run(0);
            assertEquals(4, marked.outcome().completed().length);
            assertTrue(marked.count(NicCounter.PACKETS_MARKED) > 100);
            assertEquals(0, deaf.count(NicCounter.PACKETS_MARKED));
            assertEquals(0, marked.count(NicCounter.PACKETS_RESENT));
            final long shortest = marked.maxWaitingAt(2);
            assertTrue(shortest < 2 * MARK + 60 * 1500 / 4, "bytes=" + shortest);
            assertTrue(deaf.maxWaitingAt(2) > 1.5 * shortest, "bytes=" + deaf.maxWaitingAt(2));
            assertTrue(marked.outcome().slots() < 1.05 * deaf.outcome().slots(),
                marked.outcome().slots() + " " + deaf.outcome().slots());
        }
    }

    @Test
    void shouldMarkAlikeWithWorkersAndThreads() {
        final Outcome one = Runs.alike(dctcp(), Fabrics.mixed(64, 400), Faults.NONE, ReachTiming.USUAL, 0, "");
        assertTrue(one.count(NicCounter.PACKETS_MARKED) > 0);
        assertEquals(400, one.completed().length);
    }

    /** Marks that nobody reads are refused; hosts that read them may go without. */
    @Test
    void shouldRefuseMarksThatNobodyReads() {
        final HostSide fabric = new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, TCP);
        assertThrows(IllegalArgumentException.class, () -> fabric.with(TCP, HostSignals.marking(MarkLaw.above(MARK))));
        assertThrows(IllegalArgumentException.class,
            () -> fabric.with(HostModel.PACED, HostSignals.marking(MarkLaw.above(MARK))));
        assertThrows(IllegalArgumentException.class, () -> HostSignals.marking(MarkLaw.above(0)));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dctcp(0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dctcp(11));
        assertEquals(HostSignals.NONE, fabric.with(TCP.with(Congestion.Dctcp.USUAL), HostSignals.NONE).signals());
    }

    private static StardustEngine runDcqcn(final int queuePackets, final HostSignals signals) {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 4; sender++) {
            flows.add(sender, 8 + 4 * sender, 3, BYTES + sender, 1, sender);
        }
        final StardustEngine engine = new StardustEngine(Fabrics.withHosts(new Reno(60, 2, queuePackets, 40, 3000, 3,
            new Congestion.Dcqcn(500, 550, 1L << 20, 8, 5, 0.5, 5)), signals), flows, 1);
        engine.run(0);
        assertEquals(4, engine.outcome().completed().length);
        for (int sender = 0; sender < 4; sender++) {
            assertEquals(BYTES + sender, engine.receivedOf(sender));
        }
        engine.checkConserved();
        return engine;
    }

    /** Marks slow four senders down to a quarter each; pauses hold what comes before they do. */
    @Test
    void shouldLoseNothingWherePaused() {
        final HostSignals signals = HostSignals.marking(new MarkLaw(5000, 20_000, 0.1)).pausing(30_000);
        try (StardustEngine paused = runDcqcn(40, signals)) {
            assertEquals(0, paused.count(NicCounter.PACKETS_REFUSED));
            assertEquals(0, paused.count(NicCounter.PACKETS_RESENT) + paused.count(NicCounter.TIMEOUTS));
            assertTrue(paused.count(NicCounter.PACKETS_MARKED) > 50);
            assertTrue(paused.outcome().slots() < 1.4 * 4 * BYTES / 230, "slots=" + paused.outcome().slots());
        }
    }

    /** The share of marked packets is what RED says: all above Kmax, fewer between Kmin and it, none below Kmin. */
    @Test
    void shouldMarkByTheLawOfItsAdapters() {
        long before = Long.MAX_VALUE;
        for (final MarkLaw law : new MarkLaw[]{MarkLaw.above(1), new MarkLaw(1, 60_000, 0.3), MarkLaw.above(1 << 20)}) {
            try (StardustEngine engine = runDcqcn(100, HostSignals.marking(law).pausing(60_000))) {
                final long marked = engine.count(NicCounter.PACKETS_MARKED);
                assertTrue(marked < before, law + " marked=" + marked);
                before = marked;
            }
        }
        assertEquals(0, before);
    }

    @Test
    void shouldSendAgainWhatWasRefused() {
        try (StardustEngine lossy = runDcqcn(4, HostSignals.marking(new MarkLaw(5000, 20_000, 0.1)))) {
            assertTrue(lossy.count(NicCounter.PACKETS_REFUSED) > 0);
            assertTrue(lossy.count(NicCounter.PACKETS_RESENT) >= lossy.count(NicCounter.PACKETS_REFUSED));
        }
    }

    private static Stardust capped(final HostSignals signals) {
        final Stardust free = Fabrics.withHosts(HostModel.PACED, signals);
        return new Stardust(free.deployment(), free.linkSlots(), free.hosts(), free.cut(),
            free.credits().with(free.credits().voqs().capped(ROOM, ROOM)), free.links(), true, 7);
    }

    private static FlowSet eightToOne() {
        final FlowSet flows = new FlowSet();
        for (int from = 8; from < 40; from++) {
            flows.add(from - 8, from, 3, 60_000, 1, from);
        }
        return flows;
    }

    private static StardustEngine run(final Stardust fabric, final FlowSet flows, final int workers) {
        final StardustEngine engine = new StardustEngine(fabric, flows, workers);
        engine.run(0);
        engine.checkConserved();
        return engine;
    }

    /** Adapters with room for 60,000 bytes: they drop without pauses; with them nothing, and never hold more. */
    @Test
    void shouldKeepAnAdapterFromDropping() {
        try (StardustEngine without = run(capped(HostSignals.NONE), eightToOne(), 1);
            StardustEngine with = run(capped(HostSignals.NONE.pausing(PAUSE)), eightToOne(), 1)) {
            assertTrue(without.count(NicCounter.PACKETS_REFUSED) > 0);
            Runs.assertCounts("HOST_PAUSES=0", without);
            Runs.assertCounts("PACKETS_REFUSED=0", with);
            assertTrue(with.count(NicCounter.HOST_PAUSES) >= 8);
            assertTrue(with.count(NicCounter.HOST_PAUSE_SLOTS) > with.count(NicCounter.HOST_PAUSES));
            assertEquals(eightToOne().size(), with.outcome().completed().length);
            for (int adapter = 2; adapter < 10; adapter++) {
                assertTrue(with.maxWaitingAt(adapter) > PAUSE && with.maxWaitingAt(adapter) <= PAUSE + 4 * 1500,
                    "bytes=" + with.maxWaitingAt(adapter));
            }
        }
    }

    @Test
    void shouldChangeNothingWhereNothingFills() {
        final FlowSet flows = Fabrics.one(8, 3, 300_000, 1, 0);
        try (StardustEngine without = run(Fabrics.withHosts(HostModel.PACED, HostSignals.NONE), flows, 1);
            StardustEngine with = run(
                Fabrics.withHosts(HostModel.PACED, HostSignals.NONE.pausing(PAUSE)), flows, 1)) {
            assertEquals(without.digest(), with.digest());
            assertEquals(0, with.count(NicCounter.HOST_PAUSES));
        }
    }

    /** Paced hosts and New Reno, by workers and threads. */
    @Test
    void shouldNotDependOnWorkersOrThreads() {
        checkSame(HostModel.PACED, TCP);
    }

    @Tag("long")
    @Test
    void shouldNotDependOnThemWithAnyTransport() {
        checkSame(TCP.with(Congestion.Dctcp.USUAL), TCP.with(new Congestion.Mptcp(3)),
            TCP.with(new Congestion.Dcqcn(500, 550, 1L << 20, 8, 5, 0.5, 5)));
    }

    private static void checkSame(final HostModel... models) {
        for (final HostModel model : models) {
            final HostSignals signals = (model instanceof final Reno tcp && tcp.congestion().readsMarks()
                ? HostSignals.marking(MarkLaw.above(9000)) : HostSignals.NONE).pausing(15_000);
            final Stardust fabric = Fabrics.withHosts(model, signals);
            final FlowSet flows = eightToOne();
            final Outcome expected = Runs.alike(fabric, flows, Faults.NONE, ReachTiming.USUAL, 0, model.toString());
            assertTrue(expected.count(NicCounter.HOST_PAUSES) > 0, model.toString());
            assertEquals(flows.size(), expected.completed().length, model.toString());
            try (StardustEngine one = run(fabric, flows, 1)) {
                // When a pause begins each of the four hosts may have sent a packet, and acknowledgements.
                for (int adapter = 0; adapter < 16; adapter++) {
                    assertTrue(one.maxWaitingAt(adapter) <= 15_000 + 4 * 1800, model + " adapter " + adapter);
                }
                for (int flow = 0; model != HostModel.PACED && flow < flows.size(); flow++) {
                    assertEquals(flows.bytes(flow), one.receivedOf(flow), model.toString());
                }
            }
        }
    }

    @Test
    void shouldRefuseToPauseHostsThatHaveSentAll() {
        assertThrows(IllegalArgumentException.class,
            () -> Fabrics.withHosts(HostModel.IDEAL, HostSignals.NONE.pausing(PAUSE)));
        assertThrows(IllegalArgumentException.class, () -> HostSignals.NONE.pausing(0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Mptcp(1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Mptcp(65));
    }
}
