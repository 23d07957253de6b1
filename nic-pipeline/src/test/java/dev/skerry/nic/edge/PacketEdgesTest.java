package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** On each fabric and engine, every packet arrives once, in order and unchanged, or has a name if a fault costs it. */
@Timeout(300)
final class PacketEdgesTest {
    private static final int PORTS = 4;
    /** Of fabrics with two ports at a node. */
    private static final int MANY = 6;
    private static final int PACKETS = 60;
    /** Of fabrics in which something fails. */
    private static final int NODES = 8;
    private static final int PACKETS_AMID_FAULTS = 300;
    private static final int SEEDS = 3;
    private static final int MENDED_SLOT = 4_000;
    /** Of what only Stardust has: packets that share cells, credits that stop for a blocked port. */
    private static final long PATIENCE = 60_000_000_000L;

    @ParameterizedTest
    @EnumSource(Rig.Kind.class)
    void shouldDeliverEveryPacketOnceInOrderAndUnchanged(final Rig.Kind kind) {
        final long seed = 20_261_121 + kind.ordinal();
        final List<TestPort> ports = Rig.random(new SplittableRandom(seed), PORTS, 200, random ->
            random.nextInt(8) == 0 ? random.nextInt(60, Rig.MTU + 1) : random.nextInt(60, 200));
        try (Rig rig = new Rig(kind, ports)) {
            final long all = PORTS * 200L;
            assertEquals(0, rig.run(() -> Rig.took(ports) == all), () -> "seed=" + seed);
            assertEquals(all, rig.count(EdgeCounter.RX_PACKETS));
            assertEquals(all, rig.count(EdgeCounter.TX_PACKETS));
            assertEquals(rig.count(EdgeCounter.RX_BYTES), rig.count(EdgeCounter.TX_BYTES));
            Rig.verify(ports, true, "seed=" + seed);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_THREADS_5", "STARDUST_LOCKSTEP", "STARDUST_THREADS"})
    void shouldSendOneCopyToEveryOtherPort(final Rig.Kind kind) {
        final List<byte[]> script = IntStream.range(0, 100)
            .mapToObj(i -> Rig.packet(1, PortForwarding.FLOOD, i, 60 + i * 29 % 8_900)).toList();
        final List<TestPort> ports = Rig.bringing(PORTS, 1, script);
        try (Rig rig = new Rig(kind, ports)) {
            assertEquals(0, rig.run(() -> Rig.took(ports) == 300));
            assertEquals(100, rig.count(EdgeCounter.FLOODED));
            assertEquals(200, rig.count(EdgeCounter.COPIES));
            assertEquals(0, ports.get(1).took());
            for (final int port : new int[]{0, 2, 3}) {
                assertArrayEquals(script.toArray(), ports.get(port).received().toArray());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_LOCKSTEP_3", "STARDUST_LOCKSTEP_3", "STARDUST_THREADS"})
    void shouldLeavePacketsInThePortWhenTheOneTheyGoToIsSlow(final Rig.Kind kind) {
        final int packets = 6_000;
        final List<TestPort> ports = Rig.bringing(2, 0, Rig.script(0, 1, packets, 300));
        ports.get(1).setRoom(10);
        try (Rig rig = new Rig(kind, ports, Long.MAX_VALUE)) {
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
            Rig.verify(ports, true, "slow");
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class,
        names = {"SHOAL_LOCKSTEP", "SHALE_THREADS", "STARDUST_LOCKSTEP", "STARDUST_THREADS_9"})
    void shouldDropByNameForAPortThatTakesNothingOrIsDown(final Rig.Kind kind) {
        final List<TestPort> ports = Rig.bringing(PORTS, 0,
            IntStream.range(0, 3_000).mapToObj(i -> Rig.packet(0, 1 + i % 3, i, 100)).toList());
        ports.get(1).setRoom(5);
        ports.get(2).setUp(false);
        try (Rig rig = new Rig(kind, ports, 1_000_000)) {
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
        final List<TestPort> ports = Rig.bringing(PORTS, 0,
            IntStream.range(0, 1_500).mapToObj(i -> Rig.packet(0, 1 + i % 3, i, 200)).toList());
        ports.get(2).failAfter(100);
        try (Rig rig = new Rig(kind, ports)) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 500 && ports.get(3).took() == 500
                && ports.get(2).isClosed()));
            assertInstanceOf(IllegalArgumentException.class, rig.edges.failure(2));
            assertNull(rig.edges.failure(1));
            assertTrue(ports.get(2).isClosed());
            assertEquals(500 - ports.get(2).took(), rig.edges.counts(2).get(EdgeCounter.DROPPED_PORT_DEAD));
        }
    }

    @Test
    void shouldDropByNameWhatHasNoWay() {
        final List<TestPort> ports = Rig.bringing(2, 0, List.of(Rig.packet(0, 0, 0, 60), new byte[7],
            Rig.packet(0, 7, 0, 60), Rig.packet(0, 1_000, 0, 60), Rig.packet(0, PortForwarding.NOWHERE, 0, 60),
            Rig.packet(0, 1, 0, 60)));
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports)) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 1));
            assertEquals(1, rig.count(EdgeCounter.DROPPED_SAME_PORT));
            assertEquals(1, rig.count(EdgeCounter.DROPPED_NO_ADDRESS));
            assertEquals(3, rig.count(EdgeCounter.DROPPED_NOWHERE));
        }
    }

    @ParameterizedTest
    @EnumSource(Rig.Kind.class)
    void shouldStandStillWhileThereIsNothingToDo(final Rig.Kind kind) {
        final List<TestPort> ports = Rig.bringing(2, 0, Rig.script(0, 1, 1, 100));
        try (Rig rig = new Rig(kind, ports)) {
            final Standstill standstill = new Standstill(rig);
            assertEquals(0, rig.run(() -> ports.get(1).took() == 1 && standstill.isReached(0)));
            assertTrue(rig.slots() < 5_000, () -> "slots went by without cells: " + rig.slots());
        }
    }

    @Test
    void shouldRefuseWhatCannotWork() {
        final EdgePort port = new EdgePort(0, 0, "a", new TestPort(List.of()), new Rig.Addressed());
        final EdgePort other = new EdgePort(1, 0, "b", new TestPort(List.of()), new Rig.Addressed());
        final EdgeConfig config = config(4_096, 0);
        assertThrows(IllegalArgumentException.class, () -> new PacketEdges(config, List.of(port), EdgeWatch.NONE));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketEdges(config, List.of(port, port), EdgeWatch.NONE));
        assertThrows(IllegalArgumentException.class,
            () -> new PacketEdges(config(128, 0), List.of(port, other), EdgeWatch.NONE));
        assertThrows(IllegalArgumentException.class, () -> config(100, 0));
        assertThrows(IllegalArgumentException.class, () -> config(128, -1));
        assertThrows(IllegalArgumentException.class, () -> new EdgeConfig(config.format(), 128, 0, Double.NaN,
            config.whenFull(), 0, false, config.classes()));
    }

    private static EdgeConfig config(final int bufferCells, final long stallNs) {
        return Rig.config(CellFormat.SHOAL, bufferCells, stallNs, WhenFull.WAIT, 0, PacketClasses.NONE);
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

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = {"SHOAL_LOCKSTEP", "SHOAL_THREADS", "SHALE_LOCKSTEP_3", "SHALE_THREADS",
        "STARDUST_LOCKSTEP_3", "STARDUST_THREADS"})
    void shouldDeliverBetweenTwoPortsAtEachNode(final Rig.Kind kind) {
        final long seed = 20_261_126 + kind.ordinal();
        final List<TestPort> ports = Rig.random(new SplittableRandom(seed), MANY, PACKETS,
            random -> random.nextInt(12, 3_000));
        try (Rig rig = new Rig(kind, ports, 2, PacketClasses.NONE)) {
            assertEquals(0, rig.run(() -> Rig.took(ports) == MANY * PACKETS), () -> "seed=" + seed);
            Rig.verify(ports, true, "seed=" + seed);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldFloodToTheOtherPortOfTheNodeToo(final Rig.Kind kind) {
        final List<TestPort> ports = Rig.bringing(MANY, 0, IntStream.range(0, 50)
            .mapToObj(i -> Rig.packet(0, PortForwarding.FLOOD, i, 60 + 40 * i)).toList());
        try (Rig rig = new Rig(kind, ports, 2, PacketClasses.NONE)) {
            assertEquals(0, rig.run(() -> Rig.took(ports) == 50 * (MANY - 1)));
            for (int to = 1; to < MANY; to++) {
                assertEquals(50, ports.get(to).took(), "to=" + to);
            }
        }
    }

    /** The slow port of a node costs neither the other one of its node, nor the neighbour of the sender. */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldKeepASlowPortApartFromTheOthersOfItsNode(final Rig.Kind kind) {
        final List<TestPort> ports = Rig.bringing(MANY, 0, IntStream.range(0, 3 * PACKETS)
            .mapToObj(i -> Rig.packet(0, i % 3 == 2 ? 1 : 2 + i % 3, i / 3, 700)).toList());
        ports.get(2).setRoom(0);
        try (Rig rig = new Rig(kind, ports, 2, PacketClasses.NONE)) {
            assertEquals(0, rig.run(() -> {
                if (ports.get(3).took() == PACKETS && ports.get(1).took() == PACKETS) {
                    ports.get(2).setRoom(Long.MAX_VALUE);
                }
                return ports.get(2).took() == PACKETS;
            }));
            assertEquals(3 * PACKETS, rig.edges.counts(0).get(EdgeCounter.RX_PACKETS));
            assertEquals(PACKETS, rig.edges.counts(2).get(EdgeCounter.TX_PACKETS));
        }
    }

    @Test
    void shouldCrossBetweenPortsOfANodeWithoutTheFabric() {
        final List<TestPort> ports = Rig.bringing(MANY, 0, Rig.script(0, 1, 500, 1_000));
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, 2, PacketClasses.NONE)) {
            assertEquals(0, rig.run(() -> ports.get(1).took() == 500));
            assertEquals(0, rig.engine.count(NicCounter.CELLS_DELIVERED));
        }
    }

    @Test
    void shouldRefuseAllPortsAtOneNode() {
        Outcomes.refused("two nodes", () -> new PortFlows(new int[] {3, 3}, 1));
        Outcomes.refused("node=3", () -> new PortFlows(new int[] {3, 3}, 1));
    }

    /**
     * Nodes and links of circuit fabrics fail and come back, and cells are damaged: what arrives is whole and in order,
     * and every packet that does not has a name.
     */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = "SH.*LOCKSTEP.*", mode = Mode.MATCH_ALL)
    void shouldNameEveryPacketThatFaultsCost(final Rig.Kind kind) {
        run(kind);
    }

    /** On a busy machine threads take a millisecond or more for a slot. */
    @Tag("long")
    @Timeout(600)
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = "SH.*THREADS.*", mode = Mode.MATCH_ALL)
    void shouldNameEveryPacketThatFaultsCostAcrossThreads(final Rig.Kind kind) {
        run(kind);
    }

    private static void run(final Rig.Kind kind) {
        final long sent = MANY * PACKETS_AMID_FAULTS;
        long lost = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final List<TestPort> ports = Rig.random(random, MANY, PACKETS_AMID_FAULTS,
                sizes -> 20 + sizes.nextInt(sizes.nextInt(4) == 0 ? 1_400 : 180));
            try (Rig rig = new Rig(kind, ports, new Faults(script(random), seed))) {
                final String which = "seed " + seed + " " + kind;
                assertEquals(0, rig.run(() -> rig.count(EdgeCounter.RX_PACKETS) == sent), which);
                final long named = rig.edges.count(PacketCounter.PACKETS_WITH_CELLS);
                assertEquals(sent, rig.count(EdgeCounter.TX_PACKETS) + named, which);
                // Nothing else may take the place of a name.
                assertEquals(0, rig.edges.count(PacketCounter.PACKETS_AFTER_GAP)
                    + rig.edges.count(PacketCounter.PACKETS_INTERRUPTED)
                    + rig.edges.count(PacketCounter.PACKETS_NO_START), which);
                assertTrue(named < sent / 2, () -> which + " lost " + named);
                assertEquals(rig.edges.count(PacketCounter.CELLS_RECEIVED),
                    rig.edges.count(PacketCounter.CELLS_DELIVERED) + Arrays.stream(PacketCounter.values())
                        .filter(PacketCounter::isDrop).mapToLong(rig.edges::count).sum(), which + " cells");
                assertEquals(rig.edges.count(PacketCounter.CELLS_CUT), rig.edges.count(PacketCounter.CELLS_RECEIVED)
                    + rig.edges.count(PacketCounter.CELLS_LOST), which + " cells cut");
                Rig.verify(ports, false, which);
                lost += named;
            }
        }
        assertTrue(lost > 0, "faults that cost nothing show nothing");
    }

    /** Nodes and links that fail and come back, one after the other, and damage that ends. */
    private static FaultPlan script(final SplittableRandom random) {
        final List<Fault> faults = new ArrayList<>();
        faults.add(new Fault.Corruption(random.nextInt(MENDED_SLOT), 0.02));
        faults.add(new Fault.Corruption(MENDED_SLOT, 0));
        for (int slot = 50 + random.nextInt(200); slot < MENDED_SLOT - 600;) {
            final int until = slot + 50 + random.nextInt(500);
            final int node = random.nextInt(NODES);
            final int other = (node + 1 + random.nextInt(NODES - 1)) % NODES;
            if (random.nextBoolean()) {
                faults.add(new Fault.Node(slot, node, false));
                faults.add(new Fault.Node(until, node, true));
            } else {
                faults.add(new Fault.Link(slot, node, other, false));
                faults.add(new Fault.Link(until, node, other, true));
            }
            slot = until + random.nextInt(300);
        }
        return new FaultPlan(faults);
    }

    @Test
    void shouldDeliverTheSamePacketsInTheSameSlotsAgain() {
        final long seed = 20_261_122;
        final List<Long> digests = new ArrayList<>();
        final List<List<TestPort>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            final List<TestPort> ports = Rig.random(new SplittableRandom(seed), 6, 400, random ->
                random.nextInt(16) == 0 ? random.nextInt(60, Rig.MTU + 1) : random.nextInt(60, 200));
            runs.add(ports);
            try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports)) {
                assertEquals(0, rig.run(() -> Rig.took(ports) == 2_400));
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
        final List<TestPort> ports = Rig.empty(4);
        ports.set(2, new TestPort(Rig.script(2, 1, packets, 800)));
        ports.set(3, new TestPort(Rig.script(3, 0, packets, 800)));
        ports.get(1).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports, PATIENCE)) {
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
        final List<TestPort> ports = Rig.empty(8);
        IntStream.range(1, 8).forEach(from -> ports.set(from, new TestPort(Rig.script(from, 0, 1, 9_000))));
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, PATIENCE,
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
            new TestPort(Rig.script(2, 0, packets, 300)), new TestPort(Rig.script(3, 1, packets, 700))));
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Corruption(20, 0.0005))), 5);
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, PATIENCE, edges -> new StardustEngine(
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
            Rig.verify(ports, false, "damaged");
        }
    }

    /** Queues with bounds drop whole packets where they come in, by name, and what they take comes in order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDropPacketsForWhichAQueueHasNoRoom(final boolean threads) {
        final int packets = 2000;
        final List<TestPort> ports = List.of(new TestPort(List.of()), new TestPort(List.of()),
            new TestPort(Rig.script(2, 0, packets, 300)), new TestPort(Rig.script(3, 0, packets, 700)));
        final Stardust usual = Rig.stardust();
        final Stardust capped = new Stardust(usual.deployment(), 1, usual.hosts(), usual.cut(),
            usual.credits().with(usual.credits().voqs().capped(10_000, 15_000)), usual.links(), true, 1);
        try (Rig rig = new Rig(Rig.STARDUST_CELL, ports, PATIENCE, edges -> threads
            ? new StardustThreads(capped, edges.flows(), Faults.NONE, ReachTiming.USUAL, edges, Threading.shared(2,
                Idle.BACKOFF))
            : new StardustEngine(capped, edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, true, edges,
                Idle.BACKOFF))) {
            assertEquals(0, rig.run(() -> ports.get(0).took() + rig.edges.count(PacketCounter.PACKETS_NO_ROOM)
                == 2L * packets));
            assertTrue(ports.get(0).took() > 20 && rig.edges.count(PacketCounter.PACKETS_NO_ROOM) > 20);
            assertEquals(rig.edges.count(PacketCounter.PACKETS_NO_ROOM), rig.engine.count(NicCounter.PACKETS_REFUSED));
            Rig.verify(ports, false, "refused");
        }
    }

    @Test
    void shouldRefuseAFabricThatPacketsCannotCross() {
        final List<TestPort> ports = Rig.empty(2);
        try (Rig rig = new Rig(Rig.Kind.STARDUST_LOCKSTEP, ports)) {
            final Stardust fabric = Rig.stardust();
            final Stardust paced = new Stardust(fabric.deployment(), 1,
                fabric.hosts().with(HostModel.PACED, HostSignals.NONE), fabric.cut(), fabric.credits(), fabric.links(),
                true, 1);
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
}
