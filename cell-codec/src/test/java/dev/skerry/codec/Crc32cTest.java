package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The known vector, and the JDK's CRC-32C as a model. */
final class Crc32cTest {
    private static final long SEED = 0xC_32CL;

    @Test
    void shouldGiveTheKnownCheck() {
        final MemorySegment bytes = MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));
        assertEquals(0xE3069283, Crc32c.of(bytes, 0, 9));
        assertEquals(0, Crc32c.of(bytes, 9, 0));
    }

    @Test
    void shouldAgreeWithTheJdk() {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 20_000; round++) {
            final byte[] bytes = new byte[random.nextInt(600)];
            random.nextBytes(bytes);
            final int from = random.nextInt(bytes.length + 1);
            final int length = random.nextInt(bytes.length - from + 1);
            final CRC32C jdk = new CRC32C();
            jdk.update(bytes, from, length);
            assertEquals((int) jdk.getValue(), Crc32c.of(MemorySegment.ofArray(bytes), from, length),
                "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldTellHowAByteChangesTheCheck() {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 1_000; round++) {
            final byte[] bytes = new byte[random.nextInt(1, 600)];
            random.nextBytes(bytes);
            final MemorySegment segment = MemorySegment.ofArray(bytes);
            final int before = Crc32c.of(segment, 0, bytes.length);
            final int at = random.nextInt(bytes.length);
            final int change = random.nextInt(-128, 256);
            bytes[at] ^= (byte) change;
            assertEquals(before ^ Crc32c.of(segment, 0, bytes.length), Crc32c.change(change, bytes.length - 1 - at),
                "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldRefuseARangeOutsideTheSegment() {
        final MemorySegment bytes = MemorySegment.ofArray(new byte[16]);
        assertThrows(IndexOutOfBoundsException.class, () -> Crc32c.of(bytes, -1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> Crc32c.of(bytes, 4, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> Crc32c.of(bytes, 8, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> Crc32c.of(bytes, Long.MAX_VALUE, 1));
    }
}
