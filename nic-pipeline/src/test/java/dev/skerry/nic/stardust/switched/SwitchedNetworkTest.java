package dev.skerry.nic.stardust.switched;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Routes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    /** A packet is sent whole by each port, and spends the delay of each link. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 15})
    void shouldTakeTheTimeOfItsWay(final int to) {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, to, 777, 1, 5);
        final int hops = to == 1 ? 2 : to == 2 ? 4 : 6;
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = new SwitchedNetwork(arena, flows, Reno.usual(1000), RULES,
                new FatTreeRoutes(RADIX, 100, flows, 1, 3));
            network.advance(1000);
            assertEquals(5 + Math.ceil(7.77 * hops) + 10 * hops + 1, network.completedBefore(0), hops / 2);
            assertEquals(777, network.receivedOf(0));
            network.checkConserved();
        }
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
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 100_000, 1, 0);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = new SwitchedNetwork(arena, flows, new Reno(100, 50, 100, 40, 1000, 0),
                RULES, way);
            network.advance(1);
            assertTrue(network.backlog(0) > RULES.queueBytes(), "bytes at the host: " + network.backlog(0));
            network.advance(1200);
            assertEquals(1, network.completed());
            assertEquals(0, network.dropped());
            network.checkConserved();
        }
    }

    /** What comes behind a gap counts when it comes, not when the gap is filled: a window has no more than the link. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldCountBytesWhenTheyCome(final int senders) {
        final Bottleneck way = new Bottleneck(senders);
        final int window = 40 * Bottleneck.SLOTS;
        try (Arena arena = Arena.ofConfined()) {
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
    }

    /** Segments wait at their host alone; acknowledgements wait in a queue that marks whatever waits. */
    @Test
    void shouldMarkSegmentsOnly() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 200_000, 1, 0);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = new SwitchedNetwork(arena, flows,
                Reno.usual(1000).with(Congestion.Dctcp.USUAL), new SwitchRules(1000, 10, 50_000, 1), new SlowWayBack());
            network.advance(1000);
            assertTrue(network.backlog(SlowWayBack.ACKS) > 40, "bytes: " + network.backlog(SlowWayBack.ACKS));
            network.advance(19_000);
            assertEquals(1, network.completed());
            assertEquals(0, network.marked());
        }
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

    /** Each way begins at its sender, ends at its receiver, and crosses switches that are connected. */
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

    /** The switch that a port belongs to: tier and number, as text. */
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

    /** The switch that a port leads to. */
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
}
