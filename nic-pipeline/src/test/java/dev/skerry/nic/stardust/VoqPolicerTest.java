package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/**
 * Packets that find no room where they come in, and packets that need no credit (docs/spec/stardust.md §3.1 and §3.7).
 */
class VoqPolicerTest {
    private static final double PORT_BYTES = 230;

    /** Every packet is delivered or counted, and what is delivered afterwards is what was sent. */
    @ParameterizedTest
    @EnumSource
    void shouldDropWhatFindsNoRoomAndNothingElse(final Packing packing) {
        final FlowSet flows = new FlowSet();
        long packets = 0;
        for (int flow = 0; flow < 400; flow++) {
            // Bursts of some flows from a host to the same other one, then a pause in which queues empty.
            final int from = flow / 5 % 16 * 4;
            final long bytes = 1 + flow * 7919L % 60_000;
            flows.add(flow, from, (from + 20) % 64, bytes, (int) (bytes / 256) + 1, flow / 80 * 900);
            packets += Math.ceilDiv(bytes, 1500);
        }
        final VoqRules rules = VoqRules.usual(2048).capped(50_000, 70_000);
        final Outcome one = run(fabric(packing, rules, ClassRules.STRICT, 1, false), flows, 1);
        final Outcome many = run(fabric(packing, rules, ClassRules.STRICT, 1, false), flows, 3);
        assertEquals(one.digest(), many.digest());
        final long refused = one.count(NicCounter.PACKETS_REFUSED);
        assertTrue(refused > 500, "refused=" + refused);
        assertEquals(packets, one.count(NicCounter.PACKETS_DELIVERED) + refused);
        assertEquals(0, one.count(NicCounter.PACKETS_LOST));
        assertEquals(0, one.cellsHeld());
        assertTrue(one.completed().length > 100 && one.completed().length < 350, "flows=" + one.completed().length);
        for (final int flow : one.completed()) {
            assertTrue(flows.bytes(flow) <= 50_000);
        }
    }

    /** Two hosts send at full rate to one: what it does not take waits up to the bound and is dropped from then on. */
    @Test
    void shouldKeepQueuesWithinTheirBound() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 20, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(1, 4, 20, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(2, 1, 40, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        final Stardust fabric = fabric(Packing.CONTINUOUS, VoqRules.usual(2048).capped(30_000, 40_000),
            ClassRules.STRICT, 1, true);
        try (StardustEngine engine = new StardustEngine(fabric, flows, 2)) {
            engine.advance(20_000);
            engine.checkConserved();
            assertTrue(engine.maxWaitingAt(0) <= 40_000, "bytes=" + engine.maxWaitingAt(0));
            assertEquals(1, engine.bytesTo(20) / PORT_BYTES / 20_000, 0.02);
            assertEquals(1, engine.bytesTo(40) / PORT_BYTES / 20_000, 0.02);
            final double offered = 20_000 * PORT_BYTES / 1500;
            assertEquals(offered, engine.count(NicCounter.PACKETS_REFUSED), 0.05 * offered);
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
        }
    }

    /** Without credit a packet is there after one delay a link; with one, a control round trip later. */
    @ParameterizedTest
    @CsvSource({"5, 2, 1", "60, 4, 1", "60, 4, 6"})
    void shouldSendLowLatencyPacketsAtOnce(final int to, final int links, final int linkSlots) {
        final Stardust fabric = fabric(Packing.CONTINUOUS, VoqRules.usual(2048), ClassRules.STRICT
            .withLowLatency(0.05), linkSlots, false);
        for (int level = 0; level < 2; level++) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, to, 64, 1, 100);
            flows.setClass(level);
            final long slot = run(fabric, flows, 1).completedIn()[0];
            if (level == 0) {
                assertEquals(100 + links * linkSlots, slot);
            } else {
                // The scheduler hands out a credit every 2048 / 235 slots.
                final long least = 100L + 3L * links * linkSlots;
                assertTrue(slot >= least && slot <= least + 9, "slot=" + slot + " least=" + least);
            }
        }
    }

    /** A flood is cut down to its share at the source, and others do not see it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldPoliceAFloodAtItsSource(final int workers) {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            flows.setClass(host < 4 ? 0 : 1);
        }
        final Stardust fabric = fabric(Packing.CONTINUOUS, VoqRules.usual(2048),
            ClassRules.weighted(List.of(0, 1)).withLowLatency(0.05), 2, true);
        try (StardustEngine engine = new StardustEngine(fabric, flows, workers)) {
            engine.advance(3000);
            final long[] before = new long[64];
            for (int host = 0; host < 64; host++) {
                before[host] = engine.bytesTo(host);
            }
            engine.advance(9000);
            engine.checkConserved();
            double flood = 0;
            for (int host = 0; host < 64; host++) {
                final double rate = (engine.bytesTo(host) - before[host]) / 9000.0;
                if (host >= 21 && host < 25) {
                    flood += rate;
                } else {
                    assertEquals(PORT_BYTES, rate, 0.03 * PORT_BYTES, "host=" + host);
                }
            }
            assertEquals(0.05 * 4 * 256, flood, 0.02 * 0.05 * 4 * 256);
            final double refused = 4 * PORT_BYTES * 12_000 / 1500 * (1 - 0.05 * 256 / PORT_BYTES);
            assertEquals(refused, engine.count(NicCounter.PACKETS_POLICED), 0.02 * refused);
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
            assertEquals(0, engine.count(NicCounter.PAUSES));
        }
    }

    private static Stardust fabric(final Packing packing, final VoqRules voqs, final ClassRules classes,
        final int linkSlots, final boolean paced) {
        final int levels = classes.lowLatency() ? 2 : 1;
        final HostSide hosts = new HostSide(4, 4, levels, PORT_BYTES, 1 << 16, 1 << 15, paced);
        return new Stardust(Fabrics.full(Fabrics.SMALL), linkSlots, hosts, new CellCut(1500, 256, true, packing),
            new Credits(2048, 1.02 * PORT_BYTES, 0, 0, 1, true, voqs, classes), LinkRules.USUAL, true, 7);
    }

    private static Outcome run(final Stardust fabric, final FlowSet flows, final int workers) {
        return Outcomes.run(new StardustEngine(fabric, flows, workers), 0);
    }
}
