package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Failures of links and devices, and how a fabric gets over them (docs/spec/stardust.md §6). */
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

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void shouldLoseNothingMoreOnceALinkIsKnownToBeCut(final int adapter) {
        final int element = CLOS.deviceOf(CLOS.peer(CLOS.firstPort(adapter) + 1));
        try (StardustEngine engine = engine(1, new Fault.Link(BREAKS, element, adapter, false),
            new Fault.Link(6000, element, adapter, true))) {
            engine.advance(BREAKS);
            assertEquals(0, drops(engine));
            engine.advance(HEALED - BREAKS);
            final long lost = drops(engine);
            assertTrue(lost > 0 && lost <= HEALED - BREAKS, "lost=" + lost);
            final long carried = engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1));
            final long before = engine.bytesTo(4 * adapter);
            engine.advance(2000);
            assertEquals(lost, drops(engine));
            assertEquals(carried, engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1)));
            // What waited for the lost cells goes on when they are given up.
            assertTrue(engine.bytesTo(4 * adapter) > before);
            // Mended at slot 6000; 32 good messages later it is used again, and nothing is lost by that.
            engine.advance(6000 + 40 * PERIOD + 2000 - engine.slots());
            assertEquals(lost, drops(engine));
            assertTrue(engine.sentInto(CLOS.peer(CLOS.firstPort(adapter) + 1)) > carried + 500);
        }
    }

    @Test
    void shouldGoAroundAnElementThatFails() {
        final int top = CLOS.tierStart(2);
        try (StardustEngine engine = engine(1, new Fault.Node(BREAKS, top, false))) {
            engine.advance(HEALED);
            final long lost = drops(engine);
            assertTrue(lost > 0);
            final long before = engine.count(NicCounter.PACKETS_DELIVERED);
            engine.advance(3000);
            assertEquals(lost, drops(engine));
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
            assertEquals(0, drops(engine));
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
            assertTrue(engine.sentInto(CLOS.firstPort(top)) > 500);
            assertTrue(engine.sentInto(CLOS.firstPort(top + 1)) > 300);
        }
    }

    /** Those who sent to it are forgotten, and all others go on as if nothing were. */
    @Test
    void shouldServeOthersWhenAnAdapterFails() {
        try (StardustEngine engine = engine(1, new Fault.Node(BREAKS, 5, false), new Fault.Node(2500, 5, true))) {
            engine.advance(HEALED);
            final long[] before = new long[64];
            for (int host = 0; host < 64; host++) {
                before[host] = engine.bytesTo(host);
            }
            final long lost = drops(engine);
            engine.advance(2500 - HEALED);
            assertEquals(lost, drops(engine));
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

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void shouldGiveTheSameResultWhateverTheWorkers(final int workers) {
        final Fault[] faults = {new Fault.Link(200, 16, 2, false), new Fault.Node(300, CLOS.tierStart(2) + 3, false),
            new Fault.Corruption(400, 1e-3), new Fault.Node(500, 7, false), new Fault.Node(900, 7, true)};
        try (StardustEngine one = engine(1, faults); StardustEngine many = engine(workers, faults)) {
            one.advance(2500);
            many.advance(2500);
            assertEquals(one.digest(), many.digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), many.count(counter), counter.name());
            }
            one.checkConserved();
            many.checkConserved();
        }
    }

    /** Every host sends to the one 21 further on. */
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

    private static long drops(final StardustEngine engine) {
        engine.checkConserved();
        long drops = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            drops += engine.count(drop);
        }
        return drops;
    }
}
