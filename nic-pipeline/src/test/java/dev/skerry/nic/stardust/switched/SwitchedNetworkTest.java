package dev.skerry.nic.stardust.switched;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FreeLinks;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Links;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.PfcLinks;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Routes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

/** Packet switches: times of a packet, loss, marks, conservation, and the ways of a fat tree. */
class SwitchedNetworkTest {
    private static final int RADIX = 4;
    private static final int HOSTS = 16;
    private static final SwitchRules RULES = new SwitchRules(1000, 10, 5000, 2500);
    private static final int LONG_LINK = 156;
    /** Three links, both transmissions and that of the acknowledgement, in packets of the bottleneck. */
    private static final double PIPE = (3 * LONG_LINK + Bottleneck.SLOTS + 2 + 1) / (double) Bottleneck.SLOTS;
    private static final double SLOT_NS = 25;
    private static final int FAST_LINK = 40;
    private static final Congestion.Dcqcn LAW = Congestion.Dcqcn.usual(SLOT_NS);
    private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
    private static final int MS = 40_000;
    private static final int PACKET = 1000;
    private static final int LINK_SLOTS = 10;
    private static final double RATE = 100;
    private static final long HEADROOM = new SwitchRules(PACKET, LINK_SLOTS, PACKET, MarkLaw.NONE, true).headroom(RATE);

    private final Arena arena = Arena.ofAuto();

    /** A packet is sent whole by each port, and spends the delay of each link. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 15})
    void shouldTakeTheTimeOfItsWay(final int to) {
        final FlowSet flows = Fabrics.one(0, to, 777, 1, 5);
        final int hops = to == 1 ? 2 : to == 2 ? 4 : 6;
        final SwitchedNetwork network = new SwitchedNetwork(arena, flows, Reno.usual(1000), RULES,
            new FatTreeRoutes(RADIX, 100, flows, 1, 3));
        network.advance(1000);
        assertEquals(5 + Math.ceil(7.77 * hops) + 10 * hops + 1, network.completedBefore(0), hops / 2);
        assertEquals(777, network.receivedOf(0));
        network.checkConserved();
    }

    /** Fifteen to one over queues of five packets: segments are lost and marked, and all come in the end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverAllOfAnIncast(final long seed) {
        final FlowSet flows = new FlowSet();
        for (int from = 1; from < HOSTS; from++) {
            flows.add(from - 1, from, 0, 45_000 + from, 1, from);
        }
        for (final Congestion congestion : new Congestion[]{Congestion.NEW_RENO, Congestion.Dctcp.USUAL}) {
            try (Arena arena = Arena.ofConfined()) {
                final SwitchedNetwork network = new SwitchedNetwork(arena, flows,
                    Reno.usual(1000).with(congestion), RULES, new FatTreeRoutes(RADIX, 100, flows, 1, seed));
                for (int i = 0; i < 1000 && network.completed() < flows.size(); i++) {
                    network.advance(100);
                    network.checkConserved();
                }
                assertEquals(flows.size(), network.completed(), "seed=" + seed);
                assertTrue(network.dropped() > 0, "seed=" + seed);
                assertEquals(congestion.readsMarks(), network.marked() > 0, "seed=" + seed);
                assertEquals(45_001, network.receivedOf(0));
            }
        }
    }

    /** Fifty segments at once: a host has room for what it sends itself, and the link behind is as fast. */
    @Test
    void shouldDropNothingThatWaitsAtItsHost() {
        final Bottleneck way = new Bottleneck(1, 1);
        final FlowSet flows = Fabrics.one(0, 1, 100_000, 1, 0);
        final SwitchedNetwork network = new SwitchedNetwork(arena, flows, new Reno(100, 50, 100, 40, 1000, 0),
            RULES, way);
        network.advance(1);
        assertTrue(network.backlog(0) > RULES.queueBytes(), "bytes at the host: " + network.backlog(0));
        network.advance(1200);
        assertEquals(1, network.completed());
        assertEquals(0, network.dropped());
        network.checkConserved();
    }

