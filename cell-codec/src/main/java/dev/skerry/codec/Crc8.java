package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * CRC-8 with the polynomial x^8 + x^2 + x + 1 (0x07), most significant bit first, not reflected. It finds every error
 * of up to three bits in a codeword of up to 127 bits, the check itself included; in a longer one two flipped bits that
 * lie 127 apart go unseen. Immutable; any thread may call.
 *
 * <p>A range of bytes goes through a table, byte by byte. A header or a cell is reduced to 36 bits by shifts and
 * exclusive ors alone: less than that costs more than three lookups that do not wait for one another. Where many
 * headers are checked at once ({@link ShaleHeaderBurst}) the shifts go on to the end, because they become vectors.
 * Squaring x^8 = x^2 + x + 1 over GF(2), and putting that in again for x^8, gives
 *
 * <pre>
 *   x^16 = x^4 + x^2 + 1       what stands above bit 16 comes in below in three places
 *   x^32 = x^4 + x^2 + x       the same above bit 32
 *   x^64 = x^4 + x + 1         the same above bit 64
 *   x^128 = x                  the order of x is 127: words 16 bytes apart differ by a shift of one bit
 * </pre>
 *
 * This is why the polynomial is not a parameter.
 *
 * @param init   the register before the first bit, 0 to 255.
 * @param xorOut what is exclusive-ored to the register after the last bit, 0 to 255.
 */
public record Crc8(int init, int xorOut) {
    /** The polynomial without its leading term. */
    public static final int POLYNOMIAL = 0x07;

    /** Shale: an all-zero header is not valid (spec/shale §4.1). The check of "123456789" is 0xFB. */
    public static final Crc8 SHALE = new Crc8(0xFF, 0x00);

    /** Shoal: CRC-8/I-432-1, the header check of ATM (spec/shoal §3.2). The check of "123456789" is 0xA1. */
    public static final Crc8 SHOAL = new Crc8(0x00, 0x55);

    /** Bits of the first index into the table; the two others have one less. In all that is 28 bits, and 2 KB. */
    private static final int INDEX_BITS = 10;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int TIMES_X18 = 1 << INDEX_BITS;
    private static final int TIMES_X27 = TIMES_X18 + TIMES_X18 / 2;
    /** Entry b is b * x^8 modulo the polynomial; then follow the same of x^18 and x^27. */
    private static final byte[] TABLE = table();

    /** Bytes that {@link #ofCell} takes at a time; a cell is a multiple of it. */
    static final int BLOCK_BYTES = 64;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int BITS_OF_8_BYTES = 56;
    /** Where the register stands in a head of 32 bits. */
    private static final int INIT_SHIFT = Integer.SIZE - Byte.SIZE;
    private static final long LAST_BYTE = 0xFF;
    private static final long LAST_NINE_BITS = 0x1FF;

    /**
     * One variant.
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
     * The check of a range.
     *
     * @param segment where the bytes lie.
     * @param offset  first byte of the range.
     * @param length  bytes in the range, 0 or more.
     * @return 0 to 255.
     * @throws IndexOutOfBoundsException if the range does not lie in the segment.
     */
    public int of(final MemorySegment segment, final long offset, final long length) {
        return update(init, segment, offset, length) ^ xorOut;
    }

    /**
     * Feeds a range to a register, for a check over several ranges: start with {@link #init()}, end with an exclusive
     * or of {@link #xorOut()}.
     *
     * @param register the register so far, 0 to 255.
     * @param segment  where the bytes lie.
     * @param offset   first byte of the range.
     * @param length   bytes in the range, 0 or more.
     * @return the register after the range, 0 to 255.
     * @throws IndexOutOfBoundsException if the range does not lie in the segment.
     */
    public static int update(final int register, final MemorySegment segment, final long offset, final long length) {
        if ((offset | length) < 0 || offset > segment.byteSize() - length) {
            throw new IndexOutOfBoundsException(
                "range outside the segment: offset=" + offset + " length=" + length + " size=" + segment.byteSize());
        }
        int crc = register;
        final long end = offset + length;
        for (long at = offset; at < end; at++) {
            crc = timesX8((crc ^ segment.get(ValueLayout.JAVA_BYTE, at)) & 0xFF);
        }
        return crc;
    }

