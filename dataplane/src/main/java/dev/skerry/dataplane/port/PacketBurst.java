package dev.skerry.dataplane.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.MemifEnd.MemifBuffers;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Up to {@code capacity} packets of up to {@code maxBytes} bytes each, off-heap, in order. One thread at a time.
 *
 * <pre>
 *    table, 8 bytes a packet                     bytes: each packet starts on a cache line, short packets
 *          0        4        8                   are neighbours
 *          +--------+--------+                   +------------------+---------------------+-------
 *   8 * i  | offset | length |                   | packet 0    | 0  | packet 1        | 0 | ...
 *          +--------+--------+                   +------------------+---------------------+-------
 * </pre>
 * The bytes are a segment, as those of a slab are: they are copied in bulk by {@link MemorySegment#copy}, which checks
 * bounds.
 *
 * <p>The bytes of a lent burst ({@link PacketPort#txLend}) are the port's own buffers, one a packet, at their own
 * distance.
 */
public final class PacketBurst {
    /** Instead of a stamp: the port does not know since when the packet waits. */
    public static final long NO_STAMP = Long.MIN_VALUE;

    private static final int ENTRY_SHIFT = 3;
    private static final int LENGTH_SHIFT = Integer.SIZE;

    private final Region table;
    /** By packet: since when it waits, in ns, or {@link #NO_STAMP}. */
    private final Region stamps;
    private final MemorySegment bytes;
    private final Region region;
    private final int maxBytes;
    /** Distance between packets in bytes; 0: the packet's length rounded up to whole lines. */
    private final int stride;
    private int capacity;
    private int size;
    private int end;

    /**
     * An empty burst.
     *
     * @param arena    gives the memory; shared if the burst moves between threads.
     * @param capacity packets, 1 to 65,536.
     * @param maxBytes the most bytes of a packet, 1 to 2^24; times capacity, rounded up to whole lines, below 2^31.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public PacketBurst(final Arena arena, final int capacity, final int maxBytes) {
        Bounds.require("capacity", capacity, 1, 1 << 16);
        Bounds.require("maxBytes", maxBytes, 1, 1 << 24);
        final long total = (long) capacity * aligned(maxBytes);
        Bounds.refuseIf(total > Integer.MAX_VALUE, "a burst must be below 2^31 bytes: capacity=", capacity,
            " maxBytes=", maxBytes);
        this.table = Region.allocate(arena, (long) capacity << ENTRY_SHIFT);
        this.stamps = Region.allocate(arena, (long) capacity << ENTRY_SHIFT);
        this.bytes = arena.allocate(total, Region.ALIGNMENT);
        this.region = Region.over(bytes);
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        this.stride = 0;
    }

    /** A burst for lending consecutive buffers; without room until {@link #lend}. */
    PacketBurst(final MemifBuffers buffers) {
        this.table = Region.allocate(Arena.ofAuto(), (long) buffers.slots() << ENTRY_SHIFT);
        this.stamps = Region.allocate(Arena.ofAuto(), (long) buffers.slots() << ENTRY_SHIFT);
        this.bytes = buffers.segment();
        this.region = Region.over(bytes);
        this.maxBytes = buffers.bufferBytes();
        this.stride = buffers.strideBytes();
    }

    /** Empties the burst and gives it room for packets from a place on. */
    void lend(final int packets, final long place) {
        capacity = packets;
        size = 0;
        end = (int) place;
    }

    /** The most bytes of a packet. */
    public int maxBytes() {
        return maxBytes;
    }

    /** Packets held. */
    public int size() {
        return size;
    }

    /** Packets that still fit. */
    public int room() {
        return capacity - size;
    }

    /** The bytes of all packets; use it with {@link #offset}. */
    public MemorySegment bytes() {
        return bytes;
    }

    /**
     * The same bytes for access word by word without bounds checks: only up to the end of the line in which the packet
     * ends, and only at {@link #offset} or, while there is room, at {@link #place()}.
     */
    public Region region() {
        return region;
    }

    /** Byte offset of a packet, 0 to {@code size() - 1}, in {@link #bytes()}. */
    public long offset(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return (int) table.getLong((long) packet << ENTRY_SHIFT);
    }

    /** Bytes of a packet, 1 to {@link #maxBytes()}. */
    public int length(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return (int) (table.getLong((long) packet << ENTRY_SHIFT) >>> LENGTH_SHIFT);
    }

    /**
     * Since when a packet stands where its port took it from, by {@link System#nanoTime()}; {@link #NO_STAMP} if the
     * port does not know.
     *
     * @param packet 0 to {@code size() - 1}.
     */
    public long stamp(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return stamps.getLong((long) packet << ENTRY_SHIFT);
    }

    /**
     * Says since when the packet added last stands where its port took it from.
     *
     * @param ns a time by {@link System#nanoTime()}, not in the future.
     */
    public void stampLast(final long ns) {
        stamps.setLong((long) size - 1 << ENTRY_SHIFT, ns);
    }

    /** Removes all packets; not for a lent burst. */
    public void clear() {
        size = 0;
        end = 0;
    }

    /**
     * Byte offset of the next packet in {@link #bytes()}, while there is {@link #room}; write it, then {@link #add}.
     */
    public long place() {
        return end;
    }

    /**
     * Adds the packet written at {@link #place()}; there is room.
     *
     * @param length its bytes, 1 to {@link #maxBytes()}.
     */
    public void add(final int length) {
        assert length > 0 && length <= maxBytes : "length=" + length + " maxBytes=" + maxBytes;
        assert size < capacity : "full: capacity=" + capacity;
        table.setLong((long) size << ENTRY_SHIFT, (long) length << LENGTH_SHIFT | end);
        stamps.setLong((long) size << ENTRY_SHIFT, NO_STAMP);
        size++;
        end += stride == 0 ? aligned(length) : stride;
    }

    /**
     * Copies a packet behind the others.
     *
     * @param source holds it.
     * @param offset of its first byte.
     * @param length its bytes.
     * @return false if the burst is full, or the packet empty or longer than {@link #maxBytes()}; nothing has changed.
     * @throws IndexOutOfBoundsException if it is not inside the source; nothing has changed.
     */
    public boolean append(final MemorySegment source, final long offset, final int length) {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        if (size == capacity || length < 1 || length > maxBytes) {
            return false;
        }
        MemorySegment.copy(source, offset, bytes, end, length);
        add(length);
        return true;
    }

    /**
     * Removes the packets from one on that do not match. The others keep their order and their places.
     *
     * @param first index of the first packet to look at.
     * @return packets removed.
     */
    public int keepMatching(final int first, final PacketTest test) {
        int kept = first;
        int next = first < size ? (int) offset(first) : end;
        for (int packet = first; packet < size; packet++) {
            final long entry = table.getLong((long) packet << ENTRY_SHIFT);
            if (test.matches(bytes, (int) entry, (int) (entry >>> LENGTH_SHIFT))) {
                table.setLong((long) kept << ENTRY_SHIFT, entry);
                stamps.setLong((long) kept << ENTRY_SHIFT, stamps.getLong((long) packet << ENTRY_SHIFT));
                kept++;
                next = (int) entry + (stride == 0 ? aligned((int) (entry >>> LENGTH_SHIFT)) : stride);
            }
        }
        end = next;
        final int removed = size - kept;
        size = kept;
        return removed;
    }

    /** A condition on packets. */
    @FunctionalInterface
    public interface PacketTest {
        /**
         * Whether a packet matches.
         *
         * @param bytes  memory of the packet.
         * @param offset offset of its first byte.
         * @param length its bytes.
         */
        boolean matches(MemorySegment bytes, long offset, int length);
    }

    private static int aligned(final int length) {
        return length + Region.ALIGNMENT - 1 & -Region.ALIGNMENT;
    }
}
