package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * CRC-8 with the polynomial x^8 + x^2 + x + 1 (0x07), most significant bit first, not reflected. It detects every error
 * of up to three bits in a codeword of up to 127 bits, CRC included. In a longer one it misses two flipped bits at a
 * distance of 127. Immutable; any thread may call.
 *
 * <p>A range of bytes takes one table lookup per byte. A header or a cell is folded to 36 bits by shifts and exclusive
 * ors, then reduced by three independent lookups, which are faster than more folding. The folds follow from repeated
 * squaring of x^8 = x^2 + x + 1 over GF(2):
 *
 * <pre>
 *   x^16 = x^4 + x^2 + 1       bits from 16 up fold into three places below
 *   x^32 = x^4 + x^2 + x       bits from 32 up, the same
 *   x^64 = x^4 + x + 1         bits from 64 up, the same
 *   x^128 = x                  the order of x is 127: words 16 bytes apart differ by a shift of one bit
 * </pre>
 *
 * Therefore the polynomial is not a parameter.
 *
 * @param init   register before the first bit, 0 to 255.
 * @param xorOut exclusive-ored to the register after the last bit, 0 to 255.
 */
public record Crc8(int init, int xorOut) {
    /** The polynomial without its leading term. */
    public static final int POLYNOMIAL = 0x07;

    /** Shale: an all-zero header is not valid (docs/spec/shale.md §4.1). The CRC of "123456789" is 0xFB. */
    public static final Crc8 SHALE = new Crc8(0xFF, 0x00);

    /** Shoal: CRC-8/I-432-1, the header check of ATM (docs/spec/shoal.md §3.2). The CRC of "123456789" is 0xA1. */
    public static final Crc8 SHOAL = new Crc8(0x00, 0x55);

    /**
     * Width of the first index into the table. The two other indexes are one bit narrower: 28 bits in total, 2 KB of
     * tables.
     */
    private static final int INDEX_BITS = 10;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int TIMES_X18 = 1 << INDEX_BITS;
    private static final int TIMES_X27 = TIMES_X18 + TIMES_X18 / 2;
    /** Entry b is b * x^8 modulo the polynomial, followed by the tables for x^18 and x^27. */
    private static final byte[] TABLE = table();

    /** Block size of {@link #ofCell}; cell lengths are multiples of it. */
    static final int BLOCK_BYTES = 64;

    /** Position of the register in a head of 32 bits. */
    private static final int INIT_SHIFT = Integer.SIZE - Byte.SIZE;
    private static final long LAST_BYTE = 0xFF;
    private static final long LAST_NINE_BITS = 0x1FF;

    /**
     * Checks the parameters of a variant.
     *
     * @throws IllegalArgumentException if a parameter is not a byte.
     */
    public Crc8 {
        if ((init & ~0xFF) != 0) {
            throw new IllegalArgumentException("init must be 0 to 255: init=" + init);
        }
        if ((xorOut & ~0xFF) != 0) {
            throw new IllegalArgumentException("xorOut must be 0 to 255: xorOut=" + xorOut);
        }
    }

    /**
     * Computes the CRC of a range.
     *
     * @param segment segment of the range.
     * @param offset  first byte of the range.
     * @param length  bytes in the range, 0 or more.
     * @return 0 to 255.
     * @throws IndexOutOfBoundsException if the range does not lie in the segment.
     */
    public int of(final MemorySegment segment, final long offset, final long length) {
        return update(init, segment, offset, length) ^ xorOut;
    }

    /**
     * Continues a CRC over a range: a CRC over several ranges starts with {@link #init} and ends with an exclusive or
     * of {@link #xorOut}.
     *
     * @param register the register before the range, 0 to 255.
     * @param segment  segment of the range.
     * @param offset   first byte of the range.
     * @param length   bytes in the range, 0 or more.
     * @return the register after the range, 0 to 255.
     * @throws IndexOutOfBoundsException if the range does not lie in the segment.
     */
    public static int update(final int register, final MemorySegment segment, final long offset, final long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        int crc = register;
        final long end = offset + length;
        for (long at = offset; at < end; at++) {
            crc = timesX8((crc ^ segment.get(ValueLayout.JAVA_BYTE, at)) & 0xFF);
        }
        return crc;
    }

