package dev.skerry.codec.header;

/**
 * A CRC of a described header, most significant bit first, not reflected. It runs over the first bits of the header in
 * the order of the description, then over the payload if it covers that.
 *
 * @param bits    width, 1 to 32.
 * @param poly    polynomial without its leading term.
 * @param init    register before the first bit.
 * @param xor     exclusive-ored to the register after the last bit.
 * @param covers  bits of the header that it covers.
 * @param payload whether it covers the payload of a cell that is no dummy.
 */
record HeaderCrc(int bits, long poly, long init, long xor, int covers, boolean payload) {
    /** The register after some more bits, which lie in the last places of a word. */
    long update(final long register, final long word, final int count) {
        long crc = register;
        for (int i = count - 1; i >= 0; i--) {
            final long top = crc >>> bits - 1 ^ word >>> i & 1;
            crc = crc << 1 & HeaderField.ones(bits) ^ ((top & 1) == 0 ? 0 : poly);
        }
        return crc;
    }
}
