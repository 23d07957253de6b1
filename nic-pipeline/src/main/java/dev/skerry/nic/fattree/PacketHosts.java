package dev.skerry.nic.fattree;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.fattree.FatTreeBank.FatTreeEnds;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.nic.host.TcpPacket;

/** The hosts of a bank, which send when flows start, packets arrive and timers expire. One thread. */
interface PacketHosts {
    /** Handles timers and pacing. Called for each slot in order; slots may be skipped only while idle. */
    void turn(long slot);

    /** Starts a flow of a host of the bank. */
    void start(long slot, int flow);

    /** Handles a packet that has arrived at its destination, a host of the bank. */
    void receive(long slot, int host, long first, long second);

    /** Whether nothing happens until a packet arrives or a flow starts. */
    boolean isIdle();

    /** Maximum distance of an arriving segment ahead of a missing one, in segments. */
    int maxAhead();

    /** The ports of hosts. */
    interface HostLink {
        /** Sends a packet, given by its two words. */
        void send(long slot, int host, long first, long second);

        /** Bytes queued at the port, including the rest of the packet being sent. */
        long backlog(long slot, int host);
    }

    /** Hosts with TCP or DCQCN, implemented by {@link Sender} and {@link RenoReceiver}. */
    final class TcpHosts implements PacketHosts {
        private final FlowSet flows;
        private final Connections connections;
        private final FlowOutcomes outcomes;
        private final long[] received;
        private final int ackBytes;
        private final BankCounters tally;
        private final HostLink link;
        private final Sender senders;
        private final RenoReceiver receivers;
        private int maxAhead;

        TcpHosts(final FatTree fabric, final FatTreeEnds ends, final BankCounters tally, final HostLink link) {
            this.flows = ends.connections().flows();
            this.connections = ends.connections();
            this.outcomes = ends.outcomes();
            this.received = ends.received();
            this.ackBytes = fabric.hosts().ackBytes();
            this.tally = tally;
            this.link = link;
            this.senders = Sender.of(ends.senders(), connections, fabric.hosts(), fabric.cellBytes(), new Line());
            this.receivers = new RenoReceiver(ends.receivers(), fabric.hosts());
        }

        @Override
        public void turn(final long slot) {
            senders.turn(slot);
            tally.set(NicCounter.PACKETS_RESENT, senders.resent());
            tally.set(NicCounter.TIMEOUTS, senders.timeouts());
        }

        @Override
        public void start(final long slot, final int flow) {
            senders.start(slot, flow);
        }

        @Override
        public void receive(final long slot, final int host, final long first, final long second) {
            final int connection = TcpPacket.flow(first);
            if (TcpPacket.isAck(first)) {
                senders.onAck(slot, connection, first);
                return;
            }
            final int flow = connections.flow(connection);
            final int number = TcpPacket.number(first);
            final int before = receivers.expected(connection);
            received[flow] += receivers.has(connection, number) ? 0 : PacketWord.bytes(second);
            final int expected = receivers.onSegment(connection, number);
            maxAhead = Math.max(maxAhead, number - expected);
            if (expected != before && receivers.there(connections, flow) == connections.segments(flow)) {
                outcomes.complete(flow, slot);
                tally.increment(NicCounter.FLOWS_COMPLETED);
            }
            link.send(slot, host, receivers.answer(slot, first, expected),
                PacketWord.of(PacketWord.ACK, ackBytes, 0, slot));
        }

        @Override
        public boolean isIdle() {
            return senders.isIdle();
        }

        @Override
        public int maxAhead() {
            return maxAhead;
        }

        /** Sends segments over the port of a connection's host. */
        private final class Line implements Sender.Line {
            @Override
            public void segment(final long slot, final int connection, final int number) {
                link.send(slot, host(connection), TcpPacket.segment(connection, number),
                    PacketWord.of(PacketWord.SEGMENT, connections.bytes(connection, number), slot));
            }

            @Override
            public boolean isFree(final long slot, final int connection) {
                return link.backlog(slot, host(connection)) <= connections.packetBytes();
            }

            private int host(final int connection) {
                return flows.source(connections.flow(connection));
            }
        }
    }
}
