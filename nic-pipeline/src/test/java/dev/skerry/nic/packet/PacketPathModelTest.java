package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Packets through the segmenter, Shoal's header, a fabric that loses, doubles, delays and damages cells, the window and
 * the reassembler. The model: a packet arrives, in order and byte by byte, if each of its cells arrived undamaged at
 * least once. If buffers run short, packets may be lost, but none arrives that was not sent. Then the segmenter alone.
 */
final class PacketPathModelTest {
    private static final int RECEIVER = 9;
    private static final int CLASSES = 4;
    private static final int STREAMS = 8;
    private static final int SLOTS = 6_000;
    private static final int DELAY = 80;
    private static final int TIMEOUT = 100;
    private static final int WINDOW = 256;
    private static final int CELLS = 4_096;
    private static final int MTU = 700;
    private static final long SEED = 0x5E6_4E47L;
    private static final byte CANARY = (byte) 0xEE;

    private final ShoalHeader header = new ShoalHeader(16, CLASSES, CellFormat.SHOAL);
    private final PacketFormat format = new PacketFormat(CellFormat.SHOAL, MTU);
    private final PacketCounts counts = new PacketCounts();
    private final TreeMap<Long, List<int[]>> underWay = new TreeMap<>();
    private final List<List<Packet>> sent = new ArrayList<>();
    private final List<List<String>> received = new ArrayList<>();
    @AutoClose
    private final Arena arena = Arena.ofConfined();
    private SplittableRandom random = new SplittableRandom(SEED);
    private Slab slab;
    private FreeList free;
    private PacketSegmenter segmenter;
    private ReorderWindow windows;
    private PacketReassembler reassembler;
    private long damaged;

    @ParameterizedTest
    @CsvSource({
        // buffers, per mille lost, doubled, damaged, seed
        "8, 0, 0, 0, 1", "8, 5, 0, 0, 2", "8, 0, 50, 0, 3", "8, 0, 0, 10, 4", "8, 5, 20, 5, 5", "8, 100, 100, 50, 6",
        "8, 1, 1, 1, 7", "8, 5, 20, 5, 8", "2, 5, 20, 5, 9", "1, 50, 50, 50, 10"
    })
    void shouldDeliverWhatArrivedWhole(final int buffers, final int lost, final int doubled, final int damage,
        final long seed) {
        random = new SplittableRandom(seed);
        assemble(buffers);
        final long before = counts.get(PacketCounter.CELLS_LOST);
        for (long slot = 0; slot < SLOTS; slot++) {
            for (int stream = 0; stream < STREAMS; stream++) {
                send(stream, slot, lost, doubled, damage);
            }
            receive(slot, "seed=" + seed + " slot=" + slot);
        }
        for (long slot = SLOTS; slot < SLOTS + DELAY + TIMEOUT + STREAMS; slot++) {
            receive(slot, "seed=" + seed + " slot=" + slot);
        }
        assertEquals(0, windows.held());
        assertEquals(0, free.held(), "cells that did not come home: seed=" + seed);
        free.verify();
        compare(buffers == STREAMS || lost + damage == 0, "seed=" + seed);
        assertEquals(lost == 0 && damage == 0, counts.get(PacketCounter.CELLS_LOST) == before, "seed=" + seed);
        assertEquals(damage > 0, damaged > 0);
        assertEquals(buffers < STREAMS, counts.get(PacketCounter.DROPPED_NO_BUFFER) > 0, "seed=" + seed);
    }

