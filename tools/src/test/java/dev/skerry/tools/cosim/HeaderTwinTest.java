package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.header.HeaderDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

final class HeaderTwinTest {
    private static final int PAYLOAD = 20;

    private final Arena arena = Arena.ofAuto();

    private long[] step(final HeaderTwin twin, final long... row) {
        final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG,
            Arrays.copyOf(row, twin.names().inputs().length));
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    /** Bytes as words, the first byte the most significant one. */
    private static long[] words(final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(Arrays.copyOf(bytes, (bytes.length + 7) / 8 * 8));
        final long[] words = new long[buffer.capacity() / Long.BYTES];
        buffer.asLongBuffer().get(words);
        return words;
    }

    private static long[] row(final int op, final long[]... parts) {
        return Arrays.stream(List.of(new long[] {op}, parts[0], parts[1], parts[2]).toArray(long[][]::new))
            .flatMapToLong(Arrays::stream).toArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"L12", "L12F", "L16", "shoal", "shoal-classes", "shale-prototype"})
    void shouldWriteAndReadAsTheDescriptionDoes(final String name) {
        final long seed = 24;
        final SplittableRandom random = new SplittableRandom(seed);
        final HeaderDescription header = HeaderDescription.builtIn(name);
        final HeaderTwin twin = new HeaderTwin(name, PAYLOAD);
        final int headerWords = (header.bytes() + 7) / 8;
        for (int round = 0; round < 500; round++) {
            final byte[] payload = new byte[PAYLOAD];
            random.nextBytes(payload);
            final long[] values = new long[header.size()];
            for (int field = 0; field < values.length; field++) {
                values[field] = random.nextLong(1L << header.fieldBits(field));
            }
            final byte[] bytes = header.pack(values, payload);
            final String where = name + " seed=" + seed + " round=" + round;
            final long[] written = step(twin, row(HeaderTwin.ENCODE, new long[headerWords], values, words(payload)));
            assertArrayEquals(words(bytes), Arrays.copyOfRange(written, 2, 2 + headerWords), where);
            bytes[random.nextInt(bytes.length)] ^= (byte) (random.nextInt(2) << random.nextInt(Byte.SIZE));
            final long[] read = step(twin, row(HeaderTwin.DECODE, words(bytes), new long[values.length],
                words(payload)));
            final List<String> faults = header.faults(bytes, payload);
            assertEquals(faults.size(), read[0], where);
            assertEquals(String.join("\n", faults), twin.report(), where);
            assertEquals(header.cell(header.unpack(bytes)).state().ordinal(), read[1], where);
            assertArrayEquals(header.unpack(bytes), Arrays.copyOfRange(read, 2 + headerWords, read.length), where);
        }
        assertTrue(twin.reported() > 0 || List.of("shale-prototype").contains(name), "no header was damaged");
    }

    @Test
    void shouldDescribeItself() {
        final long[] described = step(new HeaderTwin("shale-prototype", PAYLOAD), HeaderTwin.DESCRIBE);
        assertArrayEquals(new long[] {11, PAYLOAD, 0, 0, 9, 9, 9, 9, 3, 14, 3, 9, 3, 9, 3, 1, 7}, described);
    }

    @Test
    void shouldRefuseAValueThatDoesNotFit() {
        final HeaderTwin twin = new HeaderTwin("L12", 0);
        final String refusal = assertThrows(IllegalArgumentException.class,
            () -> step(twin, HeaderTwin.ENCODE, 0, 0, 1 << 15)).getMessage();
        assertTrue(refusal.contains("source has 15 bits"), refusal);
        assertThrows(IllegalArgumentException.class, () -> step(twin, 2));
    }
}
