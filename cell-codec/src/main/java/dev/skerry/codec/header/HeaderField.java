package dev.skerry.codec.header;

/**
 * A field of a described header.
 *
 * @param name   its name: that of its meaning, or its own; unique in the header.
 * @param role   its meaning.
 * @param bits   width, 1 to 63.
 * @param at     bits of the header above its most significant one.
 * @param offset what is added to a number when it is written: 1 where ids begin with 1.
 * @param mask   bits that count; the others are written as 0 and ignored when read. 0: the field is not compared.
 * @param value  of a constant, else 0.
 */
record HeaderField(String name, HeaderRole role, int bits, int at, int offset, long mask, long value) {
    /** Largest number of this many bits. */
    static long ones(final int bits) {
        return (1L << bits) - 1;
    }

    HeaderField atBit(final int bit) {
        return new HeaderField(name, role, bits, bit, offset, mask, value);
    }

    /** Reads the field, its ignored bits as 0. */
    long get(final byte[] header) {
        long read = 0;
        for (int bit = at; bit < at + bits; bit++) {
            read = read << 1 | header[bit >>> 3] >>> (7 - (bit & 7)) & 1;
        }
        return read & mask;
    }

    /** Writes the field, its ignored bits as 0. */
    void set(final byte[] header, final long given) {
        final long written = given & mask;
        for (int bit = at; bit < at + bits; bit++) {
            final int one = 1 << 7 - (bit & 7);
            final boolean isSet = (written >>> at + bits - 1 - bit & 1) == 1;
            header[bit >>> 3] = (byte) (isSet ? header[bit >>> 3] | one : header[bit >>> 3] & ~one);
        }
    }
}
