package dev.skerry.nic.stardust.switched;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.host.TcpPacket;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FreeLinks;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Links;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.PfcLinks;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

/** Links that switches pause: nothing is ever dropped, queues stay within their room, times are those of free links. */
class PfcLinksTest {
    private static final int RADIX = 4;
    private static final int HOSTS = 16;
    private static final int PACKET = 1000;
    private static final int LINK_SLOTS = 10;
    private static final double RATE = 100;
    private static final long HEADROOM = new SwitchRules(PACKET, LINK_SLOTS, PACKET, MarkLaw.NONE, true).headroom(RATE);

    private static SwitchRules rules(final long queueBytes) {
        return new SwitchRules(PACKET, LINK_SLOTS, queueBytes, MarkLaw.NONE, true);
    }

    /** Fifteen to one and all to all, with the least room that there may be. */
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
        try (Arena arena = Arena.ofConfined()) {
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

    /** A paused link finishes its packet and still sends acknowledgements; it goes on when there is room. */
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
}
