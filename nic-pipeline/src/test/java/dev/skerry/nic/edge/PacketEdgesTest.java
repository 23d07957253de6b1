package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.packet.PacketFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** On each fabric and engine, every packet arrives once, in order and unchanged. */
@Timeout(300)
final class PacketEdgesTest {
    private static final int PORTS = 4;

    @ParameterizedTest
    @EnumSource(Rig.Kind.class)
    void shouldDeliverEveryPacketOnceInOrderAndUnchanged(final Rig.Kind kind) {
        final long seed = 20_261_121 + kind.ordinal();
        final List<TestPort> ports = ports(seed, 200);
        try (Rig rig = new Rig(kind, ports, addressed(PORTS))) {
            final long all = PORTS * 200L;
            assertEquals(0, rig.run(() -> took(ports) == all), () -> "seed=" + seed);
            assertEquals(all, rig.count(EdgeCounter.RX_PACKETS));
            assertEquals(all, rig.count(EdgeCounter.TX_PACKETS));
            assertEquals(rig.count(EdgeCounter.RX_BYTES), rig.count(EdgeCounter.TX_BYTES));
            verify(ports, seed);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_THREADS_5", "STARDUST_LOCKSTEP", "STARDUST_THREADS"})
    void shouldSendOneCopyToEveryOtherPort(final Rig.Kind kind) {
        final List<TestPort> ports = empty(PORTS);
        final List<byte[]> script = IntStream.range(0, 100)
            .mapToObj(i -> Rig.packet(1, PortForwarding.FLOOD, i, 60 + i * 29 % 8_900)).toList();
        ports.set(1, new TestPort(script));
        try (Rig rig = new Rig(kind, ports, addressed(PORTS))) {
            assertEquals(0, rig.run(() -> took(ports) == 300));
            assertEquals(100, rig.count(EdgeCounter.FLOODED));
            assertEquals(200, rig.count(EdgeCounter.COPIES));
            assertEquals(0, ports.get(1).took());
            for (final int port : new int[]{0, 2, 3}) {
                assertEquals(100, ports.get(port).received().size());
                for (int i = 0; i < 100; i++) {
                    assertArrayEquals(script.get(i), ports.get(port).received().get(i));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_LOCKSTEP_3", "STARDUST_LOCKSTEP_3", "STARDUST_THREADS"})
    void shouldLeavePacketsInThePortWhenTheOneTheyGoToIsSlow(final Rig.Kind kind) {
        final int packets = 6_000;
        final List<TestPort> ports = empty(2);
        ports.set(0, new TestPort(IntStream.range(0, packets).mapToObj(i -> Rig.packet(0, 1, i, 300)).toList()));
        ports.get(1).setRoom(10);
        try (Rig rig = new Rig(kind, ports, addressed(2), Long.MAX_VALUE)) {
            final Standstill standstill = new Standstill(rig);
            assertEquals(0, rig.run(() -> {
                final long brought = ports.get(0).brought();
                if (ports.get(1).took() <= 10) {
                    assertTrue(brought < packets / 2, () -> "taken without room: " + brought);
                }
                if (rig.count(EdgeCounter.WAITS) > 0 && standstill.isReached(brought)) {
                    ports.get(1).setRoom(Long.MAX_VALUE);
                }
                return ports.get(1).took() == packets;
            }));
            assertTrue(rig.count(EdgeCounter.WAITS) > 0);
            assertEquals(0, rig.edges.counts(1).dropped());
            for (int i = 0; i < packets; i++) {
                assertEquals(i, Rig.number(ports.get(1).received().get(i)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHALE_THREADS", "STARDUST_LOCKSTEP", "STARDUST_THREADS_9"})
    void shouldDropByNameForAPortThatTakesNothingOrIsDown(final Rig.Kind kind) {
        final List<TestPort> ports = empty(PORTS);
        ports.set(0, new TestPort(IntStream.range(0, 3_000).mapToObj(i -> Rig.packet(0, 1 + i % 3, i, 100)).toList()));
        ports.get(1).setRoom(5);
        ports.get(2).setUp(false);
        try (Rig rig = new Rig(kind, ports, addressed(PORTS), 1_000_000)) {
            assertEquals(0, rig.run(() -> ports.get(3).took() == 1_000));
            assertEquals(995, rig.edges.counts(1).get(EdgeCounter.DROPPED_PORT_STALLED));
            assertEquals(1_000, rig.edges.counts(2).get(EdgeCounter.DROPPED_PORT_DOWN));
            assertEquals(1_005, rig.count(EdgeCounter.TX_PACKETS));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS_9", "STARDUST_LOCKSTEP_3", "STARDUST_THREADS_9"})
    void shouldGoOnWhenAPortFails(final Rig.Kind kind) {
        final List<TestPort> ports = empty(PORTS);
        ports.set(0, new TestPort(IntStream.range(0, 1_500).mapToObj(i -> Rig.packet(0, 1 + i % 3, i, 200)).toList()));
        ports.get(2).failAfter(100);
        try (Rig rig = new Rig(kind, ports, addressed(PORTS))) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 500 && ports.get(3).took() == 500
                && ports.get(2).isClosed()));
            assertInstanceOf(IllegalArgumentException.class, rig.edges.failure(2));
            assertNull(rig.edges.failure(1));
            assertTrue(ports.get(2).isClosed());
            assertEquals(500 - ports.get(2).took(),
                rig.edges.counts(2).get(EdgeCounter.DROPPED_PORT_DEAD));
        }
    }

    @Test
    void shouldDropByNameWhatHasNoWay() {
        final List<TestPort> ports = empty(2);
        ports.set(0, new TestPort(Stream.of(Rig.packet(0, 0, 0, 60), new byte[7], Rig.packet(0, 7, 0, 60),
            Rig.packet(0, 1_000, 0, 60), Rig.packet(0, PortForwarding.NOWHERE, 0, 60), Rig.packet(0, 1, 0,
                60)).toList()));
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, addressed(2))) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 1));
            assertEquals(1, rig.count(EdgeCounter.DROPPED_SAME_PORT));
            assertEquals(1, rig.count(EdgeCounter.DROPPED_NO_ADDRESS));
            assertEquals(3, rig.count(EdgeCounter.DROPPED_NOWHERE));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, mode = Mode.MATCH_ANY, names = ".*")
    void shouldStandStillWhileThereIsNothingToDo(final Rig.Kind kind) {
        final List<TestPort> ports = empty(2);
        ports.set(0, new TestPort(List.of(Rig.packet(0, 1, 0, 100))));
        try (Rig rig = new Rig(kind, ports, addressed(2))) {
            final Standstill standstill = new Standstill(rig);
            assertEquals(0, rig.run(() -> ports.get(1).took() == 1 && standstill.isReached(0)));
            assertTrue(rig.slots() < 5_000, () -> "slots went by without cells: " + rig.slots());
        }
    }

    @Test
    void shouldRefuseWhatCannotWork() {
        final PacketFormat format = new PacketFormat(CellFormat.SHOAL, Rig.MTU);
        final EdgePort port = new EdgePort(0, "a", new TestPort(List.of()), new Rig.Addressed());
        final EdgePort other = new EdgePort(1, "b", new TestPort(List.of()), new Rig.Addressed());
        final EdgeConfig config = new EdgeConfig(format, 4_096, 0, 0);
        assertThrows(IllegalArgumentException.class, () -> new PacketEdges(config, List.of(port), EdgeWatch.NONE));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketEdges(config, List.of(port, port), EdgeWatch.NONE));
        final EdgeConfig small = new EdgeConfig(format, 128, 0, 0);
        assertThrows(IllegalArgumentException.class,
            () -> new PacketEdges(small, List.of(port, other), EdgeWatch.NONE));
        assertThrows(IllegalArgumentException.class, () -> new EdgeConfig(format, 100, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new EdgeConfig(format, 128, -1, 0));
        assertThrows(IllegalArgumentException.class, () -> new EdgeConfig(format, 128, 0, Double.NaN));
    }

    /** Every bank has looked at its ports many times since the last change, however long that took. */
    private static final class Standstill {
        private static final int LOOKS = 100;

        private final Rig rig;
        private long moved;
        private long since;

        Standstill(final Rig rig) {
            this.rig = rig;
        }

        boolean isReached(final long count) {
            if (count != moved) {
                moved = count;
                since = rig.edges.looks();
            }
            return rig.edges.looks() - since >= LOOKS;
        }
    }

    private static List<TestPort> empty(final int count) {
        return new ArrayList<>(IntStream.range(0, count).mapToObj(port -> new TestPort(List.of())).toList());
    }

    private static List<Rig.Addressed> addressed(final int count) {
        return IntStream.range(0, count).mapToObj(port -> new Rig.Addressed()).toList();
    }

    /** Packets of all sizes from each port to each other port. */
    private static List<TestPort> ports(final long seed, final int packets) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < PORTS; from++) {
            final int[] numbers = new int[PORTS];
            final List<byte[]> script = new ArrayList<>();
            for (int i = 0; i < packets; i++) {
                final int to = (from + 1 + random.nextInt(PORTS - 1)) % PORTS;
                final int length = random.nextInt(8) == 0 ? random.nextInt(60, Rig.MTU + 1) : random.nextInt(60, 200);
                script.add(Rig.packet(from, to, numbers[to]++, length));
            }
            ports.add(new TestPort(script));
        }
        return ports;
    }

    private static long took(final List<TestPort> ports) {
        return ports.stream().mapToLong(TestPort::took).sum();
    }

    private static void verify(final List<TestPort> ports, final long seed) {
        for (int to = 0; to < PORTS; to++) {
            final int[] next = new int[PORTS];
            for (final byte[] packet : ports.get(to).received()) {
                final int from = Rig.source(packet);
                final int number = next[from]++;
                final int port = to;
                assertEquals(to, Rig.destination(packet), () -> "seed=" + seed);
                assertEquals(number, Rig.number(packet), () -> "order: seed=" + seed + " from=" + from + " to=" + port);
                assertArrayEquals(Rig.packet(from, to, number, packet.length), packet, () -> "seed=" + seed);
            }
        }
    }
}
