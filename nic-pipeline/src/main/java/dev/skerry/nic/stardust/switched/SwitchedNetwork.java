package dev.skerry.nic.stardust.switched;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.nic.host.SlotWheel;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;
import org.agrona.collections.IntArrayList;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        Laws.brokenIf(sent != received + dropped + held, "packets are not conserved before slot ", slot, ": sent=",
            sent, " received=", received, " dropped=", dropped, " held=", held);
    }

    /**
     * Links that nobody pauses: when a packet joins a queue, it is known when it arrives behind the link. A switch's
     * port drops what it has no room for. One thread.
     */
    static final class FreeLinks extends Links {
        /**
         * By port: when it has sent all, in 1/65536 bytes; packets with the slots in which they arrive behind its link.
         */
        private final long[] doneAt;
        private final LongFifo[] queues;

        /** The wheel has the ports of which the first packet arrives in a slot. */
        FreeLinks(final SwitchRules rules, final Routes routes) {
            super(rules, routes);
            this.doneAt = new long[routes.ports()];
            this.queues = LongFifo.of(routes.ports());
        }

        @Override
        public void turn(final long slot, final Arrivals arrivals) {
            final IntArrayList due = wheel.due(slot);
            for (int i = 0; i < due.size(); i++) {
                final int port = due.getInt(i);
                final LongFifo queue = queues[port];
                queue.poll();
                final long packet = queue.poll();
                if (!queue.isEmpty()) {
                    wheel.add(queue.first(), port);
                }
                arrivals.arrive(port, packet);
            }
            due.clear();
        }

        @Override
        public boolean add(final long slot, final int from, final int port, final long packet, final int bytes) {
            final long now = slot * perSlot[port];
            final long backlog = Math.max(0, doneAt[port] - now);
            if (!routes.isHost(port) && (backlog >> FRACTION_BITS) + bytes > rules.queueBytes()) {
                return false;
            }
            doneAt[port] = now + backlog + ((long) bytes << FRACTION_BITS);
            final long arrives = Math.ceilDiv(doneAt[port], perSlot[port]) + rules.linkSlots();
            if (queues[port].isEmpty()) {
                wheel.add(arrives, port);
            }
            queues[port].add(arrives, packet);
            return true;
        }

        @Override
        public long backlog(final long slot, final int port) {
            return Math.max(0, doneAt[port] - slot * perSlot[port]) >> FRACTION_BITS;
        }

        @Override
        public long held() {
            return Arrays.stream(queues).mapToLong(LongFifo::size).sum() / 2;
        }
    }

    /**
     * Links that switches pause (PFC, IEEE 802.1Qbb): a switch that holds more of a link into it than a mark pauses
     * that link, until it holds two packets less than the mark. Above the mark there is room for what is under way by
     * then and what is sent before the pause comes, {@link SwitchRules#headroom}; a segment beyond that is dropped.
     * Acknowledgements are a class of their own, as the notifications of DCQCN are: they go first and are never paused.
     *
     * <p>A port sends a packet after the other, so when a packet leaves is known once it is first in its queue. Times
     * of a port are in 1/65536 of its bytes. One thread.
     */
    static final class PfcLinks extends Links {
        private static final int ARRIVAL = 0;
        private static final int SENT = 1;
        private static final int PAUSE = 2;
        private static final int GO = 3;
        private static final int KIND_BITS = 2;

        private final long[] mark;
        /** By port, and segments after acknowledgements: packets with their bytes and, above these, the port before. */
        private final LongFifo[] waiting;
        private final long[] waitingBytes;
        /** By port: packets on its link with the slots in which they arrive. */
        private final LongFifo[] crossing;
        /**
         * By port: when it has sent the packet that it sends, bytes of that if it is a segment, the port it came by.
         */
        private final long[] doneAt;
        private final int[] sending;
        private final int[] sendingFrom;
        private final boolean[] paused;
        /**
         * By port: bytes of segments that came over its link and are held at the end of it, and whether that said so.
         */
        private final long[] held;
        private final boolean[] full;
        private long pauses;

        PfcLinks(final SwitchRules rules, final Routes routes) {
            super(rules, routes);
            final int ports = routes.ports();
            this.mark = new long[ports];
            Arrays.setAll(mark, port -> rules.queueBytes() - rules.headroom(routes.bytesPerSlot(port)));
            this.waiting = LongFifo.of(2 * ports);
            this.waitingBytes = new long[ports];
            this.crossing = LongFifo.of(ports);
            this.doneAt = new long[ports];
            this.sending = new int[ports];
            this.sendingFrom = new int[ports];
            this.paused = new boolean[ports];
            this.held = new long[ports];
            this.full = new boolean[ports];
            if (Arrays.stream(mark).anyMatch(bytes -> bytes < 2L * rules.packetBytes())) {
                throw new IllegalArgumentException("a switch that pauses has room for two packets of a link and for "
                    + "what comes before it stops: queueBytes=" + rules.queueBytes() + " of them above the mark="
                    + (rules.queueBytes() - Arrays.stream(mark).min().orElseThrow()));
            }
        }

        @Override
        public void turn(final long slot, final Arrivals arrivals) {
            final IntArrayList due = wheel.due(slot);
            for (int i = 0; i < due.size(); i++) {
                final int port = due.getInt(i) >>> KIND_BITS;
                switch (due.getInt(i) & (1 << KIND_BITS) - 1) {
                    case ARRIVAL -> {
                        crossing[port].poll();
                        arrivals.arrive(port, crossing[port].poll());
                    }
                    case SENT -> pump(slot, port);
                    case PAUSE -> paused[port] = true;
                    default -> {
                        paused[port] = false;
                        wake(slot, port);
                        pump(slot, port);
                    }
                }
            }
            due.clear();
        }

        @Override
        public boolean add(final long slot, final int from, final int port, final long packet, final int bytes) {
            final boolean isAck = TcpPacket.isAck(packet);
            if (from != NONE && !isAck) {
                if (held[from] + bytes > rules.queueBytes()) {
                    return false;
                }
                held[from] += bytes;
                if (held[from] > mark[from] && !full[from]) {
                    full[from] = true;
                    pauses++;
                    await(slot + rules.linkSlots(), from, PAUSE);
                }
            }
            pump(slot, port);
            wake(slot, port);
            waiting[2 * port + (isAck ? 0 : 1)].add((long) (from + 1) << Integer.SIZE | bytes, packet);
            waitingBytes[port] += bytes;
            pump(slot, port);
            return true;
        }

        /** A port that sends nothing can not have begun before a slot. */
        private void wake(final long slot, final int port) {
            if (sending[port] == 0) {
                doneAt[port] = Math.max(doneAt[port], slot * perSlot[port]);
            }
        }

        /** Whatever a port can have sent by a slot leaves it. */
        private void pump(final long slot, final int port) {
            final long now = slot * perSlot[port];
            while (doneAt[port] <= now) {
                if (sending[port] > 0 && sendingFrom[port] != NONE) {
                    release(slot, sendingFrom[port], sending[port]);
                }
                sending[port] = 0;
                final int queue = !waiting[2 * port].isEmpty() ? 2 * port : 2 * port + 1;
                if (waiting[queue].isEmpty() || paused[port] && queue % 2 == 1) {
                    return;
                }
                start(slot, port, queue);
            }
        }

        private void start(final long slot, final int port, final int queue) {
            final long entry = waiting[queue].poll();
            final int bytes = (int) entry;
            sending[port] = bytes;
            sendingFrom[port] = queue % 2 == 0 ? NONE : (int) (entry >>> Integer.SIZE) - 1;
            waitingBytes[port] -= bytes;
            doneAt[port] += (long) bytes << FRACTION_BITS;
            final long done = Math.ceilDiv(doneAt[port], perSlot[port]);
            crossing[port].add(done, waiting[queue].poll());
            await(done + rules.linkSlots(), port, ARRIVAL);
            await(Math.max(slot + 1, done), port, SENT);
        }

        private void release(final long slot, final int from, final int bytes) {
            held[from] -= bytes;
            if (full[from] && held[from] <= mark[from] - 2L * rules.packetBytes()) {
                full[from] = false;
                await(slot + rules.linkSlots(), from, GO);
            }
        }

        private void await(final long slot, final int port, final int kind) {
            wheel.add(slot, port << KIND_BITS | kind);
        }

        @Override
        public long backlog(final long slot, final int port) {
            return waitingBytes[port] + (Math.max(0, doneAt[port] - slot * perSlot[port]) >> FRACTION_BITS);
        }

        @Override
        public long held() {
            return Stream.of(waiting, crossing).flatMap(Arrays::stream).mapToLong(LongFifo::size).sum() / 2;
        }

        @Override
        public long pauses() {
            return pauses;
        }
    }

    /** The links of a network with the queues in front of them, a port each. One thread. */
    abstract static sealed class Links permits FreeLinks, PfcLinks {
        /** No port: a packet comes from its host. */
        static final int NONE = -1;
        static final int FRACTION_BITS = 16;

        final SwitchRules rules;
        final Routes routes;
        /** What ports send in a slot, in 1/65536 bytes. */
        final long[] perSlot;
        /** For all slots that a packet may take from the head of its queue to the end of its link. */
        final SlotWheel wheel;

        Links(final SwitchRules rules, final Routes routes) {
            this.rules = rules;
            this.routes = routes;
            this.perSlot = new long[routes.ports()];
            Arrays.setAll(perSlot, port -> Math.round(routes.bytesPerSlot(port) * (1 << FRACTION_BITS)));
            final long longest = ((long) rules.packetBytes() << FRACTION_BITS) / Arrays.stream(perSlot).min().orElse(1);
            this.wheel = new SlotWheel(Integer.highestOneBit((int) longest + rules.linkSlots() + 2) << 1);
        }

        /** Takes packets that come to the end of their link. */
        @FunctionalInterface
        interface Arrivals {
            /** A packet has crossed the link of a port. */
            void arrive(int port, long packet);
        }

        /** What happens in a slot; slots come one after the other. */
        abstract void turn(long slot, Arrivals arrivals);

        /**
         * A packet joins the queue of a port.
         *
         * @param from the port that it came by, or {@link #NONE}.
         * @return false if there is no room for it.
         */
        abstract boolean add(long slot, int from, int port, long packet, int bytes);

        /** Bytes in the queue of a port, and of the packet that it sends. */
        abstract long backlog(long slot, int port);

        /** Packets in queues and on links. */
        abstract long held();

        /** How often a switch paused a link into it. */
        long pauses() {
            return 0;
        }
    }

    /** The ports of a network, and the way of each connection through them. Immutable. */
    public interface Routes {
        /** Directed links, each with a queue. */
        int ports();

        /** What a port sends in a slot, more than 0. */
        double bytesPerSlot(int port);

        /** Whether a port is a host's own, which has room for all that its windows allow and marks nothing. */
        boolean isHost(int port);

        /**
         * The ports on the way of a connection's segments or acknowledgements, the host's own first. No port is on it
         * twice.
         */
        int[] path(int connection, boolean ack);
    }

    /**
     * What switches of a {@link SwitchedNetwork} do.
     *
     * @param packetBytes the longest packet, 1 to 65,535.
     * @param linkSlots   delay of a link, 1 to 4096.
     * @param queueBytes  that wait at a port at most, a packet at least; where links are paused, that a switch holds at
     *                    most after they came over one link: two packets and the {@link #headroom} at least.
     * @param marks       which segments are marked if their hosts read marks.
     * @param lossless    whether switches pause the links into them (PFC) before they drop anything.
     */
    public record SwitchRules(int packetBytes, int linkSlots, long queueBytes, MarkLaw marks, boolean lossless) {
        private static final int MOST_PACKET = 65_535;
        private static final int MOST_SLOTS = 4096;
        /** Sending, pausing and going on each begin with a slot. */
        private static final int ROUNDED_SLOTS = 3;

        /** Checks every bound. */
        public SwitchRules {
            Bounds.require("packetBytes", packetBytes, 1, MOST_PACKET);
            Bounds.require("linkSlots", linkSlots, 1, MOST_SLOTS);
            Objects.requireNonNull(marks);
            Bounds.refuseIf(queueBytes < packetBytes, "a queue holds a packet: queueBytes=", queueBytes,
                " packetBytes=", packetBytes);
        }

        /**
         * Switches that drop what they have no room for, and mark all segments that join a queue of more than a mark.
         */
        public SwitchRules(final int packetBytes, final int linkSlots, final long queueBytes, final long markBytes) {
            this(packetBytes, linkSlots, queueBytes, MarkLaw.above(markBytes), false);
        }

        /**
         * Bytes that may still come over a link after a switch has paused it: what is on the link, what is sent until
         * the pause comes, the packet that is then being sent, and the one that went over the mark.
         *
         * @param bytesPerSlot of the link.
         */
        long headroom(final double bytesPerSlot) {
            return (long) Math.ceil((2L * linkSlots + ROUNDED_SLOTS) * bytesPerSlot) + 2L * packetBytes;
        }
    }

    /**
     * A fat tree of switches with k ports: k³/4 hosts, k/2 at each edge switch, full bisection. Each direction of a
     * connection takes one of the shortest ways, drawn by a hash (ECMP). All links have one rate.
     *
     * <pre>
     *   ports, k³/4 of each:  host to edge | edge to host | edge to aggregation | aggregation to edge |
     *                         aggregation to core | core to aggregation
     * </pre>
     */
    public static final class FatTreeRoutes implements Routes {
        private final int half;
        private final int hosts;
        private final double bytesPerSlot;
        private final int[][] paths;

        /**
         * Draws the way of every connection.
         *
         * @param radix    k, even.
         * @param subflows connections of each flow, numbered flow times subflows and on.
         */
        public FatTreeRoutes(final int radix, final double bytesPerSlot, final FlowSet flows, final int subflows,
            final long seed) {
            Bounds.refuseIf(radix < 2 || radix % 2 != 0, "a fat tree has switches with an even number of ports: radix=",
                radix);
            this.half = radix / 2;
            this.hosts = half * half * radix;
            this.bytesPerSlot = bytesPerSlot;
            this.paths = new int[2 * flows.size() * subflows][];
            for (int path = 0; path < paths.length; path++) {
                final int flow = path / 2 / subflows;
                final long hash = CounterRandom.mix(CounterRandom.mix(seed) + path) >>> 1;
                paths[path] = path % 2 == 0 ? way(flows.source(flow), flows.destination(flow), hash)
                    : way(flows.destination(flow), flows.source(flow), hash);
            }
        }

        private int[] way(final int from, final int to, final long hash) {
            final int edge = from / half;
            final int last = to / half;
            if (edge == last) {
                return new int[]{from, hosts + to};
            }
            final int up = (int) (hash % half);
            final int core = (int) (hash / half % half);
            final int pod = edge / half;
            final int lastPod = last / half;
            final int edgeUp = 2 * hosts + edge * half + up;
            final int down = 3 * hosts + (lastPod * half + up) * half + last % half;
            return pod == lastPod ? new int[]{from, edgeUp, down, hosts + to}
                : new int[]{from, edgeUp, 4 * hosts + (pod * half + up) * half + core,
                    5 * hosts + (up * half + core) * 2 * half + lastPod, down, hosts + to};
        }

        /** Hosts of the tree. */
        public int hosts() {
            return hosts;
        }

        @Override
        public int ports() {
            return 6 * hosts;
        }

        @Override
        public double bytesPerSlot(final int port) {
            return bytesPerSlot;
        }

        @Override
        public boolean isHost(final int port) {
            return port < hosts;
        }

        @Override
        public int[] path(final int connection, final boolean ack) {
            return paths[2 * connection + (ack ? 1 : 0)];
        }
    }
}
