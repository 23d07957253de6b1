package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Packets that are all alike, one for each flow: {@link ProbeLayout} without its magic, so that nobody looks for a
 * number or a time in them. Where one lies already, as in a ring whose buffers come round again, it is left there: then
 * nobody has to fetch its lines from the writer's cache. One thread.
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
     * Makes sure that a flow's packet lies somewhere.
     *
     * @param flow   whose.
     * @param target where; up to seven bytes after it may change too.
     * @param at     its first byte there.
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
