package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Under check cells are bytes, by the codec, and nothing else changes (docs/spec/stardust.md §3.5, §5.2). */
class StardustBytesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);

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
        final NicCounter[] same = NicCounter.values();
        try (StardustEngine words = new StardustEngine(fabric, flows, faults, HEALING, 2, false);
            StardustEngine bytes = new StardustEngine(fabric, flows, faults, HEALING, 1, true);
            StardustEngine three = new StardustEngine(fabric, flows, faults, HEALING, 3, true)) {
            words.run(1200);
            bytes.run(1200);
            three.run(1200);
            assertEquals(words.digest(), bytes.digest());
            assertEquals(words.digest(), three.digest());
            for (final NicCounter counter : same) {
                assertEquals(words.count(counter), bytes.count(counter), counter.name());
            }
            assertEquals(slots(words), slots(bytes));
            assertTrue(bytes.count(NicCounter.CELLS_MARKED) > 100);
            assertTrue(damage == 0 || bytes.count(NicCounter.CELLS_DAMAGED) > 10);
            assertTrue(!capped || bytes.count(NicCounter.PACKETS_REFUSED) > 0);
        }
    }

    /** Slots that all cells took together. */
    private static long slots(final StardustEngine engine) {
        final long[] sum = new long[1];
        engine.latency().forEach((slots, cells) -> sum[0] += slots * cells);
        return sum[0];
    }
}
