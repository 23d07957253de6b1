package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.GeneratorPort.Pacer;
import dev.skerry.tools.port.GeneratorPort.SamePackets;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

final class GeneratorPortTest {
    private final Arena arena = Arena.ofConfined();
    private final long[] now = {1_000_000};

    @AfterEach
    void close() {
        arena.close();
    }

    private GeneratorPort open(final String text) {
        return GeneratorPort.open(GeneratorSettings.parse(text, 2), () -> now[0]);
    }

    /** Compares a whole packet byte for byte; its checksums were computed by hand. */
    @Test
    void shouldMakeThisPacket() {
        try (GeneratorPort port = open("gen:64B,to=3,id=4")) {
            final byte[] packet = take(port, 1).getFirst();
            final String hex = HexFormat.of().formatHex(packet);
            assertEquals("020000000003" + "020000000002" + "0800" + "4500" + "0032" + "0000" + "4000" + "4011"
                + "26b5" + "0a010002" + "0a010003" + "0009" + "0009" + "001e", hex.substring(0, 80));
            assertEquals("534b" + "0004" + "0000" + "0000000000000000" + "0000000f4240", hex.substring(84, 124));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"64B", "65B", "66-80B", "64-9000B", "imix", "1514B"})
    void shouldSumRightly(final String sizes) {
        try (GeneratorPort port = open("gen:" + sizes
            + ",max,to=0-6,sip=1.2.3.4-1.2.3.14,order=random,sport=0-65,seed=9")) {
            for (final byte[] packet : take(port, 500)) {
                final ByteBuffer bytes = ByteBuffer.wrap(packet);
                assertEquals(packet.length - 14, bytes.getShort(16));
                assertEquals(packet.length - 34, bytes.getShort(38));
                assertChecksums(packet);
                assertNotEquals(0, bytes.getShort(40));
            }
        }
    }

    private static void assertChecksums(final byte[] packet) {
        assertEquals(0xFFFF, PcapRig.sum(MemorySegment.ofArray(packet), 14, 20));
        assertEquals(0xFFFF, PcapRig.transportSum(MemorySegment.ofArray(packet), 14, packet.length - 14));
    }

    /** Of the two zeros of a one's complement sum, UDP has the other one than TCP. */
    @ParameterizedTest
    @CsvSource({"udp, 40, 65535, 0", "tcp, 50, 0, 65535"})
    void shouldKnowEveryPacketAndTheRightZero(final String protocol, final int at, final int right, final int wrong) {
        try (GeneratorPort port = open("gen:98B,max,template=ip / " + protocol)) {
            int zeros = 0;
            final PacketBurst burst = new PacketBurst(arena, 1_000, 128);
            for (int i = 0; i < 300; i++) {
                burst.clear();
                port.rxBurst(burst);
                port.txBurst(burst, 0);
                for (int packet = 0; packet < burst.size(); packet++) {
                    final int sum = burst.bytes().get(ValueLayout.JAVA_SHORT_UNALIGNED, burst.offset(packet) + at)
                        & 0xFFFF;
                    assertNotEquals(wrong, sum);
                    zeros += sum == right ? 1 : 0;
                }
            }
            assertTrue(zeros > 0);
            assertEquals(new FlowReport.Counts(300_000, 300_000, 0, 0, 0, 0), port.report().total());
        }
    }

    @Test
    void shouldBeTheSameForASeedAndAnotherForAnother() {
        final String text = "gen:64-1514B,to=0-6,order=random,max,count=2000,seed=";
        final List<List<byte[]>> runs = new ArrayList<>();
        for (final int seed : new int[] {1, 1, 2}) {
            try (GeneratorPort port = open(text + seed)) {
                // Each run takes bursts of another size.
                runs.add(take(port, 2_000, 7 + runs.size()));
                assertTrue(port.isExhausted());
                assertEquals(0, take(port, 1).size());
            }
        }
        assertEquals(PcapRig.hashes(runs.get(0)), PcapRig.hashes(runs.get(1)));
        assertFalse(Arrays.equals(runs.get(0).getLast(), runs.get(2).getLast()));
    }

