package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Cells with right and wrong flags and lengths, and gaps, against a model of byte streams. */
final class PacketReassemblerModelTest {
    private static final int STREAMS = 4;
    private static final int ROUNDS = 30_000;
    private static final byte CANARY = (byte) 0xEE;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    private final List<String> expectedCalls = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final Map<PacketCounter, Long> expectedCounts = new EnumMap<>(PacketCounter.class);
    private SplittableRandom random;
    private PacketFormat format;
    private int buffers;
    private int open;

    @ParameterizedTest
    @CsvSource({
        "64, 8, 400, 4, 20, 1", "64, 8, 400, 2, 200, 2", "256, 12, 1500, 4, 20, 3", "272, 16, 900, 3, 60, 4",
        "12, 8, 30, 4, 10, 5", "13, 8, 0, 1, 50, 6", "64, 8, 52, 1, 100, 7", "64, 8, 100, 1, 600, 8"
    })
    void shouldDeliverAndDropAsTheModel(final int cellBytes, final int headerBytes, final int mtu, final int buffers,
        final int perMilleWrong, final long seed) {
        random = new SplittableRandom(seed);
        format = new PacketFormat(new CellFormat(cellBytes, headerBytes), mtu);
        this.buffers = buffers;
        final PacketCounts counts = new PacketCounts();
        final Model[] models = new Model[STREAMS];
        final int[][] plans = new int[STREAMS][2];
        final Slab slab = new Slab(arena, 3, cellBytes);
        slab.segment().fill(CANARY);
        final FreeList free = new FreeList(arena, 0, 3);
        final PacketReassembler reassembler = new PacketReassembler(arena, STREAMS, buffers, format, slab,
            free::free, new Packets(calls), counts);
        for (int stream = 0; stream < STREAMS; stream++) {
            models[stream] = new Model(stream);
        }
        for (int round = 0; round < ROUNDS; round++) {
            final int stream = random.nextInt(STREAMS);
            final int choice = random.nextInt(3_000);
            if (choice < perMilleWrong) {
                models[stream].gap();
                reassembler.onGap(stream, 1);
            } else {
                final int flags = flags(plans[stream], perMilleWrong);
                final byte[] payload = payload(plans[stream], flags, perMilleWrong);
                final int cell = free.alloc();
                MemorySegment.copy(payload, 0, slab.segment(), ValueLayout.JAVA_BYTE,
                    slab.offset(cell) + headerBytes, payload.length);
                models[stream].cell(payload, flags);
                expectedCounts.merge(PacketCounter.CELLS_RECEIVED, 1L, Long::sum);
                counts.increment(PacketCounter.CELLS_RECEIVED);
                reassembler.onCell(stream, cell, flags);
            }
            final String at = "seed=" + seed + " round=" + round;
            assertEquals(expectedCalls, calls, at);
            expectedCalls.clear();
            calls.clear();
            for (final PacketCounter counter : PacketCounter.values()) {
                assertEquals(expectedCounts.getOrDefault(counter, 0L), counts.get(counter), at + " " + counter);
            }
            assertEquals(open, reassembler.openPackets(), at);
            assertEquals(0, free.held(), at);
            verifyCells(counts, reassembler.held());
        }
        assertTrue(counts.get(PacketCounter.PACKETS_DELIVERED) > ROUNDS / 200, "seed=" + seed);
        assertTrue(counts.get(PacketCounter.PACKETS_INTERRUPTED) > 0 || mtu <= format.payloadBytes() - 4);
        assertTrue(counts.get(PacketCounter.PACKETS_WRONG_LENGTH) > 0 && counts.get(PacketCounter.PACKETS_TOO_LONG) > 0
            && counts.get(PacketCounter.PACKETS_NO_START) > 0 && counts.get(PacketCounter.PACKETS_AFTER_GAP) > 0);
    }

    /** The next flags by the plan {length, cells sent}; sometimes random ones. */
    private int flags(final int[] plan, final int perMilleWrong) {
        if (plan[1] == 0) {
            plan[0] = random.nextInt(random.nextInt(format.mtuBytes() + 1) + 1);
        }
        final int right = format.flags(plan[0], plan[1]);
        plan[1] = (right & PacketFormat.EOP) != 0 ? 0 : plan[1] + 1;
        return random.nextInt(1_000) < perMilleWrong ? random.nextInt(4) << 1 : right;
    }

