package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The headers of many cells at once: what {@link ShaleHeader} does for one, to the same bytes and the same first fault,
 * in two thirds of the time (bench/results). Fields stand in columns, an array a field, the place i of each for the
 * i-th cell of the burst:
 *
 * <pre>
 *   offset        o0 o1 o2 ..     first byte of the cell, any order, any alignment
 *   source        s0 s1 s2 ..     encode: columns to words (loops that the compiler turns into vectors),
 *   destination   d0 d1 d2 ..             words to cells (a scalar loop)
 *   sprays, sequence, token1, token2
 *   fault         -  -  -         decode: cells to words, words to columns and faults
 * </pre>
 *
 * <p>The arrays are the burst's own and stay the same; fill in {@link #offset} and, to write, the fields of the first
 * so many cells. Nothing allocates once it is made. One thread.
 */
public final class ShaleHeaderBurst {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long WRONG_LENGTH = BurstColumns.bit(HeaderFault.WRONG_LENGTH);
    private static final int CRC = HeaderFault.CRC.ordinal();
    private static final int RESERVED_BIT = HeaderFault.RESERVED_BIT.ordinal();
    private static final int SOURCE = HeaderFault.SOURCE.ordinal();
    private static final int DESTINATION = HeaderFault.DESTINATION.ordinal();
    private static final int SPRAYS = HeaderFault.SPRAYS.ordinal();
    private static final int UNKNOWN_KIND = HeaderFault.UNKNOWN_KIND.ordinal();
    private static final int NONE_TOKEN_NOT_ZERO = HeaderFault.NONE_TOKEN_NOT_ZERO.ordinal();

    private final ShaleHeader header;
    private final ShaleBits bits;
    private final boolean wide;
    private final int lastKind;
    private final BurstColumns columns;
    private final long[] offset;
    private final int[] source;
    private final int[] destination;
    private final int[] sprays;
    private final int[] sequence;
    private final int[] token1;
    private final int[] token2;
    private final long[] heads;
    private final long[] tails;
    private final long[] crcs;
    private final long[] faults;

    /**
     * Columns for a fabric's headers.
     *
     * @param header   of the fabric.
     * @param capacity most cells of a burst, at least 1; vectors pay from 128 on.
     * @throws IllegalArgumentException if there is no room for a cell.
     */
    public ShaleHeaderBurst(final ShaleHeader header, final int capacity) {
        columns = new BurstColumns(capacity);
        this.header = header;
        bits = header.layout().bits();
        wide = header.layout() == ShaleLayout.L16;
        lastKind = header.lastKind();
        offset = columns.offset;
        source = columns.source;
        destination = columns.destination;
        sprays = new int[capacity];
        sequence = new int[capacity];
        token1 = new int[capacity];
        token2 = new int[capacity];
        heads = new long[capacity];
        tails = new long[capacity];
        crcs = new long[capacity];
        faults = columns.faults;
    }

    /** Most cells of a burst. */
    public int capacity() {
        return offset.length;
    }

    /** First byte of each cell in its segment. */
    public long[] offset() {
        return offset;
    }

    /** Originators. */
    public int[] source() {
        return source;
    }

    /** Where the cells go; the source itself makes a cell a dummy. */
    public int[] destination() {
        return destination;
    }

    /** Sprays that remain at the receivers. */
    public int[] sprays() {
        return sprays;
    }

    /** Numbers of the cells; of those written the low bits are kept. */
    public int[] sequence() {
        return sequence;
    }

    /** First tokens, or {@link ShaleToken#NONE}. */
    public int[] token1() {
        return token1;
    }

    /** Second tokens, or {@link ShaleToken#NONE}. */
    public int[] token2() {
        return token2;
    }

    /** The first fault of a cell of the last burst decoded, or {@link HeaderFault#NONE}. */
    public HeaderFault fault(final int cell) {
        return columns.fault(cell);
    }