    /** Valid packets without a magic: a receiver looks for no number in them. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 1514})
    void shouldMakePacketsThatAreAllAlike(final int length) {
        try (GeneratorPort port = open("gen:" + length + "B,max,same,to=3-5,count=9");
            GeneratorPort other = open("gen")) {
            final List<byte[]> packets = take(port, 9);
            for (int i = 0; i < 9; i++) {
                final byte[] packet = packets.get(i);
                assertTrue(Arrays.equals(packets.get(i % 3), packet), "packet " + i);
                assertChecksums(packet);
                assertEquals(3 + i % 3, packet[5]);
                give(other, List.of(packet));
            }
            assertTrue(port.isExhausted());
            assertEquals(3, port.sent(1));
            assertEquals(9, other.report().foreign());
            assertEquals(0, other.report().flows().size());
        }
    }

    /** Changing any part of the packet already in place makes the port write it again. */
    @Test
    void shouldWriteOverWhatIsDifferent() {
        final Region target = Region.allocate(arena, 128);
        final SamePackets packets = new SamePackets(arena, GeneratorSettings.parse("gen:to=3-4", 2).headers(), 65);
        packets.write(1, target, 8);
        final long[] expected = new long[9];
        Arrays.setAll(expected, i -> target.getLong(8 + 8L * i));
        for (int i = 0; i < 9; i++) {
            target.setLong(8 + 8L * i, expected[i] ^ 1L << 7 * i);
            packets.write(1, target, 8);
            assertEquals(expected[i], target.getLong(8 + 8L * i), "long " + i);
        }
        packets.write(0, target, 8);
        assertNotEquals(expected[0], target.getLong(8));
        assertEquals(0, target.getLong(80));
    }

