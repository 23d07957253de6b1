package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Identical packets, one template per flow: {@link ProbeLayout} without its magic, so that receivers look for no number
 * or time. A place that already holds the packet, as in a ring whose buffers recur, is not written again. The peer then
 * keeps its cache lines. One thread.
 */
final class SamePackets {
    private static final long NO_MAGIC = 0;

    private final Region packets;
    private final long stride;

    SamePackets(final Arena arena, final FlowHeaders headers, final int length) {
        this.stride = length + Long.BYTES - 1L & -Long.BYTES;
        this.packets = Region.allocate(arena, headers.flows() * stride);
        final ProbeWriter writer = new ProbeWriter(new FlowTemplates(arena, headers, 0, NO_MAGIC));
        for (int flow = 0; flow < headers.flows(); flow++) {
            writer.write(flow, packets, flow * stride, length, 0);
        }
    }

    /**
     * Ensures that a place holds a flow's packet.
     *
     * @param flow   flow, from 0.
     * @param target memory of the place; up to seven bytes after the packet may change too.
     * @param at     byte offset of the packet.
     */
    void write(final int flow, final Region target, final long at) {
        final long from = flow * stride;
        long different = 0;
        for (long i = 0; i < stride; i += Long.BYTES) {
            different |= target.getLong(at + i) ^ packets.getLong(from + i);
        }
        for (long i = 0; different != 0 && i < stride; i += Long.BYTES) {
            target.setLong(at + i, packets.getLong(from + i));
        }
    }
}