    /**
     * Writes the headers of the first so many cells, their CRC included; see {@link ShaleHeader#encode}.
     *
     * @param cells where they lie.
     * @param count how many, up to the capacity.
     * @throws IndexOutOfBoundsException if a header does not lie in the segment, or there are more than the capacity;
     *     nothing is written then.
     */
    public void encode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, offset.length);
        assert areSendable(count);
        columns.requireInside(cells.byteSize() - bits.headerBytes(), count);
        packHeads(count);
        packTails(count);
        foldChecks(count);
        putChecks(count);
        if (wide) {
            store16(cells, count);
        } else {
            store12(cells, count);
        }
    }

    /**
     * Reads and validates the headers of the first so many cells; see {@link ShaleHeader#check}. What the columns say
     * of a cell with a fault means nothing.
     *
     * @param cells where they lie.
     * @param count how many, up to the capacity.
     * @return how many have a {@link #fault}.
     * @throws IndexOutOfBoundsException if there are more than the capacity.
     */
    public int decode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, offset.length);
        if (wide) {
            load16(cells, count);
        } else {
            load12(cells, count);
        }
        foldChecks(count);
        compareChecks(count);
        unpackHeads(count);
        unpackTails(count);
        if (bits.kindBits() != 0) {
            validateTokens(count);
        }
        return validateRoutes(count);
    }

    private boolean areSendable(final int count) {
        for (int i = 0; i < count; i++) {
            assert header.isSendable(source[i], destination[i], sprays[i], token1[i], token2[i]) : "cell=" + i
                + " source=" + source[i] + " destination=" + destination[i] + " sprays=" + sprays[i]
                + " token1=" + token1[i] + " token2=" + token2[i];
        }
        return true;
    }

    // The loops below that touch nothing but arrays become vectors if they are small: the compiler does not unroll a
    // large one. That is why words pass through arrays between two of them.

    private void packHeads(final int count) {
        final ShaleBits bits = this.bits;
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] sprays = this.sprays;
        final int[] sequence = this.sequence;
        final long[] heads = this.heads;
        for (int i = 0; i < count; i++) {
            heads[i] = bits.head(source[i], destination[i], sprays[i], sequence[i]);
        }
    }

    private void packTails(final int count) {
        final ShaleBits bits = this.bits;
        final int[] sequence = this.sequence;
        final int[] token1 = this.token1;
        final int[] token2 = this.token2;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            tails[i] = bits.sequenceInTail(sequence[i]) | bits.token1InTail(token1[i]);
        }
        for (int i = 0; i < count; i++) {
            tails[i] |= bits.token2InTail(token2[i]);
        }
    }

    /** Headers to words whose remainder is the check, or zero if a check is there and right. */
    private void foldChecks(final int count) {
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] crcs = this.crcs;
        if (wide) {
            for (int i = 0; i < count; i++) {
                crcs[i] = Crc8.SHALE.fold128(heads[i], tails[i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                crcs[i] = Crc8.SHALE.fold96(heads[i], tails[i]);
            }
        }
    }

    private void putChecks(final int count) {
        final long[] tails = this.tails;
        final long[] crcs = this.crcs;
        for (int i = 0; i < count; i++) {
            tails[i] |= Crc8.remainderOfFolded(crcs[i]);
        }
    }

    private void store12(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            cells.set(INT, offset[i], (int) heads[i]);
            cells.set(LONG, offset[i] + Integer.BYTES, tails[i]);
        }
    }

    private void store16(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            cells.set(LONG, offset[i], heads[i]);
            cells.set(LONG, offset[i] + Long.BYTES, tails[i]);
        }
    }

    private void load12(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] faults = this.faults;
        final long last = cells.byteSize() - ShaleBits.L12.headerBytes();
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                heads[i] = cells.get(INT, at) & 0xFFFFFFFFL;
                tails[i] = cells.get(LONG, at + Integer.BYTES);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
        }
    }

    private void load16(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] faults = this.faults;
        final long last = cells.byteSize() - ShaleBits.L16.headerBytes();
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                heads[i] = cells.get(LONG, at);
                tails[i] = cells.get(LONG, at + Long.BYTES);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
        }
    }

    private void compareChecks(final int count) {
        final long[] crcs = this.crcs;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            faults[i] |= -Crc8.remainderOfFolded(crcs[i]) >>> 63 << CRC;
        }
    }

    private void unpackHeads(final int count) {
        final ShaleBits bits = this.bits;
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] sprays = this.sprays;
        final int[] sequence = this.sequence;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            source[i] = (int) bits.source(heads[i]);
            destination[i] = (int) bits.destination(heads[i]);
            sprays[i] = (int) bits.sprays(heads[i]);
        }
        for (int i = 0; i < count; i++) {
            sequence[i] = (int) bits.sequence(heads[i], tails[i]);
        }
    }

    private void unpackTails(final int count) {
        final ShaleBits bits = this.bits;
        final int[] token1 = this.token1;
        final int[] token2 = this.token2;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            token1[i] = (int) bits.token1(tails[i]);
        }
        for (int i = 0; i < count; i++) {
            token2[i] = (int) bits.token2(tails[i]);
        }
    }

    private void validateTokens(final int count) {
        final long lastKind = this.lastKind;
        final ShaleBits bits = this.bits;
        final int[] token1 = this.token1;
        final int[] token2 = this.token2;
        final long[] tails = this.tails;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long kind1 = (long) token1[i] >>> ShaleToken.KIND_SHIFT;
            final long kind2 = (long) token2[i] >>> ShaleToken.KIND_SHIFT;
            faults[i] |= bits.reserved(tails[i]) << RESERVED_BIT
                | (lastKind - kind1 | lastKind - kind2) >>> 63 << UNKNOWN_KIND
                | (kind1 - 1 & -token1[i] | kind2 - 1 & -token2[i]) >>> 63 << NONE_TOKEN_NOT_ZERO;
        }
    }

    private int validateRoutes(final int count) {
        final long lastNode = header.nodes() - 1;
        final long lastSpray = header.phases() - 1;
        final int[] source = this.source;
        final int[] destination = this.destination;
        final int[] sprays = this.sprays;
        final long[] faults = this.faults;
        long refused = 0;
        for (int i = 0; i < count; i++) {
            final long fault = faults[i] | lastNode - source[i] >>> 63 << SOURCE
                | lastNode - destination[i] >>> 63 << DESTINATION
                | lastSpray - sprays[i] >>> 63 << SPRAYS;
            faults[i] = fault;
            refused += -fault >>> 63;
        }
        return (int) refused;
    }
}
