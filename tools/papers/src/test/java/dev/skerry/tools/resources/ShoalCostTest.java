package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.ResourceTable;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Numbers that the Shoal paper prints (docs/spec/shoal.md §8). */
final class ShoalCostTest {
    @Test
    void shouldTakeThePowerThatThePaperPrints() {
        // Switches, power and prices of the rack are rules of shoal-fig11.
        assertEquals(1.37, ShoalCost.PAPER.shoalNicW(), 0.01);
        assertEquals(0.62, ShoalCost.PAPER.packetNicW(), 1e-9);
        assertEquals(96, new ShoalCost(2048, 64).packetSwitches());
    }

    /** 9.6 % is printed for a NIC three times as dear, where the other numbers give 10.0 %. */
    @Test
    void shouldBreakEvenWhereThePaperDoes() {
        assertEquals(0.333, ShoalCost.switchRatio(1, 3), 0.0005);
        assertEquals(0.6, ShoalCost.cost(ShoalCost.switchRatio(0.6, 3), 3), 1e-12);
    }

    @Test
    void shouldPrintTheMemoryAndLatencyOfThePaper() {
        final List<ResourceTable> tables = ResourceTables.shoal();
        final List<String> rack = tables.getFirst().rows().get(3);
        assertEquals(List.of("512", "16,777,216", "32,704"), rack.subList(0, 3));
        // A megabyte or so at a thousand nodes, and growth as N² log N.
        assertTrue(ShaleMemory.shoalBits(1000) / 8e6 > 1 && ShaleMemory.shoalBits(1000) / 8e6 < 2);
        final double small = Double.parseDouble(tables.getFirst().rows().get(1).get(4));
        final double large = Double.parseDouble(tables.getFirst().rows().get(5).get(4));
        assertTrue(small / large > 0.9 && small / large < 1.2, small + " " + large);
        assertEquals(List.of("switch, port to port", "50", "320.0", "128.0"), tables.get(1).rows().get(3));
        assertEquals("1,576", tables.get(1).rows().getLast().get(2));
    }
}