    /** What comes behind a gap counts when it comes, not when the gap is filled: a window has no more than the link. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldCountBytesWhenTheyCome(final int senders) {
        final Bottleneck way = new Bottleneck(senders);
        final int window = 40 * Bottleneck.SLOTS;
        final SwitchedNetwork network = new SwitchedNetwork(arena, way.flows(), Reno.usual(1000), RULES, way);
        long before = 0;
        for (int turn = 0; turn < 300; turn++) {
            network.advance(window);
            final long now = IntStream.range(0, senders).mapToLong(network::receivedOf).sum();
            assertTrue(now - before <= 41L * Bottleneck.PACKET, "bytes in window " + turn + ": " + (now - before));
            before = now;
        }
        assertTrue(network.resent() > 0 && before > 150L * 40 * Bottleneck.PACKET, "bytes in all: " + before);
    }

    /** Segments wait at their host alone; acknowledgements wait in a queue that marks whatever waits. */
    @Test
    void shouldMarkSegmentsOnly() {
        final FlowSet flows = Fabrics.one(0, 1, 200_000, 1, 0);
        final SwitchedNetwork network = new SwitchedNetwork(arena, flows,
            Reno.usual(1000).with(Congestion.Dctcp.USUAL), new SwitchRules(1000, 10, 50_000, 1), new SlowWayBack());
        network.advance(1000);
        assertTrue(network.backlog(SlowWayBack.ACKS) > 40, "bytes: " + network.backlog(SlowWayBack.ACKS));
        network.advance(19_000);
        assertEquals(1, network.completed());
        assertEquals(0, network.marked());
    }

    /** Ports 0 and 1 are those of two hosts; a slow one of a switch takes what the second acknowledges. */
    private record SlowWayBack() implements Routes {
        static final int ACKS = 2;

        @Override
        public int ports() {
            return 3;
        }

        @Override
        public double bytesPerSlot(final int port) {
            return isHost(port) ? 100 : 2;
        }

        @Override
        public boolean isHost(final int port) {
            return port != ACKS;
        }

