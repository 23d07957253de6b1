package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** What the bursts of all formats have in common: bounds of the segment and of the burst. */
final class HeaderBurstTest {
    private static final int BYTES = 1_024;

    private final byte[] bytes = new byte[BYTES];
    private final MemorySegment cells = MemorySegment.ofArray(bytes);

    /** A format and the bytes of a cell that must lie in the segment. */
    private enum Format {
        L12(12), L12F(12), L16(16), SHOAL(64), SHOAL_LONG(128);

        final int length;

        Format(final int length) {
            this.length = length;
        }

        HeaderBurst burst(final int capacity) {
            return switch (this) {
                case L12, L12F, L16 ->
                    new ShaleHeaderBurst(new ShaleHeader(ShaleLayout.valueOf(name()), 16, 2, false), capacity);
                case SHOAL, SHOAL_LONG ->
                    new ShoalHeaderBurst(new ShoalHeader(16, 1, new CellFormat(length, 8)), capacity);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReachBothEndsOfTheSegment(final Format format) {
        final HeaderBurst sent = format.burst(2);
        sent.offset()[1] = BYTES - format.length;
        Arrays.setAll(sent.source(), i -> i + 1);
        Arrays.setAll(sent.destination(), i -> i + 3);
        sent.encode(cells, 2);

        final HeaderBurst received = format.burst(2);
        received.offset()[1] = BYTES - format.length;
        assertEquals(0, received.decode(cells, 2));
        assertArrayEquals(sent.source(), received.source());
        assertArrayEquals(sent.destination(), received.destination());
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameEveryCellOutsideTheSegment(final Format format) {
        for (final long outside : outside(format)) {
            final HeaderBurst burst = format.burst(1);
            burst.offset()[0] = outside;
            assertEquals(1, burst.decode(cells, 1), "offset=" + outside);
            assertEquals(HeaderFault.WRONG_LENGTH, burst.fault(0), "offset=" + outside);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteNothingIfOneCellLiesOutside(final Format format) {
        final HeaderBurst burst = format.burst(3);
        for (final long outside : outside(format)) {
            burst.offset()[2] = outside;
            assertThrows(IndexOutOfBoundsException.class, () -> burst.encode(cells, 3), "offset=" + outside);
            assertArrayEquals(new byte[BYTES], bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTouchNoMoreCellsThanCounted(final Format format) {
        final HeaderBurst burst = format.burst(3);
        burst.offset()[2] = -1;
        burst.encode(cells, 2);
        burst.decode(cells, 2);
        burst.encode(cells, 0);
        assertEquals(0, burst.decode(cells, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> burst.encode(cells, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> burst.decode(cells, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> burst.decode(cells, -1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldAtLeastOneCell(final Format format) {
        assertThrows(IllegalArgumentException.class, () -> format.burst(0));
        assertEquals(7, format.burst(7).capacity());
    }

    private static long[] outside(final Format format) {
        return new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, BYTES - format.length + 1, BYTES, BYTES + 1};
    }
}