    /**
     * The check of the first 56 bits of an 8-byte header.
     *
     * @param header bytes 0 to 7; the last one, where the check goes, is ignored.
     * @return 0 to 255.
     */
    public int ofFirst56(final long header) {
        return remainder(header & ~LAST_BYTE ^ (long) init << BITS_OF_8_BYTES) ^ xorOut;
    }

    /**
     * The check of a cell without the byte it stands in: the first 56 bits of an 8-byte header, then all that follows
     * the header.
     *
     * @param header  bytes 0 to 7 of the cell, taken from here and not from the segment; the last one is ignored.
     * @param segment where the cell lies.
     * @param offset  first byte of the cell, its header.
     * @param bytes   of the cell, a multiple of 64, at least 64.
     * @return 0 to 255.
     * @throws IndexOutOfBoundsException if the cell does not lie in the segment.
     */
    public int ofCell(final long header, final MemorySegment segment, final long offset, final int bytes) {
        assert bytes >= BLOCK_BYTES && bytes % BLOCK_BYTES == 0 : "bytes=" + bytes;
        Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
        // The check stands at the end of the first word, so all before it moves down by a byte: without its last one.
        int crc = ofBlock(0, header >>> Byte.SIZE ^ (long) init << BITS_OF_8_BYTES - Byte.SIZE, segment, offset);
        for (int block = BLOCK_BYTES; block < bytes; block += BLOCK_BYTES) {
            crc = ofBlock(crc, segment.get(LONG, offset + block), segment, offset + block);
        }
        return timesX8(crc) ^ xorOut;
    }

    /** A block of 64 bytes behind a register, the register's eight bits in front of it; x^512 = x^4. */
    private static int ofBlock(final int register, final long first, final MemorySegment segment, final long at) {
        final MemorySegment block = segment.asSlice(at, BLOCK_BYTES); // one check of bounds for all of its words
        final long sum = sumOfPayload(block.get(LONG, 8), block.get(LONG, 16), block.get(LONG, 24), block.get(LONG, 32),
            block.get(LONG, 40), block.get(LONG, 48), block.get(LONG, 56));
        return remainder(timesX64(first << 3) ^ first >>> 61 << 1 ^ sum ^ (long) register << 4);
    }

    /**
     * The words of a block behind the first one, in one. Words that stand 128 bits further up are shifted by one more
     * bit; what that shifts out of a word stands at x^128 or x^64 and comes in again below.
     */
    static long sumOfPayload(final long w1, final long w2, final long w3, final long w4, final long w5, final long w6,
        final long w7) {
        final long even = w2 << 2 ^ w4 << 1 ^ w6 ^ (w1 >>> 61 ^ w3 >>> 62 ^ w5 >>> 63);
        return timesX64(even) ^ w1 << 3 ^ w3 << 2 ^ w5 << 1 ^ w7 ^ (w2 >>> 62 ^ w4 >>> 63) << 1;
    }

    /** What the first 56 bits of a header add to the sum of the payload behind it: they stand at x^448, or x^67. */
    static long sumOfHeader(final long header) {
        final long timesX3 = header >>> Byte.SIZE << 3;
        return timesX3 ^ timesX3 << 1 ^ timesX3 << 4;
    }

    private static int timesX8(final int register) {
        return TABLE[register] & 0xFF;
    }

    /**
     * What a register becomes after bytes that are all zero: how far a change of a header weighs in a check that goes
     * on over the payload. For tables, one step a byte.
     */
    static int afterZeros(final int register, final int bytes) {
        int crc = register;
        for (int i = 0; i < bytes; i++) {
            crc = timesX8(crc);
        }
        return crc;
    }

    /**
     * The check of the first 88 bits of a 12-byte header: {@code head}, then {@code tail} without its last byte.
     *
     * @param head bytes 0 to 3.
     * @param tail bytes 4 to 11; the last one, where the check goes, is ignored.
     * @return 0 to 255.
     */
    public int ofFirst88(final int head, final long tail) {
        return remainderOf36(foldBehind(Integer.toUnsignedLong(head ^ init << INIT_SHIFT), tail & ~LAST_BYTE)) ^ xorOut;
    }

