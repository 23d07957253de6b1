package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.InterfacePort.ReceivedFrame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Large packets are cut into the packets that their sender meant, against a slow reading of each packet. */
final class ReceivedFrameTest {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TAG = 0x8100_6007;

    private final Arena arena = Arena.ofConfined();
    private final PacketBurst burst = new PacketBurst(arena, 7, 9_000);
    private final ReceivedFrame frame = new ReceivedFrame();

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"4, true, 1448, 0", "6, true, 1428, 4", "4, true, 1, 8", "6, true, 500, 40", "4, false, 1472, 0",
        "6, false, 100, 0", "4, false, 7, 12", "4, true, 8900, 20"})
    void shouldCutLargePacketsIntoThoseMeant(final int version, final boolean isTcp, final int part,
        final int options) {
        for (int seed = 0; seed < 20; seed++) {
            final String when = "seed=" + seed;
            final Random random = new Random(seed);
            final int payload = 1 + random.nextInt(part == 1 ? 100 : 60_000);
            final boolean isTagged = random.nextBoolean();
            final byte[] large = large(random, version, isTcp, options, payload);
            final int transport = 14 + (version == 4 ? 20 + options : 40);
            final int header = transport + (isTcp ? 20 + options : 8);
            final int at = isTcp ? 16 : 6;
            final MemorySegment source = arena.allocate(large.length + 3L).asSlice(3);
            MemorySegment.copy(large, 0, source, ValueLayout.JAVA_BYTE, 0, large.length);
            frame.begin(source, 0, large.length, isTagged ? TAG : ReceivedFrame.NO_TAG);
            final int kind = isTcp ? version == 4 ? ReceivedFrame.GSO_TCP4 : ReceivedFrame.GSO_TCP6
                : ReceivedFrame.GSO_UDP;
            assertTrue(frame.offload(14, 1, kind | (seed % 2 == 0 ? ReceivedFrame.GSO_ECN : 0), part, transport, at));
            final ByteArrayOutputStream together = new ByteArrayOutputStream();
            int packets = 0;
            while (!frame.done) {
                burst.clear();
                assertEquals(PortCounter.RX_PACKETS, frame.give(burst), when);
                for (int i = 0; i < burst.size(); i++) {
                    final boolean isLast = frame.done && i == burst.size() - 1;
                    final byte[] bytes = plain(i, isTagged);
                    check(bytes, large, packets, packets * part, transport, isTcp, isLast, when);
                    assertTrue(isLast || bytes.length == header + part, when);
                    together.write(bytes, header, bytes.length - header);
                    packets++;
                }
            }
            assertEquals((payload + part - 1) / part, packets, when);
            assertEquals(ByteBuffer.wrap(large, header, payload), ByteBuffer.wrap(together.toByteArray()), when);
        }
    }

    private static void check(final byte[] packet, final byte[] large, final int number, final int sent,
        final int transport, final boolean isTcp, final boolean isLast, final String when) {
        final MemorySegment bytes = MemorySegment.ofArray(packet);
        final MemorySegment before = MemorySegment.ofArray(large);
        assertEquals(0xFFFF, PcapRig.transportSum(bytes, 14, packet.length - 14), when);
        if (packet[14] >>> 4 == 4) {
            assertEquals(0xFFFF, PcapRig.sum(bytes, 14, transport - 14), when);
            assertEquals(packet.length - 14, bytes.get(SHORT, 16) & 0xFFFF, when);
            assertEquals((short) (before.get(SHORT, 18) + number), bytes.get(SHORT, 18), when);
        } else {
            assertEquals(packet.length - 54, bytes.get(SHORT, 18) & 0xFFFF, when);
        }
        if (isTcp) {
            assertEquals(before.get(INT, transport + 4) + sent, bytes.get(INT, transport + 4), when);
            assertEquals(large[transport + 13] & (isLast ? 0xFF : 0xF6) & (number > 0 ? 0x7F : 0xFF),
                packet[transport + 13] & 0xFF, when);
        } else {
            assertEquals(packet.length - transport, bytes.get(SHORT, transport + 4) & 0xFFFF, when);
        }
    }

    /** A packet of the burst without its tag, which it checks. */
    private byte[] plain(final int packet, final boolean isTagged) {
        final byte[] bytes = MemifRig.bytes(burst, packet);
        if (!isTagged) {
            return bytes;
        }
        assertEquals(TAG, ByteBuffer.wrap(bytes).getInt(12));
        return ByteBuffer.allocate(bytes.length - 4).put(bytes, 0, 12).put(bytes, 16, bytes.length - 16).array();
    }

    /** A large packet as a sender leaves it to its device: the checksum has only the pseudo header's sum. */
    private static byte[] large(final Random random, final int version, final boolean isTcp, final int options,
        final int payload) {
        final int transport = 14 + (version == 4 ? 20 + options : 40);
        final byte[] bytes = new byte[transport + (isTcp ? 20 + options : 8) + payload];
        random.nextBytes(bytes);
        final ByteBuffer packet = ByteBuffer.wrap(bytes);
        packet.putShort(12, (short) (version == 4 ? 0x0800 : 0x86DD));
        final int protocol = isTcp ? 6 : 17;
        if (version == 4) {
            packet.put(14, (byte) (0x40 | (20 + options) / 4)).putShort(16, (short) (bytes.length - 14));
            packet.put(23, (byte) protocol);
        } else {
            packet.put(14, (byte) 0x60).putShort(18, (short) (bytes.length - 54)).put(20, (byte) protocol);
        }
        if (isTcp) {
            packet.put(transport + 12, (byte) ((20 + options) / 4 << 4));
        }
        final int addresses = version == 4 ? 26 : 22;
        int sum = PcapRig.sum(MemorySegment.ofArray(bytes), addresses, version == 4 ? 8 : 32);
        sum = PcapRig.addSums(PcapRig.addSums(sum, protocol), bytes.length - transport);
        packet.putShort(transport + (isTcp ? 16 : 6), (short) sum);
        return bytes;
    }

    @Test
    void shouldNeverSendUdpTheChecksumThatMeansNone() {
        final byte[] bytes = new byte[14 + 8 + 2];
        final MemorySegment source = MemorySegment.ofArray(bytes);
        // The sum over the transport is 0xFFFF, its complement 0.
        source.set(SHORT, 22, (short) 0xFFFF);
        frame.begin(source, 0, bytes.length, ReceivedFrame.NO_TAG);
        assertTrue(frame.offload(14, 1, ReceivedFrame.GSO_NONE, 0, 14, 6));
        assertEquals(PortCounter.RX_PACKETS, frame.give(burst));
        assertEquals((short) 0xFFFF, burst.bytes().get(SHORT, burst.offset(0) + 20));
        assertTrue(frame.done);
    }

    /** By a CRC32c bit by bit. */
    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void shouldGiveSctpItsOwnChecksum(final int version) {
        final int transport = version == 4 ? 34 : 54;
        final byte[] bytes = new byte[transport + 77];
        new Random(version).nextBytes(bytes);
        bytes[14] = (byte) (version << 4 | 5);
        bytes[version == 4 ? 23 : 20] = (byte) 132;
        frame.begin(MemorySegment.ofArray(bytes), 0, bytes.length, ReceivedFrame.NO_TAG);
        assertTrue(frame.offload(14, 1, ReceivedFrame.GSO_NONE, 0, transport, 8));
        assertEquals(PortCounter.RX_PACKETS, frame.give(burst));
        final byte[] sent = MemifRig.bytes(burst, 0);
        final int found = ByteBuffer.wrap(sent).order(ByteOrder.LITTLE_ENDIAN).getInt(transport + 8);
        int crc = -1;
        for (int at = transport; at < sent.length; at++) {
            crc ^= at >= transport + 8 && at < transport + 12 ? 0 : sent[at] & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : 0x82F63B78);
            }
        }
        assertEquals(~crc, found);
    }

    @Test
    void shouldDropWhatIsTooLongWithItsTag() {
        frame.begin(arena.allocate(9_000), 0, 9_000, TAG);
        assertEquals(PortCounter.RX_DROPPED_TOO_LONG, frame.give(burst));
        assertTrue(frame.done);
        frame.begin(arena.allocate(9_000), 0, 9_000, ReceivedFrame.NO_TAG);
        assertEquals(PortCounter.RX_PACKETS, frame.give(burst));
        assertEquals(9_000, burst.length(0));
    }

    @Test
    void shouldRefuseOffloadsThatThePacketBelies() {
        final byte[] good = large(new Random(1), 4, true, 0, 3_000);
        assertTrue(isRefused(good, 14, 0, ReceivedFrame.GSO_TCP4, 1_448, 34, 16), "no partial checksum");
        assertTrue(isRefused(good, 14, 1, 3, 1_448, 34, 16), "a kind that nobody knows");
        assertTrue(isRefused(good, 14, 1, ReceivedFrame.GSO_TCP4, 0, 34, 16), "parts without bytes");
        assertTrue(isRefused(good, 14, 1, ReceivedFrame.GSO_TCP4, 1_448, 34, 6), "not where TCP has it");
        assertTrue(isRefused(good, 20, 1, ReceivedFrame.GSO_TCP4, 1_448, 34, 16), "no room for an IP header");
        assertTrue(isRefused(good, 14, 1, ReceivedFrame.GSO_TCP4, 1_448, 3_040, 16), "a TCP header beyond the end");
        assertTrue(isRefused(good, 14, 1, ReceivedFrame.GSO_NONE, 0, 3_053, 0), "a checksum beyond the end");
        assertFalse(isRefused(good, 14, 1, ReceivedFrame.GSO_TCP4, 1_448, 34, 16));
    }

    private boolean isRefused(final byte[] bytes, final int network, final int flags, final int kind, final int part,
        final int start, final int at) {
        frame.begin(MemorySegment.ofArray(bytes), 0, bytes.length, ReceivedFrame.NO_TAG);
        final boolean isGood = frame.offload(network, flags, kind, part, start, at);
        assertEquals(isGood, !frame.done);
        return !isGood;
    }
}
