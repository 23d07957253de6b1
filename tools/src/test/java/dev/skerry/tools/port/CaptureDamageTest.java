package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.PcapRecords;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

/** Truncated, damaged and hostile files: packets before the damage are delivered, then one line reports it. */
final class CaptureDamageTest {
    private static final int ROUNDS = 300;

    @TempDir
    private Path folder;

    /** A packet counts exactly if all of it is there. */
    @ParameterizedTest
    @ValueSource(strings = {"LITTLE_ENDIAN", "BIG_ENDIAN"})
    void shouldDeliverWhatIsWholeOfAClassicFile(final String order) throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(order.equals("BIG_ENDIAN")
            ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        builder.classic(PcapRecords.NANOSECONDS);
        cutEverywhere(builder, 24, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LITTLE_ENDIAN", "BIG_ENDIAN"})
    void shouldDeliverWhatIsWholeOfBlocks(final String order) throws IOException {
        final CaptureBuilder builder = new CaptureBuilder(order.equals("BIG_ENDIAN")
            ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        builder.section();
        builder.face(1, 9);
        cutEverywhere(builder, 28 + 32, false);
    }

    private void cutEverywhere(final CaptureBuilder builder, final int header, final boolean classic)
        throws IOException {
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
                oneLine(assertThrows(InputException.class,
                    () -> PcapPort.open(PcapSettings.reading(file))).getMessage());
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
        switch (kind) {
            case "blocks" -> {
                builder.section();
                builder.face(1, 6);
                builder.face(1, 9);
            }
            case "variant" -> builder.classic(PcapRecords.VARIANT);
            default -> builder.classic(PcapRecords.MICROSECONDS);
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
        "''|the file ends within its header, 0 of 24 bytes are there",
        "01020304|is neither pcap nor pcapng, it begins with 01020304",
        "28b52ffd00|is packed with zstd, unpack it",
        "d4c3b2a1 0300 0000 00000000 00000000 0000ffff 01000000|its version is 3.0",
        "d4c3b2a1 0200 0400 00000000 00000000 0000ffff 65000000|link type 101 and not Ethernet",
    })
    void shouldRefuseAtTheDoor(final String hex, final String why) throws IOException {
        final Path file = Files.write(folder.resolve("bad"), HexFormat.of().parseHex(hex.replace(" ", "")));
        final String message = assertThrows(InputException.class,
            () -> PcapPort.open(PcapSettings.reading(file))).getMessage();
        oneLine(message);
        assertTrue(message.contains(why), message);
    }

    @Test
    void shouldRefuseWhatIsNoFile() {
        for (final Path path : List.of(folder, folder.resolve("none"))) {
            oneLine(assertThrows(InputException.class, () -> PcapPort.open(PcapSettings.reading(path))).getMessage());
        }
        oneLine(assertThrows(InputException.class,
            () -> PcapPort.open(PcapSettings.writing(folder.resolve("no/where.pcap")))).getMessage());
        oneLine(assertThrows(InputException.class, () -> PcapPort.open(PcapSettings.writing(folder))).getMessage());
    }

    private static void oneLine(final String message) {
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
                + "the file again or repair it with pcapfix; all packets before were delivered", port.failure());
        }
    }
}
