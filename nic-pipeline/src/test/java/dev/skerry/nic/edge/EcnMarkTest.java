package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.edge.PacketEgress.EcnMark;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

final class EcnMarkTest {
    /** Random headers, with the checksum computed anew as the model. */
    @Test
    void shouldMarkWhatMayBeMarkedAndKeepTheChecksum() {
        for (long seed = 0; seed < 4_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final int tags = random.nextInt(3);
            final int ip = 14 + 4 * tags;
            final boolean isV4 = random.nextBoolean();
            final byte[] packet = new byte[ip + 60];
            random.nextBytes(packet);
            for (int tag = 0; tag < tags; tag++) {
                put(packet, 12 + 4 * tag, random.nextBoolean() ? 0x8100 : 0x88A8);
            }
            put(packet, ip - 2, isV4 ? 0x0800 : 0x86DD);
            packet[ip] = (byte) (isV4 ? 0x45 : 0x60 | packet[ip] & 15);
            final int length = random.nextInt(8) == 0 ? random.nextInt(1, packet.length) : packet.length;
            if (isV4) {
                put(packet, ip + 10, 0);
                put(packet, ip + 10, checksum(packet, ip));
            }
            final byte[] expected = packet.clone();
            final int at = ip + 1;
            final int shift = isV4 ? 0 : 4;
            final int field = packet[at] >> shift & 3;
            final boolean isToMark = (field == 1 || field == 2) && length >= ip + (isV4 ? 20 : 40);
            if (isToMark) {
                expected[at] |= (byte) (3 << shift);
                if (isV4) {
                    put(expected, ip + 10, 0);
                    put(expected, ip + 10, checksum(expected, ip));
                }
            }
            // At any place of a burst.
            final byte[] place = new byte[7 + packet.length];
            System.arraycopy(packet, 0, place, 7, packet.length);
            assertEquals(isToMark, EcnMark.mark(MemorySegment.ofArray(place), 7, length), "seed=" + seed);
            final byte[] marked = Arrays.copyOfRange(place, 7, place.length);
            if (isV4 && isToMark) {
                // Both zeros of ones' complement are right.
                assertEquals(0xFFFF, sum(marked, ip), "seed=" + seed);
                put(marked, ip + 10, 0);
                put(expected, ip + 10, 0);
            }
            assertArrayEquals(expected, marked, "seed=" + seed);
        }
    }

    @Test
    void shouldLeaveOtherPacketsAlone() {
        final byte[] arp = new byte[60];
        arp[12] = 8;
        arp[13] = 6;
        arp[15] = 1;
        assertEquals(false, EcnMark.mark(MemorySegment.ofArray(arp), 0, arp.length));
        assertEquals(false, EcnMark.mark(MemorySegment.ofArray(arp), 0, 1));
        assertEquals(1, arp[15]);
    }

    private static void put(final byte[] packet, final int at, final int value) {
        packet[at] = (byte) (value >> 8);
        packet[at + 1] = (byte) value;
    }

    private static int checksum(final byte[] packet, final int at) {
        return ~sum(packet, at) & 0xFFFF;
    }

    private static int sum(final byte[] packet, final int at) {
        int sum = 0;
        for (int word = 0; word < 20; word += 2) {
            sum += (packet[at + word] & 255) << 8 | packet[at + word + 1] & 255;
        }
        sum = (sum & 0xFFFF) + (sum >> 16);
        return (sum & 0xFFFF) + (sum >> 16);
    }
}
