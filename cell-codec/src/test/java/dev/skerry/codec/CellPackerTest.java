package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/** Cells per credit, and what packing saves (docs/spec/stardust.md §3.4 and §10, rows 2, 4 and 21). */
final class CellPackerTest {
    private static final CellPacker.Packing NONE = CellPacker.Packing.NONE;
    private static final CellPacker.Packing CONTINUOUS = CellPacker.Packing.CONTINUOUS;
    private static final int NO_START = StardustHeader.NO_START;
    private static final long SEED = 0xCE11_9A24L;
    private static final int SLOT_BYTES = 512;

    private final List<String> calls = new ArrayList<>();
    private final Collector sink = new Collector(calls);

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

    private long accept(final long state, final int firstStart, final boolean endOfCredit, final int... payload) {
        final byte[] bytes = new byte[1 + payload.length];
        for (int i = 0; i < payload.length; i++) {
            bytes[1 + i] = (byte) payload[i];
        }
        calls.clear();
        return CellParser.accept(state, MemorySegment.ofArray(bytes), 1, payload.length, firstStart, endOfCredit, sink);
    }

    @Test
    void shouldResumeAtTheFirstStartThatContradictsABoundary() {
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 2, true, 0, 9, 0, 1, 7));
        assertEquals(List.of("damaged", "start 1", "part 1", "end"), calls);
    }

    @Test
    void shouldAbandonAPacketThatAFirstStartContradicts() {
        final long within = accept(CellParser.NEW, 0, false, 0, 4, 1);
        assertEquals(List.of("start 4", "part 1"), calls);
        assertEquals(CellParser.LOST, accept(within, NO_START, false, 2, 3, 4, 0));
        assertEquals(List.of("damaged", "abandon"), calls);
    }

    @Test
    void shouldAbandonAPacketThatACreditEndsIn() {
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 0, true, 0, 4, 1));
        assertEquals(List.of("start 4", "part 1", "damaged", "abandon"), calls);
        assertEquals(CellParser.NEW, accept(CellParser.NEW, 0, true, 0));
        assertEquals(List.of("damaged"), calls, "no packet started");
        assertEquals(CellParser.NEW, accept(CellParser.LOST, NO_START, true, 0));
        assertEquals(List.of(), calls, "nothing is known of a lost stream");
    }

    @Test
    void shouldAbandonOnlyAPacketThatStarted() {
        final long half = accept(CellParser.NEW, 0, false, 0);
        final long within = accept(half, NO_START, false, 4, 1);
        calls.clear();
        assertEquals(CellParser.LOST, CellParser.gap(CellParser.NEW, sink));
        assertEquals(CellParser.LOST, CellParser.gap(half, sink));
        assertEquals(CellParser.LOST, CellParser.gap(CellParser.LOST, sink));
        assertEquals(List.of(), calls);
        assertEquals(CellParser.LOST, CellParser.gap(within, sink));
        assertEquals(List.of("abandon"), calls);
    }

    @Test
    void shouldRefuseLengthsOfNoPacket() {
        accept(CellParser.NEW, 0, false, 0x24, 0x00, 1);
        assertEquals(List.of("start 9216", "part 1"), calls);
        assertEquals(CellParser.LOST, accept(CellParser.NEW, 0, false, 0x24, 0x01, 1));
        assertEquals(List.of("damaged"), calls);
        assertEquals(CellParser.LOST, accept(CellParser.NEW, 0, false, 0, 0, 1));
        assertEquals(List.of("damaged"), calls);
    }

    private record Cell(long payload, int length, int firstStart, boolean endOfCredit) {
    }

    /** A packet sent and the cells it occupies. */
    private record Packet(List<Byte> bytes, int firstCell, int lastCell) {
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeliverAllPacketsThatTouchNoLostCell(final CellPacker.Packing packing) {
        for (int round = 0; round < 400; round++) {
            final SplittableRandom random = new SplittableRandom(SEED + round);
            final String at = "seed=" + (SEED + round);
            try (Arena arena = Arena.ofConfined()) {
                final int payloadBytes = random.nextInt(3) == 0 ? random.nextInt(1, 20) : random.nextInt(1, 513);
                final MemorySegment slab = arena.allocate(SLOT_BYTES * 20_000L);
                final List<Cell> cells = new ArrayList<>();
                final List<Packet> packets = new ArrayList<>();
                fill(random, new CellPacker(packing, payloadBytes, true, slab, collect(cells)), cells, packets);
                final BitSet lost = new BitSet();
                final int loss = round % 4 == 0 ? 0 : random.nextInt(1, 1 + cells.size() / 4 + 1);
                for (int i = 0; i < loss; i++) {
                    lost.set(random.nextInt(cells.size()));
                }
                final Collector sink = new Collector(new ArrayList<>());
                long state = CellParser.NEW;
                for (int cell = 0; cell < cells.size(); cell++) {
                    final Cell c = cells.get(cell);
                    state = lost.get(cell) ? CellParser.gap(state, sink) : CellParser.accept(state, slab, c.payload,
                        c.length, c.firstStart, c.endOfCredit, sink);
                }
                final List<List<Byte>> expected = packets.stream()
                    .filter(p -> lost.nextSetBit(p.firstCell) < 0 || lost.nextSetBit(p.firstCell) > p.lastCell)
                    .map(Packet::bytes).toList();
                assertEquals(expected, sink.delivered, at);
                assertEquals(0, sink.damages, at);
                assertEquals(sink.started, sink.delivered.size() + sink.abandoned, at);
                assertTrue(loss > 0 || sink.abandoned == 0, at);
            }
        }
    }

    /** Damage that the CRC misses: packets that contradict the headers are not delivered. */
    @Test
    void shouldNameDamageAndGoOn() {
        for (int round = 0; round < 400; round++) {
            final SplittableRandom random = new SplittableRandom(SEED - round);
            try (Arena arena = Arena.ofConfined()) {
                final MemorySegment slab = arena.allocate(SLOT_BYTES * 20_000L);
                final List<Cell> cells = new ArrayList<>();
                final List<Packet> packets = new ArrayList<>();
                fill(random, new CellPacker(CellPacker.Packing.CONTINUOUS, 32, true, slab, collect(cells)), cells,
                    packets);
                // The length of a packet starts at the first byte of such a cell.
                final List<Cell> starts = cells.stream().filter(c -> c.firstStart == 0 && c.length > 1).toList();
                slab.set(ValueLayout.JAVA_BYTE, starts.get(random.nextInt(starts.size())).payload, (byte) 0xFF);
                final Collector sink = new Collector(new ArrayList<>());
                long state = CellParser.NEW;
                for (final Cell c : cells) {
                    state = CellParser.accept(state, slab, c.payload, c.length, c.firstStart, c.endOfCredit, sink);
                }
                assertEquals(1, sink.damages, "seed=" + (SEED - round));
                assertTrue(sink.delivered.size() < packets.size());
                assertEquals(0, state >>> 48);
                for (final List<Byte> packet : sink.delivered) {
                    assertTrue(packets.stream().anyMatch(p -> p.bytes.equals(packet)), "seed=" + (SEED - round));
                }
            }
        }
    }

    private static void fill(final SplittableRandom random, final CellPacker packer, final List<Cell> cells,
        final List<Packet> packets) {
        final MemorySegment source = MemorySegment.ofArray(new byte[9_216 + 9]);
        for (int credit = random.nextInt(1, 6); credit > 0; credit--) {
            final int before = packets.size();
            for (int packet = random.nextInt(1, 12); packet > 0; packet--) {
                final int length = random.nextInt(4) == 0 ? random.nextInt(1, 400) : random.nextInt(1, 60);
                final List<Byte> bytes = new ArrayList<>();
                for (int i = 0; i < length; i++) {
                    bytes.add((byte) random.nextInt());
                    source.set(ValueLayout.JAVA_BYTE, 9 + i, bytes.get(i));
                }
                packer.add(source, 9, length);
                packets.add(new Packet(bytes, -1, -1));
            }
            packer.finish();
            locate(cells, packets, before);
        }
    }

    /** The cells of each packet of a credit, counted byte by byte from the lengths. */
    private static void locate(final List<Cell> cells, final List<Packet> packets, final int from) {
        int cell = from == 0 ? 0 : packets.get(from - 1).lastCell + 1;
        int used = 0;
        for (int index = from; index < packets.size(); index++) {
            final Packet packet = packets.get(index);
            int first = -1;
            for (int left = packet.bytes.size() + 2; left > 0; left--) {
                if (used == cells.get(cell).length) {
                    cell++;
                    used = 0;
                }
                first = first < 0 ? cell : first;
                used++;
            }
            packets.set(index, new Packet(packet.bytes, first, cell));
        }
        assertEquals(cells.size() - 1, cell);
        assertTrue(cells.get(cell).endOfCredit && used == cells.get(cell).length);
    }

    private static CellPacker.Sink collect(final List<Cell> cells) {
        return new CellPacker.Sink() {
            @Override
            public long open() {
                return (long) cells.size() * SLOT_BYTES;
            }
            @Override
            public void close(final long payload, final int length, final int firstStart, final boolean endOfCredit) {
                cells.add(new Cell(payload, length, firstStart, endOfCredit));
            }
        };
    }

    private static final class Collector implements CellParser.Sink {
        private final List<String> calls;
        private final List<List<Byte>> delivered = new ArrayList<>();
        private List<Byte> open;
        private int expected;
        private int started;
        private int abandoned;
        private int damages;

        Collector(final List<String> calls) {
            this.calls = calls;
        }

        @Override
        public void start(final int bytes) {
            calls.add("start " + bytes);
            open = new ArrayList<>();
            expected = bytes;
            started++;
        }

        @Override
        public void part(final MemorySegment cells, final long offset, final int bytes) {
            calls.add("part " + bytes);
            for (int i = 0; i < bytes; i++) {
                open.add(cells.get(ValueLayout.JAVA_BYTE, offset + i));
            }
        }

        @Override
        public void end() {
            calls.add("end");
            assertEquals(expected, open.size());
            delivered.add(open);
        }

        @Override
        public void abandon() {
            calls.add("abandon");
            abandoned++;
        }

        @Override
        public void damaged() {
            calls.add("damaged");
            damages++;
        }
    }

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
    @CsvSource({"256, -1, headerBytes=-1", "12, 12, cellBytes=12", "11, 12, cellBytes=11",
        "0, 1, cellBytes=0", "-2147483648, 1, cellBytes=-2147483648"})
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
