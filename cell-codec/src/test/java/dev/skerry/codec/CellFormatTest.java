package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigInteger;
import java.util.SplittableRandom;

final class CellFormatTest {
    private static final long SEED = 0xF0F0_1234L;

    @Test
    void shouldLeaveThePayloadOfThePapers() {
        assertEquals(244, CellFormat.SHALE.payloadBytes());
        assertEquals(240, CellFormat.SHALE_WIDE.payloadBytes());
        assertEquals(56, CellFormat.SHOAL.payloadBytes());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "244, 1", "245, 2", "488, 2", "1460, 6", "64, 1"})
    void shouldCountCells(final long bytes, final long cells) {
        assertEquals(cells, CellFormat.SHALE.cellsOf(bytes));
    }

    @Test
    void shouldBeExactUpToTheLargestLong() {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 2_000; round++) {
            final int header = random.nextInt(1, 64);
            final CellFormat format = new CellFormat(header + random.nextInt(1, 10_000), header);
            final long bytes = round == 0 ? Long.MAX_VALUE : random.nextLong() >>> random.nextInt(1, 63);
            final BigInteger payload = BigInteger.valueOf(format.payloadBytes());
            final BigInteger[] parts = BigInteger.valueOf(bytes).divideAndRemainder(payload);
            final boolean full = parts[1].signum() == 0;
            final String at = "seed=" + SEED + " round=" + round + " " + format + " bytes=" + bytes;
            assertEquals(parts[0].longValue() + (full ? 0 : 1), format.cellsOf(bytes), at);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void shouldRefuseNegativeLengths(final long bytes) {
        assertThrows(IllegalArgumentException.class, () -> CellFormat.SHALE.cellsOf(bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "256, 0, headerBytes=0", "256, -1, headerBytes=-1", "12, 12, cellBytes=12", "11, 12, cellBytes=11",
        "0, 1, cellBytes=0", "-2147483648, 1, cellBytes=-2147483648"
    })
    void shouldRefuseCellsWithoutHeaderOrPayload(final int cellBytes, final int headerBytes, final String named) {
        final var refusal = assertThrows(IllegalArgumentException.class, () -> new CellFormat(cellBytes, headerBytes));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

    @Test
    void shouldTakeTheSmallestPayload() {
        assertEquals(1, new CellFormat(2, 1).payloadBytes());
        assertEquals(Long.MAX_VALUE, new CellFormat(2, 1).cellsOf(Long.MAX_VALUE));
    }
}
