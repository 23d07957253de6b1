package dev.skerry.codec;

/**
 * The three headers of Shale. Bit 0 is the most significant bit of the first byte (docs/spec/shale.md §4).
 *
 * <p>{@link #L12}, Figure 19 of the paper. A slot without a token is all ones:
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-----------------------------+-----------------------------+---+
 *   |          source (15)        |       destination (15)      |n 2|
 *   +-----------------------------+-------------+---------------+---+
 *   |               sequence (22)               |  token 1 (17) ... |
 *   +-------------+-----------------------------+---+---------------+
 *   |    (ends)   |            token 2 (17)         |     CRC (8)   |
 *   +-------------+---------------------------------+---------------+
 *   token: destination (15), index (2)
 * </pre>
 *
 * <p>{@link #L12F}, with room for failure tokens. A slot without a token is all zero, here and in L16:
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-----------------------------+-----------------------------+---+
 *   |          source (15)        |       destination (15)      |n 2|
 *   +-----------------------------+-----+-----------------------+---+
 *   |           sequence (18)           |      token 1 (19) ...     |
 *   +---------+-------------------------+-----------+---------------+
 *   | (ends)  |            token 2 (19)             |     CRC (8)   |
 *   +---------+-------------------------------------+---------------+
 *   token: kind (2), destination (15), index (2)
 * </pre>
 *
 * <p>{@link #L16}, for large fabrics. R is zero and checked to be. The CRC covers bits 0 to 118 only: with R the
 * codeword would have 128 bits, in which flipping bits 0 and 127 is undetected (see {@link Crc8}):
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------+-----------------------+
 *   |              source (20)              | destination (20) ...  |
 *   +---------------+-----+-----------------+-----------------------+
 *   |     (ends)    | n 3 |             sequence (26) ...           |
 *   +---------+-----+-----+-------------------------------------+---+
 *   |  (ends) |                   token 1 (25)                  |...|
 *   +---------+-----------------------------------+-+-----------+---+
 *   |                 token 2 (ends)              |R|    CRC (8)    |
 *   +---------------------------------------------+-+---------------+
 *   token: kind (2), destination (20), index (3)
 * </pre>
 *
 * {@code n} is the number of sprays that remain at the receiver.
 */
public enum ShaleLayout {
    /** 12 bytes, ordinary tokens only: up to 32,768 nodes and 4 phases. */
    L12(ShaleBits.L12, 1 << 15),
    /** 12 bytes with failure tokens: up to 32,768 nodes and 4 phases. */
    L12F(ShaleBits.L12F, 1 << 15),
    /** 16 bytes with failure tokens: up to 1,048,575 nodes and 8 phases. */
    L16(ShaleBits.L16, (1 << 20) - 1);

    private final ShaleBits bits;
    private final int maxNodes;

    ShaleLayout(final ShaleBits bits, final int maxNodes) {
        this.bits = bits;
        this.maxNodes = maxNodes;
    }

    /**
     * The smallest layout that fits a fabric: {@link #L12}, or {@link #L12F} with failure tokens, up to 32,768 nodes
     * and 4 phases, otherwise {@link #L16}.
     *
     * @param nodes          number of node ids N, at least 2, failed nodes included.
     * @param phases         number of phases h, at least 1.
     * @param failureCapable whether cells carry invalidations and re-validations (docs/spec/shale.md §8).
     * @throws IllegalArgumentException if no layout fits the fabric.
     */
    public static ShaleLayout forFabric(final int nodes, final int phases, final boolean failureCapable) {
        final ShaleLayout narrow = failureCapable ? L12F : L12;
        final ShaleLayout layout = nodes <= narrow.maxNodes && phases <= narrow.maxPhases() ? narrow : L16;
        layout.requireFits(nodes, phases);
        return layout;
    }

    /** Bytes of the header: 12 or 16. */
    public int headerBytes() {
        return bits.headerBytes();
    }

    /** Maximum number of nodes. */
    public int maxNodes() {
        return maxNodes;
    }

    /** Maximum number of phases. */
    public int maxPhases() {
        return 1 << bits.sprayBits();
    }

    /** Whether tokens have a kind, so that they can be invalidations or re-validations. */
    public boolean hasKinds() {
        return bits.kindBits() != 0;
    }

    /** Width w of the sequence number: a source counts its cells to a destination modulo 2^w. */
    public int sequenceBits() {
        return bits.sequenceBits();
    }

    /**
     * Restores a count from a sequence number: the count closest to the expected one that has these low bits.
     *
     * @param expected the count that the receiver expects.
     * @param sequence the number in the header.
     * @return the count, from {@code expected} - 2^({@link #sequenceBits()} - 1) up to, but not including,
     *     {@code expected} + 2^({@link #sequenceBits()} - 1).
     */
    public long countOf(final long expected, final int sequence) {
        return Wire.countOf(expected, sequence, bits.sequenceBits());
    }

    /** Format of cells with this header; throws IllegalArgumentException if {@code cellBytes} leaves no payload. */
    public CellFormat cellFormat(final int cellBytes) {
        return new CellFormat(cellBytes, bits.headerBytes());
    }

    /** Throws IllegalArgumentException if the fabric does not fit this layout. */
    void requireFits(final int nodes, final int phases) {
        if (nodes < 2 || nodes > maxNodes) {
            throw new IllegalArgumentException(
                "header " + this + " holds 2 to " + maxNodes + " nodes: nodes=" + nodes + " phases=" + phases);
        }
        if (phases < 1 || phases > maxPhases()) {
            throw new IllegalArgumentException(
                "header " + this + " holds 1 to " + maxPhases() + " phases: phases=" + phases + " nodes=" + nodes);
        }
    }
}
