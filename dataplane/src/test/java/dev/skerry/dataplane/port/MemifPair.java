package dev.skerry.dataplane.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.skerry.dataplane.port.MemifEnd.MemifBuffers;
import dev.skerry.dataplane.port.MemifEnd.MemifRegions;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.port.PortCounter.PortCounts;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Server and client of one queue pair on one region: the rings without sockets. */
final class MemifPair implements AutoCloseable {
    static final int S2C = 1;

    final Arena arena = Arena.ofConfined();
    final PortCounts clientCounts = new PortCounts();
    final PortCounts serverCounts = new PortCounts();
    final MemorySegment region;
    final int log2Slots;
    final MemifLink client;
    final MemifLink server;
    final MemifSender serverSender;

    MemifPair(final int log2Slots, final int bufferBytes) {
        this.log2Slots = log2Slots;
        region = arena.allocate(MemifRing.regionBytes(log2Slots, bufferBytes), 64);
        final MemifRing[] rings = new MemifRing[2];
        final MemifBuffers[] buffers = new MemifBuffers[2];
        for (int r = 0; r < 2; r++) {
            rings[r] = new MemifRing(region, ring(r), log2Slots, MemifRing.LINE_BYTES);
            rings[r].format();
            buffers[r] = new MemifBuffers(0, region, MemifRing.buffersOffset(r, log2Slots, bufferBytes), bufferBytes,
                1 << log2Slots);
        }
        final MemifRegions regions = new MemifRegions(region);
        final MemifVerdict ofServer = new MemifVerdict();
        serverSender = MemifSender.ofServer(rings[S2C], regions, ofServer, serverCounts);
        server = new MemifLink(
            new MemifReceiver[] {MemifReceiver.ofServer(rings[0], regions, ofServer, serverCounts)},
            new MemifSender[] {serverSender}, ofServer);
        final MemifVerdict ofClient = new MemifVerdict();
        client = new MemifLink(
            new MemifReceiver[] {MemifReceiver.ofClient(rings[S2C], buffers[S2C], ofClient, clientCounts)},
            new MemifSender[] {MemifSender.ofClient(rings[0], buffers[0], ofClient, clientCounts)}, ofClient);
    }

    long ring(final int ring) {
        return ring * MemifRing.ringBytes(log2Slots, MemifRing.LINE_BYTES);
    }

    long descriptor(final int ring, final int slot) {
        return ring(ring) + 2 * MemifRing.LINE_BYTES + 16L * slot;
    }

    void setHead(final int ring, final int head) {
        region.set(ValueLayout.JAVA_SHORT, ring(ring) + 6, (short) head);
    }

    void setTail(final int ring, final int tail) {
        region.set(ValueLayout.JAVA_SHORT, ring(ring) + 64, (short) tail);
    }

    int head(final int ring) {
        return region.get(ValueLayout.JAVA_SHORT, ring(ring) + 6) & 0xffff;
    }

    int tail(final int ring) {
        return region.get(ValueLayout.JAVA_SHORT, ring(ring) + 64) & 0xffff;
    }

    void setFlags(final int ring, final int slot, final int flags) {
        region.set(ValueLayout.JAVA_SHORT, descriptor(ring, slot), (short) flags);
    }

    void setRegion(final int ring, final int slot, final int index) {
        region.set(ValueLayout.JAVA_SHORT, descriptor(ring, slot) + 2, (short) index);
    }

    void setLength(final int ring, final int slot, final int length) {
        region.set(ValueLayout.JAVA_INT, descriptor(ring, slot) + 4, length);
    }

    void setOffset(final int ring, final int slot, final int offset) {
        region.set(ValueLayout.JAVA_INT, descriptor(ring, slot) + 8, offset);
    }

    PacketBurst burst(final int capacity, final int maxBytes) {
        return new PacketBurst(arena, capacity, maxBytes);
    }

    /** A full burst of packets of one length, each with its number as seed. */
    PacketBurst filled(final int packets, final int length) {
        final PacketBurst burst = burst(packets, length);
        for (int i = 0; i < packets; i++) {
            fill(burst, length, i);
        }
        return burst;
    }

    static void fill(final PacketBurst burst, final int length, final long seed) {
        final long place = burst.place();
        for (int i = 0; i < length; i++) {
            burst.bytes().set(ValueLayout.JAVA_BYTE, place + i, (byte) (seed * 31 + i * 7L + (i >> 8)));
        }
        burst.add(length);
    }

    static void verify(final PacketBurst burst, final int packet, final int length, final long seed) {
        assertEquals(length, burst.length(packet), "packet " + packet);
        for (int i = 0; i < length; i++) {
            final byte found = burst.bytes().get(ValueLayout.JAVA_BYTE, burst.offset(packet) + i);
            if (found != (byte) (seed * 31 + i * 7L + (i >> 8))) {
                fail("packet " + packet + " byte " + i + " seed " + seed + " is " + found);
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
