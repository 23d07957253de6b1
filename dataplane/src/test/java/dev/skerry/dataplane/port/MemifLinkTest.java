package dev.skerry.dataplane.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MemifLinkTest {
    private static final int MAX_BYTES = 9000;

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
            final PacketBurst out = pair.burst(6, 64);
            final PacketBurst in = pair.burst(3, 64);
            for (int i = 0; i < 6; i++) {
                MemifPair.fill(out, 64, i);
            }
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
}
