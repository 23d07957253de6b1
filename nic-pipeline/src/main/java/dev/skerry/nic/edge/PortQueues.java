package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.PacketSegmenter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The packets of one port, cut into cells: a queue for each destination and traffic class, from which the fabric takes
 * cell by cell. One thread.
 *
 * <pre>
 *   one queue   0      4      8
 *               +------+------+
 *               | head | tail |    cells, linked in the {@link EdgeMemory}
 *               +------+------+
 * </pre>
 */
final class PortQueues {
    private static final int HEAD = 0;
    private static final int TAIL = 4;
    private static final int QUEUE_SHIFT = 3;

    private final int size;
    private final EdgeMemory memory;
    private final CellShares shares;
    private final PacketSegmenter segmenter;
    private final PacketFormat format;
    private final Region queues;
    private int waiting;
    private long cut;

    PortQueues(final Arena arena, final int size, final PacketFormat format, final EdgeMemory memory, final int port,
        final PacketCounts packets) {
        this.size = size;
        this.format = format;
        this.memory = memory;
        this.shares = memory.shares(port);
        this.segmenter = new PacketSegmenter(format, memory.slab(), memory.list(port), packets);
        this.queues = Region.allocate(arena, (long) size << QUEUE_SHIFT);
        queues.fill((byte) EdgeMemory.NONE);
    }

    /** Removes the first cell of a queue; returns it. */
    int pop(final int to) {
        final long queue = (long) to << QUEUE_SHIFT;
        final int cell = queues.getInt(queue + HEAD);
        assert cell != EdgeMemory.NONE : "no cell waits: to=" + to;
        queues.setInt(queue + HEAD, memory.next(cell));
        waiting--;
        return cell;
    }

    /** Cells that wait for the fabric. */
    int waiting() {
        return waiting;
    }

    /** Cells cut so far. */
    long cut() {
        return cut;
    }

    /** Counts the cells that wait, one by one. For checks. */
    int count() {
        int cells = 0;
        for (int to = 0; to < size; to++) {
            for (int cell = queues.getInt(((long) to << QUEUE_SHIFT) + HEAD); cell != EdgeMemory.NONE;
                cell = memory.next(cell)) {
                cells++;
            }
        }
        return cells;
    }

    /** Appends a packet to a queue; {@link CellShares} has room for its cells. */
    void cut(final MemorySegment bytes, final long offset, final int length, final int cells, final long cameNs,
        final int to) {
        final long queue = (long) to << QUEUE_SHIFT;
        int tail = queues.getInt(queue + TAIL);
        boolean isEmpty = queues.getInt(queue + HEAD) == EdgeMemory.NONE;
        for (int index = 0; index < cells; index++) {
            final int cell = segmenter.cut(bytes, offset, length, index);
            shares.cut(cell, to);
            memory.setLast(cell, format.flags(length, index));
            if (index == 0) {
                memory.setStamp(cell, cameNs);
            }
            if (isEmpty) {
                queues.setInt(queue + HEAD, cell);
                isEmpty = false;
            } else {
                memory.setNext(tail, cell);
            }
            tail = cell;
        }
        queues.setInt(queue + TAIL, tail);
        waiting += cells;
        cut += cells;
    }
}
