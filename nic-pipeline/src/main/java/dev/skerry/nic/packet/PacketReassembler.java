package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow.CellHandler;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;

/**
 * Reassembles packets from cells that arrive in order. A packet of one cell is delivered in place. A longer packet is
 * copied into a buffer that it holds while it is open; each of its cells is freed immediately.
 *
 * <pre>
 *   one stream   0        4        8        12       16
 *                +--------+--------+--------+--------+-------+
 *                | status | buffer | length | filled | cells |    32 bytes
 *                +--------+--------+--------+--------+-------+
 *   status: IDLE, a packet may start; OPEN; or the drop counter for cells up to the next start or end
 * </pre>
 *
 * <p>An error costs only the packet in which it occurs (docs/spec/shoal.md §3.3): a start while a packet is open, a
 * cell without a start, an end that does not match the length, a length beyond the MTU, a gap. The cells of that packet
 * are dropped and counted under the reason, up to the next start. The packet is counted and reported once. No content
 * of a cell can cause an access beyond the cell's payload or the buffer. One thread; the data path does not allocate.
 */
public final class PacketReassembler implements CellHandler {
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int STATUS = 0;
    private static final int BUFFER = 4;
    private static final int TOTAL = 8;
    private static final int FILLED = 12;
    private static final int CELLS = 16;
    private static final int STREAM_SHIFT = 5;

    private static final int IDLE = -1;
    private static final int OPEN = -2;

    private final int streams;
    private final PacketFormat format;
    private final int headerBytes;
    private final int payloadBytes;
    private final Region state;
    private final Slab cells;
    private final IntConsumer freeCell;
    private final Slab buffers;
    private final FreeList freeBuffers;
    private final PacketHandler handler;
    private final PacketCounts counts;
    private long held;

    /**
     * Creates a reassembler with no packet open.
     *
     * @param arena    owner of the memory.
     * @param streams  number of streams.
     * @param buffers  maximum number of open packets of more than one cell.
     * @param format   layout of packets in cells.
     * @param cells    slab of the cells.
     * @param freeCell frees every cell.
     * @param handler  receives the packets.
     * @param counts   counters to update.
     */
    public PacketReassembler(final Arena arena, final int streams, final int buffers, final PacketFormat format,
        final Slab cells, final IntConsumer freeCell, final PacketHandler handler, final PacketCounts counts) {
        Bounds.atLeast("streams", streams, 1);
        PacketSegmenter.requireRoom(format, cells);
        this.streams = streams;
        this.format = format;
        this.headerBytes = format.cell().headerBytes();
        this.payloadBytes = format.payloadBytes();
        this.state = Region.allocate(arena, (long) streams << STREAM_SHIFT);
        this.cells = cells;
        this.freeCell = freeCell;
        this.buffers = new Slab(arena, buffers, Math.max(1, format.mtuBytes()));
        this.freeBuffers = new FreeList(arena, 0, buffers);
        this.handler = handler;
        this.counts = counts;
        for (int stream = 0; stream < streams; stream++) {
            state.setInt(at(stream) + STATUS, IDLE);
        }
    }

    @Override
    public void onCell(final int stream, final int cell, final int flags) {
        final long at = at(stream);
        if ((flags & PacketFormat.SOP) != 0) {
            if (state.getInt(at + STATUS) == OPEN) {
                abandon(at, PacketCounter.DROPPED_INTERRUPTED);
                lose(stream, PacketCounter.PACKETS_INTERRUPTED);
            }
            begin(stream, at, cell, flags);
        } else if (state.getInt(at + STATUS) == OPEN) {
            append(stream, at, cell, flags);
        } else {
            skip(stream, at, flags);
        }
        freeCell.accept(cell);
    }

    /**
     * Handles a cell of a stream that was lost in the fabric, and thereby its packet, which is counted once. The fabric
     * has already counted the cell.
     *
     * @param stream the stream.
     * @param cell   its index in the slab; ownership passes to the reassembler.
     * @param flags  its flags.
     */
    public void onLost(final int stream, final int cell, final int flags) {
        final long at = at(stream);
        final int status = state.getInt(at + STATUS);
        if (status == OPEN) {
            abandon(at, PacketCounter.DROPPED_AFTER_GAP);
        }
        if (status == OPEN || (flags & PacketFormat.SOP) != 0) {
            lose(stream, PacketCounter.PACKETS_WITH_CELLS);
        }
        state.setInt(at + STATUS, (flags & PacketFormat.EOP) != 0 ? IDLE
            : PacketCounter.DROPPED_AFTER_GAP.ordinal());
        freeCell.accept(cell);
    }

    @Override
    public void onGap(final int stream, final long missing) {
        final long at = at(stream);
        final int status = state.getInt(at + STATUS);
        if (status == OPEN) {
            abandon(at, PacketCounter.DROPPED_AFTER_GAP);
        }
        state.setInt(at + STATUS, PacketCounter.DROPPED_AFTER_GAP.ordinal());
        if (status < 0) {
            // Otherwise the missing cells may belong to the packet that has already been counted as lost.
            lose(stream, PacketCounter.PACKETS_AFTER_GAP);
        }
    }

    /** Number of cells in open packets. */
    public long held() {
        return held;
    }

    /** Number of open packets of more than one cell. */
    public int openPackets() {
        return freeBuffers.held();
    }

