package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;

import java.lang.foreign.MemorySegment;

/**
 * Sends all packets of a port to one node, whatever they contain. Any thread.
 *
 * @param to destination node, or {@link PortForwarding#NOWHERE}.
 */
record MapForwarding(int to) implements PortForwarding {
    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        return to;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        // The map is fixed.
    }
}