    private byte[] payload(final int[] plan, final int flags, final int perMilleWrong) {
        final byte[] payload = new byte[format.payloadBytes()];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) random.nextInt(100);
        }
        if ((flags & PacketFormat.SOP) != 0) {
            final int wrong = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(format.mtuBytes() + 3);
            ByteBuffer.wrap(payload).putInt(random.nextInt(1_000) < perMilleWrong ? wrong : plan[0]);
        }
        return payload;
    }

    /** Records the calls of a reassembler. */
    private record Packets(List<String> log) implements PacketHandler {
        @Override
        public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
            final byte[] bytes = new byte[length];
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
            log.add("packet " + stream + " " + HexFormat.of().formatHex(bytes));
        }

        @Override
        public void onLoss(final int stream, final PacketCounter why) {
            log.add("loss " + stream + " " + why);
        }
    }

    private final class Model {
        private final int stream;
        /** Payloads of the open packet, beginning with its length; null if no packet is open. */
        private ByteArrayOutputStream bytes;
        private int cells;
        /** Counter of the cells dropped up to the next start or end; null if a packet may start. */
        private String skipping;

        private Model(final int stream) {
            this.stream = stream;
        }

        private void cell(final byte[] payload, final int flags) {
            final boolean start = (flags & PacketFormat.SOP) != 0;
            final boolean end = (flags & PacketFormat.EOP) != 0;
            if (start && bytes != null) {
                lose("INTERRUPTED");
            }
            if (!start && bytes == null) {
                if (skipping == null) {
                    skipping = "NO_START";
                    report();
                }
                drop(1);
                skipping = end ? null : skipping;
                return;
            }
            skipping = null;
            bytes = start ? new ByteArrayOutputStream() : bytes;
            open += start ? 1 : 0;
            bytes.writeBytes(payload);
            cells++;
            final long length = ByteBuffer.wrap(bytes.toByteArray()).getInt() & 0xFFFFFFFFL;
            final boolean complete = bytes.size() >= 4 + length;
            if (length > format.mtuBytes()) {
                lose("TOO_LONG");
            } else if (end != complete) {
                lose("WRONG_LENGTH");
            } else if (complete) {
                expectedCalls.add(
                    "packet " + stream + " " + HexFormat.of().formatHex(bytes.toByteArray(), 4, 4 + (int) length));
                count(PacketCounter.CELLS_DELIVERED, cells);
                count(PacketCounter.PACKETS_DELIVERED, 1);
                close();
            } else if (open > buffers) {
                lose("NO_BUFFER");
            }
            skipping = end ? null : skipping;
        }

        private void gap() {
            if (bytes != null) {
                lose("AFTER_GAP");
            } else if (skipping == null) {
                skipping = "AFTER_GAP";
                report();
            }
            skipping = "AFTER_GAP";
        }

        private void lose(final String why) {
            skipping = why;
            drop(cells);
            report();
            close();
        }

        private void close() {
            bytes = null;
            cells = 0;
            open--;
        }

        private void drop(final int number) {
            count(PacketCounter.valueOf("DROPPED_" + skipping), number);
        }

        private void report() {
            expectedCalls.add("loss " + stream + " PACKETS_" + skipping);
            count(PacketCounter.valueOf("PACKETS_" + skipping), 1);
        }

        private void count(final PacketCounter counter, final long number) {
            expectedCounts.merge(counter, number, Long::sum);
        }
    }

    @Test
    void shouldNameWhenTheLawIsBroken() {
        final Slab slab = new Slab(arena, 1, 64);
        final FreeList free = new FreeList(arena, 0, 1);
        final PacketCounts counts = new PacketCounts();
        final PacketFormat shoal = new PacketFormat(CellFormat.SHOAL, 200);
        final PacketReassembler reassembler = new PacketReassembler(arena, 2, 1, shoal, slab, free::free, null, counts);
        final int cell = free.alloc();
        slab.segment().set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), slab.offset(cell) + 8, 150);
        reassembler.onCell(0, cell, PacketFormat.SOP);
        assertThrows(AssertionError.class, () -> verifyCells(counts, reassembler.held()),
            "the cell was never received");
        assertThrows(IllegalArgumentException.class, () -> new PacketReassembler(arena, 1, 1,
            new PacketFormat(CellFormat.SHALE, 200), slab, free::free, null, counts));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketReassembler(arena, 0, 1, shoal, slab, free::free, null, counts));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketReassembler(arena, 1, 0, shoal, slab, free::free, null, counts));
        for (final PacketCounter counter : PacketCounter.values()) {
            assertEquals(counter.name().startsWith("DROPPED_"), counter.isDrop(), counter.name());
        }
    }

    /**
     * Checks that cells received = cells delivered + cells held + drops.
     *
     * @param held cells held by the {@link ReorderWindow} and the {@link PacketReassembler} together.
     */
    static void verifyCells(final PacketCounts counts, final long held) {
        assertEquals(counts.get(PacketCounter.CELLS_RECEIVED),
            counts.get(PacketCounter.CELLS_DELIVERED) + held + counts.dropped(), "cells are not conserved");
    }
}
