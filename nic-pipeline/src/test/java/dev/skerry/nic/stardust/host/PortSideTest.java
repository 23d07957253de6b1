package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.stardust.host.PortSide.PortPackets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class PortSideTest {
    private static final int FLOWS = 3;
    private static final int MOST = 8;
    private static final int PACKET = 1000;
    private static final long[] BYTES = {1, 999, 1000, 1001, 7300, 8000};

    private final Arena arena = Arena.ofAuto();
    private final List<String> said = new ArrayList<>();

    @Test
    void shouldTakePacketsInInOrderAndGiveThemBackOnce() {
        final PortPackets packets = new PortPackets(arena, new int[] {0, 1}, 2, 4);
        final PortSide side = new PortSide(new Recorder(), packets, 2, () -> 10, () -> 7, (slot, flow, bytes) -> null);
        side.offer(1, 2, 0);
        side.offer(1, 3, 0);
        side.offer(0, 1, 0);
        assertEquals(13, side.held(), "offered and held by the bank");
        assertEquals(7, side.sent());
        side.arrive(5, (slot, flow, bytes) -> said.add("slot " + slot + " flow " + flow + " bytes " + bytes));
        assertEquals(10, side.held());
        side.deliver(1);
        side.lose(1);
        assertEquals(1, side.carried());
        side.deliver(0);
        assertEquals(0, side.carried());
        assertEquals(List.of("open 1 0", "open 1 2", "open 0 0", "slot 5 flow 1 bytes 120",
            "slot 5 flow 1 bytes 130", "slot 5 flow 0 bytes 110", "close 120", "discard 130", "close 110"), said);
    }

    @Test
    void shouldHaveNoRoomForMoreThanAQueueHolds() {
        final PortSide side = new PortSide(new Recorder(), new PortPackets(arena, new int[] {0, 1}, 2, 4), 2,
            () -> 0, () -> 0, (slot, flow, bytes) -> null);
        for (int packet = 0; packet < 4; packet++) {
            assertEquals(true, side.hasRoom(1));
            side.offer(1, 1, 0);
        }
        assertEquals(false, side.hasRoom(1));
        assertEquals(true, side.hasRoom(0));
        side.deliver(1);
        assertEquals(true, side.hasRoom(1));
    }

    /** A packet for which there is no room, or that its class may not send, goes back at once and joins no stream. */
    @Test
    void shouldRefuseWhatAQueueHasNoRoomFor() {
        final PortSide side = new PortSide(new Recorder(), new PortPackets(arena, new int[] {0, 1}, 2, 4), 2,
            () -> 0, () -> 0, (slot, flow, bytes) -> bytes < 120 ? null : bytes < 130 ? NicCounter.PACKETS_REFUSED
                : NicCounter.PACKETS_POLICED);
        side.offer(0, 1, 0);
        side.offer(0, 2, 0);
        side.offer(0, 1, 0);
        side.offer(0, 3, 0);
        side.arrive(3, (slot, flow, bytes) -> said.add("take " + bytes));
        assertEquals(List.of("open 0 0", "open 0 1", "refuse 120", "open 0 3", "open 0 4", "police 130", "take 110",
            "take 110"), said);
        assertEquals(2, side.carried());
    }

    /** Packets of 100 bytes and 10 for each cell; says what it is asked. */
    private final class Recorder implements PacketEdge {
        @Override
        public void join(final Intake intake) {
            assertEquals(PortSide.class, intake.getClass());
        }

        @Override
        public long inject(final long identity, final int cells) {
            said.add("open " + Cell.flow(identity) + " " + Cell.sequence(identity));
            return 100L + 10 * cells << 32 | cells;
        }

        @Override
        public int deliver(final long packet) {
            said.add("close " + PacketEdge.bytes(packet));
            return (int) packet;
        }

        @Override
        public int refuse(final long packet) {
            said.add("refuse " + PacketEdge.bytes(packet));
            return (int) packet;
        }

        @Override
        public int police(final long packet) {
            said.add("police " + PacketEdge.bytes(packet));
            return (int) packet;
        }

        @Override
        public int discard(final long packet) {
            said.add("discard " + PacketEdge.bytes(packet));
            return (int) packet;
        }

        @Override
        public void copy(final long packet, final int offset, final MemorySegment to, final long at, final int bytes) {
            // Nobody looks at bytes.
        }

        @Override
        public long waitingAt(final int endpoint) {
            return 0;
        }

        @Override
        public long poll(final long slot) {
            return slot;
        }
    }

    @Test
    void shouldBeAQueueOfPacketsForEachFlow() {
        final long seed = 20_261_123;
        final SplittableRandom random = new SplittableRandom(seed);
        final PortPackets packets = new PortPackets(arena, new int[] {5, 0, 2}, 6, MOST);
        final List<ArrayDeque<Long>> model = Stream.generate(ArrayDeque<Long>::new).limit(FLOWS).toList();
        final int[] taken = new int[FLOWS];
        for (int step = 0; step < 10_000; step++) {
            final int flow = random.nextInt(FLOWS);
            final ArrayDeque<Long> queue = model.get(flow);
            final String where = "seed=" + seed + " step=" + step;
            assertEquals(queue.size() < MOST, packets.hasRoom(flow), where);
            if (random.nextBoolean() && queue.size() < MOST) {
                final long packet = random.nextLong(1L << 62);
                packets.add(flow, packet);
                queue.add(packet);
            } else if (!queue.isEmpty()) {
                assertEquals(queue.remove(), packets.take(flow), where);
                taken[flow]++;
            }
            int number = taken[flow];
            for (final long packet : queue) {
                assertEquals((int) (packet >>> 32), packets.length(Packets.word(flow, number++)), where);
            }
        }
    }

    @Test
    void shouldHaveOneEndlessFlowAStream() {
        final PortPackets packets = new PortPackets(arena, new int[] {5, 0, 2}, 6, MOST);
        final int none = Packets.NONE;
        assertEquals(List.of(1, none, 2, none, none, 0), IntStream.range(0, 6).map(packets::first).boxed().toList());
        assertEquals(Packets.word(1, 0), packets.after(Packets.word(1, Integer.MAX_VALUE)));
        assertEquals(false, packets.isLast(Packets.word(1, Integer.MAX_VALUE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldAddUpToTheBytesOfTheFlow(final int each) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < BYTES.length; flow++) {
            flows.add(flow, flow, flow + 1, BYTES[flow], 1, 0);
        }
        final Connections connections = new Connections(flows, PACKET, each);
        assertEquals(BYTES.length * each, connections.count());
        for (int flow = 0; flow < BYTES.length; flow++) {
            final int segments = connections.segments(flow);
            assertEquals((BYTES[flow] + PACKET - 1) / PACKET, segments);
            for (int i = 0; i < each; i++) {
                assertEquals(flow, connections.flow(connections.first(flow) + i));
            }
            // Whoever sends the others: the first segment of the first connection, and full ones of the last.
            long sum = connections.bytes(connections.first(flow), 0);
            for (int number = 1; number < segments; number++) {
                sum += connections.bytes(each == 1 ? flow : connections.first(flow) + each - 1, number);
            }
            assertEquals(BYTES[flow], sum, "flow " + flow);
            assertEquals(BYTES[flow], connections.received(flow, segments, true), "flow " + flow);
            assertEquals(Math.min(BYTES[flow], (segments - 1L) * PACKET),
                connections.received(flow, segments - 1L, false), "flow " + flow);
            if (each > 1) {
                assertEquals(BYTES[flow] - (segments - 1L) * PACKET, connections.received(flow, 1, true));
            }
        }
    }
}
