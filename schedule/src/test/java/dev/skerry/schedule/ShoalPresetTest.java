package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parameter sets of docs/spec/shoal.md §1, as its table prints them. */
class ShoalPresetTest {
    @ParameterizedTest
    @CsvSource({"0, 76.8, 7, 537.6, 6.667, 6.667, 6", "1, 23.25, 128, 2976.0, 88.1, 77.1, 96",
        "2, 5.632, 511, 2877.952, 90.909, 79.545, 24"})
    void shouldHaveTheNumbersOfTheTable(final int index, final double slotNs, final int epochSlots,
        final double epochNs, final double maxGbps, final double goodputGbps, final int switches) {
        final ShoalPreset preset = ShoalPreset.all().get(index);

        assertEquals(slotNs, preset.slot().slotNs(), 1e-9);
        assertEquals(epochSlots, preset.schedule().epochSlots());
        assertEquals(epochNs, preset.epochPs() / 1e3, 1e-9);
        assertEquals(maxGbps, preset.maxRateBps() / 1e9, 0.05);
        assertEquals(goodputGbps, preset.maxGoodputBps() / 1e9, 0.05);
        assertEquals(switches, preset.clos().wiring().switches());
        // a cell lasts as long as its bits take, as far as the paper prints it
        assertEquals(preset.cellBytes() * 8e12 / preset.channelRateBps(), preset.slot().cellPs(), 25);
    }

    @Test
    void shouldRefuseCellsThatAreNone() {
        final SlotTime slot = new SlotTime(1, 0);
        assertThrows(IllegalArgumentException.class, () -> new ShoalPreset("x", 8, 1, 1, 100, 56, slot, 4));
        assertThrows(IllegalArgumentException.class, () -> new ShoalPreset("x", 8, 1, 1, 0, 0, slot, 4));
        assertThrows(IllegalArgumentException.class, () -> new ShoalPreset("x", 8, 1, 1, 64, 65, slot, 4));
        assertThrows(IllegalArgumentException.class, () -> new ShoalPreset("x", 8, 1, 1, 64, 0, slot, 4));
        assertThrows(IllegalArgumentException.class, () -> new SlotTime(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new SlotTime(1, -1));
    }
}
