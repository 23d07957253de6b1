package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Recovery after each kind of damage, one by one. {@link PacketReassemblerModelTest} combines them. */
final class PacketReassemblerTest {
    private static final int SOP = PacketFormat.SOP;
    private static final int EOP = PacketFormat.EOP;
    private static final PacketFormat FORMAT = new PacketFormat(CellFormat.SHOAL, 200);

    private final Arena arena = Arena.ofConfined();
    private final Slab slab = new Slab(arena, 1, 64);
    private final FreeList free = new FreeList(arena, 0, 1);
    private final List<String> calls = new ArrayList<>();
    private final PacketCounts counts = new PacketCounts();
    private final PacketReassembler reassembler = new PacketReassembler(arena, 2, 1, FORMAT, slab, free::free,
        new PacketHandler() {
            @Override
            public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
                calls.add(stream + " packet " + length);
            }

            @Override
            public void onLoss(final int stream, final PacketCounter why) {
                calls.add(stream + " " + why);
            }
        }, counts);

    @AfterEach
    void close() {
        arena.close();
    }

    private void cell(final int stream, final int flags, final int length) {
        final int cell = free.alloc();
        slab.segment().set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), slab.offset(cell) + 8,
            length);
        reassembler.onCell(stream, cell, flags);
        assertEquals(0, free.held());
    }

    private void expect(final String... expected) {
        assertEquals(List.of(expected), calls);
        calls.clear();
        cell(0, SOP | EOP, 1);
        assertEquals(List.of("0 packet 1"), calls, "the next packet must come through");
        calls.clear();
    }

    @Test
    void shouldDeliverPacketsOfOneAndOfSeveralCells() {
        cell(0, SOP | EOP, 0);
        cell(0, SOP | EOP, 52);
        cell(0, SOP, 53);
        assertEquals(1, reassembler.openPackets());
        cell(0, EOP, 0);
        cell(0, SOP, 200);
        cell(0, 0, 0);
        cell(0, 0, 0);
        cell(0, EOP, 0);
        expect("0 packet 0", "0 packet 52", "0 packet 53", "0 packet 200");
        assertEquals(9, counts.get(PacketCounter.CELLS_DELIVERED));
        assertEquals(5, counts.get(PacketCounter.PACKETS_DELIVERED));
    }

    @Test
    void shouldDropThePacketInWhichAnotherStarts() {
        cell(0, SOP, 100);
        cell(0, SOP, 60);
        cell(0, EOP, 0);
        expect("0 PACKETS_INTERRUPTED", "0 packet 60");
        assertEquals(1, counts.get(PacketCounter.DROPPED_INTERRUPTED));
    }

    @Test
    void shouldDropAPacketWithoutAStartOnce() {
        cell(0, 0, 0);
        cell(0, 0, 0);
        cell(0, EOP, 0);
        cell(0, EOP, 0);
        expect("0 PACKETS_NO_START", "0 PACKETS_NO_START");
        assertEquals(4, counts.get(PacketCounter.DROPPED_NO_START));
    }

    @Test
    void shouldDropAPacketThatEndsWhereItsLengthDoesNot() {
        cell(0, SOP | EOP, 53);
        cell(0, SOP, 52);
        cell(0, 0, 0);
        cell(0, EOP, 0);
        cell(0, SOP, 200);
        cell(0, EOP, 0);
        cell(0, SOP, 100);
        cell(0, 0, 0);
        cell(0, EOP, 0);
        expect("0 PACKETS_WRONG_LENGTH", "0 PACKETS_WRONG_LENGTH", "0 PACKETS_WRONG_LENGTH", "0 PACKETS_WRONG_LENGTH");
        assertEquals(9, counts.get(PacketCounter.DROPPED_WRONG_LENGTH));
    }

    @Test
    void shouldDropAPacketThatSaysItIsLongerThanTheMtu() {
        cell(0, SOP | EOP, 201);
        cell(0, SOP, -1);
        cell(0, 0, 0);
        cell(0, EOP, 0);
        cell(0, SOP, Integer.MIN_VALUE);
        expect("0 PACKETS_TOO_LONG", "0 PACKETS_TOO_LONG", "0 PACKETS_TOO_LONG");
        assertEquals(5, counts.get(PacketCounter.DROPPED_TOO_LONG));
    }

    @Test
    void shouldDropWhatHasNoBuffer() {
        cell(1, SOP, 100);
        cell(0, SOP, 100);
        cell(0, EOP, 0);
        cell(1, EOP, 0);
        expect("0 PACKETS_NO_BUFFER", "1 packet 100");
        assertEquals(2, counts.get(PacketCounter.DROPPED_NO_BUFFER));
    }

    @Test
    void shouldSkipToTheNextStartAfterAGap() {
        cell(0, SOP, 150);
        reassembler.onGap(0, 1);
        cell(0, 0, 0);
        reassembler.onGap(0, 3);
        cell(0, EOP, 0);
        reassembler.onGap(0, 1);
        expect("0 PACKETS_AFTER_GAP", "0 PACKETS_AFTER_GAP");
        assertEquals(3, counts.get(PacketCounter.DROPPED_AFTER_GAP));
        assertEquals(0, reassembler.held());
    }

    @Test
    void shouldForgetTheOpenPacketOfAStreamThatStartsAnew() {
        cell(0, SOP, 150);
        cell(0, 0, 0);
        assertEquals(2, reassembler.held());
        reassembler.onReset(0);
        reassembler.onReset(0);
        expect("0 PACKETS_RESET");
        assertEquals(2, counts.get(PacketCounter.DROPPED_RESET));
        assertEquals(0, reassembler.openPackets());
    }

    @Test
    void shouldNameWhenTheLawIsBroken() {
        cell(0, SOP, 150);
        assertThrows(IllegalStateException.class, () -> counts.verify(reassembler.held()), "nobody received the cell");
        for (final PacketCounter counter : PacketCounter.values()) {
            assertEquals(counter.name().startsWith("DROPPED_"), counter.isDrop(), counter.name());
        }
    }

    @Test
    void shouldRefuseWhatCannotWork() {
        final PacketFormat large = new PacketFormat(CellFormat.SHALE, 200);
        assertThrows(IllegalArgumentException.class,
            () -> new PacketReassembler(arena, 1, 1, large, slab, free::free, null, counts));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketReassembler(arena, 0, 1, FORMAT, slab, free::free, null, counts));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketReassembler(arena, 1, 0, FORMAT, slab, free::free, null, counts));
    }
}
