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
 * <p>A range of bytes goes through a table. A header that is already in registers does not touch memory: it is reduced
 * by shifts and exclusive ors. Squaring x^8 = x^2 + x + 1 over GF(2) gives
 *
 * <pre>
 *   x^16 = x^4 + x^2 + 1      x^32 = x^8 + x^4 + 1      x^64 = x^16 + x^8 + 1
 * </pre>
 *
 * so whatever stands above bit 64, 32, 16 or 8 folds down with two shifts. Once more squared, x^128 = x: the words of a
 * whole cell need not wait for one another, every second one is shifted by one bit for each 16 bytes that follow it.
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

    /** Entry b is b * x^8 modulo the polynomial. */
    private static final byte[] TABLE = table();

    /** Bytes that {@link #ofCell} takes at a time; a cell is a multiple of it. */
    static final int BLOCK_BYTES = 64;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int BITS_OF_8_BYTES = 56;
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
            crc = TABLE[(crc ^ segment.get(ValueLayout.JAVA_BYTE, at)) & 0xFF] & 0xFF;
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
        return remainder(0, header & ~LAST_BYTE ^ (long) init << BITS_OF_8_BYTES) ^ xorOut;
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

    /**
     * A block of 64 bytes behind a register, the register's eight bits in front of it. Words that stand 128 bits
     * further up are shifted by one more bit; what that shifts out of a word stands at x^128 or x^64 and comes in again
     * below.
     */
    private static int ofBlock(final int register, final long first, final MemorySegment segment, final long at) {
        final long w1 = segment.get(LONG, at + 8);
        final long w2 = segment.get(LONG, at + 16);
        final long w3 = segment.get(LONG, at + 24);
        final long w4 = segment.get(LONG, at + 32);
        final long w5 = segment.get(LONG, at + 40);
        final long even = first << 3 ^ w2 << 2 ^ w4 << 1 ^ segment.get(LONG, at + 48);
        final long odd = w1 << 3 ^ w3 << 2 ^ w5 << 1 ^ segment.get(LONG, at + 56);
        final long outOfEven = first >>> 61 ^ w2 >>> 62 ^ w4 >>> 63;
        final long outOfOdd = w1 >>> 61 ^ w3 >>> 62 ^ w5 >>> 63;
        // A block is 512 bits, and x^512 = x^4.
        return remainder(fold32(even ^ outOfOdd), odd ^ outOfEven << 1 ^ (long) register << 4);
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
            crc = TABLE[crc] & 0xFF;
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
        return remainder((head ^ init << 24) & 0xFFFFFFFFL, tail & ~LAST_BYTE) ^ xorOut;
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
        final int timesX = remainder(fold32(head ^ (long) init << 56), tail & ~LAST_NINE_BITS);
        // The message stands one bit further left than its check asks for. Divide by x: the polynomial makes an odd
        // remainder even first.
        return (timesX ^ (0x100 | POLYNOMIAL) & -(timesX & 1)) >>> 1 ^ xorOut;
    }

    /** (high * x^64 + low) modulo the polynomial; {@code high} has at most 48 bits, so no term is shifted out. */
    private static int remainder(final long high, final long low) {
        final long below40 = fold32(low ^ high ^ high << 8 ^ high << 16);
        final int below28 = (int) (below40 & 0xFFFF ^ below40 >>> 16 ^ below40 >>> 16 << 2 ^ below40 >>> 16 << 4);
        final int below16 = below28 & 0xFFFF ^ below28 >>> 16 ^ below28 >>> 16 << 2 ^ below28 >>> 16 << 4;
        final int below10 = below16 & 0xFF ^ below16 >>> 8 ^ below16 >>> 8 << 1 ^ below16 >>> 8 << 2;
        return below10 & 0xFF ^ below10 >>> 8 ^ below10 >>> 8 << 1 ^ below10 >>> 8 << 2;
    }

    /** The same remainder in 40 bits: the upper half times x^8 + x^4 + 1. */
    private static long fold32(final long bits) {
        final long upper = bits >>> 32;
        return bits & 0xFFFFFFFFL ^ upper ^ upper << 4 ^ upper << 8;
    }

    private static byte[] table() {
        final byte[] table = new byte[256];
        for (int index = 0; index < table.length; index++) {
            int value = index;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                value = value << 1 ^ ((value & 0x80) == 0 ? 0 : 0x100 | POLYNOMIAL);
            }
            table[index] = (byte) value;
        }
        return table;
    }
}
