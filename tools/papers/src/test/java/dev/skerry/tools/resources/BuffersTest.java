package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory and credits (docs/spec/stardust.md §1, §3.1, §4, §5, §9, §10 row 11). */
final class BuffersTest {
    @Test
    void shouldSizeAnElement() {
        assertEquals(8_388_608, Buffers.elementBytes(256));
        assertEquals(5_242.88, Buffers.serialisationNs(128 * 256, 50e9), 1e-9);
        assertEquals(43.52, Buffers.serialisationNs(272, 50e9), 1e-9);
        assertEquals(87.04, Buffers.serialisationNs(272, 25e9), 1e-9);
        assertEquals(40.96, Buffers.serialisationNs(256, 50e9), 1e-9);
        assertEquals(81.92, Buffers.serialisationNs(256, 25e9), 1e-9);
    }

    @Test
    void shouldSizeTables() {
        assertEquals(4 << 20, Buffers.voqBytes(128 << 10));
        assertEquals(1_280_000, Buffers.routeTableBits(32_000, 256));
        assertEquals(6_400, Buffers.elementTableBits(32_000, 256));
    }

    @Test
    void shouldSizeReassembly() {
        final double reorder = Buffers.reorderNs(3, 256, 81.92);
        assertEquals(62_900, reorder, 50);
        assertEquals(4_096, Buffers.windowCells(reorder, 50e9));
        assertEquals(8_192, Buffers.windowCells(reorder, 100e9));
        assertEquals(1_024, Buffers.windowCells(1024 * 8 * 256 / 2.0, 1e9));
        assertEquals(1, Buffers.windowCells(0, 50e9));
        assertEquals(252_000, Buffers.timerNs(reorder), 500);
        assertEquals(50_000, Buffers.timerNs(1));
        assertEquals(22, Buffers.openPackets(50e9, 0.02, 13_000, 4_096));
    }

    @ParameterizedTest
    @CsvSource({"10000000000000, 2, 1000000000, 2500", "8000000000000, 2, 1000000000, 2000", "10, 1, 8, 1"})
    void shouldBoundTheCreditBelow(final long bps, final int clocks, final long hertz, final long bytes) {
        assertEquals(bytes, Buffers.minCreditBytes(bps, clocks, hertz));
    }

    @ParameterizedTest
    @CsvSource({"10e9, 0.03, 3181359", "50e9, 0.02, 642510", "100e9, 0.02, 321255"})
    void shouldPaceCredits(final double bps, final double surcharge, final double ps) {
        assertEquals(ps, Buffers.creditIntervalPs(4096, bps, surcharge), 1);
    }

    @Test
    void shouldSayWhatSpeedUpCreditsNeed() {
        assertEquals(1.02 * 272 / 256, Buffers.neededSpeedUp(256, 0.02), 1e-12);
    }

    @Test
    void shouldKeepAPortBusy() {
        assertEquals(62_500, Buffers.leastHighBytes(50e9, 10_000), 1e-9);
        assertEquals(62_500 * 2.02 + 22 * 9_215, Buffers.leastEgressBytes(62_500, 50e9, 0.02, 10_000, 22, 9_216), 1e-6);
        assertTrue(Buffers.leastEgressBytes(1, 50e9, 0.03, 10_000, 22, 9_216)
            > Buffers.leastEgressBytes(1, 50e9, 0.02, 10_000, 22, 9_216));
    }
}
