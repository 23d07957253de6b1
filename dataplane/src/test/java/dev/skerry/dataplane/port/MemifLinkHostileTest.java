package dev.skerry.dataplane.port;

import static dev.skerry.dataplane.port.MemifPair.S2C;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.Consumer;

/** One side of a pair writes anything (docs/spec/memif.md §10). */
final class MemifLinkHostileTest {
    private static final int LOG2 = 4;
    private static final int BUFFER = 128;

    /** Three good packets have been sent to the server, then the client changes something. */
    private static void server(final MemifFault expected, final Consumer<MemifPair> attack) {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.burst(3, 512);
            for (int i = 0; i < 3; i++) {
                MemifPair.fill(burst, 64 + i, i);
            }
            assertEquals(3, pair.client.send(burst, 0));
            attack.accept(pair);
            final PacketBurst in = pair.burst(8, 512);
            pair.server.receive(in);
            assertEquals(expected, pair.server.verdict().fault());
            for (int i = 0; i < in.size(); i++) {
                MemifPair.verify(in, i, 64 + i, i);
            }
            if (expected == null) {
                assertEquals(3, in.size());
            } else {
                assertEquals(0, pair.server.receive(in), "nothing moves after a fault");
                assertEquals(0, pair.server.send(burst, 0), "nothing moves after a fault");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 1150, 0x7fff, 0x8000, 0xffff})
    void shouldRefuseAJumpOfTheHead(final int head) {
        server(MemifFault.INDEX_JUMP, pair -> pair.setHead(0, head));
    }

    @Test
    void shouldRefuseAHeadThatGoesBack() {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.burst(8, 64);
            for (int i = 0; i < 8; i++) {
                MemifPair.fill(burst, 64, i);
            }
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
        server(MemifFault.DESCRIPTOR_REGION, pair -> pair.setRegion(0, 1, 1));
        server(MemifFault.DESCRIPTOR_REGION, pair -> pair.setRegion(0, 1, 0xffff));
        server(MemifFault.DESCRIPTOR_RANGE, pair -> pair.setOffset(0, 1, -1));
        server(MemifFault.DESCRIPTOR_RANGE, pair -> pair.setLength(0, 1, -1));
        server(MemifFault.DESCRIPTOR_RANGE, pair -> {
            pair.setOffset(0, 1, -1);
            pair.setLength(0, 1, -1);
        });
        server(MemifFault.DESCRIPTOR_RANGE, pair -> pair.setOffset(0, 1, (int) pair.region.byteSize() - 64));
    }

    @Test
    void shouldTakeADescriptorThatEndsWithItsRegion() {
        server(null, pair -> {
            final int offset = (int) pair.region.byteSize() - 65;
            pair.region.asSlice(offset, 65).copyFrom(pair.region.asSlice(
                MemifRing.buffersOffset(0, LOG2, BUFFER) + BUFFER, 65));
            pair.setOffset(0, 1, offset);
        });
    }

    @Test
    void shouldRefuseChainsWithoutEnd() {
        server(MemifFault.CHAIN_OPEN, pair -> pair.setFlags(0, 2, 1));
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
        client(MemifFault.INDEX_JUMP, pair -> pair.setTail(S2C, 17));
        client(MemifFault.INDEX_JUMP, pair -> pair.setTail(S2C, 0xffff));
        client(MemifFault.DESCRIPTOR_LENGTH, pair -> pair.setLength(S2C, 1, BUFFER + 1));
        client(MemifFault.DESCRIPTOR_LENGTH, pair -> pair.setLength(S2C, 1, -1));
        client(MemifFault.CHAIN_OPEN, pair -> pair.setFlags(S2C, 2, 1));
        client(null, pair -> {
            pair.setOffset(S2C, 1, -1);
            pair.setRegion(S2C, 1, 77);
        });
    }

    private static void client(final MemifFault expected, final Consumer<MemifPair> attack) {
        try (MemifPair pair = new MemifPair(LOG2, BUFFER)) {
            final PacketBurst burst = pair.burst(3, 64);
            for (int i = 0; i < 3; i++) {
                MemifPair.fill(burst, 64, i);
            }
            assertEquals(3, pair.server.send(burst, 0));
            attack.accept(pair);
            final PacketBurst in = pair.burst(8, 64);
            pair.client.receive(in);
            assertEquals(expected, pair.client.verdict().fault());
            for (int i = 0; i < in.size(); i++) {
                MemifPair.verify(in, i, 64, i);
            }
        }
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
                final PacketBurst burst = pair.burst(17, 64);
                for (int i = 0; i < 17; i++) {
                    MemifPair.fill(burst, 64, i);
                }
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
}
