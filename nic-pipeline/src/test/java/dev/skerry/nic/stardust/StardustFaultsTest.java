package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Failures of links and devices, links that damage cells, and how fabrics get over them (docs/spec/stardust.md §6). */
class StardustFaultsTest {
    private static final int DELAY = 2;
    private static final int PERIOD = 20;
    private static final ReachTiming HEALING = new ReachTiming(PERIOD, 3, 3, 1000);
    private static final Stardust FABRIC = Fabrics.packed(DELAY,
        new LinkRules(20, 40, 80, 64, 128, true, Spraying.RENEWED), true);
    private static final FoldedClos CLOS = FABRIC.clos();
    private static final int BREAKS = 600;
    /** Three missed messages, then three reports over each of three hops. */
    private static final int HEALED = BREAKS + 3 * PERIOD + 3 * (3 * PERIOD + DELAY) + PERIOD;
    private static final ReachTiming PATIENT = new ReachTiming(PERIOD, 3, 3, 1 << 20);
    private static final int CREDIT = 2048;
    private static final Stardust STEADY = Fabrics.withCredits(new Credits(CREDIT, 235, 0, 0, 1, false));
    private static final int MENDS = 3000;
    private static final int LINK_SLOTS = 2;
    private static final ReachTiming QUICK = new ReachTiming(PERIOD, 3, 3, 300);
    private static final int HALF = 8;
    private static final int JOIN = 1000;

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void shouldLoseNothingMoreOnceALinkIsKnownToBeCut(final int adapter) {
        final int element = CLOS.deviceOf(CLOS.peer(CLOS.firstPort(adapter) + 1));
        try (StardustEngine engine = engine(1, new Fault.Link(BREAKS, element, adapter, false),
            new Fault.Link(6000, element, adapter, true))) {
            engine.advance(BREAKS);
            assertEquals(0, Runs.drops(engine));
            engine.advance(HEALED - BREAKS);
            final long lost = Runs.drops(engine);
            assertTrue(lost > 0 && lost <= HEALED - BREAKS, "lost=" + lost);
            final long carried = engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1));
            final long before = engine.bytesTo(4 * adapter);
            engine.advance(2000);
            assertEquals(lost, Runs.drops(engine));
            assertEquals(carried, engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1)));
            // What waited for the lost cells goes on when they are given up.
            assertTrue(engine.bytesTo(4 * adapter) > before);
            // Mended at slot 6000; 32 good messages later it is used again, and nothing is lost by that.
            engine.advance(6000 + 40 * PERIOD + 2000 - engine.slots());
            assertEquals(lost, Runs.drops(engine));
            assertTrue(engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1)) > carried + 500);
        }
    }

    @Test
    void shouldGoAroundAnElementThatFails() {
        final int top = CLOS.tierStart(2);
        try (StardustEngine engine = engine(1, new Fault.Node(BREAKS, top, false))) {
            engine.advance(HEALED);
            final long lost = Runs.drops(engine);
            assertTrue(lost > 0);
            final long before = engine.count(NicCounter.PACKETS_DELIVERED);
            engine.advance(3000);
            assertEquals(lost, Runs.drops(engine));
            assertTrue(engine.count(NicCounter.PACKETS_DELIVERED) > before + 3000);
        }
    }

    @Test
    void shouldGrowByElementsWithoutLosingACell() {
        final int top = CLOS.tierStart(2);
        try (StardustEngine engine = engine(1, 2, new Fault.Node(0, top, false), new Fault.Node(0, top + 1, false),
            new Fault.Node(700, top, true), new Fault.Node(1500, top + 1, true))) {
            engine.advance(700);
            assertEquals(0, engine.sentInto(CLOS.firstPort(top)));
            engine.advance(3800);
            assertEquals(0, Runs.drops(engine));
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
            assertTrue(engine.sentInto(CLOS.firstPort(top)) > 500);
            assertTrue(engine.sentInto(CLOS.firstPort(top + 1)) > 300);
        }
    }

    @Test
    void shouldServeOthersWhenAnAdapterFails() {
        try (StardustEngine engine = engine(1, new Fault.Node(BREAKS, 5, false), new Fault.Node(2500, 5, true))) {
            engine.advance(HEALED);
            final long[] before = Runs.bytes(engine, 64);
            final long lost = Runs.drops(engine);
            engine.advance(2500 - HEALED);
            assertEquals(lost, Runs.drops(engine));
            for (int host = 0; host < 64; host++) {
                final boolean concerned = host / 4 == 5 || (host + 64 - 21) % 64 / 4 == 5;
                final double rate = (engine.bytesTo(host) - before[host]) / 230.0 / (2500 - HEALED);
                assertTrue(concerned ? rate < 0.3 : rate > 0.9, "host=" + host + " rate=" + rate);
            }
            engine.advance(40 * PERIOD + 2 * FABRIC.reassemblySlots());
            final long atEnd = engine.bytesTo(20);
            engine.advance(2000);
            assertTrue(engine.bytesTo(20) > atEnd + 300_000, "bytes=" + (engine.bytesTo(20) - atEnd));
        }
    }

    @Test
    void shouldLoseOnlyThePacketsOfDamagedCells() {
        try (StardustEngine engine = engine(1, new Fault.Corruption(100, 1e-4))) {
            engine.advance(12_000);
            final long damaged = engine.count(NicCounter.CELLS_DAMAGED);
            assertTrue(damaged > 100, "damaged=" + damaged);
            assertEquals(damaged, engine.count(NicCounter.DROPPED_DAMAGED));
            final long lost = engine.count(NicCounter.PACKETS_LOST);
            // A cell of 256 bytes holds parts of at most two packets of 1500.
            assertTrue(lost > 0.5 * damaged && lost <= 2 * damaged + 2, "lost=" + lost + " damaged=" + damaged);
            assertTrue(engine.count(NicCounter.PACKETS_DELIVERED) > 50 * lost);
        }
    }

    @Test
    void shouldGiveTheSameResultWhateverTheWorkers() {
        final Fault[] faults = {new Fault.Link(200, 16, 2, false), new Fault.Node(300, CLOS.tierStart(2) + 3, false),
            new Fault.Corruption(400, 1e-3), new Fault.Node(500, 7, false), new Fault.Node(900, 7, true)};
        final Outcome one = Outcomes.run(engine(1, faults), 2500);
        for (final int workers : new int[] {2, 5}) {
            Outcomes.same(one, Outcomes.run(engine(workers, faults), 2500), "workers=" + workers);
        }
    }

    private static StardustEngine engine(final int workers, final Fault... faults) {
        return engine(workers, 1, faults);
    }

    private static StardustEngine engine(final int workers, final int step, final Fault... faults) {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host += step) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return new StardustEngine(FABRIC, flows, new Faults(new FaultPlan(List.of(faults)), 3), HEALING, workers,
            false);
    }

    /** Down from an element, up to it from an adapter, and between elements; nothing in the script says "down". */
    @ParameterizedTest
    @CsvSource({"element, 1", "adapter, 2", "element, 3"})
    void shouldTakeOutTheLinkAndNoOtherAndTakeItBack(final String sender, final int seed) {
        final int up = CLOS.firstPort(3) + 1;
        final int down = CLOS.peer(up);
        final int bad = sender.equals("adapter") ? up : down;
        try (StardustEngine engine = damaging(seed, corrupt(BREAKS, bad, 0.5), corrupt(MENDS, bad, 0))) {
            engine.advance(BREAKS);
            assertEquals(4 * CLOS.fas(), links(engine));
            // Seven damaged cells at most: 63 - 7 * 8 < 16, and a period until the other end is told.
            engine.advance(60 + 2 * PERIOD);
            assertEquals(3, engine.links(3), "seed=" + seed);
            assertEquals(4 * CLOS.fas() - 1, links(engine), "seed=" + seed);
            final long damaged = engine.count(NicCounter.CELLS_DAMAGED);
            // Both directions are unused from here on: nothing more is damaged, though the link still damages.
            final long[] before = {engine.sentInto(up), engine.sentInto(down)};
            engine.advance(31 * PERIOD - 60 - 2 * PERIOD);
            assertEquals(damaged, engine.count(NicCounter.CELLS_DAMAGED), "seed=" + seed);
            assertTrue(engine.sentInto(up) - before[0] < 4 && engine.sentInto(down) - before[1] < 4, "seed=" + seed
                + " up=" + (engine.sentInto(up) - before[0]) + " down=" + (engine.sentInto(down) - before[1]));
            // 32 good messages later it is used again, and goes out again, as long as it damages cells.
            engine.advance(MENDS + 40 * PERIOD - engine.slots());
            assertTrue(engine.count(NicCounter.CELLS_DAMAGED) > damaged, "seed=" + seed);
            assertEquals(4 * CLOS.fas(), links(engine), "seed=" + seed);
            final long lost = Runs.drops(engine);
            final int other = bad == up ? CLOS.firstPort(3) : CLOS.peer(CLOS.firstPort(3));
            final long[] carried = {engine.sentInto(bad), engine.sentInto(other)};
            engine.advance(1000);
            assertEquals(lost, Runs.drops(engine), "seed=" + seed);
            final long again = engine.sentInto(bad) - carried[0];
            final long beside = engine.sentInto(other) - carried[1];
            assertTrue(again > 100 && again > 3 * beside / 4, "seed=" + seed + " again=" + again + " beside=" + beside);
        }
    }

    /** Between two elements: adapters keep all their links, and cells go around it. */
    @Test
    void shouldGoAroundALinkBetweenElements() {
        final int element = CLOS.tierStart(1);
        final int bad = CLOS.firstPort(element) + CLOS.downPorts(element);
        try (StardustEngine engine = damaging(4, corrupt(BREAKS, bad, 0.5))) {
            engine.advance(BREAKS + 60 + 2 * PERIOD);
            final long lost = Runs.drops(engine);
            final long sent = engine.sentInto(bad);
            engine.advance(400);
            assertEquals(4 * CLOS.fas(), links(engine));
            assertEquals(lost, Runs.drops(engine));
            assertEquals(sent, engine.sentInto(bad));
        }
    }

    /**
     * A message gives 1 and a damaged cell takes 8: below one damaged cell in eight periods a link stays, above it goes
     * out sooner or later. It carries 0.9 cells a slot.
     */
    @ParameterizedTest
    @ValueSource(ints = 11)
    void shouldGoOutWhereMoreThanACellInEightPeriodsIsDamaged(final int seed) {
        final int bad = CLOS.peer(CLOS.firstPort(3) + 1);
        final double least = 1.0 / (8 * PERIOD * 0.9);
        try (StardustEngine engine = damaging(seed, corrupt(BREAKS, bad, least / 4))) {
            engine.advance(8000);
            assertTrue(engine.count(NicCounter.CELLS_DAMAGED) > 2, "seed=" + seed);
            assertEquals(4, engine.links(3), "seed=" + seed);
        }
        try (StardustEngine engine = damaging(seed, corrupt(BREAKS, bad, 4 * least))) {
            long out = 0;
            while (out == 0 && engine.slots() < 8000) {
                engine.advance(PERIOD);
                out = engine.links(3) == 3 ? engine.slots() : 0;
            }
            assertTrue(out > BREAKS, "seed=" + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = 3)
    void shouldDamageAlikeWhateverTheWorkers(final int workers) {
        final Fault[] faults = {corrupt(200, CLOS.firstPort(3) + 1, 0.4), corrupt(300, CLOS.firstPort(20) + 5, 0.2),
            corrupt(1000, CLOS.firstPort(3) + 1, 0), new Fault.Corruption(400, 1e-3)};
        final Faults script = new Faults(new FaultPlan(List.of(faults)), 9);
        Outcomes.same(Outcomes.run(new StardustEngine(STEADY, Fabrics.ring(), script, PATIENT, 1, true), 1200),
            Outcomes.run(new StardustEngine(STEADY, Fabrics.ring(), script, PATIENT, workers, false), 1200),
            "workers=" + workers);
    }

    private static Fault corrupt(final int slot, final int port, final double probability) {
        return new Fault.LinkCorruption(slot, CLOS.deviceOf(port), CLOS.deviceOf(CLOS.peer(port)), probability);
    }

    private static StardustEngine damaging(final int seed, final Fault... faults) {
        return new StardustEngine(STEADY, Fabrics.ring(), new Faults(new FaultPlan(List.of(faults)), seed), PATIENT, 1,
            false);
    }

    private static int links(final StardustEngine engine) {
        return IntStream.range(0, CLOS.fas()).map(engine::links).sum();
    }

    /** Every cell has an even chance to be damaged for a while: some links of some adapters go down by that alone. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldHandOutCreditsForTheLinksThatDamagedCellsLeave(final int seed) {
        final Fault[] faults = {new Fault.Corruption(600, 0.5), new Fault.Corruption(612, 0)};
        try (StardustEngine engine = checked(seed, faults)) {
            engine.advance(600);
            assertEquals(4 * CLOS.fas(), links(engine));
            // Until a message has told the other end too.
            engine.advance(100);
            final int left = links(engine);
            assertTrue(left > CLOS.fas() && left < 4 * CLOS.fas(), "seed=" + seed + " left=" + left);
            final long before = engine.count(NicCounter.CREDITS_SENT);
            engine.advance(400);
            // None is used again before it has heard 32 messages.
            assertEquals(left, links(engine), "seed=" + seed);
            final long given = engine.count(NicCounter.CREDITS_SENT) - before;
            final long most = left * 256L * 400 / CREDIT + CLOS.fas();
            assertTrue(given <= most, "seed=" + seed + " given=" + given + " most=" + most);
            engine.advance(40 * PERIOD);
            assertEquals(4 * CLOS.fas(), links(engine), "seed=" + seed);
        }
    }

    /** An element that is down from slot 0 is not there yet: nobody has a link to it, and later some do. */
    @Test
    void shouldCountLinksToAnElementOnceItIsThere() {
        final int element = CLOS.tierStart(1);
        try (StardustEngine engine = checked(1, new Fault.Node(0, element, false),
            new Fault.Node(500, element, true))) {
            engine.advance(400);
            assertEquals(4 * CLOS.fas() - CLOS.downPorts(element), links(engine));
            engine.advance(100 + 40 * PERIOD);
            assertEquals(4 * CLOS.fas(), links(engine));
        }
    }

    /** A link that is down both ways from slot 0 is not there yet; one that is down one way only fails. */
    @Test
    void shouldCountALinkOnceItIsThere() {
        final int element = CLOS.tierStart(1);
        final Fault[] faults = {new Fault.Link(0, element, 0, false), new Fault.Link(0, 0, element, false),
            new Fault.Link(0, element, 1, false), new Fault.Link(500, element, 0, true),
            new Fault.Link(500, 0, element, true)};
        try (StardustEngine engine = checked(1, faults)) {
            assertEquals(3, engine.links(0));
            assertEquals(4, engine.links(1));
            engine.advance(100);
            assertEquals(3, engine.links(0));
            assertEquals(3, engine.links(1));
            assertEquals(0, engine.sentInto(CLOS.firstPort(0)));
            engine.advance(400 + 40 * PERIOD);
            assertEquals(4, engine.links(0));
            assertEquals(3, engine.links(1));
        }
    }

    /** Without faults nothing is learnt: a fabric that lacks an element knows it from the beginning. */
    @Test
    void shouldCountTheLinksOfAPartOfTheFabric() {
        final int element = CLOS.tierStart(1);
        final Stardust part = new Stardust(STEADY.deployment().without(element), 2, STEADY.hosts(), STEADY.cut(),
            STEADY.credits(), STEADY.links(), true, 7);
        try (StardustEngine engine = new StardustEngine(part, Fabrics.ring(), 1)) {
            assertEquals(4 * CLOS.fas() - CLOS.downPorts(element), links(engine));
        }
    }

    /** What the links that are left do not carry waits in its queue by destination, not in front of a link. */
    @Test
    void shouldCutNoMoreThanTheLinksThatAreLeftCarry() {
        final List<Fault> faults = new ArrayList<>();
        for (int link = 1; link < 4; link++) {
            final int element = CLOS.deviceOf(CLOS.peer(CLOS.firstPort(0) + link));
            faults.add(new Fault.Link(BREAKS, element, 0, false));
            faults.add(new Fault.Link(BREAKS, 0, element, false));
        }
        try (StardustEngine engine = checked(1, faults.toArray(Fault[]::new))) {
            engine.advance(BREAKS + 3000);
            assertEquals(4 * CLOS.fas() - 3, links(engine));
            final int most = engine.outcome().nodes().bufferOccupancy()[0];
            assertTrue(most <= 32, "most=" + most);
        }
    }

    /** An adapter that others had given up is sent to, and sends, as soon as all know of it, not a refresh later. */
    @Test
    void shouldAskAgainWhenAnAdapterIsReachedAgain() {
        final int back = 2500;
        try (StardustEngine engine = checked(1, new Fault.Node(BREAKS, 5, false), new Fault.Node(back, 5, true))) {
            engine.advance(back);
            final long[] gone = crossed(engine, 5);
            // Its links are used again after 32 messages, and all know of it after three more on each of three hops.
            engine.advance(33 * PERIOD + 2 * 3 * (3 * PERIOD + 2) + 200);
            final long[] before = crossed(engine, 5);
            engine.advance(500);
            final long[] after = crossed(engine, 5);
            for (int way = 0; way < 2; way++) {
                assertTrue(before[way] > gone[way] && after[way] - before[way] > 0.9 * 500 * 4 * 230 / 256,
                    "into=" + (way == 0) + " cells=" + (after[way] - before[way]));
            }
        }
    }

    /** Cells that were sent to an adapter, and by it. */
    private static long[] crossed(final StardustEngine engine, final int adapter) {
        long in = 0;
        long out = 0;
        for (int port = CLOS.firstPort(adapter); port < CLOS.firstPort(adapter + 1); port++) {
            in += engine.sentInto(CLOS.peer(port));
            out += engine.sentInto(port);
        }
        return new long[] {in, out};
    }

    private static StardustEngine checked(final int seed, final Fault... faults) {
        return new StardustEngine(STEADY, Fabrics.ring(), new Faults(new FaultPlan(List.of(faults)), seed), PATIENT, 1,
            true);
    }

    static Stream<FoldedClosConfig> networks() {
        return Stream.of(FoldedClosConfig.largest(8, 4, 1), Fabrics.SMALL, FoldedClosConfig.largest(4, 2, 3),
            new FoldedClosConfig(160, 2, 1, 80, 80, List.of(2)));
    }

    private static Stardust ofNetwork(final FoldedClosConfig network, final long seed) {
        return new Stardust(Fabrics.full(network), LINK_SLOTS, new HostSide(1, 1, 1, 400, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 408, 0, 0, 1, true), LinkRules.USUAL,
            true, seed);
    }

    /** No device may know of an adapter before th reports could have come, nor after the formula says that all do. */
    @ParameterizedTest
    @MethodSource("networks")
    void shouldKnowAllByTheTimeOfTheFormulaAndSendNothingBefore(final FoldedClosConfig network) {
        for (long seed = 1; seed <= 5; seed++) {
            final Stardust fabric = ofNetwork(network, seed);
            final String of = network + " seed=" + seed;
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < network.fas(); from++) {
                flows.add(from, from, (from + network.fas() / 2) % network.fas(), 6000, 24, 0);
            }
            try (StardustEngine engine = new StardustEngine(fabric, flows, Faults.NONE, QUICK.fromNothing(), 1,
                true)) {
                final int formula = QUICK.bringUpSlots(fabric.clos(), LINK_SLOTS);
                engine.run(0);
                final long known = engine.count(NicCounter.REACH_LAST_CHANGED);
                assertTrue(known <= formula, of + " known=" + known + " formula=" + formula);
                final int least = 2 * network.tiers() * 2 * PERIOD * ReachTiming.blocks(fabric.clos());
                assertTrue(known >= least, of + " known=" + known + " least=" + least);
                assertEquals(network.fas(), engine.outcome().completed().length, of);
                assertEquals(0, engine.outcome().dropped(), of);
                assertTrue(engine.outcome().completedIn()[0] > 2 * PERIOD, of);
            }
        }
    }

    @Test
    void shouldComeUpAlikeWhateverRunsIt() {
        final Outcome one = Runs.alike(ofNetwork(Fabrics.SMALL, 3), Fabrics.mixed(16, 200), Faults.NONE,
            QUICK.fromNothing(), 0, "");
        assertEquals(200, one.completed().length);
    }

    /** Half of the adapters are there; the others join while those send at full rate: nothing is lost. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldGrowByAdaptersUnderTraffic(final long seed) {
        final Stardust fabric = ofNetwork(Fabrics.SMALL, seed);
        final List<Fault> joins = new ArrayList<>();
        for (int adapter = HALF; adapter < 2 * HALF; adapter++) {
            joins.add(new Fault.Node(0, adapter, false));
        }
        for (int adapter = HALF; adapter < 2 * HALF; adapter++) {
            joins.add(new Fault.Node(JOIN, adapter, true));
        }
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 2 * HALF; from++) {
            flows.add(from, from, (from & -HALF) + (from + 5) % HALF, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final String of = "seed=" + seed;
        try (StardustEngine engine = new StardustEngine(fabric, flows, new Faults(new FaultPlan(joins), seed), QUICK,
            1, true)) {
            engine.advance(JOIN - 1);
            assertEquals(0, engine.count(NicCounter.REACH_LAST_CHANGED), of);
            assertEquals(0, engine.bytesTo(HALF), of);
            engine.advance(1);
            // Links of who joins are used after 32 messages, and all know of it by the formula.
            final int whole = 33 * PERIOD + QUICK.bringUpSlots(fabric.clos(), LINK_SLOTS);
            final long before = engine.bytesTo(0);
            engine.advance(whole);
            final long known = engine.count(NicCounter.REACH_LAST_CHANGED);
            assertTrue(known > JOIN + 31 * PERIOD && known <= JOIN + whole, of + " known=" + known);
            assertTrue(engine.bytesTo(0) - before > 0.95 * 400 * whole, of + " " + (engine.bytesTo(0) - before));
            engine.advance(QUICK.settleSlots(fabric.clos(), LINK_SLOTS));
            final long[] then = Runs.bytes(engine, 2 * HALF);
            engine.advance(2000);
            final long[] now = Runs.bytes(engine, 2 * HALF);
            for (int adapter = 0; adapter < 2 * HALF; adapter++) {
                assertTrue(now[adapter] - then[adapter] > 0.95 * 400 * 2000, of + " adapter=" + adapter);
            }
            assertEquals(0, engine.outcome().dropped(), of);
        }
    }
}
