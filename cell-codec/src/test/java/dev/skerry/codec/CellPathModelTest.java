package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/** Packets through packer and parser, with and without lost cells, against lists of packets. */
final class CellPathModelTest {
    private static final long SEED = 0xCE11_9A24L;
    private static final int SLOT_BYTES = 512;

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
                final Collector sink = new Collector();
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
                final Collector sink = new Collector();
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

    /** Reassembles packets. */
    private static final class Collector implements CellParser.Sink {
        private final List<List<Byte>> delivered = new ArrayList<>();
        private List<Byte> open;
        private int expected;
        private int started;
        private int abandoned;
        private int damages;

        @Override
        public void start(final int bytes) {
            open = new ArrayList<>();
            expected = bytes;
            started++;
        }

        @Override
        public void part(final MemorySegment cells, final long offset, final int bytes) {
            for (int i = 0; i < bytes; i++) {
                open.add(cells.get(ValueLayout.JAVA_BYTE, offset + i));
            }
        }

        @Override
        public void end() {
            assertEquals(expected, open.size());
            delivered.add(open);
        }

        @Override
        public void abandon() {
            abandoned++;
        }

        @Override
        public void damaged() {
            damages++;
        }
    }
}