    /**
     * Computes the CRC of the first 56 bits of an 8-byte header.
     *
     * @param header bytes 0 to 7; the last one, the position of the CRC, is ignored.
     * @return 0 to 255.
     */
    public int ofFirst56(final long header) {
        return remainder(header & ~LAST_BYTE ^ (long) init << 56) ^ xorOut;
    }

    /**
     * Computes the CRC of a cell: the first 56 bits of its header, then its payload.
     *
     * @param header  bytes 0 to 7 of the cell, used instead of those in the segment; the last one is ignored.
     * @param segment segment of the cell.
     * @param offset  first byte of the cell.
     * @param bytes   length of the cell, a positive multiple of 64.
     * @return 0 to 255.
     * @throws IndexOutOfBoundsException if the cell does not lie in the segment.
     */
    public int ofCell(final long header, final MemorySegment segment, final long offset, final int bytes) {
        assert bytes >= BLOCK_BYTES && bytes % BLOCK_BYTES == 0 : "bytes=" + bytes;
        Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
        // The last byte of the first word is the position of the CRC; the seven bytes before it move down by one
        // byte.
        int crc = ofBlock(0, header >>> Byte.SIZE ^ (long) init << 48, segment, offset);
        for (int block = BLOCK_BYTES; block < bytes; block += BLOCK_BYTES) {
            crc = ofBlock(crc, segment.get(Wire.LONG, offset + block), segment, offset + block);
        }
        return timesX8(crc) ^ xorOut;
    }

    /** The register after a block of 64 bytes; x^512 = x^4 moves the register before the block. */
    private static int ofBlock(final int register, final long first, final MemorySegment segment, final long at) {
        final MemorySegment block = segment.asSlice(at, BLOCK_BYTES); // one bounds check for all words
        final long sum = sumOfPayload(block.get(Wire.LONG, 8), block.get(Wire.LONG, 16),
            block.get(Wire.LONG, 24), block.get(Wire.LONG, 32), block.get(Wire.LONG, 40),
            block.get(Wire.LONG, 48), block.get(Wire.LONG, 56));
        return remainder(timesX64(first << 3) ^ first >>> 61 << 1 ^ sum ^ (long) register << 4);
    }

    /**
     * Combines words 1 to 7 of a block into one word with the same remainder. A word that is 128 bits higher is shifted
     * left by one more bit; the bits shifted out, at x^128 or x^64, are folded back in below.
     */
    private static long sumOfPayload(final long w1, final long w2, final long w3, final long w4, final long w5,
        final long w6, final long w7) {
        final long even = w2 << 2 ^ w4 << 1 ^ w6 ^ (w1 >>> 61 ^ w3 >>> 62 ^ w5 >>> 63);
        return timesX64(even) ^ w1 << 3 ^ w3 << 2 ^ w5 << 1 ^ w7 ^ (w2 >>> 62 ^ w4 >>> 63) << 1;
    }

    private static int timesX8(final int register) {
        return TABLE[register] & 0xFF;
    }

    /**
     * The register after bytes that are all zero, which gives the effect of a header change on the CRC of the cell. One
     * step per byte, for building tables.
     */
    static int afterZeros(final int register, final int bytes) {
        int crc = register;
        for (int i = 0; i < bytes; i++) {
            crc = timesX8(crc);
        }
        return crc;
    }

    /**
     * Computes the CRC of the first 88 bits of a 12-byte header.
     *
     * @param head bytes 0 to 3.
     * @param tail bytes 4 to 11; the last one, the position of the CRC, is ignored.
     * @return 0 to 255.
     */
    public int ofFirst88(final int head, final long tail) {
        return remainderOf36(foldBehind(Integer.toUnsignedLong(head ^ init << INIT_SHIFT), tail & ~LAST_BYTE)) ^ xorOut;
    }

