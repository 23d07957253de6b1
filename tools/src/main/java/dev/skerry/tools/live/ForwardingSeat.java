package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;

import java.lang.foreign.MemorySegment;

/**
 * Where the packets of a port go, which may change while the fabric runs: to one port, or where their addresses say.
 * The port's thread.
 */
final class ForwardingSeat implements PortForwarding {
    /** In place of a port. */
    static final int BY_ADDRESS = Integer.MIN_VALUE;

    /** Null where a map said from the start where packets go. */
    private final MacForwarding byAddress;
    private int to;

    private ForwardingSeat(final MacForwarding byAddress, final int to) {
        this.byAddress = byAddress;
        this.to = to;
    }

    /** By address. */
    static ForwardingSeat of(final MacForwarding byAddress) {
        return new ForwardingSeat(byAddress, BY_ADDRESS);
    }

    /** Always to one port, or {@link PortForwarding#NOWHERE}. */
    static ForwardingSeat of(final int to) {
        return new ForwardingSeat(null, to);
    }

    /** The table of addresses; null where there is none. */
    MacTable table() {
        return byAddress == null ? null : byAddress.table();
    }

    /** Sends to a port from now on; {@link #BY_ADDRESS}: by address, which needs a table. */
    void send(final int port) {
        to = port;
    }

    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        return to == BY_ADDRESS ? byAddress.route(bytes, offset, length, nowNs) : to;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        if (byAddress != null) {
            byAddress.learn(source, bytes, offset, length, nowNs);
        }
    }
}
