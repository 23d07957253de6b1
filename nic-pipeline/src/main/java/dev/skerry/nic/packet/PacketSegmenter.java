package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Cuts packets into cells of a slab, cell by cell as the fabric asks for them: which packet a flow is in, and at which
 * of its cells, is the flow's to know. Only payload is written; the header's bytes at the start of the cell are the
 * codec's. A packet is not interleaved with another one of its flow (docs/spec/shoal.md §3.3). One thread, that of the
 * free list.
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
     * A segmenter.
     *
     * @param format of packets in cells.
     * @param cells  where cells lie, header included.
     * @param free   of that slab.
     * @param counts what it counts into.
     * @throws IllegalArgumentException if a cell does not fit the slab's.
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
        // Native as everything that is copied: one kind of memory makes a copy a few instructions.
        this.zeros = Arena.ofAuto().allocate(payloadBytes);
    }

    /**
     * Whether a packet may enter, the check at the door; a refusal is counted.
     *
     * @param length its bytes.
     * @return false if it is longer than the MTU, or negative.
     */
    public boolean admit(final int length) {
        if (Integer.compareUnsigned(length, format.mtuBytes()) > 0) {
            counts.increment(PacketCounter.REFUSED_TOO_LONG);
            return false;
        }
        return true;
    }

    /**
     * Cuts one cell.
     *
     * @param packet where the packet lies.
     * @param offset its first byte.
     * @param length its bytes, as {@link #admit admitted}.
     * @param index  which cell of it, 0 to {@link PacketFormat#cells} - 1; its flags are {@link PacketFormat#flags}.
     * @return the cell, the caller's now, or {@link Slab#NONE}, counted, if none is free: ask again later.
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
            // What the cell held before is nobody else's to see.
            MemorySegment.copy(zeros, 0, memory, payload + used, payloadBytes - used);
        }
        counts.increment(PacketCounter.CELLS_CUT);
        if (format.isLast(length, index)) {
            counts.increment(PacketCounter.PACKETS_CUT);
        }
        return cell;
    }

    /** Refuses a slab whose cells are shorter than the format's. */
    static void requireRoom(final PacketFormat format, final Slab cells) {
        if (cells.cellBytes() < format.cell().cellBytes()) {
            throw new IllegalArgumentException("the slab's cells are too short: cellBytes=" + format.cell().cellBytes()
                + " slab.cellBytes=" + cells.cellBytes());
        }
    }
}
