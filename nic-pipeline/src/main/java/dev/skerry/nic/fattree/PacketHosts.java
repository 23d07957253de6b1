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

/** The hosts of a bank: what they send for flows that start and packets that come. One thread. */
interface PacketHosts {
    /** Timers end, and hosts that pace themselves send; slots come one after another, none left out unless idle. */
    void turn(long slot);

    /** A flow of a host of the bank starts. */
    void start(long slot, int flow);

    /** A packet has come to a host of the bank that it is for. */
    void receive(long slot, int host, long first, long second);

    /** Whether nothing happens before a packet comes or a flow starts. */
    boolean isIdle();

    /** Farthest that a segment came ahead of one that was missing, in segments. */
    int maxAhead();

    /** Where hosts send to: the port of their link. */
    interface HostLink {
        /** Sends a packet, by its words. */
        void send(long slot, int host, long first, long second);

        /** Bytes that wait at the port, and of the packet that it sends. */
        long backlog(long slot, int host);
    }

    /** Hosts that speak TCP or DCQCN: what {@link Sender} and {@link RenoReceiver} decide. */
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

        /** The link of a connection's host. */
        private final class Line implements Sender.Line {
            @Override
            public void segment(final long slot, final int connection, final int number) {
                link.send(slot, host(connection), TcpPacket.segment(connection, number),
                    PacketWord.of(PacketWord.SEGMENT, connections.bytes(connection, number), 0, slot));
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
