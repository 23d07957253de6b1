package dev.skerry.codec.header;

/**
 * A field of a described header.
 *
 * @param name   name of its role, or its own name; unique in the header.
 * @param role   its role.
 * @param bits   width, 1 to 63.
 * @param at     index of its most significant bit, counted from the top of the header.
 * @param offset added to a number when it is written: 1 if ids start at 1.
 * @param mask   bits that are compared; the others are written as 0 and ignored when read. 0: the field is not
 *               compared.
 * @param value  value of a constant, else 0.
 */
record HeaderField(String name, HeaderRole role, int bits, int at, int offset, long mask, long value) {
    /** The largest number of {@code bits} bits. */
    static long ones(final int bits) {
        return (1L << bits) - 1;
    }

    HeaderField atBit(final int bit) {
        return new HeaderField(name, role, bits, bit, offset, mask, value);
    }

    /** Reads the field, with its ignored bits as 0. */
    long get(final byte[] header) {
        long read = 0;
        for (int bit = at; bit < at + bits; bit++) {
            read = read << 1 | header[bit >>> 3] >>> (7 - (bit & 7)) & 1;
        }
        return read & mask;
    }

    /** Writes the field, with its ignored bits as 0. */
    void set(final byte[] header, final long given) {
        final long written = given & mask;
        for (int bit = at; bit < at + bits; bit++) {
            final int one = 1 << 7 - (bit & 7);
            final boolean isSet = (written >>> at + bits - 1 - bit & 1) == 1;
            header[bit >>> 3] = (byte) (isSet ? header[bit >>> 3] | one : header[bit >>> 3] & ~one);
        }
    }
}
