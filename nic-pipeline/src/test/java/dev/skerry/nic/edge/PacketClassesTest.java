package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.edge.PacketClasses.Field;
import dev.skerry.nic.edge.PacketEgress.EcnMark;
import dev.skerry.nic.engine.Outcomes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Packets are put into classes by their tags and headers, and the highest class goes first; ECN marks of headers. */
@Timeout(300)
final class PacketClassesTest {
    private static final PacketClasses BY_PCP = usual(Field.PCP);
    private static final PacketClasses BY_DSCP = usual(Field.DSCP);

    /** Frames as they were captured: addresses, then what each line says. */
    private static final String ADDRESSES = "020000000003" + "020000000000";
    /** IPv4 with DSCP 46 (EF), 20 bytes, and IPv6 with DSCP 34 (AF41), 40 bytes. */
    private static final String EF_V4 = "0800" + "45b8001c00004000401166cc0a0000010a000002" + "0035003500080000";
    private static final String AF41_V6 = "86dd" + "6880000000081140" + "00000000000000000000000000000001"
        + "00000000000000000000000000000002" + "0035003500080000";

    private static PacketClasses usual(final Field field) {
        return new PacketClasses(field, IntStream.range(0, field.size()).map(field::usualClass).toArray());
    }

    private static int classOf(final PacketClasses classes, final String rest) {
        final byte[] frame = HexFormat.of().parseHex(ADDRESSES + rest);
        // At any place of a burst.
        final byte[] place = new byte[3 + frame.length];
        System.arraycopy(frame, 0, place, 3, frame.length);
        return classes.of(MemorySegment.ofArray(place), 3, frame.length);
    }

    @Test
    void shouldReadThePriorityOfTheFirstTag() {
        // Priority, the bit that lets a switch drop it, and 12 bits of VLAN 5.
        assertEquals(0, classOf(BY_PCP, "8100" + "e005" + EF_V4));
        assertEquals(1, classOf(BY_PCP, "8100" + "b005" + EF_V4), "5 with the drop bit");
        assertEquals(2, classOf(BY_PCP, "8100" + "4fff" + EF_V4));
        assertEquals(3, classOf(BY_PCP, "8100" + "2005" + EF_V4));
        assertEquals(3, classOf(BY_PCP, "8100" + "0005" + EF_V4));
        assertEquals(0, classOf(BY_PCP, "88a8" + "c005" + "8100" + "0005" + EF_V4), "the outer one");
        assertEquals(3, classOf(BY_PCP, EF_V4), "without a tag");
        assertEquals(3, classOf(BY_PCP, "8100"), "cut off in its tag");
        assertEquals(3, classOf(BY_PCP, "81"), "cut off in its type");
    }

    @Test
    void shouldReadTheDscpBehindTags() {
        assertEquals(1, classOf(BY_DSCP, EF_V4));
        assertEquals(1, classOf(BY_DSCP, AF41_V6));
        assertEquals(1, classOf(BY_DSCP, "8100" + "0005" + EF_V4));
        assertEquals(1, classOf(BY_DSCP, "88a8" + "0005" + "8100" + "0005" + AF41_V6));
        assertEquals(3, classOf(BY_DSCP, "8100" + "e005" + "0806" + "00".repeat(46)), "ARP");
        assertEquals(3, classOf(BY_DSCP, EF_V4.substring(0, 4 + 38)), "a header that is cut off");
        assertEquals(3, classOf(BY_DSCP, "0800" + "55b8" + EF_V4.substring(8)), "no version 4");
        assertEquals(3, classOf(BY_DSCP, "88a8" + "e005" + "8100" + "e005" + "8100" + "e005" + EF_V4), "three tags");
    }