    @Test
    void shouldOfferTheRate() {
        try (GeneratorPort port = open("gen:64B,1Mpps,to=3")) {
            assertEquals(1, take(port, 100).size());
            now[0] += 999;
            assertEquals(0, take(port, 100).size());
            now[0] += 1;
            assertEquals(1, take(port, 100).size());
            now[0] += 50_000;
            assertEquals(50, take(port, 100).size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gen:64B,1Mpps,after=2", "gen:64B,max,after=2"})
    void shouldWaitBeforeTheFirst(final String text) {
        try (GeneratorPort port = open(text)) {
            assertEquals(0, take(port, 100).size());
            now[0] += 1_999_999_999;
            assertEquals(0, take(port, 100).size());
            now[0] += 1;
            assertEquals(1, take(port, 1).size());
        }
    }

    @Test
    void shouldDrawAllSizesAndKeepTheMix() {
        try (GeneratorPort port = open("gen:64-67B,max")) {
            final int[] seen = new int[68];
            take(port, 4_000).forEach(packet -> seen[packet.length]++);
            for (int size = 64; size < 68; size++) {
                assertEquals(1_000, seen[size], 150, "size " + size);
            }
        }
        try (GeneratorPort port = open("gen:imix,max")) {
            final List<byte[]> packets = take(port, 1_200);
            assertEquals(Map.of(64, 700L, 590, 400L, 1_514, 100L), packets.stream()
                .collect(Collectors.groupingBy(packet -> packet.length, Collectors.counting())));
        }
        try (GeneratorPort port = open("gen:imix=100:5/70:1/200:1,max")) {
            assertEquals(List.of(100, 100, 70, 100, 200, 100, 100, 100), take(port, 8).stream()
                .map(packet -> packet.length).toList());
        }
    }

    /** Whatever its headers, a packet is recognised and checked by its end. */
    @ParameterizedTest
    @ValueSource(strings = {"vlan / ip / tcp", "ip / sctp", "ipv6 / gre key=7 / eth / vlan",
        "ip / udp / vxlan / ip / udp"})
    void shouldMeasurePacketsOfTemplates(final String template) {
        try (GeneratorPort port = open("gen:150-1514B,max,to=3-5,count=300,template=" + template)) {
            final List<byte[]> packets = take(port, 300);
            packets.subList(30, 60).clear();
            packets.get(50)[packets.get(50).length - 30] ^= 1;
            packets.add(packets.get(100));
            packets.add(Arrays.copyOf(packets.get(100), packets.get(100).length - 4));
            now[0] += 5_000;
            give(port, packets);
            final GeneratorReport report = port.report();
            assertEquals(new FlowReport.Counts(300, 269, 0, 1, 0, 1), report.total());
            assertEquals(1, report.foreign());
            assertEquals(5_000, report.latency().getMaxValue(), 5);
        }
    }

    @Test
    void shouldMeasureWhatComesBack() {
        try (GeneratorPort port = open("gen:64-200B,max,to=3-5,count=300")) {
            final List<byte[]> packets = take(port, 300);
            packets.subList(30, 60).clear();
            Collections.swap(packets, 0, 3);
            packets.add(packets.get(100));
            packets.get(50)[80 % packets.get(50).length] ^= 1;
            packets.add(new byte[64]);
            packets.add(new byte[20]);
            now[0] += 5_000;
            give(port, packets);
            final GeneratorReport report = port.report();
            assertEquals(300, report.sent());
            assertEquals(new FlowReport.Counts(300, 269, 1, 1, 0, 1), report.total());
            assertEquals(31, report.total().lost());
            assertEquals(2, report.foreign());
            assertEquals(3, report.flows().size());
            assertEquals(269, report.latency().getTotalCount());
            assertEquals(5_000, report.latency().getMinValue(), 5);
            assertEquals(5_000, report.latency().getMaxValue(), 5);
            assertEquals(100, port.sent(2));
            assertEquals(303 - 30, port.counts().get(PortCounter.TX_PACKETS));
        }
    }

    @Test
    void shouldTellTheFlowsOfOthersApart() {
        try (GeneratorPort one = open("gen:64B,max,id=1"); GeneratorPort two = open("gen:64B,max,id=2,to=0-1")) {
            give(one, take(two, 40));
            give(one, take(one, 10));
            final List<FlowReport> flows = one.report().flows();
            assertEquals(List.of("1.0:10", "2.0:20", "2.1:20"), flows.stream()
                .map(flow -> flow.id() + "." + flow.flow() + ":" + flow.counts().received()).toList());
        }
    }

    /** Flips each bit from the type on. Only the line's frame check sequence covers the addresses before it. */
    @Test
    void shouldSeeEveryChangedBit() {
        try (GeneratorPort port = open("gen:133B,max,count=1")) {
            final byte[] packet = take(port, 1).getFirst();
            for (int bit = 12 * 8; bit < packet.length * 8; bit++) {
                packet[bit / 8] ^= (byte) (1 << bit % 8);
                give(port, List.of(packet));
                assertEquals(0, port.report().total().received(), "bit " + bit);
                packet[bit / 8] ^= (byte) (1 << bit % 8);
            }
            give(port, List.of(packet));
            assertEquals(1, port.report().total().received());
        }
    }

    /** A cell replaced by the same cell of another packet is damage, even within a flow. */
    @Test
    void shouldSeeCellsOfOtherPackets() {
        try (GeneratorPort port = open("gen:1000B,max")) {
            final List<byte[]> packets = take(port, 50);
            final Random random = new Random(1);
            for (int i = 1; i < 50; i++) {
                final byte[] mixed = packets.get(i).clone();
                final int at = 64 + random.nextInt(800);
                System.arraycopy(packets.get(i - 1), at, mixed, at, 56);
                give(port, List.of(mixed));
            }
            assertEquals(49, port.report().total().damaged());
            assertEquals(0, port.report().total().received());
        }
    }

    @Test
    void shouldCountWhatTheBurstCannotHold() {
        try (GeneratorPort port = open("gen:imix,max,count=12")) {
            final PacketBurst burst = new PacketBurst(arena, 32, 600);
            assertEquals(11, port.rxBurst(burst));
            assertEquals(1, port.counts().get(PortCounter.RX_DROPPED_TOO_LONG));
            assertTrue(port.isExhausted());
        }
    }

    @Test
    void shouldMakeNothingOnceClosed() {
        final GeneratorPort port = open("gen:max");
        port.close();
        port.close();
        assertEquals(0, port.rxBurst(new PacketBurst(arena, 1, 64)));
        assertEquals(0, port.txBurst(new PacketBurst(arena, 1, 64), 0));
        assertTrue(port.isExhausted());
        assertFalse(port.isUp());
    }

    private List<byte[]> take(final GeneratorPort port, final int number) {
        return take(port, number, 32);
    }

    private List<byte[]> take(final GeneratorPort port, final int number, final int size) {
        final List<byte[]> packets = new ArrayList<>();
        int found = 1;
        while (packets.size() < number && found > 0) {
            final PacketBurst burst = new PacketBurst(arena, Math.min(size, number - packets.size()), 9_216);
            found = port.rxBurst(burst);
            for (int i = 0; i < found; i++) {
                packets.add(MemifRig.bytes(burst, i));
            }
        }
        return packets;
    }

    private void give(final GeneratorPort port, final List<byte[]> packets) {
        final PacketBurst burst = new PacketBurst(arena, packets.size(), 9_216);
        packets.forEach(packet -> burst.append(
            arena.allocate(packet.length).copyFrom(MemorySegment.ofArray(packet)), 0, packet.length));
        assertEquals(packets.size(), port.txBurst(burst, 0));
    }

    /** Flows to other nodes keep their pace; what was held back comes later, with its numbers. */
    @Test
    void shouldHoldBackFlowsToANodeAndMakeUpForThemLater() {
        try (GeneratorPort port = open("gen:64B,1kpps,to=3-5,count=90")) {
            port.holdBack(3, 0, true);
            final PacketBurst burst = new PacketBurst(arena, 100, 64);
            port.rxBurst(burst);
            now[0] += 60_000_000;
            port.rxBurst(burst);
            assertEquals(List.of(0L, 20L, 20L), sent(port));
            now[0] += 60_000_000;
            port.rxBurst(burst);
            assertEquals(List.of(0L, 30L, 30L), sent(port));
            assertFalse(port.isExhausted());
            port.holdBack(3, 0, false);
            port.rxBurst(burst);
            assertEquals(List.of(30L, 30L, 30L), sent(port));
            assertEquals(90, burst.size());
            assertTrue(port.isExhausted());
        }
    }

    private static List<Long> sent(final GeneratorPort port) {
        return List.of(port.sent(0), port.sent(1), port.sent(2));
    }

    /** Without a rate and an end nothing is owed, and a call ends though no flow may go. */
    @Test
    void shouldNotWaitForFlowsHeldBack() {
        try (GeneratorPort port = open("gen:64B,max,to=3-4")) {
            port.holdBack(3, 0, true);
            assertEquals(8, port.rxBurst(new PacketBurst(arena, 8, 64)));
            assertEquals(8, port.sent(1));
            port.holdBack(4, 0, true);
            assertEquals(0, port.rxBurst(new PacketBurst(arena, 8, 64)));
            port.holdBack(3, 0, false);
            assertEquals(8, port.rxBurst(new PacketBurst(arena, 8, 64)));
            assertEquals(8, port.sent(0));
        }
    }

    @Test
    void shouldMeasureACaptureOfItself(@TempDir final Path folder) {
        final Path file = folder.resolve("generated.pcapng");
        try (GeneratorPort source = open("gen:imix,max,count=5000,to=3-6,id=77");
            PcapPort port = PcapPort.open(PcapSettings.writing(file))) {
            PcapRig.send(port, take(source, 5_000));
        }
        try (GeneratorPort sink = open("gen:max");
            PcapPort source = PcapPort.open(PcapSettings.parse("pcap:in=" + file + ",loops=2"))) {
            give(sink, PcapRig.drain(source));
            final GeneratorReport report = sink.report();
            assertEquals(new FlowReport.Counts(5_000, 5_000, 0, 5_000, 0, 0), report.total());
            assertEquals(List.of(77, 77, 77, 77), report.flows().stream().map(FlowReport::id).toList());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldHaveGroupsDueAtOnce(final int packets) {
        final Pacer pacer = new Pacer(PacketRate.packets(1e6), packets);
        pacer.start(-500);
        assertFalse(pacer.isDue(-501));
        for (int i = 0; i < 10; i++) {
            final long due = -500 + 1_000L * packets * i;
            for (int packet = 0; packet < packets; packet++) {
                assertTrue(pacer.isDue(due));
                pacer.sent(64);
            }
            assertFalse(pacer.isDue(due + 1_000 * packets - 1));
        }
    }

    @Test
    void shouldAlwaysBeDueWithoutARate() {
        final Pacer pacer = new Pacer(PacketRate.UNLIMITED, 1);
        pacer.start(7);
        for (int i = 0; i < 1_000_000; i++) {
            pacer.sent(9_000);
        }
        assertTrue(pacer.isDue(7));
    }

    /** A million packets take the time of their rate, to one part in a million. */
    @ParameterizedTest
    @CsvSource({
        "packets, 3e6, 64, 333.3333333", "packets, 14880952, 64, 67.2000002", "packets, 0.01, 64, 1e11",
        "bits, 1e10, 1250, 1000", "bits, 1e13, 64, 0.0512", "bits, 1e3, 16384, 1.31072e11",
        "line, 1e10, 60, 67.2", "line, 1e11, 1514, 123.04"})
    void shouldKeepTheRate(final String unit, final double rate, final int bytes, final double expectedNs) {
        final Pacer pacer = new Pacer(switch (unit) {
            case "packets" -> PacketRate.packets(rate);
            case "bits" -> PacketRate.bits(rate);
            default -> PacketRate.line(100, rate);
        }, 1);
        pacer.start(0);
        final int packets = 1_000_000;
        for (int i = 0; i < packets; i++) {
            pacer.sent(bytes);
        }
        assertEquals(expectedNs * packets, pacer.dueNs, expectedNs * packets * 1e-6 + 1);
    }

    @Test
    void shouldTellLossFromOrderFromDuplicates() {
        final FlowMeter meter = new FlowMeter(5 << 16 | 7, 3);
        for (final long sequence : new long[] {0, 1, 4, 3, 3, 4, 6}) {
            meter.accept(sequence, 1_000 + sequence);
        }
        meter.damaged();
        final FlowReport report = meter.report();
        assertEquals(5, report.id());
        assertEquals(7, report.flow());
        assertEquals(new FlowReport.Counts(7, 5, 1, 2, 0, 1), report.counts());
        assertEquals(2, report.counts().lost());
        assertEquals(5, report.latency().getTotalCount());
        assertEquals(1_006, report.latency().getMaxValue(), 1);
    }

    @Test
    void shouldNotGuessAboutWhatIsTooOld() {
        final FlowMeter meter = new FlowMeter(0, 2);
        meter.accept(FlowMeter.WINDOW, 0);
        meter.accept(0, 0);
        meter.accept(1, 0);
        meter.accept(1, 0);
        assertEquals(new FlowReport.Counts(FlowMeter.WINDOW + 1, 2, 1, 1, 1, 0), meter.report().counts());
    }

    /** Compares with a set of all sequence numbers seen. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldCountAsASetWould(final long seed) {
        final Random random = new Random(seed);
        final int spread = 1 << 1 + random.nextInt(15);
        final FlowMeter meter = new FlowMeter(0, 2);
        final Set<Long> seen = new HashSet<>();
        long next = 0;
        FlowReport.Counts expected = new FlowReport.Counts(0, 0, 0, 0, 0, 0);
        for (int i = 0; i < 100_000; i++) {
            final long back = random.nextInt(4) == 0 ? random.nextInt(spread) : 0;
            final long ahead = random.nextInt(1_000) == 0 ? random.nextInt(spread) : random.nextInt(2);
            final long sequence = Math.max(0, next - back + ahead);
            meter.accept(sequence, 5);
            final boolean stale = next - sequence > FlowMeter.WINDOW;
            final boolean fresh = !stale && seen.add(sequence);
            expected = expected.plus(new FlowReport.Counts(Math.max(0, sequence + 1 - next), fresh ? 1 : 0,
                fresh && sequence < next ? 1 : 0, fresh || stale ? 0 : 1, stale ? 1 : 0, 0));
            next = Math.max(next, sequence + 1);
            if ((i & 0x3FF) == 0) {
                assertEquals(expected, meter.report().counts(), "seed=" + seed + " i=" + i);
            }
        }
        assertEquals(expected, meter.report().counts(), "seed=" + seed);
    }
}
