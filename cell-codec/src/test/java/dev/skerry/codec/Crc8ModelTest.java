package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Table and folds against a shift register that takes one bit at a time. */
final class Crc8ModelTest {
    private static final long SEED = 0x5EA1_C0DEL;
    private static final int ROUNDS = 20_000;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void shouldAgreeOverRanges() {
        for (int round = 0; round < ROUNDS; round++) {
            final Crc8 crc = variant();
            final byte[] bytes = bytes(random.nextInt(0, 80));
            final int before = random.nextInt(0, 9);
            final MemorySegment segment = MemorySegment.ofArray(HeaderBits.framed(bytes, before, 3, (byte) round));
            assertEquals(HeaderBits.crc(crc, bytes, bytes.length * 8), crc.of(segment, before, bytes.length),
                "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldAgreeOverTheFirst88BitsOfTwoWords() {
        for (int round = 0; round < ROUNDS; round++) {
            final Crc8 crc = variant();
            final byte[] bytes = bytes(12);
            final ByteBuffer words = ByteBuffer.wrap(bytes);
            assertEquals(HeaderBits.crc(crc, bytes, 88), crc.ofFirst88(words.getInt(0), words.getLong(4)),
                "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldAgreeOverTheFirst119BitsOfTwoWords() {
        for (int round = 0; round < ROUNDS; round++) {
            final Crc8 crc = variant();
            final byte[] bytes = bytes(16);
            final ByteBuffer words = ByteBuffer.wrap(bytes);
            assertEquals(HeaderBits.crc(crc, bytes, 119), crc.ofFirst119(words.getLong(0), words.getLong(8)),
                "seed=" + SEED + " round=" + round);
        }
    }

    private Crc8 variant() {
        return new Crc8(random.nextInt(256), random.nextInt(256));
    }

    private byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
