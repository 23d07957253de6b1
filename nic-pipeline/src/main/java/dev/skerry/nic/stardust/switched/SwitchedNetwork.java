package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.LongFifo;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.host.Connections;
import dev.skerry.nic.stardust.host.RenoReceiver;
import dev.skerry.nic.stardust.host.RenoSender;
import dev.skerry.nic.stardust.host.TcpPacket;
import org.agrona.collections.IntArrayList;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Store and forward packet switches with a first-come queue at each output that drops what it has no room for, and
 * hosts that speak TCP ({@link Reno}). A packet is in the queue of one port at a time, and on the link behind it for
 * some slots more. A slot takes in what arrives, ends timers, and starts flows, in this order. One thread.
 *
 * <p>Conservation: packets sent by hosts are received, dropped, or held.
 */
public final class SwitchedNetwork {
    private static final int FRACTION_BITS = 16;

    private final FlowSet flows;
    private final SwitchRules rules;
    private final Routes routes;
    private final Connections connections;
    private final int ackBytes;
    private final long markBytes;
    private final RenoSender senders;
    private final RenoReceiver receivers;
    private final long[] perSlot;
    /** By port: when it has sent all, in 1/65536 bytes; packets with the slots in which they arrive behind its link. */
    private final long[] doneAt;
    private final LongFifo[] queues;
    /** Ports of which the first packet arrives in a slot. */
    private final IntArrayList[] wheel;
    private final long[] completedBefore;
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
        this.markBytes = hosts.congestion().readsMarks() ? rules.markBytes() : Long.MAX_VALUE;
        this.connections = Connections.of(flows, rules.packetBytes(), hosts);
        this.senders = new RenoSender(RenoSender.table(arena, flows.size(), hosts), connections, hosts,
            (at, connection, number) -> send(at, TcpPacket.segment(connection, number)));
        this.receivers = new RenoReceiver(RenoReceiver.table(arena, flows.size(), hosts), hosts);
        this.perSlot = new long[routes.ports()];
        Arrays.setAll(perSlot, port -> Math.round(routes.bytesPerSlot(port) * (1 << FRACTION_BITS)));
        this.doneAt = new long[routes.ports()];
        this.queues = new LongFifo[routes.ports()];
        Arrays.setAll(queues, port -> new LongFifo());
        final long longest = ((long) rules.packetBytes() << FRACTION_BITS) / Arrays.stream(perSlot).min().orElse(1);
        this.wheel = new IntArrayList[Integer.highestOneBit((int) longest + rules.linkSlots() + 2) << 1];
        Arrays.setAll(wheel, at -> new IntArrayList());
        this.completedBefore = new long[flows.size()];
    }

    /** Some slots more. */
    public void advance(final long slots) {
        for (final long end = slot + slots; slot < end; slot++) {
            final IntArrayList due = wheel[(int) slot & wheel.length - 1];
            for (int i = 0; i < due.size(); i++) {
                arrive(due.getInt(i));
            }
            due.clear();
            senders.turn(slot);
            while (started < flows.size() && flows.startSlot(started) <= slot) {
                senders.start(slot, started++);
            }
        }
    }

    /** The first packet of a port comes to the end of its link. */
    private void arrive(final int port) {
        final LongFifo queue = queues[port];
        final long packet = queue.poll();
        if (queue.size() > 0) {
            await(port, queue.first());
        }
        final int[] path = routes.path(TcpPacket.flow(packet), TcpPacket.isAck(packet));
        int hop = 0;
        while (path[hop] != port) {
            hop++;
        }
        if (hop + 1 < path.length) {
            enqueue(slot, path[hop + 1], packet);
        } else {
            received++;
            take(packet);
        }
    }

    private void take(final long packet) {
        final int connection = TcpPacket.flow(packet);
        if (TcpPacket.isAck(packet)) {
            senders.onAck(slot, connection, TcpPacket.number(packet), TcpPacket.isMarked(packet));
            return;
        }
        final int flow = connections.flow(connection);
        final int before = receivers.expected(connection);
        final int expected = receivers.onSegment(connection, TcpPacket.number(packet));
        if (expected != before && receivers.there(connections, flow) == connections.segments(flow)) {
            completedBefore[flow] = slot + 1;
            completed++;
        }
        send(slot, TcpPacket.answer(packet, expected));
    }

    private void send(final long at, final long packet) {
        sent++;
        enqueue(at, routes.path(TcpPacket.flow(packet), TcpPacket.isAck(packet))[0], packet);
    }

    private void enqueue(final long at, final int port, final long packet) {
        final long now = at * perSlot[port];
        final long backlog = Math.max(0, doneAt[port] - now);
        final long bytes = bytes(packet);
        long joined = packet;
        if (!routes.isHost(port)) {
            if ((backlog >> FRACTION_BITS) + bytes > rules.queueBytes()) {
                dropped++;
                return;
            }
            if (!TcpPacket.isAck(packet) && backlog >> FRACTION_BITS > markBytes) {
                marked += TcpPacket.isMarked(packet) ? 0 : 1;
                joined = TcpPacket.marked(packet);
            }
        }
        doneAt[port] = now + backlog + (bytes << FRACTION_BITS);
        final long arrives = Math.ceilDiv(doneAt[port], perSlot[port]) + rules.linkSlots();
        if (queues[port].size() == 0) {
            await(port, arrives);
        }
        queues[port].add(arrives, joined);
    }

    private void await(final int port, final long arrives) {
        wheel[(int) arrives & wheel.length - 1].addInt(port);
    }

    private long bytes(final long packet) {
        return TcpPacket.isAck(packet) ? ackBytes
            : connections.bytes(TcpPacket.flow(packet), TcpPacket.number(packet));
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /** Bytes in the queue of a port, and of the packet that it sends. */
    public long backlog(final int port) {
        return Math.max(0, doneAt[port] - slot * perSlot[port]) >> FRACTION_BITS;
    }

    /** Payload bytes of a flow that are there without a gap. */
    public long receivedOf(final int flow) {
        return receivers.received(connections, flow);
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

    /** The window of a connection in segments. */
    public double window(final int connection) {
        return senders.window(connection);
    }

    /** The share of marked segments as the sender of a flow estimates it; 0 where it does not. */
    public double markedShare(final int flow) {
        return senders.markedShare(flow);
    }

    /**
     * Checks that no packet came from nowhere or went there.
     *
     * @throws IllegalStateException if the law is broken.
     */
    public void checkConserved() {
        long held = 0;
        for (final LongFifo queue : queues) {
            held += queue.size();
        }
        if (sent != received + dropped + held) {
            throw new IllegalStateException("packets are not conserved before slot " + slot + ": sent=" + sent
                + " received=" + received + " dropped=" + dropped + " held=" + held);
        }
    }
}
