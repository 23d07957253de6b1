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
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.stream.LongStream;

/**
 * Packets of one size across the single-tier system of the paper's §6.1.2 (docs/spec/stardust.md §10, row 6): links are
 * charged by bytes, 36 a packet and 6 a cell beyond the payload, 513.3 Gb/s of an adapter's 60 links. Schedulers do not
 * react to marks: this is what the links carry, not the 0.88 of it that the law of §5.1 leaves of too much demand.
 */
class PacketSizesTest {
    private static final double USABLE_GBPS = 513.3;
    private static final double PORT_GBPS = 10;
    private static final int LINKS = 60;
    private static final int GAP_BYTES = 20;
    private static final int SLOTS = 1600;
    private static final FoldedClosConfig THREE = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
    private static final int A = 4;
    private static final int B = 5;
    private static final int LONG = 60_000;
    private static final CellCut CUT = new CellCut(512, 512, false, Packing.CONTINUOUS);

    @ParameterizedTest
    @CsvSource("48, 64, 0.847")
    void shouldCarryWhatTheLinksDo(final int ports, final int packetBytes, final double share) {
        // The shortest cell, the one that ends a packet, takes a slot.
        final int bytesPerSlot = (packetBytes - 1) % 256 + 1 + 42;
        assertEquals(share, measure(ports, packetBytes, Packing.NONE, new LinkCharge(bytesPerSlot, 6, 36)),
            0.02 * share);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"48, 384, 1", "48, 256, 0.990", "40, 64, 1"})
    void shouldCarryWhatTheLinksDoWithOtherSizesAndPorts(final int ports, final int packetBytes, final double share) {
        shouldCarryWhatTheLinksDo(ports, packetBytes, share);
    }

    @ParameterizedTest
    @CsvSource({"65"})
    void shouldCarryAllSizesWherePacketsShareCells(final int packetBytes) {
        assertEquals(1, measure(48, packetBytes, Packing.CONTINUOUS, new LinkCharge(128, 0, 0)), 0.02);
    }

    /** The part of the line rate of all ports that comes to them. */
    private static double measure(final int ports, final int packetBytes, final Packing packing,
        final LinkCharge charge) {
        final double slotNs = charge.bytesPerSlot() * 8 * LINKS / USABLE_GBPS;
        final double line = PORT_GBPS * slotNs / 8 * packetBytes / (packetBytes + GAP_BYTES);
        final Stardust fabric = new Stardust(Fabrics.full(FoldedClosConfig.N612), 4,
            new HostSide(ports, 1, 1, line, 1 << 16, 1 << 15, false), new CellCut(packetBytes, 256, false, packing),
            new Credits(4096, 1.02 * line, 0, 0, 1, false), LinkRules.USUAL.charging(charge), true, 1);
        final FlowSet flows = new FlowSet();
        final int hosts = fabric.nodes();
        for (int host = 0; host < hosts; host++) {
            flows.add(host, host, (host + ports * (1 + host % ports % 23)) % hosts, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        try (StardustEngine engine = new StardustEngine(fabric, flows, 1)) {
            engine.advance(SLOTS);
            final long before = LongStream.of(Runs.bytes(engine, hosts)).sum();
            engine.advance(SLOTS);
            final long after = LongStream.of(Runs.bytes(engine, hosts)).sum();
            Runs.assertNoDrops(engine);
            return Math.min(1, (after - before) / line / hosts / SLOTS);
        }
    }

    /**
     * Figures 7 and 12 of the paper: three edge devices, two in the middle, packets of one cell (docs/spec/stardust.md
     * §7).
     */
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
            engine.advance(LONG);
            assertEquals(1, engine.bytesTo(A) / rate / LONG, 0.01);
            assertEquals(1, engine.bytesTo(B) / rate / LONG, 0.01);
            assertEquals(0, engine.count(NicCounter.PAUSES));
            Runs.assertNoDrops(engine);
            // Half of the bytes of each of the two hosts wait at their ingress, as the port does not take them.
            assertEquals(0.5 * LONG * rate, engine.maxWaitingAt(0), 0.02 * LONG * rate);
            assertEquals(0.5 * LONG * rate, engine.maxWaitingAt(1), 0.02 * LONG * rate);
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
        engine.advance(LONG);
        engine.checkConserved();
        return engine;
    }

    private static double rate(final StardustEngine engine, final int port) {
        return engine.bytesTo(port) / 512.0 / LONG;
    }
}
