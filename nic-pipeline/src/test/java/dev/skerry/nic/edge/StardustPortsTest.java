package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What only Stardust has: packets that share cells, credits that stop for a blocked port, two ports per adapter. */
@Timeout(300)
final class StardustPortsTest {
    private static final long PATIENCE = 60_000_000_000L;

    @Test
    void shouldDeliverTheSamePacketsInTheSameSlotsAgain() {
        final long seed = 20_261_122;
        final List<Long> digests = new ArrayList<>();
        final List<List<TestPort>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            final List<TestPort> ports = random(seed, 6, 400);
            runs.add(ports);
            try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports, addressed(6))) {
                assertEquals(0, rig.run(() -> ports.stream().mapToLong(TestPort::took).sum() == 2_400));
                digests.add(((StardustEngine) rig.engine).digest());
                // 66 bytes and more per packet in cells of 256 bytes: most packets share a cell.
                assertTrue(rig.engine.count(NicCounter.CELLS_INJECTED) * 256 < rig.count(EdgeCounter.RX_BYTES) * 1.3);
            }
        }
        assertEquals(digests.get(0), digests.get(1), () -> "seed=" + seed);
        for (int port = 0; port < 6; port++) {
            assertArrayEquals(runs.get(0).get(port).received().toArray(), runs.get(1).get(port).received().toArray());
        }
    }

    @Test
    void shouldStopTheCreditsOfAPortThatTakesNothingAndOfNoOther() {
        final int packets = 12_000;
        final List<TestPort> ports = new ArrayList<>(IntStream.range(0, 4)
            .mapToObj(port -> new TestPort(List.of())).toList());
        ports.set(2, new TestPort(script(2, 1, packets, 800)));
        ports.set(3, new TestPort(script(3, 0, packets, 800)));
        ports.get(1).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports, addressed(4), PATIENCE)) {
            final long[] held = new long[1];
            assertEquals(0, rig.run(() -> {
                held[0] = Math.max(held[0],
                    (long) rig.edges.arrivedCells(1) * rig.edges.config.format().payloadBytes());
                if (ports.get(1).took() == 0 && ports.get(0).took() == packets) {
                    // The other port at the same adapter received everything.
                    assertTrue(ports.get(2).brought() < packets / 4, () -> "taken: " + ports.get(2).brought());
                    ports.get(1).setRoom(Long.MAX_VALUE);
                }
                return ports.get(1).took() == packets;
            }));
            // The threshold, plus a packet for the one VOQ that asks, plus cells under way when the threshold was
            // passed.
            assertTrue(held[0] > 1 << 16 && held[0] < 3 << 15, () -> "held at the port: " + held[0]);
        }
    }

    @Test
    void shouldNotForgetCellsThatOnlyElementsHold() {
        // The credits exceed what the links carry. When the last cell is cut, two hundred cells wait in the element,
        // and no adapter has work that would extend the run, because all cells come in order over the one link.
        final Stardust usual = Rig.stardust();
        final Stardust hasty = new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 1, 1, 8, 0,
            List.of()))), 1, new HostSide(1, 1, 1, 100_000, 1 << 20, 1 << 19,
            false), usual.cut(), new Credits(9_216, 100_000, 0, 0, 100, false), usual.links(), true, 7);
        final List<TestPort> ports = new ArrayList<>(List.of(new TestPort(List.of())));
        IntStream.range(1, 8).forEach(from -> ports.add(new TestPort(script(from, 0, 1, 9_000))));
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, addressed(8), PATIENCE,
            edges -> new StardustThreads(hasty, edges.flows(), Faults.NONE, ReachTiming.USUAL, edges,
                Threading.shared(2, Idle.BACKOFF)))) {
            assertEquals(0, rig.run(() -> ports.get(0).took() == 7));
            assertEquals(7 * 36, rig.engine.count(NicCounter.CELLS_DELIVERED));
        }
    }

    /** A byte of some cells is changed on a link: their checks find it, and no packet comes that was not sent. */
    @Test
    void shouldRefuseCellsOfWhichAByteWasChanged() {
        final int packets = 3000;
        final List<TestPort> ports = new ArrayList<>(List.of(new TestPort(List.of()), new TestPort(List.of()),
            new TestPort(script(2, 0, packets, 300)), new TestPort(script(3, 1, packets, 700))));
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Corruption(20, 0.0005))), 5);
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, addressed(4), PATIENCE, edges -> new StardustEngine(
            Rig.stardust(), edges.flows(), faults, ReachTiming.USUAL, 1, true, edges, Idle.BACKOFF))) {
            // The last packet of a flow may be lost, of which nobody is told: this ends when nothing comes any more.
            final long[] calm = new long[2];
            rig.engine.run(0, (slot, delivered, completed) -> {
                final long ended = ports.get(0).took() + ports.get(1).took()
                    + rig.edges.count(PacketCounter.PACKETS_WITH_CELLS);
                calm[0] = ended == calm[1] ? calm[0] + 1 : 0;
                calm[1] = ended;
                return ended < 2L * packets && calm[0] < 5_000;
            });
            // What follows a lost packet does not wait for it.
            final long lost = rig.edges.count(PacketCounter.PACKETS_WITH_CELLS);
            assertEquals(rig.engine.count(NicCounter.PACKETS_LOST), lost);
            assertEquals(2L * packets, ports.get(0).took() + ports.get(1).took() + lost
                + rig.edges.verify(rig.engine.carried()));
            assertTrue(rig.engine.count(NicCounter.CELLS_DAMAGED) > 5);
            assertEquals(rig.engine.count(NicCounter.CELLS_DAMAGED), rig.engine.count(NicCounter.DROPPED_DAMAGED));
            assertTrue(rig.engine.count(NicCounter.PACKETS_LOST) > 5);
            assertTrue(rig.engine.count(NicCounter.PACKETS_DELIVERED) > packets);
            assertTrue(ports.get(0).took() > 0 && ports.get(1).took() > 0);
            for (int to = 0; to < 2; to++) {
                final int from = to + 2;
                final int length = to == 0 ? 300 : 700;
                final List<String> sent = script(from, to, packets, length).stream().map(Arrays::toString).toList();
                assertTrue(new HashSet<>(sent).containsAll(ports.get(to).received().stream().map(Arrays::toString)
                    .toList()), "to=" + to);
            }
        }
    }

    /** Queues with bounds drop whole packets where they come in, by name, and what they take comes in order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDropPacketsForWhichAQueueHasNoRoom(final boolean threads) {
        final int packets = 2000;
        final List<TestPort> ports = List.of(new TestPort(List.of()), new TestPort(List.of()),
            new TestPort(script(2, 0, packets, 300)), new TestPort(script(3, 0, packets, 700)));
        final Stardust usual = Rig.stardust();
        final Stardust capped = new Stardust(usual.deployment(), 1, usual.hosts(), usual.cut(),
            usual.credits().with(usual.credits().voqs().capped(10_000, 15_000)), usual.links(), true, 1);
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, addressed(4), PATIENCE, edges -> threads
            ? new StardustThreads(capped, edges.flows(), Faults.NONE, ReachTiming.USUAL, edges, Threading.shared(2,
                Idle.BACKOFF))
            : new StardustEngine(capped, edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, true, edges,
                Idle.BACKOFF))) {
            assertEquals(0, rig.run(() -> ports.get(0).took() + rig.edges.count(PacketCounter.PACKETS_NO_ROOM)
                == 2L * packets));
            assertTrue(ports.get(0).took() > 20 && rig.edges.count(PacketCounter.PACKETS_NO_ROOM) > 20);
            assertEquals(rig.edges.count(PacketCounter.PACKETS_NO_ROOM),
                rig.engine.count(NicCounter.PACKETS_REFUSED));
            final int[] last = {-1, -1, -1, -1};
            ports.get(0).received().forEach(packet -> {
                assertTrue(Rig.number(packet) > last[Rig.source(packet)]);
                last[Rig.source(packet)] = Rig.number(packet);
            });
        }
    }

    @Test
    void shouldRefuseAFabricThatPacketsCannotCross() {
        final List<TestPort> ports = List.of(new TestPort(List.of()), new TestPort(List.of()));
        try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports, addressed(2))) {
            final Stardust fabric = Rig.stardust();
            final Stardust paced = new Stardust(fabric.deployment(), 1, fabric.hosts().with(HostModel.PACED),
                fabric.cut(), fabric.credits(), fabric.links(), true, 1);
            assertThrows(IllegalArgumentException.class,
                () -> new StardustEngine(paced, rig.edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, false,
                    rig.edges, Idle.BACKOFF));
            assertThrows(IllegalArgumentException.class, () -> new StardustThreads(paced, rig.edges.flows(),
                Faults.NONE, ReachTiming.USUAL, rig.edges, Threading.shared(2, Idle.BACKOFF)));
            assertThrows(IllegalArgumentException.class,
                () -> new StardustEngine(fabric, new FlowSet(), Faults.NONE, ReachTiming.USUAL, 1, false, rig.edges,
                    Idle.BACKOFF));
            assertThrows(IllegalArgumentException.class, () -> new StardustEngine(fabric, rig.edges.flows(), 1));
        }
    }

    private static List<byte[]> script(final int from, final int to, final int packets, final int length) {
        return IntStream.range(0, packets).mapToObj(i -> Rig.packet(from, to, i, length)).toList();
    }

    private static List<TestPort> random(final long seed, final int count, final int packets) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < count; from++) {
            final int[] numbers = new int[count];
            final List<byte[]> script = new ArrayList<>();
            for (int i = 0; i < packets; i++) {
                final int to = (from + 1 + random.nextInt(count - 1)) % count;
                script.add(Rig.packet(from, to, numbers[to]++,
                    random.nextInt(16) == 0 ? random.nextInt(60, Rig.MTU + 1) : random.nextInt(60, 200)));
            }
            ports.add(new TestPort(script));
        }
        return ports;
    }

    private static List<Rig.Addressed> addressed(final int count) {
        return IntStream.range(0, count).mapToObj(port -> new Rig.Addressed()).toList();
    }
}
