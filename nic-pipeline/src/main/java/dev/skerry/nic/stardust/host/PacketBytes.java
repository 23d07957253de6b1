package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.random.CounterRandom;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What is in packets, where cells carry their bytes. The thread of either end calls. */
@FunctionalInterface
public interface PacketBytes {
    /** Bytes for packets of flows, which are only lengths: every byte depends on its packet and place. */
    PacketBytes MADE_UP = (flow, packet, offset, to, at, bytes) -> {
        final long key = CounterRandom.mix((long) flow << Integer.SIZE | packet);
        for (int i = 0; i < bytes; i++) {
            final int place = offset + i;
            to.set(ValueLayout.JAVA_BYTE, at + i, (byte) (CounterRandom.mix(key + (place >>> 3)) >>> 8 * (place & 7)));
        }
    };

    /**
     * Copies a part of a packet.
     *
     * @param packet its number in its flow.
     * @param offset of the part in the packet.
     * @param to     memory that gets it, from {@code at} on.
     * @param bytes  of the part.
     */
    void copy(int flow, int packet, int offset, MemorySegment to, long at, int bytes);
}
