package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.port.CaptureReader.PcapRecords;
import dev.skerry.tools.port.CaptureReader.PcapngBlocks.StampScale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Hand-made files: both byte orders, all packet blocks, all resolutions of stamps. */
final class CaptureReaderTest {
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
            "100@" + (4_294_967_295_000_000_000L + 999_999 * tickNs)), read(builder));
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
            read(builder));
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
        final byte[] both = new byte[little.bytes().length + big.bytes().length];
        System.arraycopy(little.bytes(), 0, both, 0, little.bytes().length);
        System.arraycopy(big.bytes(), 0, both, little.bytes().length, big.bytes().length);
        assertEquals(List.of("60@1", "61@2000"), read(both));
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

    private List<String> read(final CaptureBuilder builder) throws IOException {
        return read(builder.bytes());
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
}
