package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.FlowOutcomes;
import dev.skerry.nic.stardust.host.HostPorts;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.nic.stardust.host.TcpPacket;

/**
 * Hands whole packets to the ports of a bank's adapters and decides the fate of their flows (docs/spec/stardust.md
 * §5.2). One thread.
 */
final class PacketDelivery {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Stardust fabric;
    private final FlowSet flows;
    private final Packets packets;
    private final BankCounters tally;
    private final FlowOutcomes flowOutcomes;
    private final HostPorts ports;
    private final int first;
    private final int fas;
    private final int perPair;
    private final int prefix;
    private final MarkLaw marks;
    /** Null unless hosts speak TCP. */
    private RenoHosts tcp;
    private SentPackets sent;
    /** Null unless flows are on demand. */
    private PortSide side;
    private long digest;

    /**
     * Nothing delivered.
     *
     * @param flowOutcomes shared by all banks.
     * @param first        the first adapter of the bank.
     * @param count        adapters of the bank.
     */
    PacketDelivery(final Stardust fabric, final FlowSet flows, final Packets packets, final BankCounters tally,
        final FlowOutcomes flowOutcomes, final int first, final int count) {
        this.fabric = fabric;
        this.flows = flows;
        this.packets = packets;
        this.tally = tally;
        this.flowOutcomes = flowOutcomes;
        this.first = first;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.prefix = fabric.cut().prefixBytes();
        this.marks = fabric.hosts().signals().marks();
        this.ports = new HostPorts(fabric.hosts(), count * fabric.hosts().ports(), fabric.cut().packetBytes(),
            fabric.pull() ? fas * fabric.hosts().queuesPerPort() : 0,
            fabric.pull() ? fabric.reassemblySlots() : 0);
    }

    /** Flows are on demand, and their packets go to real ports. */
    void connect(final PortSide toPorts) {
        this.side = toPorts;
        ports.connect(toPorts, first * fabric.hosts().ports());
    }

    /** Hosts speak TCP, and packets go to them. */
    void connect(final RenoHosts hosts, final SentPackets packetsSent) {
        this.tcp = hosts;
        this.sent = packetsSent;
    }

    /** The ports of the bank. */
    HostPorts ports() {
        return ports;
    }

    /** This bank's part of the digest over all packets delivered. */
    long digest() {
        return digest;
    }

    /** A packet of one cell goes to its port: in a fabric that pushes there is no order to restore. */
    void deliverCell(final long slot, final int adapter, final long firstWord, final long secondWord) {
        final int queue = StardustCell.queue(secondWord);
        final int port = adapter * fabric.hosts().ports() + fabric.hosts().port(queue);
        tally.increment(NicCounter.CELLS_DELIVERED);
        tally.increment(ports.send(slot, port, StardustCell.bytes(firstWord) - prefix) == HostPorts.DROPPED
            ? NicCounter.PACKETS_LOST : NicCounter.PACKETS_DELIVERED);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + queue) + (secondWord ^ firstWord));
    }

    /**
     * A whole packet of a flow goes to its port.
     *
     * @param last whether it is the last of its flow.
     */
    void deliver(final long slot, final int stream, final int flow, final int packet, final boolean last) {
        final int length = packets.length(flow, packet);
        final int port = portOf(stream);
        final long done = ports.send(slot, port, length);
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            flowOutcomes.lose(flow);
            end(flow, last);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        if (last && flowOutcomes.isOpen(flow)) {
            flowOutcomes.complete(flow, done);
            tally.increment(NicCounter.FLOWS_COMPLETED);
        }
        final long place = CounterRandom.mix(slot * GOLDEN + flows.destination(flow));
        digest += CounterRandom.mix(place + ((long) flow << Integer.SIZE | packet) * GOLDEN + flows.source(flow));
        if (side != null) {
            side.deliver(flow);
        }
        end(flow, last);
    }

    /** A packet of a connection goes to its host. */
    void hand(final long slot, final int stream, final long packet, final boolean broken) {
        final int port = portOf(stream);
        final boolean isLong = marks.marks() && marks.isMarked(ports.backlog(slot, port), ~fabric.seed(), slot,
            packet);
        final long done = broken ? HostPorts.DROPPED : ports.send(slot, port, sent.bytes(packet));
        if (done == HostPorts.DROPPED) {
            tally.increment(NicCounter.PACKETS_LOST);
            return;
        }
        tally.increment(NicCounter.PACKETS_DELIVERED);
        final boolean isNew = isLong && !TcpPacket.isAck(packet) && !TcpPacket.isMarked(packet);
        if (isNew) {
            tally.increment(NicCounter.PACKETS_MARKED);
        }
        tcp.receive(done, port, isNew ? TcpPacket.marked(packet) : packet);
        digest += CounterRandom.mix(CounterRandom.mix(slot * GOLDEN + packet) + (first * fas * perPair + stream));
    }

    /**
     * A packet of a flow is lost.
     *
     * @param last    whether it is the last of its flow.
     * @param counter of lost packets; null if it was counted where it did not come in.
     */
    void lose(final int flow, final boolean last, final NicCounter counter) {
        if (side != null) {
            side.lose(flow);
        }
        if (counter != null) {
            tally.increment(counter);
        }
        flowOutcomes.lose(flow);
        end(flow, last);
    }

    private void end(final int flow, final boolean last) {
        if (last && flowOutcomes.fail(flow)) {
            tally.increment(NicCounter.FLOWS_FAILED);
        }
    }

    private int portOf(final int stream) {
        return stream / (fas * perPair) * fabric.hosts().ports() + fabric.hosts().port(stream % perPair);
    }
}
