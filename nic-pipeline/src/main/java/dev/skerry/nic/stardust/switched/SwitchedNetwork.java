package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.host.Connections;
import dev.skerry.nic.stardust.host.RenoReceiver;
import dev.skerry.nic.stardust.host.Sender;
import dev.skerry.nic.stardust.host.TcpPacket;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/**
 * Store and forward packet switches with a queue at each output, and hosts that speak TCP or DCQCN ({@link Reno}).
 * Switches drop what they have no room for, or pause links before ({@link SwitchRules#lossless}). A packet is in the
 * queue of one port at a time, and on the link behind it for some slots more. A slot takes in what arrives, ends
 * timers, and starts flows, in this order. One thread.
 *
 * <p>Conservation: packets sent by hosts are received, dropped, or held.
 */
public final class SwitchedNetwork {
    private final FlowSet flows;
    private final SwitchRules rules;
    private final Routes routes;
    private final Connections connections;
    private final int ackBytes;
    private final MarkLaw marks;
    private final Sender senders;
    private final RenoReceiver receivers;
    private final Links links;
    private final Links.Arrivals arrivals = this::arrive;
    private final long[] completedBefore;
    private final long[] receivedOf;
    private long slot;
    private int started;
    private int completed;
    private long sent;
    private long received;
    private long dropped;
    private long marked;

    /**
     * Nothing has started.
     *
     * @param arena frees the records of connections.
     * @param flows in order of their start.
     */
    public SwitchedNetwork(final Arena arena, final FlowSet flows, final Reno hosts, final SwitchRules rules,
        final Routes routes) {
        this.flows = flows;
        this.rules = rules;
        this.routes = routes;
        this.ackBytes = hosts.ackBytes();
        this.marks = hosts.congestion().readsMarks() ? rules.marks() : MarkLaw.NONE;
        this.links = rules.lossless() ? new PfcLinks(rules, routes) : new FreeLinks(rules, routes);
        this.connections = Connections.of(flows, rules.packetBytes(), hosts);
        this.senders = Sender.of(Sender.table(arena, flows.size(), hosts), connections, hosts, hostBytes(routes),
            new Sender.Line() {
                @Override
                public void segment(final long at, final int connection, final int number) {
                    send(at, TcpPacket.segment(connection, number));
                }

                @Override
                public boolean isFree(final long at, final int connection) {
                    return links.backlog(at, routes.path(connection, false)[0]) <= rules.packetBytes();
                }
            });
        this.receivers = new RenoReceiver(RenoReceiver.table(arena, flows.size(), hosts), hosts);
        this.completedBefore = new long[flows.size()];
        this.receivedOf = new long[flows.size()];
    }

    /** Some slots more. */
    public void advance(final long slots) {
        for (final long end = slot + slots; slot < end; slot++) {
            links.turn(slot, arrivals);
            senders.turn(slot);
            while (started < flows.size() && flows.startSlot(started) <= slot) {
                senders.start(slot, started++);
            }
        }
    }

    /** The rate of the slowest port of a host. */
    private static double hostBytes(final Routes routes) {
        return IntStream.range(0, routes.ports()).filter(routes::isHost).mapToDouble(routes::bytesPerSlot).min()
            .orElse(1);
    }

    /** A packet comes to the end of a port's link. */
    private void arrive(final int port, final long packet) {
        final int[] path = routes.path(TcpPacket.flow(packet), TcpPacket.isAck(packet));
        int hop = 0;
        while (path[hop] != port) {
            hop++;
        }
        if (hop + 1 < path.length) {
            enqueue(slot, port, path[hop + 1], packet);
        } else {
            received++;
            take(packet);
        }
    }

    private void take(final long packet) {
        final int connection = TcpPacket.flow(packet);
        if (TcpPacket.isAck(packet)) {
            senders.onAck(slot, connection, packet);
            return;
        }
        final int flow = connections.flow(connection);
        final int before = receivers.expected(connection);
        receivedOf[flow] += receivers.has(connection, TcpPacket.number(packet)) ? 0 : bytes(packet);
        final int expected = receivers.onSegment(connection, TcpPacket.number(packet));
        if (expected != before && receivers.there(connections, flow) == connections.segments(flow)) {
            completedBefore[flow] = slot + 1;
            completed++;
        }
        send(slot, receivers.answer(slot, packet, expected));
    }

    private void send(final long at, final long packet) {
        sent++;
        enqueue(at, Links.NONE, routes.path(TcpPacket.flow(packet), TcpPacket.isAck(packet))[0], packet);
    }

    private void enqueue(final long at, final int from, final int port, final long packet) {
        final boolean isNew = !TcpPacket.isAck(packet) && !TcpPacket.isMarked(packet) && marks.marks()
            && !routes.isHost(port) && marks.isMarked(links.backlog(at, port), port, at, packet);
        if (!links.add(at, from, port, isNew ? TcpPacket.marked(packet) : packet, bytes(packet))) {
            dropped++;
        } else if (isNew) {
            marked++;
        }
    }

    private int bytes(final long packet) {
        return TcpPacket.isAck(packet) ? ackBytes
            : connections.bytes(TcpPacket.flow(packet), TcpPacket.number(packet));
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /** Bytes in the queue of a port, and of the packet that it sends. */
    public long backlog(final int port) {
        return links.backlog(slot, port);
    }

    /** Payload bytes of a flow that have come, those behind a gap included; each counts once. */
    public long receivedOf(final int flow) {
        return receivedOf[flow];
    }

    /** The slot after that in which the last byte of a flow came; 0 if it has not. */
    public long completedBefore(final int flow) {
        return completedBefore[flow];
    }

    /** Flows that are complete. */
    public int completed() {
        return completed;
    }

    /** Packets that found no room. */
    public long dropped() {
        return dropped;
    }

    /** Segments that a queue marked. */
    public long marked() {
        return marked;
    }

    /** Segments that were sent again. */
    public long resent() {
        return senders.resent();
    }

    /** Timers that ended. */
    public long timeouts() {
        return senders.timeouts();
    }

    /** How often a switch paused a link into it; 0 where none does. */
    public long pauses() {
        return links.pauses();
    }

    /** The rate of a connection in bytes a slot; infinite where it has a window. */
    public double rate(final int connection) {
        return senders.rate(connection);
    }

    /** The window of a connection in segments; infinite where it has a rate. */
    public double window(final int connection) {
        return senders.window(connection);
    }

    /** The congestion that the sender of a connection estimates, alpha; 0 where it does not. */
    public double markedShare(final int flow) {
        return senders.markedShare(flow);
    }

    /**
     * Checks that no packet came from nowhere or went there.
     *
     * @throws IllegalStateException if the law is broken.
     */
    public void checkConserved() {
        final long held = links.held();
        if (sent != received + dropped + held) {
            throw new IllegalStateException("packets are not conserved before slot " + slot + ": sent=" + sent
                + " received=" + received + " dropped=" + dropped + " held=" + held);
        }
    }
}
