package dev.skerry.codec;

import java.lang.foreign.MemorySegment;

/**
 * Writes, reads and validates the headers of one Shale fabric; {@link ShaleLayout} shows their formats.
 *
 * <p>A header consists of two words: {@link #head} and {@link #tail} read them, accessors extract the fields.
 *
 * <p>Methods over a segment access only the header at {@code offset}, at any alignment. Readers accept any bits; their
 * results are meaningful only for a header that passed {@link #check}. Readers other than {@code check}, and writers,
 * throw {@link IndexOutOfBoundsException} if the header does not lie in the segment; nothing is written then. Writers
 * assert their arguments and mask only the sequence number. Nothing allocates. Immutable; any thread may call, but only
 * one at a time per header.
 *
 * @param layout         positions of the fields.
 * @param nodes          number of node ids N, at least 2.
 * @param phases         number of phases h, at least 1.
 * @param failureCapable whether invalidations and re-validations are valid; needs a layout with kinds.
 */
public record ShaleHeader(ShaleLayout layout, int nodes, int phases, boolean failureCapable) {
    private static final int CRC_MASK = 0xFF;

    /**
     * Checks that a layout fits the fabric.
     *
     * @throws IllegalArgumentException if it does not.
     */
    public ShaleHeader {
        layout.requireFits(nodes, phases);
        if (failureCapable && !layout.hasKinds()) {
            throw new IllegalArgumentException("header " + layout + " has no room for failure tokens: use L12F or L16");
        }
    }

    /**
     * Creates the headers of a fabric with the smallest layout that fits it.
     *
     * @see ShaleLayout#forFabric
     */
    public static ShaleHeader forFabric(final int nodes, final int phases, final boolean failureCapable) {
        return new ShaleHeader(ShaleLayout.forFabric(nodes, phases, failureCapable), nodes, phases, failureCapable);
    }

    /**
     * Writes a header, CRC included.
     *
     * @param cell        segment of the cell.
     * @param offset      first byte of the cell.
     * @param source      source, below N.
     * @param destination destination, below N; equal to the source for a dummy.
     * @param sprays      sprays that remain at the receiver, below h.
     * @param sequence    number of the cell within source and destination; its low bits are kept.
     * @param token1      a {@link ShaleToken} or {@link ShaleToken#NONE}; filled before {@code token2}.
     * @param token2      a second token or {@link ShaleToken#NONE}.
     */
    public void encode(final MemorySegment cell, final long offset, final int source, final int destination,
        final int sprays, final long sequence, final int token1, final int token2) {
        assert isSendable(source, destination, sprays, token1, token2) : "source=" + source + " destination="
            + destination + " sprays=" + sprays + " token1=" + token1 + " token2=" + token2;
        final ShaleBits bits = bits();
        write(cell, offset, bits.head(source, destination, sprays, sequence), bits.tail(sequence, token1, token2));
    }

    /** Writes the header of a dummy: source and destination are the sender, sprays and sequence number are 0. */
    public void encodeDummy(final MemorySegment cell, final long offset, final int node, final int token1,
        final int token2) {
        encode(cell, offset, node, node, 0, 0, token1, token2);
    }

    /** Rewrites in place the fields that a hop changes: remaining sprays, both tokens and the CRC. */
    public void forward(final MemorySegment cell, final long offset, final int sprays, final int token1,
        final int token2) {
        assert Wire.isBelow(sprays, phases) : "sprays=" + sprays;
        assert isTokenOrNone(token1) : "token1=" + token1;
        assert isTokenOrNone(token2) : "token2=" + token2;
        final ShaleBits bits = bits();
        write(cell, offset, bits.withSprays(head(cell, offset), sprays),
            bits.withTokens(tail(cell, offset), token1, token2));
    }

    /**
     * The first 4 or 8 bytes of a header, as low bits, for the accessors below.
     *
     * @throws IndexOutOfBoundsException if the header does not lie in the segment.
     */
    public long head(final MemorySegment cell, final long offset) {
        final MemorySegment header = header(cell, offset);
        return bits() == ShaleBits.L16 ? header.get(Wire.LONG, 0) : header.get(Wire.INT, 0) & 0xFFFFFFFFL;
    }

    /**
     * The last 8 bytes of a header, for the accessors below.
     *
     * @throws IndexOutOfBoundsException if the header does not lie in the segment.
     */
    public long tail(final MemorySegment cell, final long offset) {
        final MemorySegment header = header(cell, offset);
        return header.get(Wire.LONG, bits().headerBytes() - Long.BYTES);
    }

    /** Source, a node id. */
    public int source(final long head) {
        return (int) bits().source(head);
    }

    /** Destination, a node id. */
    public int destination(final long head) {
        return (int) bits().destination(head);
    }

