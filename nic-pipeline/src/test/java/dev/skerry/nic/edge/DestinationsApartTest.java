package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketIngress.DeferredPackets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.ArrayList;
import java.util.List;

/**
 * A slow port costs only what goes there: node 0 sends to 3, 4 and 5, and 3 takes one packet where 5 takes six. Time is
 * counted in slots, which never stand still, because some packet is always under way from 1 to 2 (docs/spec/edge.md).
 */
@Timeout(120)
final class DestinationsApartTest {
    private static final int SLOW = 3;
    private static final int OTHER = 5;
    private static final int PORTS = 6;
    private static final int PACKETS = 300;
    /** With workers that meet in every slot: on a full machine a meeting takes milliseconds. */
    private static final int PACKETS_ACROSS_THREADS = 60;
    private static final int CELLS = 1_024;
    private static final int SLOTS_PER_PACKET = 16;

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldKeepTheRateOfTheOthersWhilePacketsWait(final Rig.Kind kind) {
        final long without = slots(kind, WhenFull.WAIT, true, false);
        final long with = slots(kind, WhenFull.WAIT, true, true);
        assertTrue(without >= 0.95 * with, () -> "slots without the slow port " + without + ", with it " + with);
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldKeepTheRateOfTheOthersWhilePacketsAreDropped(final Rig.Kind kind) {
        final long without = slots(kind, WhenFull.DROP, false, false);
        final long with = slots(kind, WhenFull.DROP, false, true);
        assertTrue(without >= 0.95 * with, () -> "slots without the slow port " + without + ", with it " + with);
    }

    /** Cells come home over rings where banks have threads of their own. */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = {"SHOAL_LOCKSTEP_3", "SHALE_THREADS", "STARDUST_LOCKSTEP_3"})
    void shouldLoseNothingAcrossThreads(final Rig.Kind kind) {
        final List<PacedPort> ports = ports(true);
        final int[] asked = new int[1];
        ports.get(0).setDue(() -> ++asked[0] / 4);
        final int[] seen = new int[1];
        // By the thread of its own port: one packet in eight calls.
        ports.get(SLOW).setRoom(() -> ++seen[0] / 8);
        try (Rig rig = new Rig(kind, ports, CELLS, WhenFull.WAIT)) {
            assertEquals(0, rig.run(
                () -> rig.edges.counts(OTHER).get(EdgeCounter.TX_PACKETS) >= PACKETS_ACROSS_THREADS));
            assertEquals(rig.count(EdgeCounter.RX_PACKETS), rig.count(EdgeCounter.TX_PACKETS));
            verifyOrder(ports, true);
        }
    }

