package dev.skerry.dataplane.port;

import static dev.skerry.dataplane.port.MemifPair.S2C;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

final class MemifLinkTest {
    private static final int MAX_BYTES = 9000;
    private static final int LOG2 = 4;
    private static final int BUFFER = 128;

    private final Arena arena = Arena.ofAuto();

    @ParameterizedTest
    @ValueSource(ints = {64, 500, 512, 2048, 16_384})
    void shouldCarryEverySizeBothWays(final int bufferBytes) {
        try (MemifPair pair = new MemifPair(9, bufferBytes)) {
            final PacketBurst out = pair.burst(1, MAX_BYTES);
            final PacketBurst in = pair.burst(4, MAX_BYTES);
            for (int length = 64; length <= MAX_BYTES; length += length < 600 ? 1 : 397) {
                out.clear();
                MemifPair.fill(out, length, length);
                carry(pair.client, pair.server, out, in, length);
                carry(pair.server, pair.client, out, in, length);
            }
            assertEquals(pair.clientCounts.get(PortCounter.TX_BYTES), pair.serverCounts.get(PortCounter.RX_BYTES));
            assertEquals(pair.serverCounts.get(PortCounter.TX_PACKETS), pair.clientCounts.get(PortCounter.RX_PACKETS));
        }
    }

