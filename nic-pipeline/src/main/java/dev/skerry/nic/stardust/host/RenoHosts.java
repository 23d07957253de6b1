package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PacedHosts.HostPauses;

/**
 * The hosts of a bank's adapters if they speak TCP ({@link Reno}): packets from their ports go to the ends of their
 * connections, and packets of these ends wait at the port of the host and leave at its rate. The order in a slot is:
 * packets arrive, timers expire, flows start and ports send. A host has no state of others, so nothing depends on the
 * bank. Bytes are counted in units of 1/65536 byte. One thread.
 */
public final class RenoHosts {
    private static final int FRACTION_BITS = 16;

    private final FlowSet flows;
    private final SentPackets packets;
    private final Reno rules;
    private final FlowOutcomes flowOutcomes;
    private final BankCounters tally;
    private final PacketTaker taker;
    private final Sender senders;
    private final RenoReceiver receivers;
    private final Connections connections;
    private final int firstHost;
    private final long perSlot;
    /** Packets on the wire to each host, with the slots of their arrival. */
    private final LongFifo[] coming;
    /** Hosts with packets on the wire, and hosts with packets at their port. */
    private final QueueBits wired;
    private final QueueBits sending;
    /** Packets at the port of each host by kind, 0 for acknowledgements and 1 for segments. */
    private final LongFifo[] waiting;
    private final long[] pots;

    /**
     * The state of connections that banks share.
     *
     * @param senders      the records of the sending ends.
     * @param receivers    the records of the receiving ends.
     * @param flowOutcomes the outcome of each flow.
     */
    public record Ends(Region senders, Region receivers, FlowOutcomes flowOutcomes) {
    }

    /** Takes the packets of hosts. */
    @FunctionalInterface
    public interface PacketTaker {
        /** Takes a packet that comes to an adapter of the bank; false if it has no room. */
        boolean take(long slot, long packet);
    }

    /**
     * Creates hosts before any flow has started.
     *
     * @param firstHost the first host of the bank.
     * @param hosts     number of hosts.
     */
    public RenoHosts(final Stardust fabric, final FlowSet flows, final SentPackets packets, final Ends ends,
        final BankCounters tally,
        final PacketTaker taker, final int firstHost, final int hosts) {
        this.flows = flows;
        this.packets = packets;
        this.rules = (Reno) fabric.hosts().model();
        this.flowOutcomes = ends.flowOutcomes;
        this.tally = tally;
        this.taker = taker;
        this.connections = packets.connections();
        this.senders = Sender.of(ends.senders, connections, rules, fabric.hosts().bytesPerSlot(), new Ports());
        this.receivers = new RenoReceiver(ends.receivers, rules);
        this.firstHost = firstHost;
        this.perSlot = Math.round(fabric.hosts().bytesPerSlot() * (1 << FRACTION_BITS));
        this.coming = LongFifo.of(hosts);
        this.wired = new QueueBits(hosts);
        this.sending = new QueueBits(hosts);
        this.waiting = LongFifo.of(2 * hosts);
        this.pots = new long[hosts];
    }

    /** Records that the last byte of a packet leaves the port towards a host of the bank in a slot. */
    public void receive(final long slot, final int port, final long packet) {
        coming[port].add(slot + rules.wireSlots(), packet);
        wired.set(port);
    }

    /** Receives what arrives at hosts, and expires timers. */
    public void hear(final long slot) {
        final int end = coming.length;
        for (int host = wired.next(0, end); host < end; host = wired.next(host + 1, end)) {
            final LongFifo wire = coming[host];
            while (!wire.isEmpty() && wire.first() <= slot) {
                wire.poll();
                take(slot, wire.poll());
            }
            if (wire.isEmpty()) {
                wired.clear(host);
            }
        }
        senders.turn(slot);
    }

    /** Starts a flow of a host of the bank. */
    public void start(final long slot, final int flow) {
        senders.start(slot, flow);
    }

    /**
     * Sends the packets of a slot.
     *
     * @param pauses tells which hosts may not send; null if all may.
     */
    public void send(final long slot, final HostPauses pauses) {
        final int end = pots.length;
        for (int host = sending.next(0, end); host < end; host = sending.next(host + 1, end)) {
            if (pauses != null && pauses.isPaused(host)) {
                continue;
            }
            pots[host] = send(slot, host, pots[host] + perSlot);
            if (waiting[next(host)].isEmpty()) {
                sending.clear(host);
            }
        }
        tally.set(NicCounter.PACKETS_RESENT, senders.resent());
        tally.set(NicCounter.TIMEOUTS, senders.timeouts());
    }

    /**
     * Sends packets of a host for the bytes that its port has saved, acknowledgements first; returns the bytes left.
     */
    private long send(final long slot, final int host, final long bytes) {
        long pot = bytes;
        for (LongFifo queue = waiting[next(host)]; !queue.isEmpty(); queue = waiting[next(host)]) {
            final long length = (long) packets.bytes(queue.first()) << FRACTION_BITS;
            if (pot < length) {
                return pot;
            }
            pot -= length;
            if (!taker.take(slot, queue.poll())) {
                tally.increment(NicCounter.PACKETS_REFUSED);
            }
        }
        return 0;
    }

    /** Returns the queue of a host that sends next. */
    private int next(final int host) {
        return 2 * host + (waiting[2 * host].isEmpty() ? 1 : 0);
    }

    /** Returns the payload bytes of a flow to a host of the bank that have arrived without a gap. */
    public long received(final int flow) {
        return receivers.received(connections, flow);
    }

    private void take(final long slot, final long packet) {
        final int connection = TcpPacket.flow(packet);
        if (TcpPacket.isAck(packet)) {
            senders.onAck(slot, connection, packet);
            return;
        }
        final int flow = connections.flow(connection);
        final int before = receivers.expected(connection);
        final int expected = receivers.onSegment(connection, TcpPacket.number(packet));
        if (expected != before && receivers.there(connections, flow) == connections.segments(flow)) {
            flowOutcomes.complete(flow, slot);
            tally.increment(NicCounter.FLOWS_COMPLETED);
        }
        enqueue(2 * (flows.destination(flow) - firstHost), receivers.answer(slot, packet, expected));
    }

    /** The port of a connection's host. */
    private final class Ports implements Sender.Line {
        @Override
        public void segment(final long slot, final int connection, final int number) {
            enqueue(queue(connection), TcpPacket.segment(connection, number));
        }

        @Override
        public boolean isFree(final long slot, final int connection) {
            return waiting[queue(connection)].size() < 2;
        }

        private int queue(final int connection) {
            return 2 * (flows.source(connections.flow(connection)) - firstHost) + 1;
        }
    }

    private void enqueue(final int queue, final long packet) {
        if (waiting[queue].size() == rules.queuePackets()) {
            tally.increment(NicCounter.PACKETS_REFUSED);
            return;
        }
        waiting[queue].add(packet);
        sending.set(queue >>> 1);
    }
}
