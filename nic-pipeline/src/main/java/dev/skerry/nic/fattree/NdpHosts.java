package dev.skerry.nic.fattree;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.fattree.FatTreeBank.FatTreeEnds;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.TcpPacket;

/** Hosts with NDP (docs/spec/ndp.md), implemented by {@link NdpSender} and {@link NdpReceiver}. One thread. */
final class NdpHosts implements PacketHosts {
    private final FatTree fabric;
    private final FlowSet flows;
    private final Connections connections;
    private final FatTreeEnds ends;
    private final BankCounters tally;
    private final HostLink link;
    private final PathOrder order;
    private final NdpSender senders;
    private final NdpReceiver receivers;

    /**
     * Creates hosts before the first slot.
     *
     * @param firstHost first host of the bank.
     * @param hosts     number of hosts.
     */
    NdpHosts(final FatTree fabric, final FatTreeEnds ends, final BankCounters tally, final HostLink link,
        final int firstHost, final int hosts) {
        this.fabric = fabric;
        this.flows = ends.connections().flows();
        this.connections = ends.connections();
        this.ends = ends;
        this.tally = tally;
        this.link = link;
        this.order = new PathOrder(fabric.seed());
        this.senders = new NdpSender(fabric.hosts(), connections, this::segment);
        final long interval = ((long) connections.packetBytes() << NdpReceiver.DUE_BITS) / fabric.cellBytes();
        this.receivers = new NdpReceiver(fabric.hosts(), connections, this::control, interval, firstHost, hosts);
    }

    @Override
    public void turn(final long slot) {
        senders.turn(slot);
        receivers.turn(slot);
        tally.set(NicCounter.PACKETS_RESENT, senders.resent());
        tally.set(NicCounter.TIMEOUTS, senders.timeouts());
        tally.set(NicCounter.NACKS_SENT, receivers.nacks());
        tally.set(NicCounter.PULLS_SENT, receivers.pulls());
    }

    @Override
    public void start(final long slot, final int flow) {
        senders.start(slot, flow);
    }

    @Override
    public void receive(final long slot, final int host, final long first, final long second) {
        final int connection = TcpPacket.flow(first);
        final int number = TcpPacket.number(first);
        final int kind = PacketWord.kind(second);
        switch (kind) {
            case PacketWord.SEGMENT, PacketWord.HEADER -> {
                final int before = receivers.arrived(connection);
                final boolean isLast = receivers.onSegment(slot, connection, number, kind == PacketWord.HEADER);
                ends.received()[connection] += receivers.arrived(connection) > before ? PacketWord.bytes(second) : 0;
                if (isLast) {
                    ends.outcomes().complete(connection, slot);
                    tally.increment(NicCounter.FLOWS_COMPLETED);
                }
            }
            case PacketWord.RETURNED -> senders.onReturn(slot, connection, number);
            case PacketWord.PULL -> senders.onPull(slot, connection, PacketWord.slot(second));
            default -> senders.onAnswer(slot, connection, number, kind == PacketWord.NACK, PacketWord.slot(second));
        }
    }

    @Override
    public boolean isIdle() {
        return senders.isIdle() && receivers.isIdle();
    }

    @Override
    public int maxAhead() {
        return receivers.maxAhead();
    }

    /** Sends a segment; returns the slot in which it leaves its host, after the packets queued there. */
    private long segment(final long slot, final int connection, final int number, final int sent) {
        final int host = flows.source(connection);
        final int to = flows.destination(connection);
        link.send(slot, host, TcpPacket.segment(connection, number), PacketWord.of(PacketWord.SEGMENT,
            connections.bytes(connection, number), order.path(connection, false, sent, fabric.paths(host, to)), slot));
        return slot + link.backlog(slot, host) / fabric.cellBytes();
    }

    /** Sends a control packet of a receiver. Its slot field contains the pull counter. */
    private void control(final int kind, final long slot, final int connection, final int number, final int pulls,
        final int sent) {
        final int host = flows.destination(connection);
        link.send(slot, host, TcpPacket.segment(connection, number), PacketWord.of(kind, NdpQueues.CONTROL_BYTES,
            order.path(connection, true, sent, fabric.paths(host, flows.source(connection))), pulls));
    }
}
