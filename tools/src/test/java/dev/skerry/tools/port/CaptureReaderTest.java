package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.PcapRecords;
import dev.skerry.tools.port.CaptureReader.PcapngBlocks.StampScale;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * Hand-made files: both byte orders, all packet blocks, all resolutions of stamps. Of truncated, damaged and hostile
 * files the packets before the damage are delivered, then one line reports it.
 */
final class CaptureReaderTest {
    private static final int ROUNDS = 300;
    private static final BigInteger SECOND_NS = BigInteger.valueOf(1_000_000_000);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"LITTLE, 1", "LITTLE, 1000", "BIG, 1", "BIG, 1000"})
    void shouldReadBothByteOrdersAndBothResolutions(final String order, final int tickNs) throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(order(order));
        builder.classic(tickNs == 1 ? PcapRecords.NANOSECONDS : PcapRecords.MICROSECONDS);
        builder.record(7, 123_456, new byte[60]);
        builder.record(-1, 999_999, new byte[100]);
        assertEquals(List.of("60@" + (7_000_000_000L + 123_456 * tickNs),
            "100@" + (4_294_967_295_000_000_000L + 999_999 * tickNs)), read(builder.bytes()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"LITTLE", "BIG"})
    void shouldReadAllPacketBlocks(final String order) throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(order(order));
        builder.section();
        builder.face(1, 96, 6, 10);
        builder.block(0xBAD, new byte[40]);
        builder.face(1, 9);
        builder.enhanced(1, 17, new byte[61]);
        builder.obsolete(0, 1L << 32 | 5, new byte[62]);
        builder.simple(63, new byte[63]);
        builder.simple(500, new byte[96]);
        builder.block(5, new byte[12]);
        assertEquals(List.of("61@17", "62@" + (10_000_000_000L + ((1L << 32) + 5) * 1_000), "63@0", "96@0"),
            read(builder.bytes()));
    }

    @Test
    void shouldReadSectionsOfDifferentByteOrders() throws IOException {
        final CaptureBuilder little = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        little.section();
        little.face(1, 9);
        little.face(1, 9);
        little.enhanced(1, 1, new byte[60]);
        final CaptureBuilder big = new CaptureBuilder(ByteOrder.BIG_ENDIAN);
        big.section();
        big.face(1, 6);
        big.enhanced(0, 2, new byte[61]);
        final ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(little.bytes());
        both.writeBytes(big.bytes());
        assertEquals(List.of("60@1", "61@2000"), read(both.toByteArray()));
    }

    /** Compares with arbitrary-precision arithmetic. */
    @Test
    void shouldMakeNanosecondsOfAnyStamp() {
        final Random random = new Random(1);
        for (int round = 0; round < 200_000; round++) {
            final int resolution = random.nextInt(256);
            final long offset = random.nextInt(3) == 0 ? 0 : random.nextLong() >> random.nextInt(64);
            final long ticks = random.nextLong() >>> random.nextInt(64);
            final BigInteger unsigned = new BigInteger(Long.toUnsignedString(ticks));
            final BigInteger perSecond = resolution < 128 ? BigInteger.TEN.pow(Math.min(resolution, 27))
                : BigInteger.TWO.pow(Math.min(resolution - 128, 63));
            final BigInteger ns = clamp(unsigned.multiply(SECOND_NS).divide(perSecond));
            final BigInteger expected = clamp(ns.add(clamp(BigInteger.valueOf(offset).multiply(SECOND_NS))));
            assertEquals(expected.longValueExact(), StampScale.of(resolution, offset).ns(ticks),
                "round=" + round + " resolution=" + resolution + " offset=" + offset + " ticks=" + unsigned);
        }
    }

    private static BigInteger clamp(final BigInteger value) {
        return value.min(BigInteger.valueOf(Long.MAX_VALUE)).max(BigInteger.valueOf(Long.MIN_VALUE));
    }

    private static ByteOrder order(final String name) {
        return name.equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    private List<String> read(final byte[] bytes) throws IOException {
        final List<String> packets = new ArrayList<>();
        try (CaptureReader reader = new CaptureReader(Files.write(folder.resolve("file"), bytes), true)) {
            while (reader.next()) {
                packets.add(reader.packet().length + "@" + reader.packet().stampNs);
            }
            assertEquals("", reader.failure());
        }
        return packets;
    }

    /** A packet counts exactly if all of it is there. */
    @ParameterizedTest
    @CsvSource({"LITTLE, true", "BIG, true", "LITTLE, false", "BIG, false"})
    void shouldDeliverWhatIsWhole(final String order, final boolean classic) throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(order(order));
        if (classic) {
            builder.classic(PcapRecords.NANOSECONDS);
        } else {
            builder.section();
            builder.face(1, 9);
        }
        final int header = classic ? 24 : 28 + 32;
        final List<byte[]> frames = List.of(new byte[60], new byte[61], new byte[0], new byte[64]);
        final List<Integer> ends = new ArrayList<>();
        for (final byte[] frame : frames) {
            if (classic) {
                builder.record(0, 0, frame);
            } else {
                builder.enhanced(0, 0, frame);
            }
            ends.add(builder.bytes().length);
        }
        final byte[] whole = builder.bytes();
        for (int length = 0; length <= whole.length; length++) {
            final int size = length;
            final Path file = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, size));
            final long expected = ends.stream().filter(end -> end <= size).count();
            if (size < 4 || classic && size < header) {
                refusal(PcapSettings.reading(file));
                continue;
            }
            try (PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
                // The third packet is empty: it is counted, not delivered.
                assertEquals(expected > 2 ? expected - 1 : expected, PcapRig.drain(port).size(), "length=" + size);
                final boolean clean = ends.contains(size) || size == header || size == 28 && !classic;
                assertEquals(clean, port.failure().isEmpty(), () -> "length=" + size + " " + port.failure());
                if (!clean) {
                    oneLine(port.failure());
                    assertTrue(port.failure().contains("the file ends within"), port.failure());
                }
            }
        }
    }

    /** Changes, inserts and removes bytes: no exception, and no wrong packet before the first change. */
    @ParameterizedTest
    @ValueSource(strings = {"classic", "variant", "blocks", "gzip"})
    void shouldSurviveAnything(final String kind) throws IOException {
        final List<byte[]> frames = PcapRig.frames(12, 1);
        final List<String> hashes = PcapRig.hashes(frames);
        final List<Integer> ends = new ArrayList<>();
        final byte[] whole = file(kind, frames, ends);
        for (int round = 0; round < ROUNDS; round++) {
            final long seed = round;
            final Random random = new Random(seed);
            byte[] bytes = whole.clone();
            int first = bytes.length;
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                // Half of the changes hit the headers at the start.
                final int at = random.nextInt(random.nextBoolean() ? Math.min(200, bytes.length) : bytes.length);
                first = Math.min(first, at);
                bytes = damaged(bytes, at, random);
            }
            final Path file = Files.write(folder.resolve("damaged"), bytes);
            final int changed = first;
            final long intact = kind.equals("gzip") ? 0 : ends.stream().filter(end -> end <= changed).count();
            try (PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
                final List<String> read = PcapRig.hashes(PcapRig.drain(port));
                assertTrue(read.size() >= intact, "kind=" + kind + " seed=" + seed + " " + port.failure());
                assertEquals(hashes.subList(0, (int) intact), read.subList(0, (int) intact), "seed=" + seed);
                assertTrue(port.isExhausted(), "seed=" + seed);
                if (!port.failure().isEmpty()) {
                    oneLine(port.failure());
                }
            } catch (final InputException e) {
                oneLine(e.getMessage());
                assertEquals(0, intact, "seed=" + seed);
            }
        }
    }

    private static byte[] damaged(final byte[] bytes, final int at, final Random random) {
        switch (random.nextInt(4)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> {
                final int value = random.nextBoolean() ? -1 : random.nextBoolean() ? 0 : random.nextInt();
                for (int i = 0; i < 4 && at + i < bytes.length; i++) {
                    bytes[at + i] = (byte) (value >> 8 * i);
                }
            }
            case 2 -> {
                return Arrays.copyOf(bytes, at + 1);
            }
            default -> {
                final byte[] shorter = Arrays.copyOf(bytes, bytes.length - 1);
                System.arraycopy(bytes, at + 1, shorter, at, shorter.length - at);
                return shorter;
            }
        }
        return bytes;
    }

    private static byte[] file(final String kind, final List<byte[]> frames, final List<Integer> ends)
        throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        if (kind.equals("blocks")) {
            builder.section();
            builder.face(1, 6);
            builder.face(1, 9);
        } else {
            builder.classic(kind.equals("variant") ? PcapRecords.VARIANT : PcapRecords.MICROSECONDS);
        }
        for (int i = 0; i < frames.size(); i++) {
            if (kind.equals("blocks")) {
                builder.enhanced(i % 2, i, frames.get(i));
            } else {
                builder.record(i, i, frames.get(i));
            }
            ends.add(builder.bytes().length);
        }
        if (!kind.equals("gzip")) {
            return builder.bytes();
        }
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(builder.bytes());
        }
        return packed.toByteArray();
    }

    @Test
    void shouldDeliverWhatACutGzipFileHolds() throws IOException {
        final byte[] packed = file("gzip", PcapRig.frames(12, 1), new ArrayList<>());
        final Path file = Files.write(folder.resolve("cut.gz"), Arrays.copyOf(packed, packed.length / 2));
        try (PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
            final List<String> read = PcapRig.hashes(PcapRig.drain(port));
            assertTrue(read.size() > 2 && read.size() < 12, "packets=" + read.size());
            assertEquals(PcapRig.hashes(PcapRig.frames(12, 1)).subList(0, read.size()), read);
            assertTrue(port.failure().contains("the gzip data end too early, copy or compress the file again"),
                port.failure());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''|the file ends within its header, 0 of 24 bytes are present",
        "01020304|is neither pcap nor pcapng: it begins with 01020304",
        "28b52ffd00|is packed with zstd, unpack it",
        "d4c3b2a1 0300 0000 00000000 00000000 0000ffff 01000000|its version is 3.0",
        "d4c3b2a1 0200 0400 00000000 00000000 0000ffff 65000000|link type 101 instead of Ethernet",
    })
    void shouldRefuseAtTheDoor(final String hex, final String why) throws IOException {
        final Path file = Files.write(folder.resolve("bad"), HexFormat.of().parseHex(hex.replace(" ", "")));
        final String message = refusal(PcapSettings.reading(file));
        assertTrue(message.contains(why), message);
    }

    @Test
    void shouldRefuseWhatIsNoFile() {
        refusal(PcapSettings.reading(folder));
        refusal(PcapSettings.reading(folder.resolve("none")));
        refusal(PcapSettings.writing(folder));
        refusal(PcapSettings.writing(folder.resolve("no/where.pcap")));
    }

    private static String refusal(final PcapSettings settings) {
        final String message = assertThrows(InputException.class, () -> PcapPort.open(settings)).getMessage();
        oneLine(message);
        return message;
    }

    static void oneLine(final String message) {
        assertTrue(message.startsWith("skerry: pcap: "), message);
        assertEquals(1, message.lines().count(), message);
    }

    @Test
    void shouldNameTheByteAndTheReason() throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        builder.classic(PcapRecords.MICROSECONDS);
        builder.record(0, 0, new byte[60]);
        final byte[] bytes = Arrays.copyOf(builder.bytes(), 24 + 76 + 16);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(24 + 76 + 8, 262_145);
        final Path file = Files.write(folder.resolve("bad"), bytes);
        try (PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
            assertEquals(1, PcapRig.drain(port).size());
            assertEquals("skerry: pcap: " + file + " at byte 100: a packet has 262145 bytes, more than 262144, copy "
                + "the file again or repair it with pcapfix; all packets before this point were "
                + "delivered", port.failure());
        }
    }
}
