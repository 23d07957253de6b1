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
 * Takes packets off a ring: a server from C2S, where packets are at the positions given by the client's descriptors; a
 * client from S2C, where they are in its own buffers, which it posts again afterwards.
 *
 * <p>The peer's numbers are checked before use (docs/spec/memif.md §10): its counter may only advance, and not past the
 * ring; a descriptor is read once, by two loads, into locals. Chained buffers become one packet. Our own state is
 * private and never read back from shared memory. One thread.
 */
public final class MemifReceiver extends MemifEnd {
    private int peer;

    private MemifReceiver(final MemifRing ring, final MemifRegions regions, final MemifBuffers buffers,
        final MemifVerdict verdict, final PortCounts counts) {
        super(ring, regions, buffers, verdict, counts);
    }

    /**
     * Creates the server's end of a C2S ring whose counters are 0.
     *
     * @param ring    the ring to receive from.
     * @param regions the client's regions.
     * @param verdict receives the first fault.
     * @param counts  the port's counters.
     */
    public static MemifReceiver ofServer(
        final MemifRing ring, final MemifRegions regions, final MemifVerdict verdict, final PortCounts counts) {
        return new MemifReceiver(ring, regions, null, verdict, counts);
    }

    /**
     * Creates the client's end of an S2C ring whose counters are 0, and posts all buffers.
     *
     * @param ring    the ring to receive from.
     * @param buffers the buffers of the ring.
     * @param verdict receives the first fault.
     * @param counts  the port's counters.
     */
    public static MemifReceiver ofClient(
        final MemifRing ring, final MemifBuffers buffers, final MemifVerdict verdict, final PortCounts counts) {
        final MemifReceiver receiver = new MemifReceiver(ring, new MemifRegions(), buffers, verdict, counts);
        receiver.post(0, ring.slots());
        ring.setHead(ring.slots());
        return receiver;
    }

    /**
     * Receives as many packets as have arrived and fit the burst.
     *
     * @param into receives the packets after those that it already holds.
     * @return number of packets added; a fault is recorded in the verdict.
     */
    int receive(final PacketBurst into) {
        final int before = into.size();
        int left = peer - next & COUNTER_MASK;
        if (left < into.room()) {
            left = look(left);
        }
        int at = next;
        long bytes = 0;
        while (left > 0 && into.room() > 0) {
            final long start = into.place();
            final int used = frame(at, left, into);
            if (used == 0) {
                counts.add(PortCounter.RX_DROPPED_WRONG, 1);
                break;
            }
            bytes += into.place() == start ? 0 : into.length(into.size() - 1);
            at += used;
            left -= used;
        }
        if (at != next) {
            returnSlots(at);
            counts.add(PortCounter.RX_PACKETS, into.size() - before);
            counts.add(PortCounter.RX_BYTES, bytes);
        }
        return into.size() - before;
    }

    /** Number of packets in the ring that have not been received; 0 after a fault. */
    int left() {
        return packets(next, look(peer - next & COUNTER_MASK));
    }

    /** Reads the peer's counter; returns the filled slots, 0 after a fault. */
    private int look(final int known) {
        final int counter = buffers == null ? ring.head() : ring.tail(); // A1
        final int filled = counter - next & COUNTER_MASK;
        if (filled > mask + 1 || filled < known) {
            verdict.raise(MemifFault.INDEX_JUMP, filled, mask + 1);
            return 0;
        }
        peer = counter;
        return filled;
    }

    /**
     * Receives one packet from the slots from {@code at} on; returns how many of {@code left} slots it used, 0 after a
     * fault.
     */
    private int frame(final int at, final int left, final PacketBurst into) {
        final int most = into.maxBytes();
        long total = 0;
        int slots = 0;
        long word;
        do {
            if (slots == left || slots == MAX_CHAIN) {
                verdict.raise(slots == left ? MemifFault.CHAIN_OPEN : MemifFault.CHAIN_TOO_LONG, slots, slots);
                return 0;
            }
            final int slot = at + slots & mask;
            word = ring.word(slot);
            final long length = word >>> LENGTH_SHIFT;
            final MemorySegment source;
            final long offset;
            if (buffers == null) {
                final int region = (int) (word >>> REGION_SHIFT) & 0xffff;
                offset = ring.offset(slot);
                if (!regions.holds(region, offset, length, verdict)) {
                    return 0;
                }
                source = regions.segment(region);
            } else {
                if (length > buffers.bufferBytes()) {
                    verdict.raise(MemifFault.DESCRIPTOR_LENGTH, length, buffers.bufferBytes());
                    return 0;
                }
                source = buffers.segment();
                offset = buffers.offset(slot);
            }
            if (total + length <= most) {
                MemorySegment.copy(source, offset, into.bytes(), into.place() + total, length);
            }
            total += length;
            slots++;
        } while ((word & NEXT) != 0);
        if (total > 0 && total <= most) {
            into.add((int) total);
        } else if (total == 0) {
            counts.add(PortCounter.RX_DROPPED_EMPTY, 1);
        } else {
            counts.addTooLong(total);
        }
        return slots;
    }

    private void returnSlots(final int end) {
        if (buffers == null) {
            ring.setTail(end); // M2: all bytes have been copied out
        } else {
            post(next, end);
            ring.setHead(end + mask + 1); // M2: the slots are posted again
        }
        next = end & COUNTER_MASK;
    }

    /** Posts our buffers. Writes complete descriptors, because the peer may have changed them. */
    private void post(final int from, final int end) {
        final long word = buffers.word(buffers.bufferBytes(), 0);
        for (int i = from; i < end; i++) {
            final int slot = i & mask;
            ring.setWord(slot, word);
            ring.setOffset(slot, buffers.offset(slot));
        }
    }
}
