package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Stream;

/** The configuration rules of docs/spec/stardust.md §11 and the credit arithmetic of §5.1. */
final class AdapterConfigTest {
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "4097 16 4096 256 2500 4096 0 8192; a port number is below 4096, ports=4097",
        "0 16 4096 256 2500 4096 0 8192; a port number is below 4096, ports=0",
        "1 17 4096 256 2500 4096 0 8192; a class is below 16, classes=17",
        "1 1 4096 513 2500 4096 0 8192; a cell carries 1 to 512 bytes, cellPayloadBytes=513",
        "1 1 255 256 0 4096 0 8192; a credit is worth a cell at least: cellPayloadBytes=256, creditBytes=255",
        "1 1 2048 256 2500 4096 0 8192; for the generator: minCreditBytes=2500, creditBytes=2048",
        "1 1 4096 256 2500 4095 0 8192; the window is a power of two up to 1048576, windowCells=4095",
        "1 1 4096 256 2500 0 0 8192; the window is a power of two up to 1048576, windowCells=0",
        "1 1 4096 256 2500 2097152 0 8192; a power of two up to 1048576, windowCells=2097152",
        "1 1 4096 256 2500 4096 8192 8192; LOW is below HIGH: highBytes=8192, lowBytes=8192",
        "1 1 4096 256 2500 4096 -1 8192; LOW is below HIGH: highBytes=8192, lowBytes=-1",
        "1 1 4096 256 2500 4096 4097 8192; a credit lies between LOW and HIGH: lowBytes=4097 creditBytes=4096"})
    void shouldNameTheRuleThatDoesNotHold(final String numbers, final String what) {
        final int[] n = Stream.of(numbers.split(" ")).mapToInt(Integer::parseInt).toArray();
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new AdapterConfig(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]));
        assertTrue(refusal.getMessage().contains(what), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"10000000000000, 2, 1000000000, 2500", "8000000000000, 2, 1000000000, 2000", "10, 1, 8, 1"})
    void shouldBoundTheCreditBelow(final long bps, final int clocks, final long hertz, final long bytes) {
        assertEquals(bytes, AdapterConfig.minCreditBytes(bps, clocks, hertz));
    }

    @ParameterizedTest
    @CsvSource({"10e9, 0.03, 3181359", "50e9, 0.02, 642510", "100e9, 0.02, 321255"})
    void shouldPaceCredits(final double bps, final double surcharge, final double ps) {
        assertEquals(ps, config().creditIntervalPs(bps, surcharge), 1);
    }

    @Test
    void shouldSayWhatSpeedUpCreditsNeed() {
        assertEquals(1.02 * 272 / 256, config().neededSpeedUp(0.02, 16), 1e-12);
        assertTrue(config().neededSpeedUp(0.03, 16) > 1.0, "N432 has no speed-up: congestion marks regulate it");
    }

    private static AdapterConfig config() {
        return new AdapterConfig(4096, 16, 4096, 256, 2500, 4096, 0, 4096);
    }

    /** Every rule at its bounds. */
    @Test
    void shouldAllowTheBounds() {
        final int cell = AdapterConfig.MAX_CELL_PAYLOAD_BYTES;
        assertEquals(1, new AdapterConfig(1, 1, 1, 1, 1, 1, 0, 1).ports());
        assertEquals(cell, new AdapterConfig(AdapterConfig.MAX_PORTS, AdapterConfig.MAX_CLASSES, cell, cell, cell,
            AdapterConfig.MAX_WINDOW_CELLS, 0, cell).creditBytes());
    }
}