    /** Whether the cell carries only tokens. */
    public boolean isDummy(final long head) {
        return source(head) == destination(head);
    }

    /** Sprays that remain at the receiver. */
    public int sprays(final long head) {
        return (int) bits().sprays(head);
    }

    /** Low bits of the cell's number; {@link ShaleLayout#countOf} restores the high bits. */
    public int sequence(final long head, final long tail) {
        return (int) bits().sequence(head, tail);
    }

    /** The first token, or {@link ShaleToken#NONE}. */
    public int token1(final long tail) {
        return (int) bits().token1(tail);
    }

    /** The second token, or {@link ShaleToken#NONE}. */
    public int token2(final long tail) {
        return (int) bits().token2(tail);
    }

    /**
     * Validates a received header. A token of a bucket that does not exist (see {@link #isBucket}) and a second token
     * without a first are not faults.
     *
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment cell, final long offset) {
        if (!Wire.isInside(cell, offset, bits().headerBytes())) {
            return HeaderFault.WRONG_LENGTH;
        }
        final long head = head(cell, offset);
        final long tail = tail(cell, offset);
        if (!isIntact(head, tail)) {
            return HeaderFault.CRC;
        }
        if (bits().reserved(tail) != 0) {
            return HeaderFault.RESERVED_BIT;
        }
        if (source(head) >= nodes) {
            return HeaderFault.SOURCE;
        }
        if (destination(head) >= nodes) {
            return HeaderFault.DESTINATION;
        }
        if (sprays(head) >= phases) {
            return HeaderFault.SPRAYS;
        }
        return bits().kindBits() == 0 ? HeaderFault.NONE : checkKinds(token1(tail), token2(tail));
    }

    private HeaderFault checkKinds(final int token1, final int token2) {
        if (ShaleToken.kind(token1) > lastKind() || ShaleToken.kind(token2) > lastKind()) {
            return HeaderFault.UNKNOWN_KIND;
        }
        return isCanonical(token1) && isCanonical(token2) ? HeaderFault.NONE : HeaderFault.NONE_TOKEN_NOT_ZERO;
    }

    /** Slice of the header: one bounds check for both words, so that either both are written or neither is. */
    private MemorySegment header(final MemorySegment cell, final long offset) {
        return cell.asSlice(offset, bits().headerBytes());
    }

    /**
     * Whether a token identifies a bucket of this fabric: destination below N, index below h. Other tokens are ignored
     * and counted; their cells are valid (docs/spec/shale.md §12).
     *
     * @param token a token of any kind, not {@link ShaleToken#NONE}.
     */
    public boolean isBucket(final int token) {
        return ShaleToken.destination(token) < nodes && ShaleToken.index(token) < phases;
    }

    /** Bits of the layout. C2 folds this to a constant while only one layout is in use. */
    private ShaleBits bits() {
        return layout == ShaleLayout.L12 ? ShaleBits.L12 : layout == ShaleLayout.L12F ? ShaleBits.L12F : ShaleBits.L16;
    }

    private static boolean isCanonical(final int token) {
        return token == ShaleToken.NONE || ShaleToken.kind(token) != ShaleToken.KIND_NONE;
    }

    private void write(final MemorySegment cell, final long offset, final long head, final long tail) {
        final MemorySegment header = header(cell, offset);
        header.set(Wire.LONG, bits().headerBytes() - Long.BYTES, tail | crc(head, tail));
        if (bits() == ShaleBits.L16) {
            header.set(Wire.LONG, 0, head);
        } else {
            header.set(Wire.INT, 0, (int) head);
        }
    }

    private int crc(final long head, final long tail) {
        return bits() == ShaleBits.L16
            ? Crc8.SHALE.ofFirst119(head, tail)
            : Crc8.SHALE.ofFirst88((int) head, tail);
    }

    private boolean isIntact(final long head, final long tail) {
        return bits() == ShaleBits.L16
            ? crc(head, tail) == (tail & CRC_MASK)
            : Crc8.SHALE.isValid96((int) head, tail);
    }

    /** Whether these fields are valid in this fabric. */
    private boolean isSendable(final int source, final int destination, final int sprays, final int token1,
        final int token2) {
        return Wire.isBelow(source, nodes) && Wire.isBelow(destination, nodes) && Wire.isBelow(sprays, phases)
            && isTokenOrNone(token1) && isTokenOrNone(token2);
    }

    /** Highest valid kind of token. */
    private int lastKind() {
        return failureCapable ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
    }

    private boolean isTokenOrNone(final int token) {
        final int kind = ShaleToken.kind(token);
        return token == ShaleToken.NONE || isBucket(token) && kind >= ShaleToken.KIND_TOKEN && kind <= lastKind()
            && bits().packed(token) != bits().noToken();
    }
}
