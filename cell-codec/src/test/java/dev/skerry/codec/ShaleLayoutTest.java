package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.SplittableRandom;

final class ShaleLayoutTest {
    private static final long SEED = 0xC0FF_EE00L;

    @ParameterizedTest
    @CsvSource({
        "2, 1, false, L12", "2, 1, true, L12F", "10000, 2, false, L12", "10000, 4, true, L12F",
        "32768, 4, false, L12", "32768, 4, true, L12F", "32768, 5, false, L16", "32768, 5, true, L16",
        "32769, 1, false, L16", "32769, 4, true, L16", "50625, 4, false, L16", "1048575, 8, false, L16",
        "1048575, 8, true, L16", "256, 8, false, L16"
    })
    void shouldChooseTheSmallestLayoutThatHolds(final int nodes, final int phases, final boolean failureCapable,
        final ShaleLayout expected) {
        assertEquals(expected, ShaleLayout.forFabric(nodes, phases, failureCapable));
        final ShaleHeader header = ShaleHeader.forFabric(nodes, phases, failureCapable);
        assertEquals(new ShaleHeader(expected, nodes, phases, failureCapable), header);
    }

    @ParameterizedTest
    @CsvSource({
        "1048576, 8, nodes=1048576", "2147483647, 1, nodes=2147483647", "10000, 9, phases=9", "1, 1, nodes=1",
        "0, 1, nodes=0", "-5, 2, nodes=-5", "16, 0, phases=0", "16, -1, phases=-1", "40000, 0, phases=0"
    })
    void shouldRefuseWhatNoLayoutHolds(final int nodes, final int phases, final String named) {
        for (final boolean failureCapable : new boolean[] {false, true}) {
            final var refusal = assertThrows(IllegalArgumentException.class,
                () -> ShaleLayout.forFabric(nodes, phases, failureCapable));
            assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "L12, 32769, 2, false", "L12, 16, 5, false", "L12, 16, 2, true", "L12F, 32769, 2, true", "L12F, 16, 5, true",
        "L16, 1048576, 2, true", "L16, 16, 9, true", "L16, 1, 1, false", "L12, 16, 0, false"
    })
    void shouldRefuseAFabricInALayoutThatDoesNotHoldIt(final ShaleLayout layout, final int nodes, final int phases,
        final boolean failureCapable) {
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new ShaleHeader(layout, nodes, phases, failureCapable));
        assertTrue(refusal.getMessage().contains(layout.name()), refusal.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFillItsBytesExactly(final ShaleLayout layout) {
        final int[] widths = HeaderBits.widths(layout);
        assertEquals(layout.headerBytes() * 8, Arrays.stream(widths).sum() + 8);
        assertEquals(widths[3], layout.sequenceBits());
        assertEquals(1 << widths[2], layout.maxPhases());
        assertEquals(layout == ShaleLayout.L12, !layout.hasKinds());
    }

    @Test
    void shouldGiveTheFormatsOfTheCells() {
        assertEquals(CellFormat.SHALE, ShaleLayout.L12.cellFormat(256));
        assertEquals(CellFormat.SHALE, ShaleLayout.L12F.cellFormat(256));
        assertEquals(CellFormat.SHALE_WIDE, ShaleLayout.L16.cellFormat(256));
        assertThrows(IllegalArgumentException.class, () -> ShaleLayout.L16.cellFormat(16));
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindTheCountNextToTheExpectedOne(final ShaleLayout layout) {
        final SplittableRandom random = new SplittableRandom(SEED);
        final long space = 1L << layout.sequenceBits();
        for (int round = 0; round < 5_000; round++) {
            final long expected = random.nextLong(0, Long.MAX_VALUE / 2);
            final long count = expected + switch (round) {
                case 0 -> -space / 2;
                case 1 -> space / 2 - 1;
                case 2 -> 0;
                default -> random.nextLong(-space / 2, space / 2);
            };
            final int sequence = (int) Math.floorMod(count, space);
            assertEquals(count, layout.countOf(expected, sequence), "seed=" + SEED + " round=" + round);
        }
        assertFalse(layout.countOf(0, (int) (space / 2)) > 0, "half the space away is behind, not ahead");
    }
}
