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
import java.util.Arrays;

/**
 * The cells of all ports of a fabric: one slab, of which each port owns a part, with additional columns per cell. The
 * holder of a cell's handle owns all its data; ownership travels with the handle over the links.
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
    final FreeList[] lists;
    /** Shares of each port's cells. */
    final CellShares[] shares;
    /** By bank, then port: the ring for returning cells; null if the bank owns the port. */
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
        final Region destinations = Region.allocate(arena, (long) slab.cells() * Integer.BYTES);
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
                    : new FreeListReturn(arena, lists[port], each, shares[port]::returned);
            }
        }
    }

    /** Number of cells of a port's packets to another port, over all classes, from cutting to delivery. */
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

    /** Number of cells of a port on the return path to its free list. */
    int returning(final int port) {
        return Arrays.stream(ways).mapToInt(way -> way[port] == null ? 0 : way[port].size()).sum();
    }

    /** Frees a cell from the thread of {@code bank}. */
    void free(final int bank, final int cell) {
        final int port = cell >>> portShift;
        final FreeListReturn way = ways[bank][port];
        if (way == null) {
            shares[port].returned(cell);
            lists[port].free(cell);
        } else if (!way.free(cell)) {
            throw new IllegalStateException("more cells are returned than exist: port=" + port);
        }
    }

    /** Size in bytes of the packet that starts with this cell. */
    int length(final int cell) {
        return bytes.get(LENGTH, slab.offset(cell) + headerBytes);
    }

    /** Copies a part of the packet that starts with this cell. */
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

    /** Links {@code next} after a cell, whose flags are kept. */
    void setNext(final int cell, final int next) {
        links.setInt((long) cell * Long.BYTES, next);
    }

    long stamp(final int cell) {
        return stamps.getLong((long) cell * Long.BYTES);
    }

    void setStamp(final int cell, final long ns) {
        stamps.setLong((long) cell * Long.BYTES, ns);
    }

    /**
     * A queue of cells linked in the {@link EdgeMemory}. It needs no memory and is never full, because the owner of a
     * cell owns the cell's link. One thread.
     */
    static final class CellQueue {
        private final EdgeMemory memory;
        private int head = EdgeMemory.NONE;
        private int tail = EdgeMemory.NONE;
        private int size;

        CellQueue(final EdgeMemory memory) {
            this.memory = memory;
        }

        /** Appends a cell and sets its flags. */
        void add(final int cell, final int flags) {
            memory.setLast(cell, flags);
            if (head == EdgeMemory.NONE) {
                head = cell;
            } else {
                memory.setNext(tail, cell);
            }
            tail = cell;
            size++;
        }

        /** Removes the first cell; returns it, or {@link EdgeMemory#NONE} if the queue is empty. */
        int poll() {
            final int cell = head;
            if (cell != EdgeMemory.NONE) {
                head = memory.next(cell);
                size--;
            }
            return cell;
        }

        boolean isEmpty() {
            return head == EdgeMemory.NONE;
        }

        int size() {
            return size;
        }

        /** Counts the cells individually. For checks. */
        int count() {
            int cells = 0;
            for (int cell = head; cell != EdgeMemory.NONE; cell = memory.next(cell)) {
                cells++;
            }
            return cells;
        }
    }

    /**
     * Shares the cells of a source port among the destinations of its packets (docs/spec/edge.md); a destination here
     * is a port and traffic class, that is, a queue. A cell counts for its destination from the moment it is cut until
     * it is free again, wherever it is: this is an end-to-end window per pair of ports. A destination may have as many
     * cells as are free (the dynamic threshold of Choudhury and Hahne, with factor 1): a single one gets half of the
     * cells, and k blocked ones get a (k + 1)-th each, which leaves the same amount free for the others. One packet is
     * always admitted to a destination that has no cells. {@link QueueTarget} limits it further. Called by the thread
     * of the source port.
     */
    static final class CellShares {
        private final FreeList free;
        private final Region destinations;
        /** By destination: cells cut and not yet free again. */
        private final int[] held;
        final QueueTarget target;

        CellShares(final FreeList free, final Region destinations, final int queues) {
            this.free = free;
            this.destinations = destinations;
            this.held = new int[queues];
            this.target = new QueueTarget(queues, free.cells());
        }

        /** Whether a packet may be cut into this number of cells for a destination. */
        boolean hasRoom(final int to, final int cells) {
            final int room = free.cells() - free.held();
            if (held[to] == 0) {
                return cells <= room;
            }
            if (held[to] + cells > room) {
                target.full(to);
                return false;
            }
            return target.hasRoom(to, held[to], cells);
        }

        /**
         * Whether a destination is far enough below its share to request packets from its port again: half of the share
         * is left.
         */
        boolean hasPlenty(final int to) {
            return held[to] == 0 || 2L * held[to] <= free.cells() - free.held() && target.hasPlenty(to, held[to]);
        }

        /** Accounts for a cell that was cut. */
        void cut(final int cell, final int to) {
            destinations.setInt((long) cell * Integer.BYTES, to);
            held[to]++;
        }

        /** Accounts for a cell that is about to be freed. */
        void returned(final int cell) {
            final int to = destinations.getInt((long) cell * Integer.BYTES);
            held[to]--;
            target.returned(to);
        }

        /** Number of cells of a destination. */
        int held(final int to) {
            return held[to];
        }

        /** Number of cells of all destinations. For checks. */
        int held() {
            return Arrays.stream(held).sum();
        }

        /**
         * Limits the cells of a source port that each destination may have, so that a cell returns within a target time
         * (docs/spec/edge.md): the limit is the number of cells that returned in a window of that length. Time is
         * measured in slots, so pauses of an idle or descheduled fabric have no effect. Called by the thread of the
         * source port.
         */
        static final class QueueTarget {
            /**
             * Minimum limit of a destination: a few packets, because otherwise a burst of its port would never be
             * complete.
             */
            static final int LEAST_CELLS = 32;
            /**
             * Maximum share by which a limit falls per window, as a shift: preserves the bursts of a port that takes
             * packets in bursts.
             */
            private static final int FALL_SHIFT = 3;

            private final int most;
            /**
             * By destination: its limit, cells that returned in this window, and whether packets had to wait because of
             * the limit.
             */
            private final int[] limit;
            private final int[] returned;
            private final boolean[] isFull;
            private long startSlot;
            private long windowSlots;

            /**
             * Creates limits that are not effective until the first window has a length.
             *
             * @param queues number of destinations.
             * @param most   number of cells of the port.
             */
            QueueTarget(final int queues, final int most) {
                this.most = most;
                this.limit = new int[queues];
                this.returned = new int[queues];
                this.isFull = new boolean[queues];
                Arrays.fill(limit, most);
            }

            /** Sets the length of a window in slots; 0: no limits. */
            void setWindow(final long slots) {
                windowSlots = slots;
                if (slots == 0) {
                    Arrays.fill(limit, most);
                }
            }

            /** Ends the window if its time is over. */
            void pass(final long slot) {
                final long passed = slot - startSlot;
                if (windowSlots > 0 && passed >= windowSlots) {
                    for (int to = 0; to < limit.length; to++) {
                        final long came = (returned[to] * windowSlots + passed - 1) / passed;
                        final int fallen = isFull[to] ? limit[to] - (limit[to] >> FALL_SHIFT) : limit[to];
                        limit[to] = Math.clamp(Math.max(came, fallen), Math.min(LEAST_CELLS, most), most);
                    }
                    Arrays.fill(returned, 0);
                    Arrays.fill(isFull, false);
                    startSlot = slot;
                }
            }

            /**
             * Whether a destination may have more cells; if not, its limit may fall. Two packets are always allowed.
             */
            boolean hasRoom(final int to, final int held, final int cells) {
                final boolean has = held + cells <= Math.max(limit[to], 2 * cells);
                isFull[to] |= !has;
                return has;
            }

            /** Whether a destination is far enough below its limit to request packets from its port again. */
            boolean hasPlenty(final int to, final int held) {
                return held <= limit[to] - (limit[to] >> 2);
            }

            /** Notes that a destination is limited for another reason, so that its limit may fall. */
            void full(final int to) {
                isFull[to] = true;
            }

            /** Accounts for a returned cell. */
            void returned(final int to) {
                returned[to]++;
            }

            /** Maximum number of cells of a destination. */
            int limit(final int to) {
                return limit[to];
            }
        }
    }
}