    private static void carry(
        final MemifLink from, final MemifLink to, final PacketBurst out, final PacketBurst in, final int length) {
        in.clear();
        assertEquals(1, from.send(out, 0));
        assertEquals(1, to.receive(in), () -> to.verdict().toString());
        MemifPair.verify(in, 0, length, length);
        assertEquals(0, to.receive(in));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 14})
    void shouldWrapRingsAndCounters(final int log2Slots) {
        try (MemifPair pair = new MemifPair(log2Slots, 64)) {
            final PacketBurst out = pair.burst(7, 64);
            final PacketBurst in = pair.burst(5, 64);
            for (int i = 0; i < 7; i++) {
                MemifPair.fill(out, 60 + i % 5, i);
            }
            long received = 0;
            for (int sent = 0; received < 70_000;) {
                sent = (sent + pair.client.send(out, sent)) % 7;
                in.clear();
                pair.server.receive(in);
                for (int i = 0; i < in.size(); i++, received++) {
                    final int seed = (int) (received % 7);
                    MemifPair.verify(in, i, 60 + seed % 5, seed);
                }
                pair.server.send(in, 0);
                in.clear();
                pair.client.receive(in);
            }
            assertNull(pair.client.verdict().fault());
            assertNull(pair.server.verdict().fault());
        }
    }

    @Test
    void shouldTakeWhatFitsWhenFull() {
        try (MemifPair pair = new MemifPair(2, 64)) {
            final PacketBurst out = pair.filled(6, 64);
            final PacketBurst in = pair.burst(3, 64);
            for (final MemifLink[] way : new MemifLink[][] {{pair.client, pair.server}, {pair.server, pair.client}}) {
                assertEquals(4, way[0].send(out, 0));
                assertEquals(0, way[0].send(out, 4));
                in.clear();
                assertEquals(3, way[1].receive(in));
                MemifPair.verify(in, 2, 64, 2);
                assertEquals(2, way[0].send(out, 4));
                in.clear();
                assertEquals(3, way[1].receive(in));
                MemifPair.verify(in, 0, 64, 3);
                MemifPair.verify(in, 2, 64, 5);
                in.clear();
                assertEquals(0, way[1].receive(in));
            }
            assertEquals(2, pair.clientCounts.get(PortCounter.TX_FULL));
            assertEquals(2, pair.serverCounts.get(PortCounter.TX_FULL));
        }
    }

    /** Packets of a flow stay on one ring and in order; flows are spread; a full ring holds up what follows. */
    @ParameterizedTest
    @ValueSource(strings = {"0800 4500", "8100 0064 0800 4500", "88a8 0001 8100 0002 86dd 6000", "88b5 0000"})
    void shouldSpreadFlowsOverRings(final String type) {
        final HexFormat hex = HexFormat.of();
        try (MemifPair one = new MemifPair(9, 256); MemifPair other = new MemifPair(9, 256)) {
            final MemifLink link = new MemifLink(new MemifReceiver[0],
                new MemifSender[] {one.serverSender, other.serverSender}, new MemifVerdict());
            final PacketBurst out = one.burst(400, 256);
            for (int packet = 0; packet < 400; packet++) {
                final boolean isSix = type.contains("86dd");
                final byte[] bytes = hex.parseHex(("0200000000%02x020000000001" + type + (type.endsWith("0000")
                    ? "" : isSix ? "0000 0014 1140" + "00".repeat(32) : "0050 0000 4000 4011 0000" + "00".repeat(8))
                    + "%04x0009" + "00".repeat(40) + "%02x%04x").replace(" ", "").formatted(
                    type.startsWith("88b5") ? packet % 20 : 1, packet % 20, packet % 20, packet));
                assertTrue(out.append(MemorySegment.ofArray(bytes), 0, bytes.length));
            }
            assertEquals(400, link.send(out, 0));
            final Map<Integer, MemifLink> ringOf = new HashMap<>();
            for (final MemifPair pair : List.of(one, other)) {
                final PacketBurst in = pair.burst(400, 256);
                assertTrue(pair.client.receive(in) > 20, "both rings are used");
                int last = -1;
                for (int packet = 0; packet < in.size(); packet++) {
                    final long end = in.offset(packet) + in.length(packet);
                    assertEquals(pair.client, ringOf.merge((int) in.bytes().get(ValueLayout.JAVA_BYTE, end - 3),
                        pair.client, (before, _) -> before));
                    final int number = (in.bytes().get(ValueLayout.JAVA_BYTE, end - 2) & 0xFF) << 8
                        | in.bytes().get(ValueLayout.JAVA_BYTE, end - 1) & 0xFF;
                    assertTrue(number > last);
                    last = number;
                }
            }
            assertEquals(20, ringOf.size());
            int sent = 0;
            for (int more = 400; more == 400; sent += more) {
                more = link.send(out, 0);
            }
            assertTrue(sent > 500 && sent <= 1024, "it stops at the first full ring: " + sent);
            assertEquals(0, link.send(out, sent % 400));
        }
    }

    @Test
    void shouldNotPublishPartOfAPacket() {
        try (MemifPair pair = new MemifPair(2, 64)) {
            final PacketBurst out = pair.burst(3, 256);
            MemifPair.fill(out, 64, 1);
            MemifPair.fill(out, 200, 2);
            MemifPair.fill(out, 64, 3);
            final PacketBurst in = pair.burst(3, 256);
            for (final MemifLink[] way : new MemifLink[][] {{pair.client, pair.server}, {pair.server, pair.client}}) {
                assertEquals(1, way[0].send(out, 0));
                in.clear();
                assertEquals(1, way[1].receive(in));
                assertEquals(1, way[0].send(out, 1));
                in.clear();
                assertEquals(1, way[1].receive(in));
                MemifPair.verify(in, 0, 200, 2);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 100, 2048})
    void shouldSendWhatIsWrittenIntoItsBuffers(final int bufferBytes) {
        try (MemifPair pair = new MemifPair(4, bufferBytes)) {
            final PacketBurst own = pair.burst(3, MAX_BYTES);
            final PacketBurst in = pair.burst(16, MAX_BYTES);
            for (int round = 0; round < 500; round++) {
                final int wanted = 1 + round * 7 % 11;
                final PacketBurst lent = pair.client.lend(wanted);
                final int room = lent.room();
                assertTrue(room > 0 && room <= wanted && lent.size() == 0, "room=" + room + " wanted=" + wanted);
                final int made = 1 + round % room;
                for (int i = 0; i < made; i++) {
                    MemifPair.fill(lent, bufferBytes - (round + i) % 5, round + i);
                }
                assertEquals(made, pair.client.send(lent, 0));
                assertEquals(0, lent.room(), "the loan is over");
                // Longer than a buffer, copied, between the others.
                own.clear();
                MemifPair.fill(own, bufferBytes + 30, round);
                assertEquals(1, pair.client.send(own, 0));
                in.clear();
                assertEquals(made + 1, pair.server.receive(in), () -> pair.server.verdict().toString());
                for (int i = 0; i < made; i++) {
                    MemifPair.verify(in, i, bufferBytes - (round + i) % 5, round + i);
                }
                MemifPair.verify(in, made, bufferBytes + 30, round);
            }
            assertEquals(pair.clientCounts.get(PortCounter.TX_BYTES), pair.serverCounts.get(PortCounter.RX_BYTES));
            assertEquals(pair.clientCounts.get(PortCounter.TX_PACKETS), pair.serverCounts.get(PortCounter.RX_PACKETS));
        }
    }

    @Test
    void shouldLendOnlyWhatIsItsOwnAndFree() {
        try (MemifPair pair = new MemifPair(2, 64)) {
            assertNull(pair.server.lend(1), "the peer's memory");
            final PacketBurst lent = pair.client.lend(9);
            assertEquals(4, lent.room());
            for (int i = 0; i < 4; i++) {
                MemifPair.fill(lent, 60, i);
            }
            assertEquals(4, pair.client.send(lent, 0));
            assertNull(pair.client.lend(1));
            assertEquals(1, pair.clientCounts.get(PortCounter.TX_FULL));
            final PacketBurst in = pair.burst(3, 64);
            assertEquals(3, pair.server.receive(in));
            assertEquals(3, pair.client.lend(9).room());
            pair.client.takeBack();
            assertEquals(0, lent.room());
            pair.setTail(0, 40);
            assertNull(pair.client.lend(9));
            assertEquals(MemifFault.INDEX_JUMP, pair.client.verdict().fault());
        }
    }

    @Test
    void shouldDropByNameWhatCanNeverFit() {
        try (MemifPair pair = new MemifPair(2, 64)) {
            final PacketBurst out = pair.burst(3, 1000);
            MemifPair.fill(out, 64, 1);
            MemifPair.fill(out, 257, 2);
            MemifPair.fill(out, 65, 3);
            final PacketBurst in = pair.burst(3, 64);
            assertEquals(1, pair.client.send(out, 0), "the ring is not empty: it might fit later");
            assertEquals(1, pair.server.receive(in));
            assertEquals(2, pair.client.send(out, 1));
            assertEquals(1, pair.clientCounts.get(PortCounter.TX_DROPPED_TOO_LONG));
            assertEquals(2, pair.clientCounts.get(PortCounter.TX_PACKETS));
            assertEquals(0, pair.server.receive(in));
            assertEquals(1, pair.serverCounts.get(PortCounter.RX_DROPPED_TOO_LONG));
            assertEquals(pair.head(0), pair.tail(0), "dropped packets leave the ring");
            pair.setLength(0, pair.head(0) & 3, 0);
            pair.setFlags(0, pair.head(0) & 3, 0);
            pair.setHead(0, pair.head(0) + 1);
            assertEquals(0, pair.server.receive(in));
            assertEquals(1, pair.serverCounts.get(PortCounter.RX_DROPPED_EMPTY));
            assertNull(pair.server.verdict().fault());
        }
    }

    /** Three good packets have been sent to one end, then the other one changes something (docs/spec/memif.md §10). */
    private static void received(final boolean byServer, final MemifFault expected, final Consumer<MemifPair> attack) {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final MemifLink to = byServer ? pair.server : pair.client;
            final PacketBurst burst = pair.burst(3, 512);
            for (int i = 0; i < 3; i++) {
                MemifPair.fill(burst, 64 + i, i);
            }
            assertEquals(3, (byServer ? pair.client : pair.server).send(burst, 0));
            attack.accept(pair);
            final PacketBurst in = pair.burst(8, 512);
            to.receive(in);
            assertEquals(expected, to.verdict().fault());
            for (int i = 0; i < in.size(); i++) {
                MemifPair.verify(in, i, 64 + i, i);
            }
            if (expected == null) {
                assertEquals(3, in.size());
            } else {
                assertEquals(0, to.receive(in), "nothing moves after a fault");
                assertEquals(0, to.send(burst, 0), "nothing moves after a fault");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 1150, 0x7fff, 0x8000, 0xffff})
    void shouldRefuseAJumpOfTheHead(final int head) {
        received(true, MemifFault.INDEX_JUMP, pair -> pair.setHead(0, head));
    }

    @Test
    void shouldRefuseAHeadThatGoesBack() {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.filled(8, 64);
            pair.client.send(burst, 0);
            final PacketBurst two = pair.burst(2, 64);
            assertEquals(2, pair.server.receive(two), "and six more have been seen");
            pair.setHead(0, 5);
            assertEquals(0, pair.server.receive(pair.burst(8, 64)));
            assertEquals(MemifFault.INDEX_JUMP, pair.server.verdict().fault());
        }
    }

    @Test
    void shouldRefuseDescriptorsOutsideMemory() {
        received(true, MemifFault.DESCRIPTOR_REGION, pair -> pair.setRegion(0, 1, 1));
        received(true, MemifFault.DESCRIPTOR_REGION, pair -> pair.setRegion(0, 1, 0xffff));
        received(true, MemifFault.DESCRIPTOR_RANGE, pair -> pair.setOffset(0, 1, -1));
        received(true, MemifFault.DESCRIPTOR_RANGE, pair -> pair.setLength(0, 1, -1));
        received(true, MemifFault.DESCRIPTOR_RANGE, pair -> {
            pair.setOffset(0, 1, -1);
            pair.setLength(0, 1, -1);
        });
        received(true, MemifFault.DESCRIPTOR_RANGE, pair -> pair.setOffset(0, 1, (int) pair.region.byteSize() - 64));
    }

    @Test
    void shouldTakeADescriptorThatEndsWithItsRegion() {
        received(true, null, pair -> {
            final int offset = (int) pair.region.byteSize() - 65;
            pair.region.asSlice(offset, 65).copyFrom(pair.region.asSlice(
                MemifRing.buffersOffset(0, LOG2, BUFFER) + BUFFER, 65));
            pair.setOffset(0, 1, offset);
        });
    }

    @Test
    void shouldRefuseChainsWithoutEnd() {
        received(true, MemifFault.CHAIN_OPEN, pair -> pair.setFlags(0, 2, 1));
        try (MemifPair pair = new MemifPair(9, 64)) {
            final PacketBurst in = pair.burst(1, 9000);
            for (int slot = 0; slot < 512; slot++) {
                pair.setFlags(0, slot, 0xffff);
                pair.setLength(0, slot, 0);
            }
            pair.setHead(0, 512);
            assertEquals(0, pair.server.receive(in));
            assertEquals(MemifFault.CHAIN_TOO_LONG, pair.server.verdict().fault());
        }
    }

    @Test
    void shouldDropAChainOfHugeLengthsWithoutOverflow() {
        try (MemifPair pair = new MemifPair(9, 64)) {
            final PacketBurst in = pair.burst(1, 9000);
            for (int slot = 0; slot < MemifRing.MAX_CHAIN; slot++) {
                pair.setFlags(0, slot, slot < MemifRing.MAX_CHAIN - 1 ? 1 : 0);
                pair.setLength(0, slot, (int) pair.region.byteSize());
                pair.setOffset(0, slot, 0);
            }
            pair.setHead(0, MemifRing.MAX_CHAIN);
            assertEquals(0, pair.server.receive(in));
            assertNull(pair.server.verdict().fault());
            assertEquals(1, pair.serverCounts.get(PortCounter.RX_DROPPED_TOO_LONG));
        }
    }

    @Test
    void shouldRefuseWhatAServerSays() {
        received(false, MemifFault.INDEX_JUMP, pair -> pair.setTail(S2C, 17));
        received(false, MemifFault.INDEX_JUMP, pair -> pair.setTail(S2C, 0xffff));
        received(false, MemifFault.DESCRIPTOR_LENGTH, pair -> pair.setLength(S2C, 1, BUFFER + 1));
        received(false, MemifFault.DESCRIPTOR_LENGTH, pair -> pair.setLength(S2C, 1, -1));
        received(false, MemifFault.CHAIN_OPEN, pair -> pair.setFlags(S2C, 2, 1));
        received(false, null, pair -> {
            pair.setOffset(S2C, 1, -1);
            pair.setRegion(S2C, 1, 77);
        });
    }

    @Test
    void shouldRefuseBuffersThatItCannotWrite() {
        sender(MemifFault.NO_CAPACITY, pair -> pair.setLength(S2C, 0, 0));
        sender(MemifFault.DESCRIPTOR_RANGE, pair -> pair.setLength(S2C, 0, -1));
        sender(MemifFault.DESCRIPTOR_RANGE, pair -> pair.setOffset(S2C, 0, -1));
        sender(MemifFault.DESCRIPTOR_REGION, pair -> pair.setRegion(S2C, 0, 2));
        sender(MemifFault.INDEX_JUMP, pair -> pair.setHead(S2C, 17));
        sender(MemifFault.INDEX_JUMP, pair -> pair.setHead(S2C, 0xffff));
    }

    private static void sender(final MemifFault expected, final Consumer<MemifPair> attack) {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.burst(1, 64);
            MemifPair.fill(burst, 64, 1);
            attack.accept(pair);
            assertEquals(0, pair.server.send(burst, 0));
            assertEquals(expected, pair.server.verdict().fault());
            assertEquals(0, pair.tail(S2C), "nothing was published");
        }
    }

    @Test
    void shouldRefuseBuffersThatAreTakenBack() {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.burst(17, 64);
            MemifPair.fill(burst, 64, 0);
            assertEquals(1, pair.server.send(burst, 0), "and fifteen more buffers have been seen");
            for (int i = 0; i < 16; i++) {
                MemifPair.fill(burst, 64, i);
            }
            pair.setHead(S2C, 10);
            assertEquals(0, pair.server.send(burst, 0));
            assertEquals(MemifFault.INDEX_JUMP, pair.server.verdict().fault());
        }
    }

    @Test
    void shouldRefuseATailOfTheServerThatJumps() {
        for (final int tail : new int[] {1, 16, 0x8000, 0xffef}) {
            try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
                final PacketBurst burst = pair.filled(17, 64);
                pair.setTail(0, tail);
                assertEquals(0, pair.client.send(burst, 0), "tail " + tail);
                assertEquals(MemifFault.INDEX_JUMP, pair.client.verdict().fault(), "tail " + tail);
            }
        }
    }

    @Test
    void shouldNeverLeaveTheRegionWhateverIsInIt() {
        final long seed = 0x5eed_3e31_f20L;
        final Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            try (MemifPair pair = new MemifPair(3, 64)) {
                final PacketBurst burst = pair.burst(8, 256);
                MemifPair.fill(burst, 200, 1);
                for (int write = 0; write < 1 + random.nextInt(6); write++) {
                    final long end = pair.ring(2);
                    pair.region.set(ValueLayout.JAVA_BYTE, random.nextLong(end), (byte) random.nextInt());
                }
                pair.setHead(0, random.nextInt(10));
                final PacketBurst in = pair.burst(8, 256);
                pair.server.receive(in);
                pair.server.send(burst, 0);
                pair.client.receive(in);
                pair.client.send(burst, 0);
                // The segment's bounds would have thrown; a lost mapping would be a false fault.
                assertNotEquals(MemifFault.MEMORY_LOST, pair.server.verdict().fault(), "seed " + seed + " " + round);
            }
        }
    }

    @Test
    void shouldHoldPacketsInOrder() {
        final PacketBurst burst = new PacketBurst(arena, 3, 100);
        final MemorySegment source = arena.allocate(100);
        for (int packet = 0; packet < 3; packet++) {
            source.fill((byte) (packet + 1));
            assertEquals(3 - packet, burst.room());
            assertTrue(burst.append(source, 0, 100 - packet));
        }
        assertFalse(burst.append(source, 0, 1));
        assertEquals(3, burst.size());
        assertEquals(0, burst.room());
        for (int packet = 0; packet < 3; packet++) {
            assertEquals(100 - packet, burst.length(packet));
            for (int i = 0; i < burst.length(packet); i++) {
                assertEquals(packet + 1, burst.bytes().get(ValueLayout.JAVA_BYTE, burst.offset(packet) + i));
            }
        }
        burst.clear();
        assertEquals(0, burst.size());
        assertEquals(3, burst.room());
        assertTrue(burst.append(source, 0, 1));
        assertEquals(0, burst.offset(0));
    }

    @Test
    void shouldKeepShortPacketsTogetherAndOnLinesOfTheirOwn() {
        final PacketBurst burst = new PacketBurst(arena, 4, 9216);
        final MemorySegment source = arena.allocate(9216);
        burst.append(source, 0, 64);
        burst.append(source, 0, 65);
        burst.append(source, 0, 9216);
        burst.append(source, 0, 1);
        assertArrayEquals(new long[] {64, 64 + 128, 64 + 128 + 9216},
            new long[] {burst.offset(1), burst.offset(2), burst.offset(3)});
    }

    @Test
    void shouldRefuseWhatItCannotHold() {
        final PacketBurst burst = new PacketBurst(arena, 2, 64);
        final MemorySegment source = arena.allocate(65);
        assertFalse(burst.append(source, 0, 0));
        assertFalse(burst.append(source, 0, 65));
        assertThrows(IndexOutOfBoundsException.class, () -> burst.append(source, 2, 64));
        assertEquals(0, burst.size());
    }

    @Test
    void shouldRefuseImpossibleSizes() {
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 0, 64));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 65_537, 64));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new PacketBurst(arena, 65_536, 1 << 20));
    }
}
