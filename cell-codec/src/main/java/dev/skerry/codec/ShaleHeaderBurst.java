package dev.skerry.codec;

import java.lang.foreign.MemorySegment;

/** The headers of many Shale cells at once; {@link ShaleHeader} does one. One thread. */
public final class ShaleHeaderBurst extends HeaderBurst {
    private static final int RESERVED_BIT = HeaderFault.RESERVED_BIT.ordinal();
    private static final int SPRAYS = HeaderFault.SPRAYS.ordinal();
    private static final int UNKNOWN_KIND = HeaderFault.UNKNOWN_KIND.ordinal();
    private static final int NONE_TOKEN_NOT_ZERO = HeaderFault.NONE_TOKEN_NOT_ZERO.ordinal();

    private final ShaleHeader header;
    private final ShaleBits bits;
    private final boolean wide;
    private final int[] sprays;
    private final int[] token1;
    private final int[] token2;
    private final long[] heads;
    private final long[] tails;

    /**
     * Columns for the headers of a fabric.
     *
     * @param header   of the fabric.
     * @param capacity maximum number of cells of a burst, at least 1; vectors pay from 128 on.
     * @throws IllegalArgumentException if {@code capacity} is less than 1.
     */
    public ShaleHeaderBurst(final ShaleHeader header, final int capacity) {
        super(capacity, header.layout().headerBytes(), header.nodes());
        this.header = header;
        bits = header.layout().bits();
        wide = header.layout() == ShaleLayout.L16;
        sprays = new int[capacity];
        token1 = new int[capacity];
        token2 = new int[capacity];
        heads = new long[capacity];
        tails = new long[capacity];
    }

    /** Sprays that remain at the receivers, below h. */
    public int[] sprays() {
        return sprays;
    }

    /** First tokens, each a {@link ShaleToken} or {@link ShaleToken#NONE}. */
    public int[] token1() {
        return token1;
    }

    /** Second tokens, each a {@link ShaleToken} or {@link ShaleToken#NONE}. */
    public int[] token2() {
        return token2;
    }

    @Override
    boolean areSendable(final int count) {
        for (int i = 0; i < count; i++) {
            assert header.isSendable(source[i], destination[i], sprays[i], token1[i], token2[i]) : "cell=" + i
                + " source=" + source[i] + " destination=" + destination[i] + " sprays=" + sprays[i]
                + " token1=" + token1[i] + " token2=" + token2[i];
        }
        return true;
    }

    @Override
    void write(final MemorySegment cells, final int count) {
        packHeads(count);
        packTails(count);
        foldChecks(count);
        addChecks(tails, count);
        if (wide) {
            store16(cells, count);
        } else {
            store12(cells, count);
        }
    }

    @Override
    int read(final MemorySegment cells, final long last, final int count) {
        if (wide) {
            load16(cells, last, count);
        } else {
            load12(cells, last, count);
        }
        foldChecks(count);
        markChecks(count);
        unpackHeads(count);
        unpackTails(count);
        if (bits.kindBits() != 0) {
            markTokens(count);
        }
        return markRanges(sprays, header.phases(), SPRAYS, count);
    }

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

    private void foldChecks(final int count) {
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] checks = this.checks;
        if (wide) {
            for (int i = 0; i < count; i++) {
                checks[i] = Crc8.SHALE.fold128(heads[i], tails[i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                checks[i] = Crc8.SHALE.fold96(heads[i], tails[i]);
            }
        }
    }

    private void store12(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            cells.set(Wire.INT, offset[i], (int) heads[i]);
            cells.set(Wire.LONG, offset[i] + Integer.BYTES, tails[i]);
        }
    }

    private void store16(final MemorySegment cells, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        for (int i = 0; i < count; i++) {
            cells.set(Wire.LONG, offset[i], heads[i]);
            cells.set(Wire.LONG, offset[i] + Long.BYTES, tails[i]);
        }
    }

    private void load12(final MemorySegment cells, final long last, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                heads[i] = cells.get(Wire.INT, at) & 0xFFFFFFFFL;
                tails[i] = cells.get(Wire.LONG, at + Integer.BYTES);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
        }
    }

    private void load16(final MemorySegment cells, final long last, final int count) {
        final long[] offset = this.offset;
        final long[] heads = this.heads;
        final long[] tails = this.tails;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            final long at = offset[i];
            if (at >= 0 && at <= last) {
                heads[i] = cells.get(Wire.LONG, at);
                tails[i] = cells.get(Wire.LONG, at + Long.BYTES);
                faults[i] = 0;
            } else {
                faults[i] = WRONG_LENGTH;
            }
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

    /** Marks reserved bits and slots of tokens that are not valid. */
    private void markTokens(final int count) {
        final long lastKind = header.lastKind();
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
}
