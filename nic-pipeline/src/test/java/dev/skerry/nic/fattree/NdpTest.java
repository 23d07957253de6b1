package dev.skerry.nic.fattree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.schedule.FoldedClos;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * NDP's ends against sets and lists, over one channel that delays, swaps, trims, returns and loses packets: the same
 * packets in the same slots, and all of them there in the end (docs/spec/ndp.md §4 to §6).
 */
class NdpTest {
    private static final int PACKET = 1000;
    private static final int HOSTS = 3;
    private static final int TIMER = 400;
    private static final double INTERVAL = 2.5;
    private static final int LEAVES = 3;

    private enum Kind {
        SEGMENT, HEADER, ACK, NACK, PULL, RETURNED
    }

    private record Packet(Kind kind, int connection, int number, int pulls, int order) {
        private static final Comparator<Packet> ORDER = Comparator.comparingInt(Packet::connection)
            .thenComparing(Packet::kind).thenComparing(Packet::order).thenComparing(Packet::number);

        Packet as(final Kind other) {
            return new Packet(other, connection, number, pulls, order);
        }
    }

    private interface Ends {
        void start(long slot, int connection);

        void on(long slot, Packet packet);

        void turn(long slot);

        boolean isDone();
    }

    @ParameterizedTest
    @CsvSource({"1, 300, 0, 0, 0, 0", "2, 400, 0.3, 0, 0, 9", "3, 500, 0.3, 0.1, 0, 40", "4, 200, 0.1, 0, 0.1, 0",
        "5, 300, 0.2, 0.1, 0.05, 25", "6, 1, 0.5, 0.5, 0.3, 5", "7, 40, 0.9, 0.5, 0, 3",
        "8, 2000, 0.05, 0.01, 0.01, 15"
    })
    void shouldSendWhatSetsAndListsWould(final long seed, final int segments, final double trims, final double returns,
        final double losses, final int jitter) {
        final Reno rules = Reno.usual(TIMER).window(seed == 8 ? 256 : 32).initial(12)
            .with(new Congestion.Ndp());
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < HOSTS; flow++) {
            flows.add(flow, flow, HOSTS, (long) (segments + flow) * PACKET - 7, 1, 20L * flow);
        }
        final Connections connections = new Connections(flows, PACKET, 1);
        final Channel channel = new Channel(seed, trims, returns, losses, jitter);
        final List<String> ours = run(new Ours(rules, connections, channel), channel);
        final Channel again = new Channel(seed, trims, returns, losses, jitter);
        final List<String> model = run(new Model(rules, connections, again), again);
        for (int i = 0; i < Math.min(ours.size(), model.size()); i++) {
            assertEquals(model.get(i), ours.get(i), "seed=" + seed + " event=" + i + " of " + model.size());
        }
        assertEquals(model.size(), ours.size(), "seed=" + seed);
        assertTrue(losses > 0 || returns > 0 || ours.getLast().endsWith(" 0"), ours.getLast());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 16, 60, 256})
    void shouldTakeEachPathOnceInARoundAndAllInAllPlaces(final int paths) {
        final PathOrder order = new PathOrder(7);
        final int[][] placed = new int[paths][paths];
        final int rounds = 400;
        for (int round = 0; round < rounds; round++) {
            final Set<Integer> taken = new HashSet<>();
            for (int i = 0; i < paths; i++) {
                final int path = order.path(round % 5, round % 2 == 0, round * paths + i, paths);
                taken.add(path);
                placed[i][path]++;
            }
            assertEquals(IntStream.range(0, paths).boxed().collect(Collectors.toSet()), taken);
        }
        final double expected = (double) rounds / paths;
        for (final int[] place : placed) {
            for (final int times : place) {
                assertEquals(expected, times, 6 * Math.sqrt(expected) + 1, "paths=" + paths);
            }
        }
    }

    @Test
    void shouldRepeatAPathWithNoPattern() {
        final PathOrder order = new PathOrder(7);
        int same = 0;
        for (int i = 0; i < 6400; i++) {
            same += order.path(1, false, i, 64) == order.path(2, false, i, 64) ? 1 : 0;
        }
        assertEquals(100, same, 40, "two senders that meet on one of 64 paths");
    }

    /** Also where a switch at the top has several links to a pod or leaf; below 0: hosts of a leaf-spine network. */
    @ParameterizedTest
    @ValueSource(ints = {8, 16, 64, -16})
    void shouldCrossEachLinkAtTheTopOnce(final int hosts) {
        final FatTree fabric = new FatTree(new FoldedClos(hosts > 0 ? FatTree.ofPods(hosts)
            : FatTree.ofLeaves(-hosts, 4, 4)), ObviousPort.LINK, ObviousPort.CELL, ObviousPort.CELL,
            new FatTree.SwitchRules(PACKET, ObviousPort.LIMIT, MarkLaw.NONE),
            Reno.usual(TIMER).with(new Congestion.Ndp()), 0, 1);
        final FoldedClos clos = fabric.clos();
        final boolean[] all = new boolean[clos.devices()];
        Arrays.fill(all, true);
        final PacketForwarding forwarding = new PacketForwarding(fabric, all);
        for (int from = 0; from < fabric.nodes() / 2; from++) {
            final int to = fabric.nodes() - 1;
            final Set<Integer> up = new HashSet<>();
            final Set<Integer> down = new HashSet<>();
            for (int path = 0; path < fabric.paths(from, to); path++) {
                long packet = PacketWord.of(PacketWord.SEGMENT, PACKET, path, 0);
                int port = clos.firstPort(from);
                for (int at = clos.deviceOf(clos.peer(port)); at >= fabric.nodes();
                    at = clos.deviceOf(clos.peer(port))) {
                    packet = PacketWord.cameBy(packet, clos.peer(port) - clos.firstPort(at));
                    final int before = port;
                    port = forwarding.port(at, to, TcpPacket.segment(0, path), packet, null);
                    if (at >= clos.tierStart(clos.tiers())) {
                        up.add(before);
                        down.add(port);
                    }
                }
                assertEquals(to, clos.deviceOf(clos.peer(port)));
            }
            assertEquals(fabric.paths(from, to), up.size(), "from=" + from);
            assertEquals(fabric.paths(from, to), down.size(), "from=" + from);
        }
    }

    /** A port of a switch against lists of what waits; both queues are short, so that headers are returned. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldTrimAsTheObviousPortDoes(final long seed) {
        final Random random = new Random(seed);
        final FatTree fabric = new FatTree(new FoldedClos(FatTree.ofPods(16)), ObviousPort.LINK, ObviousPort.CELL,
            ObviousPort.CELL, new FatTree.SwitchRules(PACKET, ObviousPort.LIMIT, MarkLaw.NONE),
            Reno.usual(TIMER).with(new Congestion.Ndp()), 0, seed);
        final boolean[] all = new boolean[fabric.clos().devices()];
        Arrays.fill(all, true);
        final int port = fabric.clos().firstPort(16);
        final List<String> ours = new ArrayList<>();
        final BankCounters tally = new BankCounters();
        final NdpQueues queues = new NdpQueues(fabric, all, tally, (slot, to, first, second) -> ours.add("sent "
            + TcpPacket.number(first) + " " + PacketWord.kind(second) + " " + slot), (device, first, second) ->
            ours.add("back " + TcpPacket.number(first) + " " + PacketWord.kind(second)));
        final ObviousPort model = new ObviousPort(seed, port);
        for (int slot = 0; slot < 20_000; slot++) {
            queues.turn(slot);
            model.serve(slot);
            final int arrivals = slot / 500 % 3 == 0 || random.nextInt(8) > 0 ? 0 : random.nextInt(9);
            for (int i = 0; i < arrivals; i++) {
                final boolean isControl = random.nextInt(3) == 0;
                final int[] packet = {slot * 8 + i, isControl ? PacketWord.PULL : PacketWord.SEGMENT,
                    isControl ? ObviousPort.HEADER : 100 + random.nextInt(PACKET - 99)};
                assertEquals(model.join(slot, packet), queues.join(slot, port, TcpPacket.segment(0, packet[0]),
                    PacketWord.of(packet[1], packet[2], 0, slot)));
            }
        }
        assertEquals(model.events, ours);
        assertEquals(model.cuts, tally.count(NicCounter.CELLS_TRIMMED));
        assertEquals(model.cuts / 2.0, model.tails, 2 * Math.sqrt(model.cuts), "the coin");
        assertTrue(model.cuts > 100 && ours.stream().anyMatch(event -> event.startsWith("back")), "" + model.cuts);
    }

    /** A port as one reads it; packets are number, kind and bytes. */
    private static final class ObviousPort {
        static final int LINK = 10;
        static final int CELL = 100;
        static final int LIMIT = 1500;
        static final int HEADER = 64;

        private final long seed;
        private final int port;
        private final List<String> events = new ArrayList<>();
        private final List<int[]> segments = new ArrayList<>();
        private final List<int[]> control = new ArrayList<>();
        private int[] sending = {0, PacketWord.ACK, 0};
        /** In bytes of its rate. */
        private long doneAt;
        private int turn;
        private int cuts;
        private int tails;

        ObviousPort(final long seed, final int port) {
            this.seed = seed;
            this.port = port;
        }

        void serve(final long slot) {
            while (doneAt <= slot * CELL && !(segments.isEmpty() && control.isEmpty())) {
                turn = segments.isEmpty() || control.isEmpty() ? turn : (turn + 1) % 11;
                send((control.isEmpty() || !segments.isEmpty() && turn == 0 ? segments : control).removeFirst());
            }
        }

        private void send(final int[] packet) {
            sending = packet;
            doneAt += packet[2];
            events.add("sent " + packet[0] + " " + packet[1] + " " + (Math.ceilDiv(doneAt, CELL) + LINK));
        }

        private boolean add(final long slot, final int[] packet) {
            final boolean isSegment = packet[1] == PacketWord.SEGMENT;
            if (!isSegment && HEADER * (control.size() + 1) > LIMIT) {
                return false;
            }
            if (doneAt <= slot * CELL) {
                doneAt = slot * CELL;
                send(packet);
            } else {
                (isSegment ? segments : control).add(packet);
            }
            return true;
        }

        boolean join(final long slot, final int[] packet) {
            final int held = segments.stream().mapToInt(waits -> waits[2]).sum()
                + (doneAt > slot * CELL && sending[1] == PacketWord.SEGMENT ? sending[2] : 0);
            if (packet[1] != PacketWord.SEGMENT || held + packet[2] <= LIMIT) {
                return add(slot, packet);
            }
            cuts++;
            int[] cut = packet;
            if (!segments.isEmpty() && CounterRandom.bits(CounterRandom.mix(seed + 1), port,
                slot ^ TcpPacket.segment(0, packet[0]), 0) >= 0) {
                tails++;
                cut = segments.removeLast();
                segments.add(packet);
            }
            if (!add(slot, new int[]{cut[0], PacketWord.HEADER, HEADER})) {
                events.add("back " + cut[0] + " " + PacketWord.RETURNED);
            }
            return true;
        }
    }

    private static List<String> run(final Ends ends, final Channel channel) {
        for (long slot = 0; !ends.isDone(); slot++) {
            assertTrue(slot < 2_000_000, "it does not end");
            for (final Packet packet : channel.take(slot)) {
                ends.on(slot, packet);
            }
            ends.turn(slot);
            for (int flow = 0; flow < HOSTS; flow++) {
                if (slot == 20L * flow) {
                    ends.start(slot, flow);
                }
            }
        }
        return channel.events.stream().sorted().toList();
    }

    /**
     * Some slots of delay, and what happens to a packet on its way, by a hash of the packet. Neither the order of
     * connections in a slot nor that of events matters.
     */
    private record Channel(long seed, double trims, double returns, double losses, int jitter,
        TreeMap<Long, List<Packet>> underWay, List<String> events) {
        Channel(final long seed, final double trims, final double returns, final double losses, final int jitter) {
            this(seed, trims, returns, losses, jitter, new TreeMap<>(), new ArrayList<>());
        }

        void put(final long slot, final Packet packet) {
            events.add(String.format("%07d %s", slot, packet));
            final Random random = new Random(CounterRandom.bits(seed, packet.connection << 3 | packet.kind.ordinal(),
                (long) packet.order << 20 | packet.number, 0));
            final long delay = 20 + (jitter == 0 ? 0 : random.nextInt(jitter));
            final boolean isTrimmed = packet.kind == Kind.SEGMENT && random.nextDouble() < trims;
            final Packet there = !isTrimmed ? packet : packet.as(random.nextDouble() < returns ? Kind.RETURNED
                : Kind.HEADER);
            if (random.nextDouble() >= losses) {
                underWay.computeIfAbsent(slot + delay, at -> new ArrayList<>()).add(there);
            }
        }

        List<Packet> take(final long slot) {
            final List<Packet> here = underWay.remove(slot);
            return here == null ? List.of() : here.stream().sorted(Packet.ORDER).toList();
        }
    }

    private static final class Ours implements Ends {
        private final NdpSender sender;
        private final NdpReceiver receiver;
        private final Channel channel;
        private int complete;

        Ours(final Reno rules, final Connections connections, final Channel channel) {
            this.channel = channel;
            this.sender = new NdpSender(rules, connections, (slot, connection, number, order) -> {
                channel.put(slot, new Packet(Kind.SEGMENT, connection, number, 0, order));
                return slot + LEAVES;
            });
            this.receiver = new NdpReceiver(rules, connections,
                (kind, slot, connection, number, pulls, order) -> channel.put(slot, new Packet(Kind.values()[kind],
                connection, number, pulls, order)), (long) (INTERVAL * (1 << 16)), HOSTS, 1);
        }

        @Override
        public void start(final long slot, final int connection) {
            sender.start(slot, connection);
        }

        @Override
        public void on(final long slot, final Packet packet) {
            switch (packet.kind) {
                case SEGMENT, HEADER -> {
                    if (receiver.onSegment(slot, packet.connection, packet.number, packet.kind == Kind.HEADER)) {
                        complete++;
                    }
                }
                case RETURNED -> sender.onReturn(slot, packet.connection, packet.number);
                case PULL -> sender.onPull(slot, packet.connection, packet.pulls);
                default -> sender.onAnswer(slot, packet.connection, packet.number, packet.kind == Kind.NACK,
                    packet.pulls);
            }
        }

        @Override
        public void turn(final long slot) {
            sender.turn(slot);
            receiver.turn(slot);
        }

        @Override
        public boolean isDone() {
            if (complete == HOSTS) {
                channel.events.add("timers: " + sender.timeouts());
            }
            return complete == HOSTS;
        }
    }

    /** The rules as one reads them. */
    private static final class Model implements Ends {
        private final Reno rules;
        private final Connections connections;
        private final Channel channel;
        private final List<End> ends = new ArrayList<>();
        private final Deque<Integer> queue = new ArrayDeque<>();
        private double due;
        private int timeouts;

        /** Both ends of a connection. */
        private final class End {
            private final int connection;
            private final int segments;
            private final Set<Integer> arrived = new TreeSet<>();
            private final TreeSet<Integer> waiting = new TreeSet<>();
            private final Map<Integer, Long> flight = new TreeMap<>();
            private int next;
            private int pulled;
            private int credit;
            private int awaited;
            private int sent;
            private long heard;
            private long patience = TIMER;
            private long alarm = Long.MAX_VALUE;
            private final Set<Integer> there = new HashSet<>();
            private int pulls;
            private int answers;

            End(final int connection) {
                this.connection = connection;
                this.segments = connections.segments(connection);
            }

            void send(final long slot, final int number) {
                flight.put(number, slot + LEAVES);
                channel.put(slot, new Packet(Kind.SEGMENT, connection, number, 0, sent++));
            }

            boolean sendAny(final long slot) {
                if (!waiting.isEmpty()) {
                    send(slot, waiting.pollFirst());
                    return true;
                }
                if (next == segments || next - firstMissing() >= rules.windowPackets()) {
                    return false;
                }
                send(slot, next++);
                return true;
            }

            int firstMissing() {
                int number = 0;
                while (arrived.contains(number)) {
                    number++;
                }
                return number;
            }

            void pull(final long slot, final int number) {
                if (number > pulled) {
                    credit += number - pulled;
                    awaited -= number - pulled;
                    pulled = number;
                    heard = slot;
                    patience = TIMER;
                }
                while (credit > 0 && sendAny(slot)) {
                    credit--;
                }
                if (next == segments) {
                    credit = Math.min(credit, Math.max(0, -awaited));
                }
            }

            void alarm(final long slot) {
                alarm = Long.MAX_VALUE;
                if (!flight.isEmpty()) {
                    final List<Integer> late = flight.keySet().stream()
                        .filter(number -> flight.get(number) + TIMER <= slot).toList();
                    timeouts += late.isEmpty() ? 0 : 1;
                    late.forEach(number -> send(slot, number));
                    alarm = flight.values().stream().mapToLong(left -> left + TIMER).min().orElseThrow();
                } else if (heard + patience > slot) {
                    alarm = Math.min(heard + patience, slot + TIMER);
                } else {
                    timeouts++;
                    heard = slot;
                    patience = Math.min(64 * TIMER, 2 * patience);
                    sendAny(slot);
                    alarm = slot + TIMER;
                }
            }
        }

        Model(final Reno rules, final Connections connections, final Channel channel) {
            this.rules = rules;
            this.connections = connections;
            this.channel = channel;
            IntStream.range(0, HOSTS).forEach(connection -> ends.add(new End(connection)));
        }

        @Override
        public void start(final long slot, final int connection) {
            final End end = ends.get(connection);
            end.heard = slot;
            end.alarm = slot + TIMER;
            while (end.next < Math.min(rules.initialPackets(), end.segments)) {
                end.send(slot, end.next++);
            }
        }

        @Override
        public void on(final long slot, final Packet packet) {
            final End end = ends.get(packet.connection);
            final boolean isOver = end.arrived.size() == end.segments;
            switch (packet.kind) {
                case SEGMENT, HEADER -> receive(slot, end, packet);
                case RETURNED -> {
                    if (!isOver && end.flight.remove(packet.number) != null) {
                        end.waiting.add(packet.number);
                        if (end.flight.isEmpty() && end.awaited <= 0) {
                            end.sendAny(slot);
                        }
                    }
                }
                case PULL -> {
                    if (!isOver) {
                        end.pull(slot, packet.pulls);
                    }
                }
                default -> {
                    if (isOver) {
                        return;
                    }
                    end.awaited++;
                    final boolean wasInFlight = end.flight.remove(packet.number) != null;
                    if (packet.kind == Kind.ACK) {
                        end.waiting.remove(packet.number);
                        end.arrived.add(packet.number);
                    } else if (wasInFlight) {
                        end.waiting.add(packet.number);
                    }
                    if (end.arrived.size() < end.segments) {
                        end.pull(slot, packet.pulls);
                    }
                }
            }
        }

        private void receive(final long slot, final End end, final Packet packet) {
            final boolean wasOver = end.there.size() == end.segments;
            if (packet.kind == Kind.SEGMENT) {
                end.there.add(packet.number);
            }
            final boolean isOver = end.there.size() == end.segments;
            if (isOver) {
                queue.removeIf(connection -> connection == end.connection);
            } else if (queue.isEmpty() && due < slot + 1) {
                spend(slot, end);
            } else {
                queue.add(end.connection);
            }
            channel.put(slot, new Packet(packet.kind == Kind.HEADER ? Kind.NACK : Kind.ACK, end.connection,
                packet.number, wasOver ? 0 : end.pulls, wasOver ? packet.number : end.answers++));
        }

        private void spend(final long slot, final End end) {
            end.pulls++;
            due = Math.max(due, slot) + INTERVAL;
        }

        @Override
        public void turn(final long slot) {
            for (final End end : ends) {
                if (end.alarm <= slot && end.arrived.size() < end.segments) {
                    end.alarm(slot);
                }
            }
            while (!queue.isEmpty() && due < slot + 1) {
                final End end = ends.get(fair());
                spend(slot, end);
                channel.put(slot, new Packet(Kind.PULL, end.connection, 0, end.pulls, end.answers++));
            }
        }

        /** The queue has a number for each pull: takes one of the first, and puts its others behind. */
        private int fair() {
            final int connection = queue.pollFirst();
            final int others = (int) queue.stream().filter(other -> other == connection).count();
            queue.removeIf(other -> other == connection);
            for (int i = 0; i < others; i++) {
                queue.add(connection);
            }
            return connection;
        }

        @Override
        public boolean isDone() {
            final boolean isDone = ends.stream().allMatch(end -> end.there.size() == end.segments);
            if (isDone) {
                channel.events.add("timers: " + timeouts);
            }
            return isDone;
        }
    }
}
