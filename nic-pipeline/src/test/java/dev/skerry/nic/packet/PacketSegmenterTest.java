package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

final class PacketSegmenterTest {
    private static final long SEED = 0x5E6_4E47L;
    private static final byte CANARY = (byte) 0xEE;

    private final Arena arena = Arena.ofConfined();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final PacketCounts counts = new PacketCounts();

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({
        "64, 8, 0, 1", "64, 8, 52, 1", "64, 8, 53, 2", "64, 8, 108, 2", "64, 8, 109, 3", "64, 8, 1500, 27",
        "64, 8, 20480, 366", "64, 8, 102400, 1829", "64, 8, 133120, 2378",
        "256, 12, 0, 1", "256, 12, 240, 1", "256, 12, 241, 2", "256, 12, 9000, 37",
        "272, 16, 252, 1", "272, 16, 253, 2", "12, 8, 0, 1", "12, 8, 1, 2", "12, 8, 4, 2", "12, 8, 5, 3"
    })
    void shouldCountCells(final int cellBytes, final int headerBytes, final int length, final int cells) {
        final PacketFormat format = new PacketFormat(new CellFormat(cellBytes, headerBytes), 1 << 20);
        assertEquals(cells, format.cells(length));
        for (int index = 0; index < cells; index++) {
            assertEquals(index == cells - 1, format.isLast(length, index), "index=" + index);
            assertEquals((index == 0 ? 4 : 0) + (index == cells - 1 ? 2 : 0), format.flags(length, index));
        }
    }

    @Test
    void shouldCountCellsOfTheLargestPackets() {
        final int largest = (1 << 30) - 1;
        final PacketFormat format = new PacketFormat(CellFormat.SHOAL, largest);
        assertEquals(19_173_962, format.cells(largest));
        assertTrue(format.isLast(largest, 19_173_961));
        assertFalse(format.isLast(largest, 19_173_960));
    }

    /** The payloads in sequence hold length, bytes and zeros; nothing outside the payloads is written. */
    @ParameterizedTest
    @CsvSource({"64, 8", "256, 12", "256, 16", "272, 16", "12, 8", "13, 8", "5, 1"})
    void shouldCutTheBytesInOrder(final int cellBytes, final int headerBytes) {
        final PacketFormat format = new PacketFormat(new CellFormat(cellBytes, headerBytes), 3_000);
        final Slab slab = new Slab(arena, 64, cellBytes + 7);
        final FreeList free = new FreeList(arena, 0, 64);
        final PacketSegmenter segmenter = new PacketSegmenter(format, slab, free, counts);
        final byte[] whole = new byte[3_100];
        random.nextBytes(whole);
        int cells = 0;
        for (int round = 0; round < 300; round++) {
            final int length = round < 130 ? round : random.nextInt(3_001);
            final int offset = random.nextInt(100);
            final String at = "seed=" + SEED + " round=" + round + " length=" + length;
            final ByteArrayOutputStream payloads = new ByteArrayOutputStream();
            for (int index = 0; index < format.cells(length); index++) {
                slab.segment().fill(CANARY);
                final int cell = segmenter.cut(MemorySegment.ofArray(whole), offset, length, index);
                final byte[] bytes = new byte[(int) slab.segment().byteSize()];
                MemorySegment.copy(slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes, 0, bytes.length);
                final int payload = (int) slab.offset(cell) + headerBytes;
                payloads.write(bytes, payload, format.payloadBytes());
                Arrays.fill(bytes, payload, payload + format.payloadBytes(), CANARY);
                for (final byte outside : bytes) {
                    assertEquals(CANARY, outside, at);
                }
                free.free(cell);
                cells++;
            }
            final byte[] expected = new byte[format.cells(length) * format.payloadBytes()];
            ByteBuffer.wrap(expected).putInt(length).put(whole, offset, length);
            assertArrayEquals(expected, payloads.toByteArray(), at);
        }
        assertEquals(300, counts.get(PacketCounter.PACKETS_CUT));
        assertEquals(cells, counts.get(PacketCounter.CELLS_CUT));
        assertEquals(0, free.held());
    }

    @Test
    void shouldRefuseWhatIsLongerThanTheMtu() {
        final PacketSegmenter segmenter = segmenter(1);
        assertTrue(segmenter.admit(0));
        assertTrue(segmenter.admit(1_500));
        for (final int length : new int[] {1_501, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            assertFalse(segmenter.admit(length), "length=" + length);
        }
        assertEquals(4, counts.get(PacketCounter.REFUSED_TOO_LONG));
    }

    @Test
    void shouldSayWhenNoCellIsFreeAndGoOnLater() {
        final FreeList free = new FreeList(arena, 0, 1);
        final PacketSegmenter segmenter =
            new PacketSegmenter(new PacketFormat(CellFormat.SHOAL, 1_500), new Slab(arena, 1, 64), free, counts);
        final MemorySegment packet = MemorySegment.ofArray(new byte[100]);
        final int cell = segmenter.cut(packet, 0, 100, 0);
        assertEquals(Slab.NONE, segmenter.cut(packet, 0, 100, 1));
        assertEquals(1, counts.get(PacketCounter.REFUSED_NO_CELL));
        free.free(cell);
        assertEquals(cell, segmenter.cut(packet, 0, 100, 1));
        assertEquals(2, counts.get(PacketCounter.CELLS_CUT));
    }

    @Test
    void shouldRefuseAPacketOutsideItsSegmentAndLoseNoCell() {
        final FreeList free = new FreeList(arena, 0, 1);
        final PacketSegmenter segmenter =
            new PacketSegmenter(new PacketFormat(CellFormat.SHOAL, 1_500), new Slab(arena, 1, 64), free, counts);
        final MemorySegment packet = MemorySegment.ofArray(new byte[100]);
        for (final long offset : new long[] {-1, 1, 100, Long.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> segmenter.cut(packet, offset, 100, 0));
        }
        assertEquals(0, free.held());
    }

    @ParameterizedTest
    @CsvSource({"11, 8, 100, payloadBytes=3", "64, 8, -1, mtuBytes=-1", "64, 8, 1073741824, mtuBytes=1073741824"})
    void shouldRefuseFormatsThatCannotWork(final int cellBytes, final int headerBytes, final int mtu,
        final String named) {
        final CellFormat cell = new CellFormat(cellBytes, headerBytes);
        final var refusal = assertThrows(IllegalArgumentException.class, () -> new PacketFormat(cell, mtu));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

    @Test
    void shouldRefuseASlabOfShorterCells() {
        final PacketFormat format = new PacketFormat(CellFormat.SHOAL, 1_500);
        final Slab slab = new Slab(arena, 1, 63);
        assertThrows(IllegalArgumentException.class,
            () -> new PacketSegmenter(format, slab, new FreeList(arena, 0, 1), counts));
    }

    private PacketSegmenter segmenter(final int cells) {
        return new PacketSegmenter(new PacketFormat(CellFormat.SHOAL, 1_500), new Slab(arena, cells, 64),
            new FreeList(arena, 0, cells), counts);
    }
}
