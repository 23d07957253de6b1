package dev.skerry.tools.live;

import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.tools.ctl.Order;

import java.lang.foreign.MemorySegment;

/**
 * Where the packets of a port go, which may change while the fabric runs: to one node, or where their addresses say.
 * The port's thread.
 */
final class ForwardingSeat implements PortForwarding {
    /** Null where a map said from the start where packets go. */
    private final MacForwarding byAddress;
    private int to;

    private ForwardingSeat(final MacForwarding byAddress, final int to) {
        this.byAddress = byAddress;
        this.to = to;
    }

    /** By address. */
    static ForwardingSeat of(final MacForwarding byAddress) {
        return new ForwardingSeat(byAddress, Order.Route.BY_ADDRESS);
    }

    /** Always to one node, or {@link PortForwarding#NOWHERE}. */
    static ForwardingSeat of(final int to) {
        return new ForwardingSeat(null, to);
    }

    /** The table of addresses; null where there is none. */
    MacTable table() {
        return byAddress == null ? null : byAddress.table();
    }

    /** Sends to a node from now on; {@link Order.Route#BY_ADDRESS}: by address, which needs a table. */
    void send(final int node) {
        to = node;
    }

    @Override
    public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
        return to == Order.Route.BY_ADDRESS ? byAddress.route(bytes, offset, length, nowNs) : to;
    }

    @Override
    public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
        final long nowNs) {
        if (byAddress != null) {
            byAddress.learn(source, bytes, offset, length, nowNs);
        }
    }
}
