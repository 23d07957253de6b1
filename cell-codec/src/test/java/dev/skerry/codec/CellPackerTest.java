package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cells per credit, and what packing saves (docs/spec/stardust.md §3.4 and §10, rows 2, 4 and 21). */
final class CellPackerTest {
    private static final CellPacker.Packing NONE = CellPacker.Packing.NONE;
    private static final CellPacker.Packing CONTINUOUS = CellPacker.Packing.CONTINUOUS;

    @ParameterizedTest
    @CsvSource({"513, 8, 17, 17, 24", "1025, 4, 17, 17, 20", "64, 64, 16, 32, 64", "200, 9, 8, 8, 9", "256, 1, 1, 1, 1",
        "257, 1, 2, 2, 2", "1, 1, 1, 1, 1"})
    void shouldCutAsManyCellsAsTheSpecSays(final int bytes, final int packets, final int packed, final int simple,
        final int unpacked) {
        assertEquals(packed, pack(CONTINUOUS, 256, false, bytes, packets).size());
        assertEquals(simple, pack(CellPacker.Packing.SIMPLE, 256, false, bytes, packets).size());
        assertEquals(unpacked, pack(NONE, 256, false, bytes, packets).size());
        for (final CellPacker.Packing packing : CellPacker.Packing.values()) {
            for (final boolean prefix : new boolean[] {false, true}) {
                assertEquals(pack(packing, 256, prefix, bytes, packets).size(),
                    CellPacker.cellsOf(packing, 256, bytes, packets, prefix));
            }
        }
    }

    /** Figure 3: 4096-byte credits on a 256-byte bus. */
    @ParameterizedTest
    @CsvSource({"64, 4.000", "513, 1.412", "1025, 1.176"})
    void shouldGainWhatFigureThreeShows(final int bytes, final double gain) {
        final int packets = Math.ceilDiv(4_096, bytes);
        assertEquals(gain, (double) pack(NONE, 256, false, bytes, packets).size()
            / pack(CONTINUOUS, 256, false, bytes, packets).size(), 0.001);
    }

    /** Figure 8a: without packing a packet of 65 bytes takes two cells of 64. */
    @Test
    void shouldWasteWhatTheCellModelSaysWithoutPacking() {
        for (int bytes = 64; bytes <= 1_518; bytes++) {
            final double used = bytes / (64.0 * pack(NONE, 64, false, bytes, 1).size());
            assertEquals(bytes / (64.0 * ((bytes + 63) / 64)), used, 1e-12);
            if (bytes == 65) {
                assertEquals(0.508, used, 0.001);
            }
        }
    }

    @Test
    void shouldWasteLittleOnPacketsJustOverACell() {
        assertEquals(1.99, pack(NONE, 256, false, 257, 16).size() * 256.0 / (16 * 257), 0.005);
        assertEquals(1.058, pack(CONTINUOUS, 256, false, 257, 16).size() * 256.0 / (16 * 257), 0.0005);
    }

    @Test
    void shouldSayWherePacketsStart() {
        // 2 + 12, then 2 + 7: the second packet starts at byte 14 of the run.
        assertEquals(List.of("10 0 false", "10 4 false", "3 none true"), cells(CONTINUOUS, 10, true, 12, 7));
        assertEquals(List.of("10 0 false", "10 none false", "3 none false", "10 0 false", "1 none true"),
            cells(NONE, 10, true, 21, 9));
        // 2 + 12, 2 + 1, 2 + 2: two packets are in the cell before the third, one before the fourth.
        assertEquals(List.of("10 0 false", "7 4 false", "10 0 false", "1 none true"),
            cells(CellPacker.Packing.SIMPLE, 10, true, 12, 1, 2, 5));
        // 2 + 6, then 2: the length of the second packet ends the cell.
        assertEquals(List.of("10 0 false", "3 none true"), cells(CONTINUOUS, 10, true, 6, 3));
        // 2 + 1, 2 + 2, 2 + 4: the length of the third packet spans two cells.
        assertEquals(List.of("4 0 false", "4 3 false", "4 none false", "1 none true"),
            cells(CONTINUOUS, 4, true, 1, 2, 4));
    }

    @Test
    void shouldRefusePacketsAndCellsThatDoNotExist() {
        assertThrows(IllegalArgumentException.class, () -> pack(NONE, 256, true, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> pack(NONE, 256, true, 9_217, 1));
        assertThrows(IllegalArgumentException.class, () -> pack(NONE, 0, true, 64, 1));
        assertThrows(IllegalArgumentException.class, () -> pack(NONE, 513, true, 64, 1));
        assertEquals(37, pack(NONE, 256, true, 9_216, 1).size());
        assertThrows(IllegalArgumentException.class, () -> CellPacker.cellsOf(NONE, 256, 0, 1, true));
        assertThrows(IllegalArgumentException.class, () -> CellPacker.cellsOf(NONE, 256, 9_217, 1, true));
        assertThrows(IllegalArgumentException.class, () -> CellPacker.cellsOf(NONE, 0, 64, 1, true));
        assertThrows(IllegalArgumentException.class, () -> CellPacker.cellsOf(NONE, 513, 64, 1, true));
    }

    private static List<String> pack(final CellPacker.Packing packing, final int payloadBytes, final boolean prefix,
        final int bytes, final int packets) {
        final int[] lengths = new int[packets];
        Arrays.fill(lengths, bytes);
        return cells(packing, payloadBytes, prefix, lengths);
    }

    private static List<String> cells(final CellPacker.Packing packing, final int payloadBytes, final boolean prefix,
        final int... lengths) {
        final List<String> cells = new ArrayList<>();
        final CellPacker packer = new CellPacker(packing, payloadBytes, prefix,
            MemorySegment.ofArray(new byte[600]), new CellPacker.Sink() {
                @Override
                public long open() {
                    return cells.size() % 88;
                }

                @Override
                public void close(final long payload, final int length, final int firstStart,
                    final boolean endOfCredit) {
                    assertEquals(cells.size() % 88, payload);
                    cells.add(length + " " + (firstStart == StardustHeader.NO_START ? "none" : firstStart) + " "
                        + endOfCredit);
                }
            });
        final MemorySegment packet = MemorySegment.ofArray(new byte[9_300]);
        for (final int length : lengths) {
            packer.add(packet, 7, length);
        }
        packer.finish();
        packer.finish();
        return cells;
    }
}
