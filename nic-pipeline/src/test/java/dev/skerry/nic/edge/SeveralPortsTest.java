package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Two ports at each node: what each sends to each other one arrives once, in order and unchanged. */
@Timeout(300)
final class SeveralPortsTest {
    private static final int AT_A_NODE = 2;
    private static final int PORTS = 6;
    private static final int PACKETS = 60;
    private static final int CELLS = 4_096;

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_LOCKSTEP_3", "SHALE_THREADS",
        "STARDUST_LOCKSTEP_3", "STARDUST_THREADS"})
    void shouldDeliverEveryPacketOnceInOrderAndUnchanged(final Rig.Kind kind) {
        final long seed = 20_261_126 + kind.ordinal();
        final SplittableRandom random = new SplittableRandom(seed);
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < PORTS; from++) {
            final int[] sent = new int[PORTS];
            final List<byte[]> script = new ArrayList<>();
            for (int i = 0; i < PACKETS; i++) {
                final int to = (from + 1 + random.nextInt(PORTS - 1)) % PORTS;
                script.add(Rig.packet(from, to, sent[to]++, random.nextInt(12, 3_000)));
            }
            ports.add(new TestPort(script));
        }
        try (Rig rig = new Rig(kind, ports, AT_A_NODE, PacketClasses.NONE, CELLS)) {
            assertEquals(0, rig.run(() -> ports.stream().mapToLong(TestPort::took).sum() == PORTS * PACKETS),
                () -> "seed=" + seed);
            final int[][] next = new int[PORTS][PORTS];
            for (int to = 0; to < PORTS; to++) {
                for (final byte[] packet : ports.get(to).received()) {
                    final int from = Rig.source(packet);
                    assertEquals(to, Rig.destination(packet), () -> "seed=" + seed);
                    assertEquals(next[from][to]++, Rig.number(packet), () -> "seed=" + seed + " from=" + from);
                    assertArrayEquals(Rig.packet(from, to, Rig.number(packet), packet.length), packet);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldFloodToTheOtherPortOfTheNodeToo(final Rig.Kind kind) {
        final List<TestPort> ports = ports(IntStream.range(0, 50)
            .mapToObj(i -> Rig.packet(0, PortForwarding.FLOOD, i, 60 + 40 * i)).toList());
        try (Rig rig = new Rig(kind, ports, AT_A_NODE, PacketClasses.NONE, CELLS)) {
            assertEquals(0, rig.run(() -> ports.stream().mapToLong(TestPort::took).sum() == 50 * (PORTS - 1)));
            for (int to = 1; to < PORTS; to++) {
                assertEquals(50, ports.get(to).took(), "to=" + to);
            }
        }
    }

    /** The slow port of a node costs neither the other one of its node, nor the neighbour of the sender. */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldKeepASlowPortApartFromTheOthersOfItsNode(final Rig.Kind kind) {
        final int packets = 60;
        final List<byte[]> script = new ArrayList<>();
        for (int i = 0; i < packets; i++) {
            script.add(Rig.packet(0, 2, i, 700));
            script.add(Rig.packet(0, 3, i, 700));
            script.add(Rig.packet(0, 1, i, 700));
        }
        final List<TestPort> ports = ports(script);
        ports.get(2).setRoom(0);
        try (Rig rig = new Rig(kind, ports, AT_A_NODE, PacketClasses.NONE, CELLS)) {
            assertEquals(0, rig.run(() -> {
                if (ports.get(3).took() == packets && ports.get(1).took() == packets) {
                    ports.get(2).setRoom(Long.MAX_VALUE);
                }
                return ports.get(2).took() == packets;
            }));
            assertEquals(3 * packets, rig.edges.counts(0).get(EdgeCounter.RX_PACKETS));
            assertEquals(packets, rig.edges.counts(2).get(EdgeCounter.TX_PACKETS));
        }
    }

    @Test
    void shouldCrossBetweenPortsOfANodeWithoutTheFabric() {
        final List<TestPort> ports = ports(IntStream.range(0, 500).mapToObj(i -> Rig.packet(0, 1, i, 1_000)).toList());
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, AT_A_NODE, PacketClasses.NONE, CELLS)) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 500));
            assertEquals(0, rig.engine.count(NicCounter.CELLS_DELIVERED));
        }
    }

    @Test
    void shouldRefuseAllPortsAtOneNode() {
        final String message = assertThrows(IllegalArgumentException.class, () -> new PortFlows(new int[] {3, 3}, 1))
            .getMessage();
        assertTrue(message.contains("two nodes") && message.contains("node=3"), message);
    }

    private static List<TestPort> ports(final List<byte[]> ofFirst) {
        return IntStream.range(0, PORTS).mapToObj(port -> new TestPort(port == 0 ? ofFirst : List.of())).toList();
    }
}
