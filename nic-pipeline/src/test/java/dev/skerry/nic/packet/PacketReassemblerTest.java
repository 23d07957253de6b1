package dev.skerry.nic.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** What a reassembler checks; {@link PacketReassemblerModelTest} has its behaviour. */
final class PacketReassemblerTest {
    private static final PacketFormat FORMAT = new PacketFormat(CellFormat.SHOAL, 200);

    private final Arena arena = Arena.ofConfined();
    private final Slab slab = new Slab(arena, 1, 64);
    private final FreeList free = new FreeList(arena, 0, 1);
    private final PacketCounts counts = new PacketCounts();

    @AfterEach
    void close() {
        arena.close();
    }

    private PacketReassembler reassembler(final int streams, final int buffers, final PacketFormat format) {
        return new PacketReassembler(arena, streams, buffers, format, slab, free::free, null, counts);
    }

    @Test
    void shouldNameWhenTheLawIsBroken() {
        final PacketReassembler reassembler = reassembler(2, 1, FORMAT);
        final int cell = free.alloc();
        slab.segment().set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), slab.offset(cell) + 8, 150);
        reassembler.onCell(0, cell, PacketFormat.SOP);
        assertThrows(IllegalStateException.class, () -> CellLaw.verify(counts, reassembler.held()),
            "the cell was never received");
        for (final PacketCounter counter : PacketCounter.values()) {
            assertEquals(counter.name().startsWith("DROPPED_"), counter.isDrop(), counter.name());
        }
    }

    @Test
    void shouldRefuseWhatCannotWork() {
        final PacketFormat large = new PacketFormat(CellFormat.SHALE, 200);
        assertThrows(IllegalArgumentException.class, () -> reassembler(1, 1, large));
        assertThrows(IllegalArgumentException.class, () -> reassembler(0, 1, FORMAT));
        assertThrows(IllegalArgumentException.class, () -> reassembler(1, 0, FORMAT));
    }
}
