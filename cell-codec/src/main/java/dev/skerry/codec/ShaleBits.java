package dev.skerry.codec;

/**
 * Where the bits of a {@link ShaleLayout} lie. A header is read as two words: the tail is its last 8 bytes, the head
 * what comes before. The sequence number ends the head and begins the tail; in 12 bytes its part of the head is empty.
 *
 * <p>A record, and its instances constants, because the compiler takes the fields of a constant record for constants:
 * shifts by them are single instructions, and what they make zero is gone. Immutable; any thread may call.
 *
 * @param headerBytes  bytes of the header.
 * @param idBits       width of a node id.
 * @param sprayBits    width of the remaining sprays.
 * @param sequenceBits width of the sequence number.
 * @param kindBits     width of the kind of a token, 0 if all are ordinary.
 * @param indexBits    width of the index of a token.
 */
record ShaleBits(int headerBytes, int idBits, int sprayBits, int sequenceBits, int kindBits, int indexBits) {
    /** {@link ShaleLayout#L12}. */
    static final ShaleBits L12 = new ShaleBits(12, 15, 2, 22, 0, 2);
    /** {@link ShaleLayout#L12F}. */
    static final ShaleBits L12F = new ShaleBits(12, 15, 2, 18, 2, 2);
    /** {@link ShaleLayout#L16}. */
    static final ShaleBits L16 = new ShaleBits(16, 20, 3, 26, 2, 3);

    /** Width of the part of the sequence number that ends the head. */
    int sequenceHeadBits() {
        return headerBytes * Byte.SIZE - Long.SIZE - 2 * idBits - sprayBits;
    }

    /** Width of the part of the sequence number that begins the tail. */
    int sequenceTailBits() {
        return sequenceBits - sequenceHeadBits();
    }

    /** Width of a token. */
    int tokenBits() {
        return kindBits + idBits + indexBits;
    }

    /** Bits of the tail below the first token. */
    int token1Shift() {
        return Long.SIZE - sequenceTailBits() - tokenBits();
    }

    /** Bits of the tail below the second token. */
    int token2Shift() {
        return token1Shift() - tokenBits();
    }

    /** What stands in a slot without a token. */
    int noToken() {
        return kindBits == 0 ? (1 << tokenBits()) - 1 : 0;
    }

    /** The kind of a token that does not say its own. */
    int impliedKind() {
        return kindBits == 0 ? ShaleToken.KIND_TOKEN : 0;
    }
}
