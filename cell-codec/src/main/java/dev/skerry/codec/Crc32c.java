package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected, register and result inverted), the check at the end of a
 * Stardust frame (spec/stardust §3.5); that of "123456789" is 0xE3069283. It runs over a memory segment, eight bytes a
 * step through eight tables, and allocates nothing, which the JDK's own does not offer. Any thread may call.
 */
public final class Crc32c {
    private static final int REFLECTED_POLYNOMIAL = 0x82F63B78;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int WORD_BYTES = Long.BYTES;
    private static final int ENTRIES = 256;
    /** Entry 256 t + b: the register after b and t bytes of zeros. */
    private static final int[] TABLES = tables();

    private Crc32c() {
    }

    /**
     * The check of a range.
     *
     * @param segment where the bytes lie.
     * @param offset  first byte of the range.
     * @param length  bytes in the range, 0 or more.
     * @throws IndexOutOfBoundsException if the range does not lie in the segment.
     */
    public static int of(final MemorySegment segment, final long offset, final long length) {
        if ((offset | length) < 0 || offset > segment.byteSize() - length) {
            throw new IndexOutOfBoundsException(
                "range outside the segment: offset=" + offset + " length=" + length + " size=" + segment.byteSize());
        }
        int crc = -1;
        long at = offset;
        final long end = offset + length;
        for (final long whole = end - WORD_BYTES; at <= whole; at += WORD_BYTES) {
            crc = eightBytes(segment.get(LONG, at) ^ crc & 0xFFFFFFFFL);
        }
        for (; at < end; at++) {
            crc = TABLES[(crc ^ segment.get(ValueLayout.JAVA_BYTE, at)) & 0xFF] ^ crc >>> Byte.SIZE;
        }
        return ~crc;
    }

    /** By how much a check changes when a byte changes that some bytes follow: one is exclusive-ored to the other. */
    static int change(final int byteChange, final int bytesBehind) {
        int crc = TABLES[byteChange & 0xFF];
        for (int i = 0; i < bytesBehind; i++) {
            crc = TABLES[crc & 0xFF] ^ crc >>> Byte.SIZE;
        }
        return crc;
    }

    private static int eightBytes(final long word) {
        final int low = (int) word;
        final int high = (int) (word >>> Integer.SIZE);
        return TABLES[7 * ENTRIES + (low & 0xFF)] ^ TABLES[6 * ENTRIES + (low >>> 8 & 0xFF)]
            ^ TABLES[5 * ENTRIES + (low >>> 16 & 0xFF)] ^ TABLES[4 * ENTRIES + (low >>> 24)]
            ^ TABLES[3 * ENTRIES + (high & 0xFF)] ^ TABLES[2 * ENTRIES + (high >>> 8 & 0xFF)]
            ^ TABLES[ENTRIES + (high >>> 16 & 0xFF)] ^ TABLES[high >>> 24];
    }

    private static int[] tables() {
        final int[] tables = new int[WORD_BYTES * ENTRIES];
        for (int index = 0; index < ENTRIES; index++) {
            int value = index;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                value = value >>> 1 ^ ((value & 1) == 0 ? 0 : REFLECTED_POLYNOMIAL);
            }
            tables[index] = value;
        }
        for (int index = ENTRIES; index < tables.length; index++) {
            final int before = tables[index - ENTRIES];
            tables[index] = tables[before & 0xFF] ^ before >>> Byte.SIZE;
        }
        return tables;
    }
}