        @Override
        public int[] path(final int connection, final boolean ack) {
            return ack ? new int[]{1, ACKS} : new int[]{0};
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12})
    void shouldLeadFromSenderToReceiver(final int radix) {
        final int half = radix / 2;
        final int hosts = half * half * radix;
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < hosts; from++) {
            flows.add(from, from, (from + 7 * (from % half) + 1) % hosts, 1000, 1, 0);
        }
        final FatTreeRoutes routes = new FatTreeRoutes(radix, 64, flows, 8, 9);
        final Set<Integer> used = new HashSet<>();
        for (int connection = 0; connection < 8 * hosts; connection++) {
            final int from = flows.source(connection / 8);
            final int to = flows.destination(connection / 8);
            final int[] way = routes.path(connection, false);
            final int[] back = routes.path(connection, true);
            assertEquals(from, way[0]);
            assertEquals(hosts + to, way[way.length - 1]);
            assertArrayEquals(new int[]{to, hosts + from}, new int[]{back[0], back[back.length - 1]});
            assertEquals(from / half == to / half ? 2 : from / half / half == to / half / half ? 4 : 6, way.length);
            for (int hop = 1; hop < way.length; hop++) {
                assertEquals(behind(way[hop - 1], radix), owner(way[hop], radix), connection + " hop " + hop);
                used.add(way[hop]);
            }
        }
        assertTrue(used.size() > routes.ports() * 2 / 3, "ports used: " + used.size());
        assertEquals(hosts, routes.hosts());
        assertThrows(IllegalArgumentException.class, () -> new FatTreeRoutes(5, 64, flows, 1, 9));
    }

    @Test
    void shouldRefuseQueuesWithoutRoom() {
        assertThrows(IllegalArgumentException.class, () -> new SwitchRules(1000, 10, 999, 1));
        assertThrows(IllegalArgumentException.class, () -> new SwitchRules(1000, 10, 1000, 0));
        assertThrows(IllegalArgumentException.class, () -> new SwitchRules(1000, 0, 1000, 1));
    }

    private static String owner(final int port, final int radix) {
        final int half = radix / 2;
        final int hosts = half * half * radix;
        final int number = port % hosts;
        return switch (port / hosts) {
            case 0 -> "host " + number;
            case 1, 2 -> "edge " + number / half;
            case 3, 4 -> "aggregation " + number / half;
            default -> "core " + number / radix;
        };
    }

    private static String behind(final int port, final int radix) {
        final int half = radix / 2;
        final int hosts = half * half * radix;
        final int number = port % hosts;
        final int pod = number / half / half;
        return switch (port / hosts) {
            case 0 -> "edge " + number / half;
            case 1 -> "host " + number;
            case 2 -> "aggregation " + (pod * half + number % half);
            case 3 -> "edge " + (pod * half + number % half);
            case 4 -> "core " + (number / half % half * half + number % half);
            default -> "aggregation " + (number % radix * half + number / radix / half);
        };
    }

    private record Steady(double rate, long most, long least, double alpha) {
    }

    private static Steady run(final int senders, final int mark, final Congestion congestion) {
        final Bottleneck routes = new Bottleneck(senders);
        final Arena arena = Arena.ofAuto();
        final SwitchedNetwork network = new SwitchedNetwork(arena, routes.flows(),
            new Reno(1000, 2, 1000, 40, 100_000, 0, congestion),
            new SwitchRules(Bottleneck.PACKET, LONG_LINK, 1000L * Bottleneck.PACKET,
                mark * (long) Bottleneck.PACKET), routes);
        network.advance(400_000);
        final long before = received(network, senders);
        long most = 0;
        long least = Long.MAX_VALUE;
        double alpha = 0;
        final int samples = 20_000;
        for (int i = 0; i < samples; i++) {
            network.advance(Bottleneck.SLOTS);
            final long queue = network.backlog(senders) / Bottleneck.PACKET;
            most = Math.max(most, queue);
            least = Math.min(least, queue);
            alpha += network.markedShare(0) / samples;
        }
        network.checkConserved();
        assertEquals(0, network.timeouts());
        return new Steady((received(network, senders) - before) / (double) (samples * Bottleneck.PACKET), most,
            least, alpha);
    }

    private static long received(final SwitchedNetwork network, final int senders) {
        return IntStream.range(0, senders).mapToLong(network::receivedOf).sum();
    }

    /**
     * DCTCP on one bottleneck against the analysis of its paper (Alizadeh et al., SIGCOMM 2010, §3.3): with N flows, a
     * pipe of C·RTT packets and marks above K, a window of W* = (C·RTT + K) / N swings by W*·alpha / 2, alpha is about
     * sqrt(2 / W*), the queue swings by sqrt(N (C·RTT + K) / 2), its longest is K + N, and no rate is lost for K above
     * C·RTT / 7.
     */
    @ParameterizedTest
    @CsvSource({"1, 20", "1, 40", "1, 80", "2, 30", "4, 40"})
    void shouldSwingAsItsPaperSays(final int senders, final int mark) {
        final Steady steady = run(senders, mark, Congestion.Dctcp.USUAL);
        final double window = (PIPE + mark) / senders;
        final String what = steady + " pipe=" + PIPE + " window=" + window;
        assertTrue(steady.rate > 0.995, what);
        assertTrue(steady.most >= mark && steady.most <= mark + 3L * senders + 1, what);
        assertTrue(steady.least > 0, what);
        final double swing = Math.sqrt(senders * (PIPE + mark) / 2);
        final double swung = steady.most - steady.least;
        assertTrue(swung > 0.6 * swing && swung < 1.6 * swing + 2, what + " swing=" + swing);
        assertEquals(Math.sqrt(2 / window), steady.alpha, 0.35 * Math.sqrt(2 / window), what);
    }

    /** A mark far below C·RTT / 7 costs rate. New Reno, which is deaf to marks, fills the queue. */
    @Test
    void shouldLoseRateWithEarlyMarksAndFillTheQueueWithoutThem() {
        assertTrue(1 < PIPE / 7 / 4);
        final Steady early = run(1, 1, Congestion.Dctcp.USUAL);
        assertTrue(early.rate < 0.99 && early.least == 0, early.toString());
        final Steady deaf = run(1, 20, Congestion.NEW_RENO);
        assertTrue(deaf.most > 200, deaf.toString());
    }

    private static double fixedPoint(final int senders) {
        double low = 1e-6;
        double high = 0.5;
        for (int i = 0; i < 60; i++) {
            final double middle = Math.sqrt(low * high);
            if (drift(middle, 1.0 / Bottleneck.SLOTS / senders) > 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * What the target gains from one notification to the next, in packets a slot: additive increase, but for the part
     * of it that the rate has not reached yet, less what recovery has not brought back of the cut.
     */
    private static double drift(final double p, final double rate) {
        double periods = 0;
        double gap = 1;
        double added = 0;
        final int least = LAW.steps() - 1;
        for (int k = 1; k < 100_000; k++) {
            final double reaches = Math.exp(-p * rate * Math.max(0, (double) k * LAW.periodSlots() - LAW.cnpSlots()));
            periods += reaches;
            gap -= reaches * Math.pow(0.5, k);
            added += k > least ? reaches * (1 - Math.pow(0.5, k - least)) : 0;
        }
        final double alpha = 1 / (1 + periods);
        return LAW.addBytes() / Bottleneck.PACKET * added - alpha / 2 * rate * gap;
    }

    private static SwitchedNetwork network(final Arena arena, final Routes routes, final FlowSet flows,
        final MarkLaw marks) {
        return new SwitchedNetwork(arena, flows, new Reno(1000, 2, 1000, 40, 1 << 22, 0, LAW),
            new SwitchRules(Bottleneck.PACKET, FAST_LINK, 500L * Bottleneck.PACKET, marks, true), routes);
    }

    /**
     * DCQCN on a bottleneck of 40 Gb/s with packets of 1,000 bytes, so slots of 25 ns, against its law of rest: N flows
     * have a rate R = C / N each, and p is where additive increase brings between two notifications what these take
     * away. Notifications of a flow are an interval and a time of mean 1 / (p R) apart, alpha is one over one more than
     * the mean number of periods between them. The fluid model of the paper (Zhu et al., SIGCOMM 2015, §5.1) is the
     * same in means. The queue is where RED marks p; more flows need more marks to stay below Kmax.
     */
    @ParameterizedTest
    @CsvSource({"2, 0.01", "4, 0.01", "8, 0.05"})
    void shouldRestWhereItsLawDoes(final int senders, final double most) {
        final Bottleneck routes = new Bottleneck(senders, 1);
        final FlowSet flows = routes.flows();
        final MarkLaw red = new MarkLaw(RED.from(), RED.to(), most);
        final SwitchedNetwork network = network(arena, routes, flows, red);
        network.advance(60L * MS);
        final long marked = network.marked();
        final long before = received(network, senders);
        double queue = 0;
        final int samples = 60 * MS / 64;
        for (int i = 0; i < samples; i++) {
            network.advance(64);
            queue += (double) network.backlog(senders) / samples;
        }
        network.checkConserved();
        final double packets = (received(network, senders) - before) / (double) Bottleneck.PACKET;
        final double p = (network.marked() - marked) / packets;
        final double model = fixedPoint(senders);
        final double rests = RED.from() + model / most * (RED.to() - RED.from());
        final String what = "p=" + p + " model=" + model + " queue=" + queue + " model=" + rests + " rate="
            + packets * Bottleneck.SLOTS / samples / 64;
        assertTrue(packets * Bottleneck.SLOTS / samples / 64 > 0.98, what);
        assertEquals(model, p, 0.25 * model, what);
        assertEquals(rests, queue, 0.3 * rests, what);
        assertEquals(0, network.dropped(), what);
        assertEquals(0, network.timeouts() + network.resent(), what);
    }

    /** A flow that comes later with the whole rate of its port, and the first, have equal shares in the end. */
    @Test
    void shouldConvergeToEqualShares() {
        final Bottleneck routes = new Bottleneck(2, 1);
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 2, 1L << 40, 1, 0);
        flows.add(1, 1, 2, 1L << 40, 1, 20L * MS);
        final SwitchedNetwork network = network(arena, routes, flows, RED);
        network.advance(20L * MS);
        assertTrue(network.rate(0) == 125, "alone: " + network.rate(0));
        network.advance(120L * MS);
        final long[] before = {network.receivedOf(0), network.receivedOf(1)};
        network.advance(50L * MS);
        final double one = network.receivedOf(0) - before[0];
        final double other = network.receivedOf(1) - before[1];
        assertEquals(1, one / other, 0.15);
        assertTrue(one + other > 0.97 * 50 * MS * Bottleneck.PACKET / Bottleneck.SLOTS);
    }

    @Test
    void shouldDropNothingWithoutMarksEither() {
        final Bottleneck routes = new Bottleneck(6, 1);
        final SwitchedNetwork network = network(arena, routes, routes.flows(), MarkLaw.NONE);
        network.advance(2L * MS);
        network.checkConserved();
        assertEquals(0, network.dropped());
        assertTrue(network.pauses() > 100, "pauses=" + network.pauses());
        assertEquals(2L * MS * Bottleneck.PACKET / Bottleneck.SLOTS, received(network, 6), 200.0 * Bottleneck.PACKET);
    }

    private static SwitchRules rules(final long queueBytes) {
        return new SwitchRules(PACKET, LINK_SLOTS, queueBytes, MarkLaw.NONE, true);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldDropNothing(final long seed) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < 60; flow++) {
            final int from = flow < 15 ? flow + 1 : CounterRandom.below(CounterRandom.bits(seed, flow, 0, 0), HOSTS);
            final int to = flow < 15 ? 0 : (from + 1 + CounterRandom.below(CounterRandom.bits(seed, flow, 0, 1),
                HOSTS - 1)) % HOSTS;
            flows.add(flow, from, to, 20_000 + flow, 1, flow);
        }
        final Congestion deaf = new Congestion.Dcqcn(1000, 1000, 1 << 20, 8, 5, 1, 10);
        final SwitchedNetwork network = new SwitchedNetwork(arena, flows,
            new Reno(64, 2, 100, 40, 1 << 20, 0, deaf), rules(HEADROOM + 2 * PACKET),
            new FatTreeRoutes(RADIX, RATE, flows, 1, seed));
        for (int i = 0; i < 1000 && network.completed() < flows.size(); i++) {
            network.advance(100);
            network.checkConserved();
        }
        final String what = "seed=" + seed + " pauses=" + network.pauses() + " dropped=" + network.dropped();
        assertEquals(flows.size(), network.completed(), what);
        assertEquals(0, network.dropped() + network.resent() + network.timeouts(), what);
        assertTrue(network.pauses() > 10, what);
        for (int flow = 0; flow < flows.size(); flow++) {
            assertEquals(20_000 + flow, network.receivedOf(flow), what);
        }
    }

    /** One queue alone: packets leave in order at the rate of the port, as from a link that nobody pauses. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldSendAsFreeLinksDo(final long seed) {
        final Bottleneck routes = new Bottleneck(1, 4);
        final SwitchRules free = new SwitchRules(PACKET, LINK_SLOTS, 1 << 20, Long.MAX_VALUE);
        final Links[] links = {new FreeLinks(free, routes), new PfcLinks(new SwitchRules(PACKET, LINK_SLOTS, 1 << 20,
            MarkLaw.NONE, true), routes)};
        final StringBuilder[] seen = {new StringBuilder(), new StringBuilder()};
        for (long slot = 0; slot < 6000; slot++) {
            for (int i = 0; i < 2; i++) {
                final long now = slot;
                final StringBuilder log = seen[i];
                links[i].turn(slot, (port, packet) -> log.append(now).append(':').append(packet).append(' '));
                if (CounterRandom.below(CounterRandom.bits(seed, 0, slot, 0), 9) == 0) {
                    final int bytes = 1 + CounterRandom.below(CounterRandom.bits(seed, 0, slot, 1), PACKET);
                    links[i].add(slot, 0, 1, TcpPacket.segment(0, (int) slot), bytes);
                }
                log.append(links[i].backlog(slot, 1)).append(' ');
            }
            assertEquals(links[0].held(), links[1].held(), "seed=" + seed + " slot=" + slot);
        }
        assertEquals(seen[0].toString(), seen[1].toString(), "seed=" + seed);
    }

    @Test
    void shouldPauseSegmentsAlone() {
        final Bottleneck routes = new Bottleneck(1, 1);
        final PfcLinks links = new PfcLinks(new SwitchRules(PACKET, LINK_SLOTS,
            PACKET * 3 + new SwitchRules(PACKET, LINK_SLOTS, PACKET, MarkLaw.NONE, true).headroom(125), MarkLaw.NONE,
            true), routes);
        final StringBuilder log = new StringBuilder();
        long slot = 0;
        for (int number = 0; number < 4; number++) {
            assertTrue(links.add(slot, 0, 1, TcpPacket.segment(0, number), PACKET));
        }
        assertEquals(1, links.pauses());
        links.add(slot, Links.NONE, 0, TcpPacket.segment(0, 9), PACKET);
        links.add(slot, Links.NONE, 0, TcpPacket.segment(0, 10), PACKET);
        links.add(slot, Links.NONE, 0, TcpPacket.segment(0, 11), PACKET);
        for (; slot < 20; slot++) {
            links.turn(slot, (port, packet) -> log.append(port).append(':')
                .append(TcpPacket.number(packet)).append(' '));
            if (slot == 10) {
                links.add(slot, Links.NONE, 0, TcpPacket.answer(TcpPacket.segment(0, 77), 77), 40);
            }
        }
        assertEquals("1:0 0:9 ", log.toString());
        for (; slot < 80; slot++) {
            links.turn(slot, (port, packet) -> log.append(port).append(':')
                .append(TcpPacket.number(packet)).append(' '));
        }
        assertEquals("1:0 0:9 1:1 0:10 0:77 1:2 1:3 0:11 ", log.toString());
    }

    @Test
    void shouldRefuseRoomThatMayNotDo() {
        final Bottleneck routes = new Bottleneck(1, 1);
        assertThrows(IllegalArgumentException.class, () -> new PfcLinks(rules(HEADROOM + PACKET), routes));
        assertThrows(NullPointerException.class, () -> new SwitchRules(PACKET, LINK_SLOTS, PACKET, null, true));
    }

    /**
     * Some hosts that send over one link of a packet in eight slots. Port i is that of host i, port {@code senders} the
     * bottleneck, and acknowledgements have a link each.
     *
     * @param times how much faster than the bottleneck all other links are.
     */
    private record Bottleneck(int senders, double times) implements Routes {
        static final int PACKET = 1000;
        static final int SLOTS = 8;

        /** Links of hosts that are four times faster. */
        Bottleneck(final int senders) {
            this(senders, 4);
        }

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
            return port == senders ? (double) PACKET / SLOTS : times * PACKET / SLOTS;
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
}
