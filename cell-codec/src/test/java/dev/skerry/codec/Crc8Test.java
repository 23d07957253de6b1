package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** The check values, and table and folds against a shift register, bit by bit. */
final class Crc8Test {
    private static final MemorySegment DIGITS =
        MemorySegment.ofArray("..123456789..".getBytes(StandardCharsets.US_ASCII));
    private static final long SEED = 0x5EA1_C0DEL;
    private static final int ROUNDS = 20_000;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void shouldGiveTheCheckValues() {
        assertEquals(0xFB, Crc8.SHALE.of(DIGITS, 2, 9));
        assertEquals(0xA1, Crc8.SHOAL.of(DIGITS, 2, 9));
        assertEquals(0xF4, new Crc8(0, 0).of(DIGITS, 2, 9), "CRC-8/SMBUS");
    }

    @Test
    void shouldGoOnOverSeveralRanges() {
        for (int split = 0; split <= 9; split++) {
            final int first = Crc8.update(Crc8.SHOAL.init(), DIGITS, 2, split);
            assertEquals(0xA1, Crc8.update(first, DIGITS, 2 + split, 9 - split) ^ Crc8.SHOAL.xorOut());
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "0, -1", "0, 14", "13, 1", "14, 0", "5, 9223372036854775807", "9223372036854775807, 1"})
    void shouldRefuseARangeOutsideTheSegment(final long offset, final long length) {
        assertThrows(IndexOutOfBoundsException.class, () -> Crc8.SHALE.of(DIGITS, offset, length));
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, init=-1", "256, 0, init=256", "0, -1, xorOut=-1", "0, 256, xorOut=256"})
    void shouldRefuseParametersThatAreNoBytes(final int init, final int xorOut, final String named) {
        final var refusal = assertThrows(IllegalArgumentException.class, () -> new Crc8(init, xorOut));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

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
    void shouldTellWhetherTheLastOfTwelveBytesIsTheCheck() {
        for (int round = 0; round < ROUNDS; round++) {
            final Crc8 crc = variant();
            final byte[] bytes = bytes(12);
            final int check = HeaderBits.crc(crc, bytes, 88);
            final ByteBuffer words = ByteBuffer.wrap(bytes);
            for (int last = 0; last < 256; last++) {
                bytes[11] = (byte) last;
                assertEquals(last == check, crc.isValid96(words.getInt(0), words.getLong(4)),
                    "seed=" + SEED + " round=" + round + " last=" + last);
            }
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

    @Test
    void shouldAgreeOverTheFirst56BitsOfAWord() {
        for (int round = 0; round < ROUNDS; round++) {
            final Crc8 crc = variant();
            final byte[] bytes = bytes(8);
            assertEquals(HeaderBits.crc(crc, bytes, 56), crc.ofFirst56(ByteBuffer.wrap(bytes).getLong()),
                "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldAgreeOverAllOfACellButItsCheck() {
        for (int round = 0; round < ROUNDS / 4; round++) {
            final Crc8 crc = variant();
            final byte[] cell = bytes(64 * random.nextInt(1, 9));
            final int before = random.nextInt(0, 9);
            final MemorySegment segment = MemorySegment.ofArray(HeaderBits.framed(cell, before, 3, (byte) round));
            final long header = ByteBuffer.wrap(cell).getLong();
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, before, random.nextLong());
            final byte[] covered = new byte[cell.length - 1];
            System.arraycopy(cell, 0, covered, 0, 7);
            System.arraycopy(cell, 8, covered, 7, cell.length - 8);
            assertEquals(HeaderBits.crc(crc, covered, covered.length * 8),
                crc.ofCell(header, segment, before, cell.length), "seed=" + SEED + " round=" + round);
        }
    }

    @Test
    void shouldGoOnOverZeros() {
        final MemorySegment zeros = MemorySegment.ofArray(new byte[600]);
        for (int register = 0; register < 256; register++) {
            final int bytes = random.nextInt(600);
            assertEquals(Crc8.update(register, zeros, 0, bytes), Crc8.afterZeros(register, bytes),
                "seed=" + SEED + " register=" + register + " bytes=" + bytes);
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
