package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.stardust.host.PortSide.PortPackets;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

class PortSideTest {
    private final List<String> said = new ArrayList<>();

    @Test
    void shouldTakePacketsInInOrderAndGiveThemBackOnce() {
        try (Arena arena = Arena.ofConfined()) {
            final PortPackets packets = new PortPackets(arena, new int[] {0, 1}, 2, 4);
            final PortSide side = new PortSide(new Recorder(), packets, 2, () -> 10, () -> 7,
                (slot, flow, bytes) -> null);
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
    }

    @Test
    void shouldHaveNoRoomForMoreThanAQueueHolds() {
        try (Arena arena = Arena.ofConfined()) {
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
    }

    /** A packet for which there is no room, or that its class may not send, goes back at once and joins no stream. */
    @Test
    void shouldRefuseWhatAQueueHasNoRoomFor() {
        try (Arena arena = Arena.ofConfined()) {
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
}