    private void assemble(final int buffers) {
        slab = new Slab(arena, CELLS, 64);
        free = new FreeList(arena, 0, CELLS);
        segmenter = new PacketSegmenter(format, slab, free, counts);
        reassembler = new PacketReassembler(arena, STREAMS, buffers, format, slab, free::free, new PacketHandler() {
            @Override
            public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
                final byte[] bytes = new byte[length];
                MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
                received.get(stream).add(HexFormat.of().formatHex(bytes));
            }

            @Override
            public void onLoss(final int stream, final PacketCounter why) {
                assertTrue(why.name().startsWith("PACKETS_"));
            }
        }, counts);
        windows = new ReorderWindow(arena, new WindowConfig(STREAMS, header.sequenceBits(), WINDOW, TIMEOUT),
            free::free, reassembler, counts);
        for (int stream = 0; stream < STREAMS; stream++) {
            // Starts shortly before the sequence numbers wrap.
            windows.giveUp(stream, firstSequence(stream), 0);
            sent.add(new ArrayList<>());
            received.add(new ArrayList<>());
        }
    }

    private int firstSequence(final int stream) {
        return (1 << header.sequenceBits()) - 100 * (stream + 1);
    }

    /** Sends one cell of a stream, most of the time. */
    private void send(final int stream, final long slot, final int lost, final int doubled, final int damage) {
        final List<Packet> packets = sent.get(stream);
        if (random.nextInt(5) == 0) {
            return;
        }
        if (packets.isEmpty() || packets.getLast().done(format)) {
            final byte[] bytes = new byte[random.nextInt(random.nextInt(MTU + 1) + 1)];
            random.nextBytes(bytes);
            final long first = packets.isEmpty() ? firstSequence(stream)
                : packets.getLast().first + packets.getLast().arrived.length;
            packets.add(new Packet(bytes, first, new boolean[format.cells(bytes.length)]));
        }
        final Packet packet = packets.getLast();
        final int index = packet.cut++;
        final int cell = segmenter.cut(MemorySegment.ofArray(packet.bytes), 0, packet.bytes.length, index);
        header.encode(slab.segment(), slab.offset(cell), stream / CLASSES, RECEIVER, stream % CLASSES,
            packet.first + index, 0, format.flags(packet.bytes.length, index));
        final int copies = random.nextInt(1000) < lost ? 0 : random.nextInt(1000) < doubled ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            final int copied = free.alloc();
            MemorySegment.copy(slab.segment(), slab.offset(cell), slab.segment(), slab.offset(copied), 64);
            if (random.nextInt(1000) < damage) {
                final long at = slab.offset(copied) + random.nextInt(64);
                final byte before = slab.segment().get(ValueLayout.JAVA_BYTE, at);
                slab.segment().set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << random.nextInt(8)));
                damaged++;
            } else {
                packet.arrived[index] = true;
            }
            underWay.computeIfAbsent(slot + random.nextInt(DELAY + 1), key -> new ArrayList<>())
                .add(new int[] {stream, copied});
        }
        free.free(cell);
    }

    private void receive(final long slot, final String at) {
        final List<int[]> arriving = underWay.remove(slot);
        for (final int[] arrival : arriving == null ? List.<int[]>of() : arriving) {
            final int cell = arrival[1];
            final long read = ShoalHeader.read(slab.segment(), slab.offset(cell));
            if (header.check(slab.segment(), slab.offset(cell)) == HeaderFault.NONE && ShoalHeader.isData(read)) {
                assertEquals(HeaderFault.NONE, ShoalHeader.checkHop(read, RECEIVER, arrival[0] / CLASSES), at);
                final int stream = ShoalHeader.source(read) * CLASSES + header.trafficClass(read);
                windows.accept(stream, header.sequence(read), cell, ShoalHeader.flags(read), slot);
            } else {
                free.free(cell);
            }
        }
        windows.sweep(slot, STREAMS);
        PacketReassemblerModelTest.verifyCells(counts, windows.held() + reassembler.held());
    }

    private void compare(final boolean enoughMemory, final String at) {
        for (int stream = 0; stream < STREAMS; stream++) {
            final List<String> whole = new ArrayList<>();
            for (final Packet packet : sent.get(stream)) {
                if (packet.whole()) {
                    whole.add(HexFormat.of().formatHex(packet.bytes));
                }
            }
            if (enoughMemory) {
                assertEquals(whole, received.get(stream), at + " stream=" + stream);
            } else {
                assertTrue(received.get(stream).size() > 10, at + " stream=" + stream);
                int next = 0;
                for (final String packet : received.get(stream)) {
                    while (next < whole.size() && !whole.get(next).equals(packet)) {
                        next++;
                    }
                    assertTrue(next++ < whole.size(), at + " stream=" + stream + " not sent or not in order");
                }
            }
        }
    }

    /** A packet that was sent, and which of its cells arrived undamaged. */
    private static final class Packet {
        private final byte[] bytes;
        private final long first;
        private final boolean[] arrived;
        private int cut;

        private Packet(final byte[] bytes, final long first, final boolean[] arrived) {
            this.bytes = bytes;
            this.first = first;
            this.arrived = arrived;
        }

        private boolean done(final PacketFormat format) {
            return cut == format.cells(bytes.length);
        }

        private boolean whole() {
            boolean all = true;
            for (final boolean one : arrived) {
                all &= one;
            }
            return all;
        }
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
    void shouldSayWhenNoCellIsFreeAndGoOnLater() {
        final FreeList free = new FreeList(arena, 0, 1);
        final PacketSegmenter segmenter = segmenter(64, free);
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
        final PacketSegmenter segmenter = segmenter(64, free);
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
        Outcomes.refused(named, () -> new PacketFormat(new CellFormat(cellBytes, headerBytes), mtu));
    }

    @Test
    void shouldRefuseASlabOfShorterCells() {
        assertThrows(IllegalArgumentException.class, () -> segmenter(63, new FreeList(arena, 0, 1)));
    }

    private PacketSegmenter segmenter(final int slabBytes, final FreeList free) {
        return new PacketSegmenter(new PacketFormat(CellFormat.SHOAL, 1_500), new Slab(arena, 1, slabBytes), free,
            counts);
    }
}
