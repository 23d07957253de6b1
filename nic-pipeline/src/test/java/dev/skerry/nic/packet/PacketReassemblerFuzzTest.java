package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Arbitrary cells in arbitrary order through the window and the reassembler. {@code mvn verify} replays the inputs in
 * the test resources; with {@code JAZZER_FUZZ=1} in the environment the same test searches for new ones.
 */
final class PacketReassemblerFuzzTest {
    private static final CellFormat[] FORMATS = {CellFormat.SHOAL, new CellFormat(13, 8), CellFormat.SHALE};
    private static final int STREAMS = 2;
    private static final int CELLS = 80;
    private static final int TIMEOUT = 20;
    private static final int MTU = 300;
    private static final int STEP_BYTES = 4;
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Input: one byte that selects the format, then four bytes per step. Byte 1 selects the action: bits 0 and 1 are
     * the flags, bit 2 is the stream, bits 3 and 4 are 0 to 2 for a cell; 3 lets time pass. Byte 2 is the sequence
     * number, bytes 3 and 4 are the length.
     */
    @FuzzTest(maxDuration = "60s")
    void shouldDeliverOrCountAnyCells(final byte[] input) {
        if (input.length < 1 + STEP_BYTES) {
            return;
        }
        final PacketFormat format = new PacketFormat(FORMATS[(input[0] & 0xFF) % FORMATS.length], MTU);
        final PacketCounts counts = new PacketCounts();
        final Checker checker = new Checker(format.payloadBytes());
        try (Arena arena = Arena.ofConfined()) {
            final Slab slab = new Slab(arena, CELLS, format.cell().cellBytes());
            final FreeList free = new FreeList(arena, 0, CELLS);
            // The two streams share one buffer.
            final PacketReassembler reassembler =
                new PacketReassembler(arena, STREAMS, 1, format, slab, free::free, checker, counts);
            final ReorderWindow windows = new ReorderWindow(arena, new WindowConfig(STREAMS, 8, 32, TIMEOUT),
                free::free, reassembler, counts);
            long slot = 0;
            long received = 0;
            for (int at = 1; at + STEP_BYTES <= input.length; at += STEP_BYTES) {
                final int what = input[at];
                final int flags = (what & 3) << 1;
                final int stream = what >> 2 & 1;
                if ((what >> 3 & 3) != 3) {
                    final int cell = free.alloc();
                    assertNotEquals(Slab.NONE, cell, "no more cells wait than the windows hold");
                    final int length = (flags & PacketFormat.SOP) != 0
                        ? input[at + 2] << 8 | input[at + 3] & 0xFF : (input[at + 1] & 0xFF) * 0x0101_0101;
                    fill(slab, cell, format, input[at + 1], length);
                    windows.accept(stream, input[at + 1] & 0xFF, cell, flags, slot);
                    received++;
                } else {
                    slot += input[at + 1] & 0xFF;
                    windows.sweep(slot, 1);
                }
                assertEquals(received, counts.get(PacketCounter.CELLS_RECEIVED));
                PacketReassemblerModelTest.verifyCells(counts, windows.held() + reassembler.held());
                assertEquals(windows.held(), free.held());
            }
            settle(windows, slot + TIMEOUT);
            assertEquals(0, windows.held());
            assertEquals(0, free.held());
            free.verify();
            PacketReassemblerModelTest.verifyCells(counts, reassembler.held());
            assertEquals(checker.packets, counts.get(PacketCounter.PACKETS_DELIVERED));
            assertArrayEquals(checker.losses, losses(counts));
        }
    }

    /** The payload repeats the low byte of the sequence number; the rest of the cell holds its complement. */
    private static void fill(final Slab slab, final int cell, final PacketFormat format, final int sequence,
        final int length) {
        final MemorySegment memory = slab.segment();
        final int stride = (int) memory.byteSize() / slab.cells();
        final long payload = slab.offset(cell) + format.cell().headerBytes();
        memory.asSlice(slab.offset(cell), stride).fill((byte) ~sequence);
        memory.asSlice(payload, format.payloadBytes()).fill((byte) sequence);
        memory.set(LENGTH, payload, length);
    }

    private static void settle(final ReorderWindow windows, final long slot) {
        for (int stream = 0; stream < STREAMS; stream++) {
            windows.expire(stream, slot);
        }
    }

    private static long[] losses(final PacketCounts counts) {
        final long[] values = new long[PacketCounter.values().length];
        for (final PacketCounter counter : PacketCounter.values()) {
            values[counter.ordinal()] = counter.isLoss() ? counts.get(counter) : 0;
        }
        return values;
    }

    /** Checks every byte handed out, where each cell's byte is one higher, and counts packets and losses. */
    private static final class Checker implements PacketHandler {
        private final long[] losses = new long[PacketCounter.values().length];
        private final int payloadBytes;
        private long packets;

        private Checker(final int payloadBytes) {
            this.payloadBytes = payloadBytes;
        }

        @Override
        public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
            assertTrue(length >= 0 && length <= MTU, "length=" + length);
            final int inFirst = payloadBytes - PacketFormat.LENGTH_BYTES;
            for (int i = 0; i < length; i++) {
                final int reference = i < inFirst ? 0 : inFirst;
                final int number = segment.get(ValueLayout.JAVA_BYTE, offset + reference)
                    + (i < inFirst ? 0 : (i - inFirst) / payloadBytes);
                assertEquals((byte) number, segment.get(ValueLayout.JAVA_BYTE, offset + i), "byte=" + i);
            }
            if (length > inFirst && inFirst > 0) {
                assertEquals((byte) (segment.get(ValueLayout.JAVA_BYTE, offset) + 1),
                    segment.get(ValueLayout.JAVA_BYTE, offset + inFirst), "the second cell");
            }
            packets++;
        }

        @Override
        public void onLoss(final int stream, final PacketCounter why) {
            losses[why.ordinal()]++;
        }
    }
}