    private long at(final int stream) {
        assert stream >= 0 && stream < streams : "stream=" + stream + " streams=" + streams;
        return (long) stream << STREAM_SHIFT;
    }

    private void begin(final int stream, final long at, final int cell, final int flags) {
        final MemorySegment memory = cells.segment();
        final long payload = cells.offset(cell) + headerBytes;
        final int length = memory.get(LENGTH, payload);
        if (Integer.compareUnsigned(length, format.mtuBytes()) > 0) {
            refuse(stream, at, flags, PacketCounter.DROPPED_TOO_LONG, PacketCounter.PACKETS_TOO_LONG);
            return;
        }
        final boolean end = (flags & PacketFormat.EOP) != 0;
        final int room = payloadBytes - PacketFormat.LENGTH_BYTES;
        if (end != length <= room) {
            refuse(stream, at, flags, PacketCounter.DROPPED_WRONG_LENGTH, PacketCounter.PACKETS_WRONG_LENGTH);
        } else if (end) {
            state.setInt(at + STATUS, IDLE);
            delivered(1);
            handler.onPacket(stream, memory, payload + PacketFormat.LENGTH_BYTES, length);
        } else {
            final int buffer = freeBuffers.alloc();
            if (buffer == Slab.NONE) {
                refuse(stream, at, flags, PacketCounter.DROPPED_NO_BUFFER, PacketCounter.PACKETS_NO_BUFFER);
                return;
            }
            MemorySegment.copy(memory, payload + PacketFormat.LENGTH_BYTES, buffers.segment(), buffers.offset(buffer),
                room);
            state.setInt(at + STATUS, OPEN);
            state.setInt(at + BUFFER, buffer);
            state.setInt(at + TOTAL, length);
            state.setInt(at + FILLED, room);
            state.setInt(at + CELLS, 1);
            held++;
        }
    }

    private void append(final int stream, final long at, final int cell, final int flags) {
        final int length = state.getInt(at + TOTAL);
        final int filled = state.getInt(at + FILLED);
        final int taken = Math.min(length - filled, payloadBytes);
        final boolean end = (flags & PacketFormat.EOP) != 0;
        if (end != (filled + taken == length)) {
            abandon(at, PacketCounter.DROPPED_WRONG_LENGTH);
            refuse(stream, at, flags, PacketCounter.DROPPED_WRONG_LENGTH, PacketCounter.PACKETS_WRONG_LENGTH);
            return;
        }
        final int buffer = state.getInt(at + BUFFER);
        final long to = buffers.offset(buffer);
        MemorySegment.copy(cells.segment(), cells.offset(cell) + headerBytes, buffers.segment(), to + filled, taken);
        final int number = state.getInt(at + CELLS) + 1;
        if (end) {
            state.setInt(at + STATUS, IDLE);
            held -= number - 1;
            delivered(number);
            handler.onPacket(stream, buffers.segment(), to, length);
            freeBuffers.free(buffer);
        } else {
            state.setInt(at + FILLED, filled + taken);
            state.setInt(at + CELLS, number);
            held++;
        }
    }

    /** Drops a cell that arrived while no packet was open. */
    private void skip(final int stream, final long at, final int flags) {
        final int status = state.getInt(at + STATUS);
        if (status == IDLE) {
            refuse(stream, at, flags, PacketCounter.DROPPED_NO_START, PacketCounter.PACKETS_NO_START);
        } else {
            counts.addTo(status, 1);
            if ((flags & PacketFormat.EOP) != 0) {
                state.setInt(at + STATUS, IDLE);
            }
        }
    }

    /** Drops a cell and marks the later cells of its packet to be dropped. */
    private void refuse(final int stream, final long at, final int flags, final PacketCounter dropped,
        final PacketCounter lost) {
        counts.increment(dropped);
        state.setInt(at + STATUS, (flags & PacketFormat.EOP) != 0 ? IDLE : dropped.ordinal());
        lose(stream, lost);
    }

    /** Drops the cells of the open packet and frees its buffer. The caller sets the status. */
    private void abandon(final long at, final PacketCounter dropped) {
        final int number = state.getInt(at + CELLS);
        counts.add(dropped, number);
        held -= number;
        freeBuffers.free(state.getInt(at + BUFFER));
    }

    private void lose(final int stream, final PacketCounter why) {
        counts.increment(why);
        handler.onLoss(stream, why);
    }

    private void delivered(final int number) {
        counts.add(PacketCounter.CELLS_DELIVERED, number);
        counts.increment(PacketCounter.PACKETS_DELIVERED);
    }

    /** Receives packets from a {@link PacketReassembler}. Called by the receiver's thread. */
    public interface PacketHandler {
        /**
         * Receives a complete packet. The handler may read its bytes until it returns.
         *
         * @param stream  the stream of the packet.
         * @param segment memory of the packet.
         * @param offset  offset of its first byte.
         * @param length  bytes of the packet, 0 up to the MTU.
         */
        void onPacket(int stream, MemorySegment segment, long offset, int length);

        /**
         * Reports a lost packet. After missing cells, at least one packet is lost.
         *
         * @param stream the stream of the packet.
         * @param why    one of the counters {@code PACKETS_AFTER_GAP} to {@code PACKETS_NO_BUFFER}; already counted.
         */
        void onLoss(int stream, PacketCounter why);
    }
}