    @Test
    void shouldPassPacketsWithoutRoomEvenFromAPortThatCannotChoose() {
        final List<TestPort> ports = new ArrayList<>();
        final List<byte[]> script = new ArrayList<>();
        // 200 bytes are 4 cells of Shoal: the share of the slow port, half of 1,024, is 128 of them.
        final int packets = 128 + DeferredPackets.PLACES;
        for (int i = 0; i < packets; i++) {
            script.add(Rig.packet(0, 1, i, 200));
        }
        for (int i = 0; i < 100; i++) {
            script.add(Rig.packet(0, 2, i, 200));
        }
        ports.add(new TestPort(script));
        ports.add(new TestPort(List.of()));
        ports.add(new TestPort(List.of()));
        ports.get(1).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, CELLS, WhenFull.WAIT)) {
            assertEquals(0, rig.run(() -> {
                if (ports.get(2).took() == 100) {
                    ports.get(1).setRoom(Long.MAX_VALUE);
                }
                return ports.get(1).took() == packets;
            }));
            assertTrue(rig.count(EdgeCounter.SET_ASIDE) >= DeferredPackets.PLACES / 2);
            for (int i = 0; i < packets; i++) {
                assertEquals(i, Rig.number(ports.get(1).received().get(i)));
            }
        }
    }

    @Test
    void shouldFloodToOthersWhileOneHasNoRoom() {
        final List<TestPort> ports = new ArrayList<>();
        final List<byte[]> script = new ArrayList<>();
        final int packets = 128 + DeferredPackets.PLACES / 2;
        for (int i = 0; i < packets; i++) {
            script.add(Rig.packet(1, PortForwarding.FLOOD, i, 200));
        }
        for (int port = 0; port < 4; port++) {
            ports.add(new TestPort(port == 1 ? script : List.of()));
        }
        ports.get(0).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, CELLS, WhenFull.WAIT)) {
            assertEquals(0, rig.run(() -> {
                if (ports.get(2).took() == packets && ports.get(3).took() == packets) {
                    ports.get(0).setRoom(Long.MAX_VALUE);
                }
                return ports.get(0).took() == packets;
            }));
            assertEquals(packets, rig.count(EdgeCounter.FLOODED));
            assertEquals(2L * packets, rig.count(EdgeCounter.COPIES));
        }
    }

    /** Slots until the other port has its packets; checks order, and that only the slow port's packets are dropped. */
    private static long slots(final Rig.Kind kind, final WhenFull whenFull, final boolean isChoosing,
        final boolean isSlow) {
        final List<PacedPort> ports = ports(isChoosing);
        final boolean[] over = new boolean[1];
        if (isSlow) {
            ports.get(SLOW).setRoom(() -> over[0] ? Long.MAX_VALUE : ports.get(OTHER).took() / 6);
        }
        ports.get(1).setDue(() -> ports.get(2).took() + 2);
        try (Rig rig = new Rig(kind, ports, CELLS, whenFull)) {
            ports.get(0).setDue(() -> rig.slots() / SLOTS_PER_PACKET);
            final long[] slots = new long[1];
            assertEquals(0, rig.run(() -> {
                if (!over[0] && ports.get(OTHER).took() >= PACKETS) {
                    over[0] = true;
                    slots[0] = rig.slots();
                }
                return over[0];
            }));
            final boolean waits = whenFull == WhenFull.WAIT;
            verifyOrder(ports, waits);
            assertEquals(waits && isSlow, rig.count(EdgeCounter.SET_ASIDE) > 0, rig::toString);
            final long dropped = rig.edges.counts(0).droppedFor(SLOW);
            assertEquals(waits || !isSlow, dropped == 0, () -> "dropped=" + dropped);
            assertEquals(dropped, rig.count(EdgeCounter.DROPPED_DESTINATION_FULL));
            assertEquals(rig.count(EdgeCounter.RX_PACKETS), rig.count(EdgeCounter.TX_PACKETS) + dropped);
            return slots[0];
        }
    }

    private static List<PacedPort> ports(final boolean isChoosing) {
        final List<PacedPort> ports = new ArrayList<>();
        ports.add(new PacedPort(0, isChoosing, SLOW, 4, OTHER));
        ports.add(new PacedPort(1, isChoosing, 2));
        for (int node = 2; node < PORTS; node++) {
            ports.add(new PacedPort(node, isChoosing));
        }
        return ports;
    }

    /** Packets came in order and, unless some were dropped, without a gap. */
    private static void verifyOrder(final List<PacedPort> ports, final boolean whole) {
        for (final int to : new int[] {SLOW, 4, OTHER}) {
            int next = 0;
            for (final byte[] packet : ports.get(to).received()) {
                final int number = Rig.number(packet);
                assertEquals(to, Rig.destination(packet));
                final boolean isInOrder = whole || to != SLOW ? number == next : number >= next;
                assertTrue(isInOrder, "order: to=" + to + " number=" + number + " expected=" + next);
                next = number + 1;
            }
            assertTrue(!whole && to == SLOW || next == ports.get(0).brought(to), "missing: to=" + to);
        }
    }
}
