package dev.skerry.codec;

/**
 * Positions of the fields of a {@link ShaleLayout}. A header consists of two words: the tail is its last 8 bytes, the
 * head the 4 or 8 bytes before it. The sequence number ends the head and begins the tail; with 12 bytes its part in the
 * head is empty.
 *
 * <p>The instances are constants and records because C2 trusts the fields of a constant record: shifts become immediate
 * and terms that are always zero disappear. Immutable; any thread may call.
 *
 * @param headerBytes  bytes of the header.
 * @param idBits       width of a node id.
 * @param sprayBits    width of the remaining sprays.
 * @param sequenceBits width of the sequence number.
 * @param kindBits     width of the kind of a token, 0 if all tokens are ordinary.
 * @param indexBits    width of the index of a token.
 * @param impliedKind  kind of all tokens if {@code kindBits} is 0, else 0.
 */
record ShaleBits(int headerBytes, int idBits, int sprayBits, int sequenceBits, int kindBits, int indexBits,
    int impliedKind) {
    /** {@link ShaleLayout#L12}. */
    static final ShaleBits L12 = new ShaleBits(12, 15, 2, 22, 0, 2, ShaleToken.KIND_TOKEN);
    /** {@link ShaleLayout#L12F}. */
    static final ShaleBits L12F = new ShaleBits(12, 15, 2, 18, 2, 2, 0);
    /** {@link ShaleLayout#L16}. */
    static final ShaleBits L16 = new ShaleBits(16, 20, 3, 26, 2, 3, 0);

    /** The head: 4 or 8 bytes in the low bits. */
    long head(final long source, final long destination, final long sprays, final long sequence) {
        final long route = (source << idBits | destination) << sprayBits | sprays;
        return route << sequenceHeadBits() | (sequence & mask(sequenceBits)) >>> sequenceTailBits();
    }

    /** The tail with a CRC of zero. */
    long tail(final long sequence, final long token1, final long token2) {
        return sequence << Long.SIZE - sequenceTailBits() | tokens(token1, token2);
    }

    /** The head with its remaining sprays replaced. */
    long withSprays(final long head, final long sprays) {
        return head & ~(mask(sprayBits) << sequenceHeadBits()) | sprays << sequenceHeadBits();
    }

    /** The tail with its tokens replaced and a CRC of zero. */
    long withTokens(final long tail, final long token1, final long token2) {
        final int sequenceShift = Long.SIZE - sequenceTailBits();
        return tail >>> sequenceShift << sequenceShift | tokens(token1, token2);
    }

    private long tokens(final long token1, final long token2) {
        return pack(token1) << token1Shift() | pack(token2) << token2Shift();
    }

    /** Source of the cell. */
    long source(final long head) {
        return head >>> idBits + sprayBits + sequenceHeadBits();
    }

    /** Destination of the cell. */
    long destination(final long head) {
        return head >>> sprayBits + sequenceHeadBits() & mask(idBits);
    }

    /** Sprays that remain at the receiver. */
    long sprays(final long head) {
        return head >>> sequenceHeadBits() & mask(sprayBits);
    }

    /** Sequence number, low bits of the cell's count. */
    long sequence(final long head, final long tail) {
        return (head & mask(sequenceHeadBits())) << sequenceTailBits() | tail >>> Long.SIZE - sequenceTailBits();
    }

    /** The first token, or {@link ShaleToken#NONE}. */
    long token1(final long tail) {
        return unpack(tail >>> token1Shift());
    }

    /** The second token, or {@link ShaleToken#NONE}. */
    long token2(final long tail) {
        return unpack(tail >>> token2Shift());
    }

    /** Contents of the slot of a token other than {@link ShaleToken#NONE}. */
    long packed(final long token) {
        final long bucket = (token >>> ShaleToken.DESTINATION_SHIFT & ShaleToken.DESTINATION_MASK) << indexBits
            | token & ShaleToken.INDEX_MASK;
        return (token >>> ShaleToken.KIND_SHIFT << idBits + indexBits | bucket) & mask(tokenBits());
    }

    /** Contents of a slot without a token. */
    long noToken() {
        return mask(tokenBits()) & -impliedKind;
    }

    /** Bits between the second token and the CRC, which must be zero. */
    long reserved(final long tail) {
        return tail >>> Byte.SIZE & mask(token2Shift() - Byte.SIZE);
    }

    private long pack(final long token) {
        return packed(token) | noToken() & onesIfZero(token);
    }

    /** @param shifted a word whose low bits are the slot of a token; all other bits are ignored. */
    private long unpack(final long shifted) {
        final long packed = shifted & mask(tokenBits());
        final long kind = packed >>> idBits + indexBits | impliedKind;
        final long token = kind << ShaleToken.KIND_SHIFT
            | (packed >>> indexBits & mask(idBits)) << ShaleToken.DESTINATION_SHIFT
            | packed & mask(indexBits);
        return token & ~onesIfZero(packed ^ noToken());
    }

    /** Width of the part of the sequence number in the head. */
    private int sequenceHeadBits() {
        return headerBytes * Byte.SIZE - Long.SIZE - 2 * idBits - sprayBits;
    }

    /** Width of the part of the sequence number in the tail. */
    private int sequenceTailBits() {
        return sequenceBits - sequenceHeadBits();
    }

    /** Width of the slot of a token. */
    private int tokenBits() {
        return kindBits + idBits + indexBits;
    }

    /** Bits of the tail below the first token. */
    private int token1Shift() {
        return Long.SIZE - sequenceTailBits() - tokenBits();
    }

    /** Bits of the tail below the second token. */
    private int token2Shift() {
        return token1Shift() - tokenBits();
    }

    private static long mask(final int bits) {
        return (1L << bits) - 1;
    }

    /** All ones for 0, 0 for a positive value: a mask instead of an unpredictable branch. */
    private static long onesIfZero(final long value) {
        return value - 1 >> 63;
    }
}
