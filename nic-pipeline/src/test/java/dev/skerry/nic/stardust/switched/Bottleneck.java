package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Routes;

/**
 * Some hosts that send over one link of a packet in eight slots. Port i is that of host i, port {@code senders} the
 * bottleneck, and acknowledgements have a link each.
 *
 * @param times how much faster than the bottleneck all other links are.
 */
record Bottleneck(int senders, double times) implements Routes {
    static final int PACKET = 1000;
    static final int SLOTS = 8;

    /** Links of hosts that are four times faster. */
    Bottleneck(final int senders) {
        this(senders, 4);
    }

    /** An endless flow of each host. */
    FlowSet flows() {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < senders; flow++) {
            flows.add(flow, flow, senders, 1L << 40, 1, 0);
        }
        return flows;
    }

    @Override
    public int ports() {
        return 2 * senders + 1;
    }

    @Override
    public double bytesPerSlot(final int port) {
        return port == senders ? (double) PACKET / SLOTS : times * PACKET / SLOTS;
    }

    @Override
    public boolean isHost(final int port) {
        return port != senders;
    }

    @Override
    public int[] path(final int connection, final boolean ack) {
        return ack ? new int[]{senders + 1 + connection} : new int[]{connection, senders};
    }
}
