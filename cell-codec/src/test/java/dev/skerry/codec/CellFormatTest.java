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
    @CsvSource({"0, 0, 0", "1, 1, 1", "244, 1, 244", "245, 2, 1", "488, 2, 244", "1460, 6, 240", "64, 1, 64"})
    void shouldCountCells(final long bytes, final long cells, final int last) {
        assertEquals(cells, CellFormat.SHALE.cellsOf(bytes));
        assertEquals(last, CellFormat.SHALE.lastCellBytes(bytes));
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
            final long last = !full ? parts[1].longValue() : bytes == 0 ? 0 : format.payloadBytes();
            assertEquals(last, format.lastCellBytes(bytes), at);
            assertEquals(parts[0].multiply(payload).longValue(), format.bytesOf(parts[0].longValue()), at);
        }
    }

    @Test
    void shouldHoldAsManyBytesAsCellsHave() {
        assertEquals(1_023_410_176L, CellFormat.SHALE.bytesOf(1 << 22), "the largest sequence space of L12");
        final long most = Long.MAX_VALUE / 244;
        assertEquals(most * 244, CellFormat.SHALE.bytesOf(most));
        assertThrows(IllegalArgumentException.class, () -> CellFormat.SHALE.bytesOf(most + 1));
        assertThrows(IllegalArgumentException.class, () -> CellFormat.SHALE.bytesOf(-1));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void shouldRefuseNegativeLengths(final long bytes) {
        assertThrows(IllegalArgumentException.class, () -> CellFormat.SHALE.cellsOf(bytes));
        assertThrows(IllegalArgumentException.class, () -> CellFormat.SHALE.lastCellBytes(bytes));
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
