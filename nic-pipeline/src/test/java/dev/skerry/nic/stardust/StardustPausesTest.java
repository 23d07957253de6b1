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
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Links are paused one by one, and pools have a bound (docs/spec/stardust.md §4). */
class StardustPausesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    /** With its length, six whole cells: a credit's burst has no short one. */
    private static final int PACKET_BYTES = 1534;
    private static final Credits FREE = new Credits(2048, 900, 0, 0, Double.POSITIVE_INFINITY, false);

    private static Stardust fabric(final FoldedClosConfig network, final int delay, final LinkRules rules,
        final long seed) {
        return new Stardust(Fabrics.full(network), delay, new HostSide(1, 1, 1, 880, 1 << 16, 1 << 15, false),
            new CellCut(PACKET_BYTES, 256, true, Packing.CONTINUOUS), FREE, rules, true, seed);
    }

    private static Faults rogue(final long seed, final int... adapters) {
        final Fault[] faults = new Fault[adapters.length];
        for (int i = 0; i < faults.length; i++) {
            faults[i] = new Fault.Rogue(100, adapters[i]);
        }
        return new Faults(new FaultPlan(List.of(faults)), seed);
    }

    private static void endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
    }

    /**
     * All of one pod send far too much to one adapter of another: the elements between pods pause them, and not the
     * pods that send to each other over the same elements.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldNotPauseLinksWhoseCellsMeetNoFullQueue(final long seed) {
        final FlowSet flows = new FlowSet();
        for (int from = 4; from < 8; from++) {
            endless(flows, from, 0);
            endless(flows, from + 4, from + 8);
        }
        final Stardust fabric = fabric(Fabrics.SMALL, 2, new LinkRules(0, 0, 0, 16, 64, true, Spraying.RENEWED), seed);
        try (StardustEngine engine = new StardustEngine(fabric, flows, rogue(seed, 0), HEALING, 1, true)) {
            engine.advance(1500);
            final long[] before = new long[16];
            for (int to = 12; to < 16; to++) {
                before[to] = engine.bytesTo(to);
            }
            engine.advance(2000);
            assertTrue(engine.count(NicCounter.PAUSES) > 1000, "seed=" + seed);
            for (int to = 12; to < 16; to++) {
                final double rate = (engine.bytesTo(to) - before[to]) / 2000.0;
                assertTrue(rate > 0.95 * 880, "seed=" + seed + " to=" + to + " rate=" + rate);
            }
            assertEquals(0, engine.outcome().dropped(), "seed=" + seed);
        }
    }

    /** Whoever sends what to whom, however long the links are: no pool overflows, no link loses a cell, all come. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldHoldNoMoreThanThePoolsHaveRoomFor(final long seed) {
        final FoldedClosConfig network = seed % 3 == 0 ? FoldedClosConfig.largest(4, 2, 3) : seed % 3 == 1
            ? Fabrics.SMALL : FoldedClosConfig.largest(8, 4, 2, 2);
        final int delay = (int) (1 + seed % 3 * 7);
        final Stardust fabric = fabric(network, delay, new LinkRules(0, 0, 0, 12, 10, true, Spraying.RENEWED), seed);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 16; from++) {
            for (int to = 0; to < 4; to++) {
                if (from != to) {
                    flows.add(flows.size(), from, to, 60_000, 240, 0);
                }
            }
        }
        final Faults faults = rogue(seed, 0, 1, 2, 3);
        try (StardustEngine one = new StardustEngine(fabric, flows, faults, HEALING, 1, true);
            StardustEngine three = new StardustEngine(fabric, flows, faults, HEALING, 3, false);
            StardustThreads apart = new StardustThreads(fabric, flows, faults, HEALING, null, Threading.separate(2, 2,
                Idle.YIELD))) {
            one.run(0);
            three.run(0);
            apart.run(0);
            assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED) + one.count(NicCounter.FLOWS_FAILED),
                "seed=" + seed);
            // Cells that waited longer than their stream for them came, all the same.
            assertEquals(one.count(NicCounter.DROPPED_REORDER), one.outcome().dropped(), "seed=" + seed);
            assertEquals(0, one.outcome().cellsHeld(), "seed=" + seed);
            assertTrue(one.count(NicCounter.PAUSES) > 100, "seed=" + seed);
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), three.count(counter), () -> counter + " seed=" + seed);
                assertEquals(one.count(counter), apart.count(counter), () -> counter + " seed=" + seed);
            }
            assertEquals(one.digest(), three.digest(), "seed=" + seed);
            assertEquals(one.digest(), apart.outcome().digest(), "seed=" + seed);
        }
    }
}
