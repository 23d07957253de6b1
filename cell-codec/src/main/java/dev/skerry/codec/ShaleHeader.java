package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes, reads and validates the headers of one Shale fabric; {@link ShaleLayout} draws them.
 *
 * <p>A header is two words. {@link #head} and {@link #tail} fetch them, accessors take them apart.
 *
 * <p>Methods over a segment work on the header that starts at {@code offset}, at any alignment, and touch no byte
 * outside it. Readers take whatever bits they find and throw nothing but {@link IndexOutOfBoundsException}, when the
 * header does not lie in the segment; {@link #check} throws nothing at all. What they return means something only for a
 * header that passed {@code check}. Writers throw the same and write nothing then; they assert their arguments and mask
 * nothing but the sequence number. Nothing allocates. Immutable; any thread may call, one at a time for the same
 * header.
 *
 * @param layout         how the bits lie.
 * @param nodes          number of node ids N: a larger id is refused.
 * @param phases         number of phases h: as many remaining sprays are refused.
 * @param failureCapable whether invalidations and re-validations are known; needs a layout with kinds.
 */
public record ShaleHeader(ShaleLayout layout, int nodes, int phases, boolean failureCapable) {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int CRC_MASK = 0xFF;

    /**
     * The headers of a fabric in a layout.
     *
     * @throws IllegalArgumentException if the layout does not hold the fabric.
     */
    public ShaleHeader {
        layout.requireFits(nodes, phases);
        if (failureCapable && !layout.hasKinds()) {
            throw new IllegalArgumentException("header " + layout + " has no room for failure tokens: use L12F or L16");
        }
    }

    /**
     * The headers of a fabric in the smallest layout that holds it.
     *
     * @see ShaleLayout#forFabric
     */
    public static ShaleHeader forFabric(final int nodes, final int phases, final boolean failureCapable) {
        return new ShaleHeader(ShaleLayout.forFabric(nodes, phases, failureCapable), nodes, phases, failureCapable);
    }

    /**
     * Writes a header, its CRC included.
     *
     * @param cell        where the cell lies.
     * @param offset      first byte of the cell.
     * @param source      originator of the cell, below N.
     * @param destination where it goes, below N; the source itself makes the cell a dummy.
     * @param sprays      sprays that remain at the receiver, below h.
     * @param sequence    number of the cell among those of its source and destination; its low bits are kept.
     * @param token1      a {@link ShaleToken} or {@link ShaleToken#NONE}; filled before the other.
     * @param token2      a second token or {@link ShaleToken#NONE}.
     */
    public void encode(final MemorySegment cell, final long offset, final int source, final int destination,
        final int sprays, final long sequence, final int token1, final int token2) {
        assert isSendable(source, destination, sprays, token1, token2) : "source=" + source + " destination="
            + destination + " sprays=" + sprays + " token1=" + token1 + " token2=" + token2;
        final ShaleBits bits = bits();
        write(cell, offset, bits.head(source, destination, sprays, sequence), bits.tail(sequence, token1, token2));
    }

    /** Writes the header of a dummy: source and destination are the sending node, sprays and sequence number are 0. */
    public void encodeDummy(final MemorySegment cell, final long offset, final int node, final int token1,
        final int token2) {
        encode(cell, offset, node, node, 0, 0, token1, token2);
    }

    /** Rewrites in place what a hop changes, the remaining sprays and both tokens, and the CRC with them. */
    public void forward(final MemorySegment cell, final long offset, final int sprays, final int token1,
        final int token2) {
        assert sprays >= 0 && sprays < phases : "sprays=" + sprays;
        assert isTokenOrNone(token1) : "token1=" + token1;
        assert isTokenOrNone(token2) : "token2=" + token2;
        final ShaleBits bits = bits();
        write(cell, offset, bits.withSprays(head(cell, offset), sprays),
            bits.withTokens(tail(cell, offset), token1, token2));
    }

    /**
     * What comes before the last 8 bytes of a header, for the accessors below: 4 or 8 bytes, as the low bits.
     *
     * @throws IndexOutOfBoundsException if the header does not lie in the segment.
     */
    public long head(final MemorySegment cell, final long offset) {
        final MemorySegment header = header(cell, offset);
        return bits() == ShaleBits.L16 ? header.get(LONG, 0) : header.get(INT, 0) & 0xFFFFFFFFL;
    }

    /**
     * The last 8 bytes of a header, for the accessors below.
     *
     * @throws IndexOutOfBoundsException if the header does not lie in the segment.
     */
    public long tail(final MemorySegment cell, final long offset) {
        final MemorySegment header = header(cell, offset);
        return header.get(LONG, bits().headerBytes() - Long.BYTES);
    }

    /** The originator of the cell. */
    public int source(final long head) {
        return (int) bits().source(head);
    }

    /** Where the cell goes. */
    public int destination(final long head) {
        return (int) bits().destination(head);
    }

    /** Whether the cell carries nothing but tokens. */
    public boolean isDummy(final long head) {
        return source(head) == destination(head);
    }

    /** Sprays that remain at the receiver. */
    public int sprays(final long head) {
        return (int) bits().sprays(head);
    }

    /** Low bits of the cell's number; {@link ShaleLayout#countOf} gives the others. */
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
     * Validates a header as it came from the wire.
     *
     * <p>Not a fault: a token of a bucket that does not exist, which is ignored without its cell (see
     * {@link #isBucket}), and a token slot 2 that is filled before slot 1.
     *
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment cell, final long offset) {
        if (offset < 0 || offset > cell.byteSize() - bits().headerBytes()) {
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

    /** The bytes of the header: one check of bounds for all the words in them, so that both are written or none. */
    private MemorySegment header(final MemorySegment cell, final long offset) {
        return cell.asSlice(offset, bits().headerBytes());
    }

    /**
     * Whether a token names a bucket of this fabric: destination below N, index below h. A token that does not is
     * ignored and counted, its cell is not (spec/shale §12).
     *
     * @param token a token of any kind, not {@link ShaleToken#NONE}.
     */
    public boolean isBucket(final int token) {
        return ShaleToken.destination(token) < nodes && ShaleToken.index(token) < phases;
    }

    /** A constant to the compiler, as long as it has met no other layout. */
    private ShaleBits bits() {
        return layout == ShaleLayout.L12 ? ShaleBits.L12 : layout == ShaleLayout.L12F ? ShaleBits.L12F : ShaleBits.L16;
    }

    private boolean isNode(final int id) {
        return id >= 0 && id < nodes;
    }

    private static boolean isCanonical(final int token) {
        return token == ShaleToken.NONE || ShaleToken.kind(token) != ShaleToken.KIND_NONE;
    }

    private void write(final MemorySegment cell, final long offset, final long head, final long tail) {
        final MemorySegment header = header(cell, offset);
        header.set(LONG, bits().headerBytes() - Long.BYTES, tail | crc(head, tail));
        if (bits() == ShaleBits.L16) {
            header.set(LONG, 0, head);
        } else {
            header.set(INT, 0, (int) head);
        }
    }

    private int crc(final long head, final long tail) {
        return bits() == ShaleBits.L16
            ? Crc8.SHALE.ofFirst119(head, tail)
            : Crc8.SHALE.ofFirst88((int) head, tail);
    }

    private boolean isIntact(final long head, final long tail) {
        return bits() == ShaleBits.L16
            ? Crc8.SHALE.ofFirst119(head, tail) == (tail & CRC_MASK)
            : Crc8.SHALE.isValid96((int) head, tail);
    }

    /** Whether a header with these fields is one of this fabric. */
    boolean isSendable(final int source, final int destination, final int sprays, final int token1, final int token2) {
        return isNode(source) && isNode(destination) && sprays >= 0 && sprays < phases && isTokenOrNone(token1)
            && isTokenOrNone(token2);
    }

    /** The last kind of token that this fabric knows. */
    int lastKind() {
        return failureCapable ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
    }

    private boolean isTokenOrNone(final int token) {
        final int kind = ShaleToken.kind(token);
        return token == ShaleToken.NONE || isBucket(token) && kind >= ShaleToken.KIND_TOKEN && kind <= lastKind()
            && bits().packed(token) != bits().noToken();
    }
}
