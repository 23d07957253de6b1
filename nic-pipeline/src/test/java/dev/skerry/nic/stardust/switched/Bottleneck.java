package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.flow.FlowSet;

/**
 * Some hosts that send over one link of a packet in eight slots, four times slower than their own. Port i is that of
 * host i, port {@code senders} the bottleneck, and acknowledgements have a link each.
 */
record Bottleneck(int senders) implements Routes {
    static final int PACKET = 1000;
    static final int SLOTS = 8;

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
        return port == senders ? (double) PACKET / SLOTS : 4.0 * PACKET / SLOTS;
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
