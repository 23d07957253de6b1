package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Packets through the segmenter, Shoal's header, a fabric that loses, doubles, delays and damages cells, the window and
 * the reassembler. The model: a packet arrives, in order and byte by byte, if each of its cells arrived undamaged at
 * least once. If memory runs short, packets may be lost, but none arrives that was not sent.
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

    private final ShoalHeader header = new ShoalHeader(16, CLASSES, CellFormat.SHOAL);
    private final PacketFormat format = new PacketFormat(CellFormat.SHOAL, MTU);
    private final PacketCounts counts = new PacketCounts();
    private final TreeMap<Long, List<int[]>> underWay = new TreeMap<>();
    private final List<List<Packet>> sent = new ArrayList<>();
    private final List<List<String>> received = new ArrayList<>();
    private SplittableRandom random;
    private Slab slab;
    private FreeList free;
    private PacketSegmenter segmenter;
    private ReorderWindow windows;
    private PacketReassembler reassembler;
    private long damaged;

    @ParameterizedTest
    @CsvSource({
        // places in the pool, buffers, per mille lost, doubled, damaged, seed
        "2048, 8, 0, 0, 0, 1", "4096, 8, 5, 0, 0, 2", "4096, 8, 0, 50, 0, 3", "4096, 8, 0, 0, 10, 4",
        "4096, 8, 5, 20, 5, 5", "4096, 8, 100, 100, 50, 6", "4096, 8, 1, 1, 1, 7",
        "512, 8, 5, 20, 5, 8", "4096, 2, 5, 20, 5, 9", "512, 1, 50, 50, 50, 10"
    })
    void shouldDeliverWhatArrivedWhole(final int pool, final int buffers, final int lost, final int doubled,
        final int damage, final long seed) {
        random = new SplittableRandom(seed);
        try (Arena arena = Arena.ofConfined()) {
            assemble(arena, pool, buffers);
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
            assertEquals(pool, windows.freeCells());
            free.verify();
            compare(pool == 4096 && buffers == STREAMS || lost + damage == 0, "seed=" + seed);
            assertEquals(lost == 0 && damage == 0, counts.get(PacketCounter.CELLS_LOST) == 0, "seed=" + seed);
            assertEquals(damage > 0, damaged > 0);
            assertEquals(buffers < STREAMS, counts.get(PacketCounter.DROPPED_NO_BUFFER) > 0, "seed=" + seed);
            assertEquals(pool == 512, counts.get(PacketCounter.DROPPED_NO_WINDOW) > 0, "seed=" + seed);
        }
    }

    private void assemble(final Arena arena, final int pool, final int buffers) {
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
        windows = new ReorderWindow(arena, new WindowConfig(STREAMS, header.sequenceBits(), WINDOW, pool, TIMEOUT),
            free::free, reassembler, counts);
        for (int stream = 0; stream < STREAMS; stream++) {
            // Starts shortly before the sequence numbers wrap.
            windows.reset(stream, firstSequence(stream));
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
        CellLaw.verify(counts, windows.held() + reassembler.held());
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
}
