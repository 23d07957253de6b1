package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;

import java.lang.foreign.MemorySegment;

/**
 * All packets of a port to one node, whatever stands in them. Any thread.
 *
 * @param to the node, or {@link PortForwarding#NOWHERE}.
 */
record MapForwarding(int to) implements PortForwarding {
    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        return to;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        // Nothing depends on it.
    }
}
