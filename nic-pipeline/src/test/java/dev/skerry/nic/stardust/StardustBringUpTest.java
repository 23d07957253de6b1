package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reachability from nothing, and a fabric that grows by adapters under traffic (docs/spec/stardust.md §6). */
class StardustBringUpTest {
    private static final int PERIOD = 20;
    private static final int LINK_SLOTS = 2;
    private static final ReachTiming HEALING = new ReachTiming(PERIOD, 3, 3, 300);
    private static final int HALF = 8;
    private static final int JOIN = 1000;

    static Stream<FoldedClosConfig> networks() {
        return Stream.of(FoldedClosConfig.largest(8, 4, 1), Fabrics.SMALL, FoldedClosConfig.largest(4, 2, 3),
            new FoldedClosConfig(160, 2, 1, 80, 80, List.of(2)));
    }

    private static Stardust fabric(final FoldedClosConfig network, final long seed) {
        return new Stardust(Fabrics.full(network), LINK_SLOTS, new HostSide(1, 1, 1, 400, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 408, 0, 0, 1, true), LinkRules.USUAL,
            true, seed);
    }

    /** No device may know of an adapter before th reports could have come, nor after the formula says that all do. */
    @ParameterizedTest
    @MethodSource("networks")
    void shouldKnowAllByTheTimeOfTheFormulaAndSendNothingBefore(final FoldedClosConfig network) {
        for (long seed = 1; seed <= 5; seed++) {
            final Stardust fabric = fabric(network, seed);
            final String of = network + " seed=" + seed;
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < network.fas(); from++) {
                flows.add(from, from, (from + network.fas() / 2) % network.fas(), 6000, 24, 0);
            }
            try (StardustEngine engine = new StardustEngine(fabric, flows, Faults.NONE, HEALING.fromNothing(), 1,
                true)) {
                final int formula = HEALING.bringUpSlots(fabric.clos(), LINK_SLOTS);
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
        final Stardust fabric = fabric(Fabrics.SMALL, 3);
        final FlowSet flows = Fabrics.mixed(16, 200);
        try (StardustEngine one = new StardustEngine(fabric, flows, Faults.NONE, HEALING.fromNothing(), 1, true);
            StardustEngine three = new StardustEngine(fabric, flows, Faults.NONE, HEALING.fromNothing(), 3, false);
            StardustThreads apart = new StardustThreads(fabric, flows, Faults.NONE, HEALING.fromNothing(), null,
                Threading.separate(2, 2, Idle.YIELD))) {
            one.run(0);
            three.run(0);
            apart.run(0);
            assertEquals(200, one.outcome().completed().length);
            assertEquals(one.digest(), three.digest());
            assertEquals(one.digest(), apart.outcome().digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), three.count(counter), counter.name());
                assertEquals(one.count(counter), apart.count(counter), counter.name());
            }
        }
    }

    /** Half of the adapters are there; the others join while those send at full rate: nothing is lost. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldGrowByAdaptersUnderTraffic(final long seed) {
        final Stardust fabric = fabric(Fabrics.SMALL, seed);
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
        try (StardustEngine engine = new StardustEngine(fabric, flows, new Faults(new FaultPlan(joins), seed), HEALING,
            1, true)) {
            engine.advance(JOIN - 1);
            assertEquals(0, engine.count(NicCounter.REACH_LAST_CHANGED), of);
            assertEquals(0, engine.bytesTo(HALF), of);
            engine.advance(1);
            // Links of who joins are used after 32 messages, and all know of it by the formula.
            final int whole = 33 * PERIOD + HEALING.bringUpSlots(fabric.clos(), LINK_SLOTS);
            final long before = engine.bytesTo(0);
            engine.advance(whole);
            final long known = engine.count(NicCounter.REACH_LAST_CHANGED);
            assertTrue(known > JOIN + 31 * PERIOD && known <= JOIN + whole, of + " known=" + known);
            assertTrue(engine.bytesTo(0) - before > 0.95 * 400 * whole, of + " " + (engine.bytesTo(0) - before));
            engine.advance(HEALING.settleSlots(fabric.clos(), LINK_SLOTS));
            final long[] then = bytes(engine);
            engine.advance(2000);
            final long[] now = bytes(engine);
            for (int adapter = 0; adapter < 2 * HALF; adapter++) {
                assertTrue(now[adapter] - then[adapter] > 0.95 * 400 * 2000, of + " adapter=" + adapter);
            }
            assertEquals(0, engine.outcome().dropped(), of);
        }
    }

    private static long[] bytes(final StardustEngine engine) {
        final long[] bytes = new long[2 * HALF];
        for (int adapter = 0; adapter < bytes.length; adapter++) {
            bytes[adapter] = engine.bytesTo(adapter);
        }
        return bytes;
    }
}
