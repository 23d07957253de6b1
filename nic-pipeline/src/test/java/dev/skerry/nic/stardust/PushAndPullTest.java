package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/**
 * Figures 7 and 12 of the paper: three edge devices, two in the middle, packets of one cell (docs/spec/stardust.md §7).
 */
class PushAndPullTest {
    private static final FoldedClosConfig THREE = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
    private static final int A = 4;
    private static final int B = 5;
    private static final int SLOTS = 60_000;
    private static final CellCut CUT = new CellCut(512, 512, false, Packing.CONTINUOUS);

    @Test
    void shouldStarveThePortNobodyOverloadsWhenPushing() {
        try (StardustEngine engine = run(push(1), 1)) {
            assertEquals(1, rate(engine, A), 0.01);
            assertEquals(2 / 3.0, rate(engine, B), 0.01);
            assertTrue(engine.count(NicCounter.DROPPED_TAIL) > 0);
        }
    }

    @Test
    void shouldServeTheHighClassAloneWhenPushing() {
        try (StardustEngine engine = run(push(2), 2)) {
            assertEquals(1, rate(engine, A), 0.01);
            assertEquals(0, rate(engine, B), 0.01);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "1, 2"})
    void shouldServeBothPortsWhenPulling(final int classes, final int workers) {
        final double rate = 512 / 1.1;
        final HostSide hosts = new HostSide(2, 2, classes, rate, 1 << 17, 1 << 16, true);
        final Stardust pull = new Stardust(Fabrics.full(THREE), 2, hosts, CUT,
            new Credits(4096, 1.02 * rate, 0, 0, 1, true), LinkRules.USUAL, true, 1);
        try (StardustEngine engine = new StardustEngine(pull, flows(classes), workers)) {
            engine.advance(SLOTS);
            assertEquals(1, engine.bytesTo(A) / rate / SLOTS, 0.01);
            assertEquals(1, engine.bytesTo(B) / rate / SLOTS, 0.01);
            engine.checkConserved();
            assertEquals(0, engine.count(NicCounter.PAUSES));
            for (final NicCounter drop : NicCounter.DROPS) {
                assertEquals(0, engine.count(drop), drop.name());
            }
            // Half of the bytes of each of the two hosts wait at their ingress, as the port does not take them.
            assertEquals(0.5 * SLOTS * rate, engine.maxWaitingAt(0), 0.02 * SLOTS * rate);
            assertEquals(0.5 * SLOTS * rate, engine.maxWaitingAt(1), 0.02 * SLOTS * rate);
        }
    }

    private static Stardust push(final int classes) {
        return new Stardust(Fabrics.full(THREE), 2, new HostSide(2, 2, classes, 512, 1 << 16, 1 << 15, true), CUT,
            Credits.paced(512).of(512), LinkRules.dropping(100, Spraying.RENEWED), false, 1);
    }

    /** Hosts 0 and 2 send to A, host 1 to B. */
    private static FlowSet flows(final int classes) {
        final FlowSet flows = new FlowSet();
        final int[][] pairs = {{0, A}, {1, B}, {2, A}};
        for (final int[] pair : pairs) {
            flows.add(flows.size(), pair[0], pair[1], Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            flows.setClass(pair[1] == A ? 0 : classes - 1);
        }
        return flows;
    }

    private static StardustEngine run(final Stardust fabric, final int classes) {
        final StardustEngine engine = new StardustEngine(fabric, flows(classes), 1);
        engine.advance(SLOTS);
        engine.checkConserved();
        return engine;
    }

    private static double rate(final StardustEngine engine, final int port) {
        return engine.bytesTo(port) / 512.0 / SLOTS;
    }
}