    /**
     * Whether the last byte of a 12-byte header is the CRC of the others, in which case the whole header leaves no
     * remainder.
     *
     * @param head bytes 0 to 3.
     * @param tail bytes 4 to 11.
     */
    public boolean isValid96(final int head, final long tail) {
        return remainderOf36(foldBehind(Integer.toUnsignedLong(head ^ init << INIT_SHIFT), tail)) == xorOut;
    }

    /**
     * Computes the CRC of the first 119 bits of a 16-byte header. Together with the CRC they form a codeword of 127
     * bits, the longest in which every error of three bits is detected.
     *
     * @param head bytes 0 to 7.
     * @param tail bytes 8 to 15; the last nine bits are ignored.
     * @return 0 to 255.
     */
    public int ofFirst119(final long head, final long tail) {
        // The message is shifted left by one bit; the division by x moves it back.
        return remainder(overX(timesX64(head ^ (long) init << 56) ^ tail & ~LAST_NINE_BITS)) ^ xorOut;
    }

    /**
     * Folds a head of 32 bits and the tail after it to 36 bits with the same remainder: the head is at x^64, the upper
     * half of the tail at x^32, and both are folded in at x^4 and x.
     */
    private static long foldBehind(final long head, final long tail) {
        final long upper = tail >>> 32;
        final long both = head ^ upper;
        return tail & 0xFFFFFFFFL ^ head ^ upper << 2 ^ (both << 1 ^ both << 4);
    }

    /** Multiplies 64 bits by x^64, folded; the four bits shifted out are at x^64 and are folded a second time. */
    private static long timesX64(final long bits) {
        final long once = bits ^ (bits >>> 60 ^ bits >>> 63);
        return once ^ (once << 1 ^ once << 4);
    }

    /** 64 bits modulo the polynomial. */
    private static int remainder(final long bits) {
        return remainderOf36(fold(bits));
    }

    /** The remainder of a folded word, by three lookups. */
    private static int remainderOf36(final long folded) {
        return ((int) folded ^ TABLE[(int) (folded >>> 8 & INDEX_MASK)]
            ^ (TABLE[TIMES_X18 + (int) (folded >>> 18 & INDEX_MASK / 2)]
            ^ TABLE[TIMES_X27 + (int) (folded >>> 27)])) & 0xFF;
    }

    /** Folds 64 bits to 36 with the same remainder. */
    private static long fold(final long bits) {
        final long upper = bits >>> 32;
        return bits & 0xFFFFFFFFL ^ (upper ^ upper << 1 ^ upper << 3) << 1;
    }

    /** A word divided by x; an odd word is made even by adding the polynomial first. */
    private static long overX(final long bits) {
        return (bits ^ (0x100 | POLYNOMIAL) & -(bits & 1)) >>> 1;
    }

    private static byte[] table() {
        final byte[] table = new byte[2 << INDEX_BITS];
        for (int index = 0; index < TIMES_X18; index++) {
            int value = 0;
            for (int bit = INDEX_BITS - 1; bit >= 0; bit--) {
                value = timesX(value, 1) ^ index >>> bit & 1;
            }
            value = timesX(value, 8);
            table[index] = (byte) value;
            if (index < TIMES_X18 / 2) {
                value = timesX(value, INDEX_BITS);
                table[TIMES_X18 + index] = (byte) value;
                table[TIMES_X27 + index] = (byte) timesX(value, INDEX_BITS - 1);
            }
        }
        return table;
    }

    private static int timesX(final int register, final int times) {
        int value = register;
        for (int i = 0; i < times; i++) {
            value = value << 1 ^ ((value & 0x80) == 0 ? 0 : 0x100 | POLYNOMIAL);
        }
        return value;
    }
}
