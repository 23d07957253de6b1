package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;
import dev.skerry.tools.port.PcapPort.PcapSettings;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Helpers for tests of captures. */
final class PcapRig {
    static final int MAX_BYTES = CapturedPacket.MAX_BYTES;

    private PcapRig() {
    }

    /** Frames of random content with 60 to 1,514 bytes; the first two have the limits. */
    static List<byte[]> frames(final int number, final long seed) {
        final Random random = new Random(seed);
        final List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            final byte[] frame = new byte[i == 0 ? 60 : i == 1 ? 1514 : 60 + random.nextInt(1455)];
            random.nextBytes(frame);
            frames.add(frame);
        }
        return frames;
    }

    /** All packets that a port delivers from a file. */
    static List<byte[]> read(final Path file) {
        try (PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
            final List<byte[]> packets = drain(port);
            assertEquals("", port.failure());
            assertTrue(port.isExhausted());
            return packets;
        }
    }

    /** All packets that a port delivers until it is exhausted. */
    static List<byte[]> drain(final PacketPort port) {
        final List<byte[]> packets = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final PacketBurst burst = new PacketBurst(arena, 2, MAX_BYTES);
            while (port.rxBurst(burst) > 0) {
                for (int i = 0; i < burst.size(); i++) {
                    packets.add(MemifRig.bytes(burst, i));
                }
                burst.clear();
            }
        }
        return packets;
    }

    /** Sends packets to a port, which has to take all of them. */
    static void send(final PacketPort port, final List<byte[]> packets) {
        try (Arena arena = Arena.ofConfined()) {
            final PacketBurst burst = new PacketBurst(arena, 4, MAX_BYTES);
            for (final byte[] packet : packets) {
                add(burst, packet);
                if (burst.room() == 0) {
                    assertEquals(burst.size(), port.txBurst(burst, 0));
                    burst.clear();
                }
            }
            assertEquals(burst.size(), port.txBurst(burst, 0));
        }
    }

    static void add(final PacketBurst burst, final byte[] packet) {
        burst.bytes().asSlice(burst.place(), packet.length).copyFrom(MemorySegment.ofArray(packet));
        burst.add(packet.length);
    }

    static List<String> hashes(final List<byte[]> packets) {
        try {
            final MessageDigest digest = MessageDigest.getInstance("MD5");
            return packets.stream().map(packet -> HexFormat.of().formatHex(digest.digest(packet))).toList();
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether programs are installed. */
    static boolean areInstalled(final String... programs) {
        return Stream.of(programs).allMatch(program -> Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))));
    }

    /** Runs a program, which has to succeed, and returns its standard output. */
    static List<String> run(final String... command) throws IOException, InterruptedException {
        final Path output = Files.createTempFile("skerry", ".out");
        final Path errors = Files.createTempFile("skerry", ".err");
        try {
            final Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
            process.waitFor();
            final String said = Files.readString(errors, StandardCharsets.ISO_8859_1);
            assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ": " + said);
            return Files.readAllLines(output, StandardCharsets.ISO_8859_1);
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }

    /** What tshark says of each packet of a capture: these fields, with a tab between two. */
    static List<String> tshark(final Path file, final String... fields) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(),
            "-o", "frame.generate_md5_hash:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
            "-o", "tcp.check_checksum:TRUE", "-o", "tcp.analyze_sequence_numbers:FALSE",
            "-o", "sctp.checksum:CRC-32C", "-T", "fields"));
        for (final String field : fields) {
            command.addAll(List.of("-e", field));
        }
        return run(command.toArray(String[]::new));
    }

    /** Sum of bytes, one by one as RFC 1071 writes it; a right packet of IP has 0xFFFF. */
    static int sum(final MemorySegment bytes, final long offset, final long length) {
        int sum = 0;
        for (long at = 0; at < length; at++) {
            final int value = bytes.get(ValueLayout.JAVA_BYTE, offset + at) & 0xFF;
            sum = addSums(sum, at % 2 == 0 ? value << 8 : value);
        }
        return sum;
    }

    /** Sum over a TCP or UDP packet and its pseudo header, from where the IP header begins. */
    static int transportSum(final MemorySegment bytes, final long offset, final int length) {
        final boolean isFour = bytes.get(ValueLayout.JAVA_BYTE, offset) >>> 4 == 4;
        final int header = isFour ? (bytes.get(ValueLayout.JAVA_BYTE, offset) & 0xF) * 4 : 40;
        int sum = sum(bytes, offset + (isFour ? 12 : 8), isFour ? 8 : 32);
        sum = addSums(sum, bytes.get(ValueLayout.JAVA_BYTE, offset + (isFour ? 9 : 6)) & 0xFF);
        sum = addSums(sum, length - header);
        return addSums(sum, sum(bytes, offset + header, length - header));
    }

    static int addSums(final int one, final int other) {
        final int sum = one + other;
        return (sum & 0xFFFF) + (sum >>> 16);
    }
}
