package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgeMemory.CellQueue;
import dev.skerry.nic.edge.EdgeMemory.CellShares.QueueTarget;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketEgress.Patience;
import dev.skerry.nic.edge.PacketIngress.DeferredPackets;
import dev.skerry.nic.packet.PacketFormat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * A slow port costs only what goes there: node 0 sends to 3, 4 and 5, and 3 takes one packet where 5 takes six. Time is
 * counted in slots, which never stand still, because some packet is always under way from 1 to 2 (docs/spec/edge.md).
 * Also its parts: queues of cells, the time that cells wait in them, and the patience with a port.
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
    private static final int PACKETS_TO_ONE = 3_000;
    private static final long SEED = 20261122;
    private static final long MS = 1_000_000;
    private static final long STALL_NS = 200 * MS;
    private final Patience patience = new Patience(STALL_NS);
    private long nowNs = Long.MAX_VALUE - 100 * MS;
    @AutoClose
    private final Arena arena = Arena.ofShared();

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldKeepTheRateOfTheOthersWhilePacketsWaitOrAreDropped(final Rig.Kind kind) {
        for (final WhenFull whenFull : WhenFull.values()) {
            final boolean isChoosing = whenFull == WhenFull.WAIT;
            final long without = slots(kind, whenFull, isChoosing, false);
            final long with = slots(kind, whenFull, isChoosing, true);
            assertTrue(without >= 0.95 * with,
                () -> whenFull + ": slots without the slow port " + without + ", with it " + with);
        }
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
        try (Rig rig = new Rig(kind, ports, CELLS, WhenFull.WAIT, 0)) {
            assertEquals(0, rig.run(
                () -> rig.edges.counts(OTHER).get(EdgeCounter.TX_PACKETS) >= PACKETS_ACROSS_THREADS));
            assertEquals(rig.count(EdgeCounter.RX_PACKETS), rig.count(EdgeCounter.TX_PACKETS));
            verifyOrder(ports, true);
        }
    }

    @Test
    void shouldPassPacketsWithoutRoomEvenFromAPortThatCannotChoose() {
        // 200 bytes are 4 cells of Shoal: the share of the slow port, half of 1,024, is 128 of them.
        final int packets = 128 + DeferredPackets.PLACES;
        final List<byte[]> script = new ArrayList<>(Rig.script(0, 1, packets, 200));
        script.addAll(Rig.script(0, 2, 100, 200));
        final List<TestPort> ports = Rig.bringing(3, 0, script);
        ports.get(1).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, CELLS, WhenFull.WAIT, 0)) {
            assertEquals(0, rig.run(() -> {
                if (ports.get(2).took() == 100) {
                    ports.get(1).setRoom(Long.MAX_VALUE);
                }
                return ports.get(1).took() == packets;
            }));
            assertTrue(rig.count(EdgeCounter.SET_ASIDE) >= DeferredPackets.PLACES / 2);
            Rig.verify(ports, true, "slow");
        }
    }

    @Test
    void shouldFloodToOthersWhileOneHasNoRoom() {
        final int packets = 128 + DeferredPackets.PLACES / 2;
        final List<TestPort> ports = Rig.bringing(4, 1, Rig.script(1, PortForwarding.FLOOD, packets, 200));
        ports.get(0).setRoom(0);
        try (Rig rig = new Rig(Rig.Kind.SHOAL_LOCKSTEP, ports, CELLS, WhenFull.WAIT, 0)) {
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
        try (Rig rig = new Rig(kind, ports, CELLS, whenFull, 0)) {
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
        return List.of(new PacedPort(0, isChoosing, SLOW, 4, OTHER), new PacedPort(1, isChoosing, 2),
            new PacedPort(2, isChoosing), new PacedPort(3, isChoosing), new PacedPort(4, isChoosing),
            new PacedPort(5, isChoosing));
    }

    /** Packets came in order and, unless some were dropped, without a gap. */
    private static void verifyOrder(final List<PacedPort> ports, final boolean whole) {
        Rig.verify(ports, whole, "paced");
        for (final int to : new int[] {SLOW, 4, OTHER}) {
            assertTrue(!whole && to == SLOW || ports.get(to).took() == ports.get(0).brought(to), "missing: to=" + to);
        }
    }

    /**
     * A fabric that takes some slots for a cell and carries a cell every few slots, with more than enough to send:
     * cells are home within the window, and the fabric is never without work.
     */
    @ParameterizedTest
    @CsvSource({"1, 14, 135", "1, 60, 120", "2, 14, 200", "5, 30, 800", "1, 100, 1000"})
    void shouldHoldTheTimeOfCellsToTheWindow(final int slotsPerCell, final int emptySlots, final int window) {
        final QueueTarget target = new QueueTarget(2, 1 << 12);
        target.setWindow(window);
        final Deque<Long> under = new ArrayDeque<>();
        long nextServed = 0;
        long served = 0;
        long worst = 0;
        final long settled = 200L * window;
        final long end = 2 * settled;
        for (long slot = 0; slot < end; slot++) {
            target.pass(slot);
            while (!under.isEmpty() && under.peek() + emptySlots <= slot && nextServed <= slot) {
                final long cut = under.poll();
                nextServed = slot + slotsPerCell;
                target.returned(1);
                if (slot >= settled) {
                    served++;
                    worst = Math.max(worst, slot - cut);
                }
            }
            while (target.hasRoom(1, under.size(), 1)) {
                under.add(slot);
            }
        }
        final long most = Math.max(window, (long) QueueTarget.LEAST_CELLS * slotsPerCell);
        final long slots = worst;
        assertTrue(worst <= most * 5 / 4 + emptySlots, () -> "slots " + slots + ", window " + window);
        assertTrue(served >= 0.99 * settled / slotsPerCell, "served " + served);
        assertEquals(1 << 12, target.limit(0), "a destination without packets keeps its limit");
    }

    @Test
    void shouldBoundNothingWithoutATarget() {
        final QueueTarget target = new QueueTarget(1, 64);
        for (long slot = 0; slot < 1_000; slot++) {
            target.full(0);
            target.pass(slot);
        }
        assertEquals(64, target.limit(0));
        assertTrue(target.hasRoom(0, 0, 64));
        target.setWindow(10);
        for (long slot = 1_000; slot < 2_000; slot++) {
            target.full(0);
            target.pass(slot);
        }
        assertEquals(QueueTarget.LEAST_CELLS, target.limit(0));
        assertFalse(target.hasRoom(0, 32, 1));
        assertTrue(target.hasRoom(0, 40, 40), "two packets of any length");
        target.setWindow(0);
        assertEquals(64, target.limit(0));
    }

    /** A target far below what a fabric needs for a cell costs no slots, and fewer cells stand. */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldCarryAsMuchAsWithoutATarget(final Rig.Kind kind) {
        final long[] without = slotsAndCells(kind, 0);
        final long[] with = slotsAndCells(kind, 1);
        assertTrue(with[0] <= 1.05 * without[0], () -> "slots without a target " + without[0] + ", with " + with[0]);
        assertTrue(4 * with[1] <= 3 * without[1], () -> "cells without a target " + without[1] + ", with " + with[1]);
    }

    /** Slots for all packets of three ports to one, and the cells that stood at half of the time. */
    private static long[] slotsAndCells(final Rig.Kind kind, final long targetNs) {
        final List<PacedPort> ports = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            ports.add(new PacedPort(node, true, 3));
            ports.get(node).setDue(() -> PACKETS_TO_ONE);
        }
        ports.add(new PacedPort(3, true));
        try (Rig rig = new Rig(kind, ports, CELLS, WhenFull.WAIT, targetNs)) {
            final long[] seen = new long[2];
            assertEquals(0, rig.run(() -> {
                if (seen[1] == 0 && ports.get(3).took() >= 2 * PACKETS_TO_ONE) {
                    for (int node = 0; node < 3; node++) {
                        seen[1] += rig.edges.heldCells(node, 3);
                    }
                }
                seen[0] = rig.slots();
                return ports.get(3).took() == 3 * PACKETS_TO_ONE;
            }));
            for (final int node : new int[] {0, 1, 2}) {
                assertEquals(PACKETS_TO_ONE, ports.get(node).brought(3));
            }
            return seen;
        }
    }

    private void offer(final long pauseNs, final int times) {
        for (int i = 0; i < times; i++) {
            nowNs += pauseNs;
            patience.offer(nowNs);
        }
    }

    @Test
    void shouldEndAfterTheTimeInWhichPacketsWereOffered() {
        patience.restart(nowNs);
        offer(MS, 200);
        assertFalse(patience.isOver());
        offer(1, 1);
        assertTrue(patience.isOver());
    }

    /** A thread that did not run for a minute offered nothing in that minute. */
    @Test
    void shouldNotBlameThePortForThePausesOfItsThread() {
        patience.restart(nowNs);
        offer(60_000 * MS, 1);
        assertFalse(patience.isOver());
        offer(60_000 * MS, 19);
        assertFalse(patience.isOver());
        offer(60_000 * MS, 1);
        assertTrue(patience.isOver());
    }

    @Test
    void shouldBeginAnewWhenNothingWaits() {
        patience.restart(nowNs);
        offer(MS, 200);
        patience.restart(nowNs);
        offer(MS, 200);
        assertFalse(patience.isOver());
    }

    /** Later packets for a stalled port do not wait for a new time-out. */
    @Test
    void shouldStayOverUntilThePortTakesAPacket() {
        patience.restart(nowNs);
        offer(MS, 201);
        assertTrue(patience.isOver());
        patience.restart(nowNs);
        offer(1, 1);
        assertTrue(patience.isOver());
        patience.accepted();
        offer(MS, 200);
        assertFalse(patience.isOver());
    }

    /** Two queues over the same cells, against two lists. Each cell is in at most one queue. */
    @Test
    void shouldKeepCellsInOrderWithTheirFlags() {
        final EdgeMemory memory = new EdgeMemory(arena,
            Rig.config(CellFormat.SHOAL, 1 << 8, 0, WhenFull.WAIT, 0, PacketClasses.NONE), new int[] {0, 0}, 1);
        final CellQueue[] queues = {new CellQueue(memory), new CellQueue(memory)};
        final List<ArrayDeque<int[]>> models = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        final ArrayDeque<Integer> free = new ArrayDeque<>();
        for (int cell = 0; cell < 40; cell++) {
            free.add(cell);
        }
        final Random random = new Random(SEED);
        for (int step = 0; step < 10_000; step++) {
            final int which = random.nextInt(2);
            final String where = "seed=" + SEED + " step=" + step;
            if (random.nextBoolean() && !free.isEmpty()) {
                final int[] cell = {free.poll(), random.nextBoolean() ? PacketFormat.EOP : EdgeMemory.GAP};
                queues[which].add(cell[0], cell[1]);
                models.get(which).add(cell);
            } else if (models.get(which).isEmpty()) {
                assertTrue(queues[which].isEmpty(), where);
                assertEquals(EdgeMemory.NONE, queues[which].poll(), where);
            } else {
                final int[] expected = models.get(which).poll();
                final int cell = queues[which].poll();
                assertEquals(expected[0], cell, where);
                assertEquals(expected[1], memory.flags(cell), where);
                free.add(cell);
            }
            assertEquals(models.get(which).size(), queues[which].size(), where);
            assertEquals(models.get(which).size(), queues[which].count(), where);
        }
    }
}