    /**
     * Whether the last byte of a 12-byte header is the check of those before it: then the whole leaves no remainder.
     *
     * @param head bytes 0 to 3.
     * @param tail bytes 4 to 11.
     */
    public boolean isValid96(final int head, final long tail) {
        return remainderOf36(foldBehind(Integer.toUnsignedLong(head ^ init << INIT_SHIFT), tail)) == xorOut;
    }

    /**
     * The check of the first 119 bits of a 16-byte header: {@code head}, then {@code tail} without its last nine bits.
     * Together with the check that is a codeword of 127 bits, the longest in which every error of three bits is found.
     *
     * @param head bytes 0 to 7.
     * @param tail bytes 8 to 15; the last nine bits are ignored.
     * @return 0 to 255.
     */
    public int ofFirst119(final long head, final long tail) {
        // The message stands one bit further left than its check asks for.
        return remainder(overX(timesX64(head ^ (long) init << 56) ^ tail & ~LAST_NINE_BITS)) ^ xorOut;
    }

    /**
     * A head of 32 bits and the tail behind it, in 36 bits that leave the same remainder: the head stands at x^64, the
     * upper half of the tail at x^32, and both come in below at x^4 and at x.
     */
    private static long foldBehind(final long head, final long tail) {
        final long upper = tail >>> 32;
        final long both = head ^ upper;
        return tail & 0xFFFFFFFFL ^ head ^ upper << 2 ^ (both << 1 ^ both << 4);
    }

    /** 64 bits times x^64: the four that the shifts push out stand at x^64 again and take the same way. */
    private static long timesX64(final long bits) {
        final long once = bits ^ (bits >>> 60 ^ bits >>> 63);
        return once ^ (once << 1 ^ once << 4);
    }

    /** 64 bits modulo the polynomial. */
    private static int remainder(final long bits) {
        return remainderOf36(fold(bits));
    }

    /** What a folded word leaves. */
    private static int remainderOf36(final long folded) {
        return ((int) folded ^ TABLE[(int) (folded >>> 8 & INDEX_MASK)]
            ^ (TABLE[TIMES_X18 + (int) (folded >>> 18 & INDEX_MASK / 2)]
            ^ TABLE[TIMES_X27 + (int) (folded >>> 27)])) & 0xFF;
    }

    /**
     * A 12-byte header as {@link #remainderOfFolded} takes it: with a last byte of zero what remains is the check, with
     * the right check nothing.
     */
    long fold96(final long head, final long tail) {
        return foldBehind(head ^ (long) init << INIT_SHIFT, tail ^ xorOut);
    }

    /** The same of a 16-byte header, whose check covers 119 bits; see {@link #ofFirst119}. */
    long fold128(final long head, final long tail) {
        final long timesX = timesX64(head ^ (long) init << 56) ^ tail & ~LAST_NINE_BITS;
        return fold(overX(timesX) ^ tail & LAST_BYTE ^ xorOut);
    }

    /** 64 bits in 36 that leave the same remainder. */
    static long fold(final long bits) {
        final long upper = bits >>> 32;
        return bits & 0xFFFFFFFFL ^ (upper ^ upper << 1 ^ upper << 3) << 1;
    }

    /** What a folded word of up to 44 bits leaves, without a table: a loop over an array of them becomes vectors. */
    static long remainderOfFolded(final long folded) {
        final long above16 = folded >>> 16;
        final long in24 = folded & 0xFFFF ^ above16 ^ above16 << 2 ^ above16 << 4;
        final long still16 = in24 >>> 16;
        final long in16 = in24 & 0xFFFF ^ still16 ^ still16 << 2 ^ still16 << 4;
        final long above8 = in16 >>> 8;
        final long in10 = in16 & 0xFF ^ above8 ^ above8 << 1 ^ above8 << 2;
        final long still8 = in10 >>> 8;
        return in10 & 0xFF ^ still8 ^ still8 << 1 ^ still8 << 2;
    }

    /** A word over x: the polynomial makes an odd one even first. */
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