    @Test
    void shouldMapEachValue() {
        for (int value = 0; value < 64; value++) {
            final int at = value;
            final PacketClasses one = new PacketClasses(Field.DSCP,
                IntStream.range(0, 64).map(each -> each == at ? 0 : 1).toArray());
            for (int other = 0; other < 64; other++) {
                final int expected = other == value ? 0 : 1;
                // In IPv6 it is the upper six bits behind the version; the lowest bits are ECN.
                assertEquals(expected, classOf(one, String.format("0800" + "45%02x", other << 2 | 3)
                    + "00".repeat(18)));
                assertEquals(expected, classOf(one, String.format("86dd" + "%04x", 6 << 12 | other << 6 | 0x3F)
                    + "00".repeat(38)));
            }
        }
    }

    @Test
    void shouldRefuseWrongMaps() {
        Outcomes.refused("PCP", () -> new PacketClasses(Field.PCP, new int[7]));
        assertThrows(IllegalArgumentException.class, () -> new PacketClasses(Field.PCP,
            new int[] {0, 0, 0, 0, 0, 0, 0, 4}));
    }

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = {"SHOAL_LOCKSTEP_3", "SHOAL_THREADS", "STARDUST_LOCKSTEP",
        "STARDUST_THREADS"})
    void shouldDeliverEveryPacketOnceAndInOrderByClass(final Rig.Kind kind) {
        final long seed = 20_261_126 + kind.ordinal();
        final SplittableRandom random = new SplittableRandom(seed);
        final int count = 60;
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < 4; from++) {
            final int[] sent = new int[16];
            final List<byte[]> script = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                final int to = (from + 1 + random.nextInt(3)) % 4;
                final int pcp = random.nextInt(8);
                script.add(tagged(from, to, pcp, sent[to * 4 + Field.PCP.usualClass(pcp)]++,
                    20 + random.nextInt(2_000)));
            }
            ports.add(new TestPort(script));
        }
        // Two ports at each of two nodes: classes and ports together.
        try (Rig rig = new Rig(kind, ports, 2, BY_PCP)) {
            assertEquals(0, rig.run(() -> Rig.took(ports) == 4 * count), () -> "seed=" + seed);
            for (int to = 0; to < 4; to++) {
                final int[] next = new int[16];
                for (final byte[] packet : ports.get(to).received()) {
                    final int pcp = (packet[14] & 0xFF) >> 5;
                    assertEquals(to, Rig.destination(packet), () -> "seed=" + seed);
                    assertEquals(next[Rig.source(packet) * 4 + Field.PCP.usualClass(pcp)]++, Rig.number(packet),
                        () -> "seed=" + seed);
                    assertArrayEquals(tagged(Rig.source(packet), to, pcp, Rig.number(packet), packet.length), packet,
                        () -> "seed=" + seed);
                }
            }
        }
    }

    /**
     * A port has more of the lowest class than the fabric carries for long, then packets of the highest: these overtake
     * most packets that wait.
     */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = {"SHOAL_LOCKSTEP", "STARDUST_LOCKSTEP"})
    void shouldLetTheHighestClassGoFirst(final Rig.Kind kind) {
        assertTrue(lowBeforeHigh(kind, PacketClasses.NONE) == 20, "in order without classes");
        final int before = lowBeforeHigh(kind, BY_PCP);
        assertTrue(before <= 10, () -> before + " of 20 packets of the lowest class came before the highest");
    }

    /** Packets of the lowest class that came before the first of the highest. */
    private static int lowBeforeHigh(final Rig.Kind kind, final PacketClasses classes) {
        final List<byte[]> script = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            script.add(tagged(0, 2, i < 20 ? 0 : 7, i, 3_000));
        }
        final List<TestPort> ports = Rig.bringing(4, 0, script);
        try (Rig rig = new Rig(kind, ports, 1, classes)) {
            assertEquals(0, rig.run(() -> ports.get(2).took() == 24));
            return (int) ports.get(2).received().stream().takeWhile(packet -> packet[14] == 0).count();
        }
    }

    /** A packet of the test with a tag, which stands behind its first twelve bytes as in a frame. */
    private static byte[] tagged(final int from, final int to, final int pcp, final int number, final int length) {
        final byte[] packet = Rig.packet(from, to, number, length);
        packet[12] = (byte) 0x81;
        packet[13] = 0;
        packet[14] = (byte) (pcp << 5);
        packet[15] = 7;
        return packet;
    }

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
