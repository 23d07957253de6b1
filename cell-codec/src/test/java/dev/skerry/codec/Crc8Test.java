package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

final class Crc8Test {
    private static final MemorySegment DIGITS =
        MemorySegment.ofArray("..123456789..".getBytes(StandardCharsets.US_ASCII));

    @Test
    void shouldGiveTheCheckValues() {
        assertEquals(0xFB, Crc8.SHALE.of(DIGITS, 2, 9));
        assertEquals(0xA1, Crc8.SHOAL.of(DIGITS, 2, 9));
        assertEquals(0xF4, new Crc8(0, 0).of(DIGITS, 2, 9), "CRC-8/SMBUS");
    }

    @Test
    void shouldGiveInitAndXorOutForNoBytes() {
        assertEquals(0xFF, Crc8.SHALE.of(DIGITS, 13, 0));
        assertEquals(0x55, Crc8.SHOAL.of(DIGITS, 0, 0));
    }

    @Test
    void shouldGoOnOverSeveralRanges() {
        for (int split = 0; split <= 9; split++) {
            final int first = Crc8.update(Crc8.SHOAL.init(), DIGITS, 2, split);
            assertEquals(0xA1, Crc8.update(first, DIGITS, 2 + split, 9 - split) ^ Crc8.SHOAL.xorOut());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 1", "0, -1", "0, 14", "13, 1", "14, 0", "5, 9223372036854775807", "9223372036854775807, 1"
    })
    void shouldRefuseARangeOutsideTheSegment(final long offset, final long length) {
        assertThrows(IndexOutOfBoundsException.class, () -> Crc8.SHALE.of(DIGITS, offset, length));
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, init=-1", "256, 0, init=256", "0, -1, xorOut=-1", "0, 256, xorOut=256"})
    void shouldRefuseParametersThatAreNoBytes(final int init, final int xorOut, final String named) {
        final var refusal = assertThrows(IllegalArgumentException.class, () -> new Crc8(init, xorOut));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }
}
