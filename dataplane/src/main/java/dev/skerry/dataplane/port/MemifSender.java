package dev.skerry.dataplane.port;

import static dev.skerry.dataplane.port.MemifRing.COUNTER_MASK;
import static dev.skerry.dataplane.port.MemifRing.LENGTH_SHIFT;
import static dev.skerry.dataplane.port.MemifRing.MAX_CHAIN;
import static dev.skerry.dataplane.port.MemifRing.NEXT;
import static dev.skerry.dataplane.port.MemifRing.REGION_SHIFT;

import dev.skerry.dataplane.port.MemifEnd.MemifBuffers;
import dev.skerry.dataplane.port.MemifEnd.MemifRegions;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.port.PortCounter.PortCounts;

import java.lang.foreign.MemorySegment;

/**
 * Puts packets on a ring: a client on C2S, into its own buffers; a server on S2C, into the buffers that the client has
 * posted, whose position and size are checked before each write (docs/spec/memif.md §10). A packet larger than a buffer
 * spans several; it is published completely or not at all. One thread.
 */
public final class MemifSender extends MemifEnd {
    private static final int NO_ROOM = 0;
    private static final int NEVER = -1;
    private static final int FAULT = -2;

    private final PacketBurst lent;
    private int limit;
    /** Interrupts the peer; null if that is not possible. */
    private Runnable interrupt;
    /** Whether the peer waited for interrupts when it was last looked. */
    private boolean isWaiting;
    private long sent;

    private MemifSender(final MemifRing ring, final MemifRegions regions, final MemifBuffers buffers,
        final MemifVerdict verdict, final PortCounts counts) {
        super(ring, regions, buffers, verdict, counts);
        this.lent = buffers == null ? null : new PacketBurst(buffers);
        this.limit = buffers == null ? 0 : ring.slots();
        for (int slot = 0; buffers != null && slot <= mask; slot++) {
            ring.setOffset(slot, buffers.offset(slot));
        }
    }

    /**
     * Creates the server's end of an S2C ring whose counters are 0.
     *
     * @param ring    the ring to send on.
     * @param regions the client's regions.
     * @param verdict receives the first fault.
     * @param counts  the port's counters.
     */
    public static MemifSender ofServer(
        final MemifRing ring, final MemifRegions regions, final MemifVerdict verdict, final PortCounts counts) {
        return new MemifSender(ring, regions, null, verdict, counts);
    }

    /**
     * Creates the client's end of a C2S ring whose counters are 0.
     *
     * @param ring    the ring to send on.
     * @param buffers the buffers of the ring.
     * @param verdict receives the first fault.
     * @param counts  the port's counters.
     */
    public static MemifSender ofClient(
        final MemifRing ring, final MemifBuffers buffers, final MemifVerdict verdict, final PortCounts counts) {
        return new MemifSender(ring, new MemifRegions(), buffers, verdict, counts);
    }

    /**
     * Sets how to wake a peer that does not poll.
     *
     * @param how called when it has packets to read; must not block.
     */
    public MemifSender wakenBy(final Runnable how) {
        interrupt = how;
        return this;
    }

    /**
     * Sends as many packets as fit.
     *
     * @param from  the packets.
     * @param first index of the first packet to send.
     * @param size  index behind the last packet to send.
     * @return number of packets accepted; a fault is recorded in the verdict.
     */
    int send(final PacketBurst from, final int first, final int size) {
        if (from == lent) {
            return sendLent(first);
        }
        int free = limit - next & COUNTER_MASK;
        boolean looked = free < size - first;
        if (looked) {
            free = look(free);
        }
        int at = next;
        int packet = first;
        int dropped = 0;
        long bytes = 0;
        for (; packet < size; packet++) {
            final int length = from.length(packet);
            int needed = needed(at, free, length);
            if (needed == NO_ROOM && !looked) {
                // The last look checked for one slot per packet, but a packet may need several.
                looked = true;
                final int used = at - next;
                free = look(free + used) - used;
                needed = verdict.fault() == null ? needed(at, free, length) : FAULT;
            }
            if (needed == NEVER) {
                dropped++;
                continue;
            }
            final int used = needed > 0 ? write(at, needed, from, packet) : needed;
            if (used <= 0) {
                break;
            }
            bytes += length;
            at += used;
            free -= used;
        }
        if (at != next) {
            publish(at, packet - first - dropped, bytes);
        }
        if (packet < size && verdict.fault() == null) {
            counts.add(PortCounter.TX_FULL, 1);
        }
        if (dropped > 0) {
            counts.add(PortCounter.TX_DROPPED_TOO_LONG, dropped);
        }
        return packet - first;
    }

    /**
     * Lends free buffers of a client, up to the end of the ring. A server's buffers are in the peer's memory and are
     * written only in this class.
     *
     * @param packets maximum number wanted.
     * @return null if no buffer is free.
     */
    PacketBurst lend(final int packets) {
        if (lent == null) {
            return null;
        }
        int free = limit - next & COUNTER_MASK;
        if (free < packets) {
            free = look(free);
        }
        final int slot = next & mask;
        final int room = Math.min(Math.min(packets, free), mask + 1 - slot);
        if (room == 0) {
            counts.add(PortCounter.TX_FULL, 1);
            return null;
        }
        lent.lend(room, buffers.offset(slot));
        return lent;
    }

