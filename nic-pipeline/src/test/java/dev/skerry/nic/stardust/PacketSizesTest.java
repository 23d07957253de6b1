package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource("48, 64, 0.847")
    void shouldCarryWhatTheLinksDo(final int ports, final int packetBytes, final double share) {
        carry(ports, packetBytes, share);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"48, 384, 1", "48, 256, 0.990", "40, 64, 1"})
    void shouldCarryWhatTheLinksDoWithOtherSizesAndPorts(final int ports, final int packetBytes, final double share) {
        carry(ports, packetBytes, share);
    }

    private static void carry(final int ports, final int packetBytes, final double share) {
        // The shortest cell, the one that ends a packet, takes a slot.
        final int bytesPerSlot = (packetBytes - 1) % 256 + 1 + 42;
        assertEquals(share, measure(ports, packetBytes, Packing.NONE, new LinkCharge(bytesPerSlot, 6, 36)),
            0.02 * share);
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
            long before = 0;
            for (int host = 0; host < hosts; host++) {
                before += engine.bytesTo(host);
            }
            engine.advance(SLOTS);
            long after = 0;
            for (int host = 0; host < hosts; host++) {
                after += engine.bytesTo(host);
            }
            engine.checkConserved();
            for (final NicCounter drop : NicCounter.DROPS) {
                assertEquals(0, engine.count(drop), drop.name());
            }
            return Math.min(1, (after - before) / line / hosts / SLOTS);
        }
    }
}
