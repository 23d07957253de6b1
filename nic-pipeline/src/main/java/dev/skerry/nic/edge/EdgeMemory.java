package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.ring.FreeListReturn;
import dev.skerry.nic.packet.PacketFormat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The cells of all ports of a fabric: one slab, of which each port owns a part, and further columns per cell. Whoever
 * holds the handle of a cell owns all of it; ownership travels with the handle over the links.
 *
 * <pre>
 *   port p has the cells [p * bufferCells, (p + 1) * bufferCells)
 *
 *   slab, one cell    0             header        cell
 *                     +----------+--+-------------+
 *                     | identity |  | payload     |    identity: flow and sequence number, where the header would be
 *                     +----------+--+-------------+
 *   links, one cell   63   36 35   32 31         0
 *                     +------+-------+------------+
 *                     |  0   | flags | next cell  |    next in its queue; NONE: the last
 *                     +------+-------+------------+
 *   stamps, one cell: arrival time of its packet in ns, for the first cell of a packet
 *   destinations, one cell, 4 bytes: the queue of its port that it was cut for, from cut to free
 * </pre>
 *
 * A cell that ends at a bank other than its port's returns over a ring.
 */
final class EdgeMemory {
    static final int NONE = -1;
    /** Flag of a cell whose predecessor in the stream was lost. Not one of the flags of {@link PacketFormat}. */
    static final int GAP = 1;

    /** Flag of a cell that was lost on its way: it still counts for its packet. */
    static final int LOST = 8;

    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int FLAGS_SHIFT = 32;
    private static final long NEXT_MASK = (1L << FLAGS_SHIFT) - 1;
    private static final int FLAGS_MASK = PacketFormat.SOP | PacketFormat.EOP | GAP | LOST;

    final Slab slab;
    private final MemorySegment bytes;
    private final Region links;
    private final Region stamps;
    private final Region destinations;
    private final FreeList[] lists;
    private final CellShares[] shares;
    /** By bank, then port: the ring for returning cells; null where the bank owns the port. */
    private final FreeListReturn[][] ways;
    private final int portShift;
    private final int headerBytes;
    private final int classes;

    /**
     * Creates the memory with all cells free.
     *
     * @param arena  owner of the memory.
     * @param config sizes.
     * @param bankOf by port: its bank.
     * @param banks  number of banks.
     */
    EdgeMemory(final Arena arena, final EdgeConfig config, final int[] bankOf, final int banks) {
        final int ports = bankOf.length;
        final int each = config.bufferCells();
        this.classes = config.classes().count();
        this.slab = new Slab(arena, Math.multiplyExact(ports, each), config.format().cell().cellBytes());
        this.bytes = slab.segment();
        this.links = Region.allocate(arena, (long) slab.cells() * Long.BYTES);
        this.stamps = Region.allocate(arena, (long) slab.cells() * Long.BYTES);
        this.destinations = Region.allocate(arena, (long) slab.cells() * Integer.BYTES);
        this.lists = new FreeList[ports];
        this.shares = new CellShares[ports];
        this.ways = new FreeListReturn[banks][ports];
        this.headerBytes = config.format().cell().headerBytes();
        this.portShift = Integer.numberOfTrailingZeros(each);
        for (int port = 0; port < ports; port++) {
            lists[port] = new FreeList(arena, port * each, each);
            shares[port] = new CellShares(lists[port], destinations, ports * classes);
            for (int bank = 0; bank < banks; bank++) {
                ways[bank][port] = bank == bankOf[port] ? null
                    : new FreeListReturn(arena, lists[port], each, shares[port]::cameHome);
            }
        }
    }

    FreeList list(final int port) {
        return lists[port];
    }

    /** Who has the cells of a port. */
    CellShares shares(final int port) {
        return shares[port];
    }

    /** Cells of a port's packets to another port, of all classes, from cut to handed over. */
    int held(final int port, final int to) {
        int cells = 0;
        for (int queue = to * classes; queue < (to + 1) * classes; queue++) {
            cells += shares[port].held(queue);
        }
        return cells;
    }

    /** Frees the cells that returned to a port. Called by the thread of the port's bank. */
    void collect(final int port) {
        for (final FreeListReturn[] way : ways) {
            if (way[port] != null) {
                way[port].collect();
            }
        }
    }

    /** Cells of a port that are on their way back to its free list. */
    int comingHome(final int port) {
        int cells = 0;
        for (final FreeListReturn[] way : ways) {
            cells += way[port] == null ? 0 : way[port].size();
        }
        return cells;
    }

    /** Frees a cell from the thread of {@code bank}. */
    void free(final int bank, final int cell) {
        final int port = cell >>> portShift;
        final FreeListReturn way = ways[bank][port];
        if (way == null) {
            shares[port].cameHome(cell);
            lists[port].free(cell);
        } else if (!way.free(cell)) {
            throw new IllegalStateException("more cells come home than there are: port=" + port);
        }
    }

    /** Bytes of the packet whose first cell this is. */
    int length(final int cell) {
        return bytes.get(LENGTH, slab.offset(cell) + headerBytes);
    }

    /** Copies a part of the packet whose first cell this is. */
    void copy(final int cell, final int offset, final MemorySegment to, final long at, final int count) {
        final int payload = slab.cellBytes() - headerBytes;
        int from = cell;
        int place = offset + PacketFormat.LENGTH_BYTES;
        for (; place >= payload; place -= payload) {
            from = next(from);
        }
        for (int done = 0; done < count; from = next(from)) {
            final int part = Math.min(count - done, payload - place);
            MemorySegment.copy(bytes, slab.offset(from) + headerBytes + place, to, at + done, part);
            done += part;
            place = 0;
        }
    }

    long identity(final int cell) {
        return bytes.get(ValueLayout.JAVA_LONG, slab.offset(cell));
    }

    void setIdentity(final int cell, final long identity) {
        bytes.set(ValueLayout.JAVA_LONG, slab.offset(cell), identity);
    }

    int next(final int cell) {
        return (int) links.getLong((long) cell * Long.BYTES);
    }

    int flags(final int cell) {
        return (int) (links.getLong((long) cell * Long.BYTES) >>> FLAGS_SHIFT) & FLAGS_MASK;
    }

    /** Makes a cell the last of its queue and sets its flags. */
    void setLast(final int cell, final int flags) {
        links.setLong((long) cell * Long.BYTES, (long) flags << FLAGS_SHIFT | NONE & NEXT_MASK);
    }

    /** Links {@code next} behind a cell, whose flags stay. */
    void setNext(final int cell, final int next) {
        links.setInt((long) cell * Long.BYTES, next);
    }

    long stamp(final int cell) {
        return stamps.getLong((long) cell * Long.BYTES);
    }

    void setStamp(final int cell, final long ns) {
        stamps.setLong((long) cell * Long.BYTES, ns);
    }
}