    /**
     * Number of packets on the ring that the peer has not read; 0 after a fault. If we are the client, the peer's
     * counter gives it exactly. If we are the server, the peer reports only the buffers that it has posted again: it
     * may have read a few more packets.
     */
    int unread() {
        look(limit - next & COUNTER_MASK);
        final int free = limit - next & COUNTER_MASK;
        return verdict.fault() == null ? (int) Math.min(sent, packets(next + free, mask + 1 - free)) : 0;
    }

    /** Counts the packets that the peer has not read as left instead of sent. Called when the ring ends. */
    void countUnread() {
        final int packets = unread();
        long bytes = 0;
        for (int slot = (limit - next & COUNTER_MASK) - mask - 1; packets > 0 && slot < 0; slot++) {
            bytes += ring.word(next + slot & mask) >>> LENGTH_SHIFT;
        }
        // The peer may have written anything into the descriptors.
        final long left = Math.min(packets, counts.get(PortCounter.TX_PACKETS));
        counts.add(PortCounter.TX_LEFT, left);
        counts.addSent(-left, -Math.min(bytes, counts.get(PortCounter.TX_BYTES)));
    }

    /**
     * Wakes the peer if it does not poll the ring and has packets to read: it may have checked the ring just before
     * they came, and waited since. Returns whether it cannot be woken.
     */
    boolean wakePeer() {
        isWaiting = !ring.isPolled();
        if (isWaiting && interrupt != null && unread() > 0) {
            interrupt.run();
        }
        return isWaiting && interrupt == null;
    }

    /** Ends the loan: the lent burst has no more room. */
    void takeBack() {
        if (lent != null) {
            lent.lend(0, 0);
        }
    }

    /** Publishes the slots before {@code end} and counts their packets. */
    private void publish(final int end, final int packets, final long bytes) {
        if (buffers == null) {
            ring.setTail(end); // M1: bytes and descriptors were written
        } else {
            ring.setHead(end); // M1: bytes and descriptors were written
        }
        next = end & COUNTER_MASK;
        sent += packets;
        counts.addSent(packets, bytes);
        if (isWaiting && interrupt != null && !ring.isPolled()) {
            interrupt.run();
        }
    }

    /** Sends the packets written into lent buffers. */
    private int sendLent(final int first) {
        final int size = lent.size();
        assert first == 0 : "a lent burst must be sent completely: first=" + first;
        long bytes = 0;
        for (int packet = 0; packet < size; packet++) {
            final int length = lent.length(packet);
            ring.setWord(next + packet & mask, buffers.word(length, 0));
            bytes += length;
        }
        publish(next + size, size, bytes);
        takeBack();
        return size;
    }

    /** Reads the peer's counter; returns the free slots, 0 after a fault. */
    private int look(final int known) {
        final int end = buffers == null ? ring.head() : ring.tail() + mask + 1 & COUNTER_MASK; // A2
        final int free = end - next & COUNTER_MASK;
        if (free > mask + 1 || free < known) {
            verdict.raise(MemifFault.INDEX_JUMP, free, mask + 1);
            return 0;
        }
        limit = end;
        return free;
    }

    /**
     * Number of slots that a packet needs from {@code at} on; NO_ROOM if it does not fit now, NEVER if it never fits,
     * or FAULT.
     */
    private int needed(final int at, final int free, final int length) {
        long room = 0;
        int slots = 0;
        while (room < length) {
            if (slots == free) {
                return slots == mask + 1 ? NEVER : NO_ROOM;
            }
            if (slots == MAX_CHAIN) {
                return NEVER;
            }
            final long capacity = buffers == null ? ring.word(at + slots & mask) >>> LENGTH_SHIFT
                : buffers.bufferBytes();
            if (capacity == 0) {
                verdict.raise(MemifFault.NO_CAPACITY, 0, length);
                return FAULT;
            }
            room += capacity;
            slots++;
        }
        return slots;
    }

    /** Writes a packet into slots; returns their number, or FAULT if the posted buffers are wrong or have changed. */
    private int write(final int at, final int slots, final PacketBurst from, final int packet) {
        final long start = from.offset(packet);
        final long length = from.length(packet);
        long done = 0;
        int used = 0;
        while (done < length) {
            if (used == slots) {
                verdict.raise(MemifFault.CAPACITY_CHANGED, done, length);
                return FAULT;
            }
            final int slot = at + used & mask;
            done += buffers == null ? writePosted(slot, from.bytes(), start + done, length - done)
                : writeOwn(slot, from.bytes(), start + done, length - done);
            if (verdict.fault() != null) {
                return FAULT;
            }
            used++;
        }
        return used;
    }

    private long writeOwn(final int slot, final MemorySegment source, final long offset, final long left) {
        final long part = Math.min(left, buffers.bufferBytes());
        MemorySegment.copy(source, offset, buffers.segment(), buffers.offset(slot), part);
        ring.setWord(slot, buffers.word(part, part < left ? NEXT : 0));
        return part;
    }

    private long writePosted(final int slot, final MemorySegment source, final long offset, final long left) {
        final long word = ring.word(slot);
        final long place = ring.offset(slot);
        final long capacity = word >>> LENGTH_SHIFT;
        final int region = (int) (word >>> REGION_SHIFT) & 0xffff;
        if (!regions.holds(region, place, capacity, verdict)) {
            return 0;
        }
        final long part = Math.min(left, capacity);
        MemorySegment.copy(source, offset, regions.segment(region), place, part);
        ring.setWord(slot, part << LENGTH_SHIFT | (long) region << REGION_SHIFT | (part < left ? NEXT : 0));
        return part;
    }
}
