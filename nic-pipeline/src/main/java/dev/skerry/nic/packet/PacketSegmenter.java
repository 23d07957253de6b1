package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Cuts packets into cells of a slab, cell by cell as the fabric requests them. The flow keeps the current packet and
 * the index of the next cell. The segmenter writes only payload; the codec writes the header at the start of the cell.
 * Cells of two packets of one flow do not interleave (docs/spec/shoal.md §3.3). One thread, the owner of the free list.
 */
public final class PacketSegmenter {
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final PacketFormat format;
    private final int headerBytes;
    private final int payloadBytes;
    private final Slab cells;
    private final FreeList free;
    private final PacketCounts counts;
    private final MemorySegment zeros;

    /**
     * Creates a segmenter.
     *
     * @param format layout of packets in cells.
     * @param cells  the slab of the cells, including headers.
     * @param free   free list of that slab.
     * @param counts counters to update.
     * @throws IllegalArgumentException if the slab's cells are too short.
     */
    public PacketSegmenter(final PacketFormat format, final Slab cells, final FreeList free,
        final PacketCounts counts) {
        requireRoom(format, cells);
        this.format = format;
        this.headerBytes = format.cell().headerBytes();
        this.payloadBytes = format.payloadBytes();
        this.cells = cells;
        this.free = free;
        this.counts = counts;
        // Native, like everything else that is copied: with one kind of memory the JIT turns a copy into a few
        // instructions.
        this.zeros = Arena.ofAuto().allocate(payloadBytes);
    }

    /**
     * Cuts one cell.
     *
     * @param packet memory of the packet.
     * @param offset offset of its first byte.
     * @param length bytes of the packet, 0 up to the MTU.
     * @param index  index of the cell in the packet, 0 to {@link PacketFormat#cells} - 1. {@link PacketFormat#flags}
     *               returns its flags.
     * @return the cell, which the caller now owns; {@link Slab#NONE} if no cell is free, which is counted: try again
     *     later.
     * @throws IndexOutOfBoundsException if the packet does not lie in the segment.
     */
    public int cut(final MemorySegment packet, final long offset, final int length, final int index) {
        assert length >= 0 && length <= format.mtuBytes() : "length=" + length;
        assert index >= 0 && (index == 0 || !format.isLast(length, index - 1)) : "index=" + index + " length=" + length;
        Objects.checkFromIndexSize(offset, length, packet.byteSize());
        final int cell = free.alloc();
        if (cell == Slab.NONE) {
            counts.increment(PacketCounter.REFUSED_NO_CELL);
            return Slab.NONE;
        }
        final MemorySegment memory = cells.segment();
        final long payload = cells.offset(cell) + headerBytes;
        final int before = index == 0 ? PacketFormat.LENGTH_BYTES : 0;
        final long from = (long) index * payloadBytes - PacketFormat.LENGTH_BYTES + before;
        final int bytes = (int) Math.min(length - from, payloadBytes - before);
        if (index == 0) {
            memory.set(LENGTH, payload, length);
        }
        MemorySegment.copy(packet, offset + from, memory, payload + before, bytes);
        final int used = before + bytes;
        if (used < payloadBytes) {
            // The old content of a cell may belong to another packet and must not leak.
            MemorySegment.copy(zeros, 0, memory, payload + used, payloadBytes - used);
        }
        counts.increment(PacketCounter.CELLS_CUT);
        if (format.isLast(length, index)) {
            counts.increment(PacketCounter.PACKETS_CUT);
        }
        return cell;
    }

    static void requireRoom(final PacketFormat format, final Slab cells) {
        Bounds.refuseIf(cells.cellBytes() < format.cell().cellBytes(), "the slab's cells are too short: cellBytes=",
            format.cell().cellBytes(), " slab.cellBytes=", cells.cellBytes());
    }
}
