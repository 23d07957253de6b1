package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Writes, reads and validates the headers of one Shoal fabric (docs/spec/shoal.md §3.1). Bit 63 is the most significant
 * bit of the first byte:
 *
 * <pre>
 *    63        54 53        44 43                  22 21         11 10    9    8  7      0
 *   +------------+------------+----------------------+-------------+----+----+----+---------+
 *   | destination|  source    |      sequence        |  feedback   | sop| eop| lcd|   CRC   |
 *   |    (10)    |   (10)     |        (22)          |    (11)     | (1)| (1)| (1)|   (8)   |
 *   +------------+------------+----------------------+-------------+----+----+----+---------+
 *   with more than one traffic class the sequence is: class (2), sequence (20)
 *
 *   data      destination and source differ             CRC: bits 63..8, then the payload
 *   dummy     both are the sender, sop = 0              CRC: bits 63..8; the payload is ignored
 *   control   both are the sender, sop = 1              CRC: bits 63..8, then the payload, a {@link ShoalControl}
 *             dummy and control: sequence and eop are 0
 * </pre>
 *
 * <p>A header is one {@code long}: {@link #read} fetches it, static accessors extract its fields. A relay that keeps it
 * in a register computes the header of the next hop with {@link #rewritten}, without reading the payload.
 *
 * <p>Methods over a segment access only the cell at {@code offset}, at any alignment. Readers accept any bits; their
 * results are meaningful only for a cell that passed {@link #check}, but feedback and lcd are used even if the CRC is
 * wrong (docs/spec/shoal.md §6.2). Writers throw {@link IndexOutOfBoundsException} and write nothing if the cell does
 * not lie in the segment; they assert their arguments and mask only the sequence number. Nothing allocates. Immutable;
 * any thread may call, but only one at a time per cell.
 *
 * <p>The CRC detects one or two flipped bits that do not change the kind of the cell, unless they are a multiple of 127
 * bits apart. All other damage, including a changed kind, passes with probability 1/256 (docs/spec/shoal.md §3.2). A
 * stronger guarantee requires an end-to-end check of the packet.
 */
public final class ShoalHeader {
    private static final int ID_BITS = 10;
    private static final int NUMBER_BITS = 22;
    private static final int CLASS_BITS = 2;

    /** Bytes of a header. */
    public static final int BYTES = Long.BYTES;
    /** Maximum number of nodes. */
    public static final int MAX_NODES = 1 << ID_BITS;
    /** Maximum number of traffic classes. */
    public static final int MAX_CLASSES = 1 << CLASS_BITS;
    /** Flag: the cell is the first one of its packet. */
    public static final int SOP = 4;
    /** Flag: the cell is the last one of its packet. */
    public static final int EOP = 2;
    /** Flag: the last cell that the receiver sent to this sender was lost. */
    public static final int LCD = 1;

    private static final int DESTINATION_SHIFT = 54;
    private static final int SOURCE_SHIFT = 44;
    private static final int NUMBER_SHIFT = 22;
    private static final int FEEDBACK_SHIFT = 11;
    private static final int FLAGS_SHIFT = 8;
    private static final int ID_MASK = (1 << ID_BITS) - 1;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final int FEEDBACK_MASK = (1 << NUMBER_SHIFT - FEEDBACK_SHIFT) - 1;
    private static final int FLAGS_MASK = SOP | EOP | LCD;
    private static final long CRC_MASK = 0xFF;
    /** Bits that are zero in a dummy and in a control cell: class, sequence number and eop. */
    private static final long NOT_IN_DUMMIES = (long) NUMBER_MASK << NUMBER_SHIFT | EOP << FLAGS_SHIFT;
    /** Bits that every hop changes: feedback and lcd. */
    private static final long HOP_MASK = (long) FEEDBACK_MASK << FEEDBACK_SHIFT | LCD << FLAGS_SHIFT;

    private final int nodes;
    private final int classes;
    private final int sequenceBits;
    private final CellFormat format;
    /** Entry d: the change of the CRC of a whole cell if the CRC of its header alone changes by d. */
    private final byte[] afterPayload = new byte[256];

    /**
     * Creates the headers of a fabric.
     *
     * @param nodes   number of node ids N, 2 to 1,024.
     * @param classes number of traffic classes, 1 to 4; with more than one, the class uses two bits of the sequence
     *                number.
     * @param format  format of the cells: a header of 8 bytes, a multiple of 64 bytes in total.
     * @throws IllegalArgumentException if a parameter is out of range.
     */
    public ShoalHeader(final int nodes, final int classes, final CellFormat format) {
        requireNodes(nodes);
        if (classes < 1 || classes > MAX_CLASSES) {
            throw new IllegalArgumentException("Shoal has 1 to 4 traffic classes: classes=" + classes);
        }
        if (format.headerBytes() != BYTES || format.cellBytes() % Crc8.BLOCK_BYTES != 0) {
            throw new IllegalArgumentException("a Shoal cell has 8 bytes of header and a multiple of 64 in all: "
                + "headerBytes=" + format.headerBytes() + " cellBytes=" + format.cellBytes());
        }
        this.nodes = nodes;
        this.classes = classes;
        this.sequenceBits = NUMBER_BITS - (classes == 1 ? 0 : CLASS_BITS);
        this.format = format;
        for (int change = 0; change < afterPayload.length; change++) {
            afterPayload[change] = (byte) Crc8.afterZeros(change, format.payloadBytes());
        }
    }

    /** Number of node ids N. */
    public int nodes() {
        return nodes;
    }

    /** Number of traffic classes. */
    public int classes() {
        return classes;
    }

    /** Format of the cells. */
    public CellFormat format() {
        return format;
    }

    /** Width of the sequence number: 22 or, with traffic classes, 20. */
    public int sequenceBits() {
        return sequenceBits;
    }

    /** Maximum feedback, 2N - 2. */
    public int maxFeedback() {
        return 2 * nodes - 2;
    }

    /**
     * Writes the header of a data cell, CRC included. The payload must already be in place.
     *
     * @param source       source, below N.
     * @param destination  destination, below N, not the source.
     * @param trafficClass below the number of classes.
     * @param sequence     number of the cell within source, destination and class; its low bits are kept.
     * @param feedback     rate limit feedback to the receiver of this hop, 0 to 2N - 2.
     * @param flags        any of {@link #SOP}, {@link #EOP} and {@link #LCD}.
     */
    public void encode(final MemorySegment cell, final long offset, final int source, final int destination,
        final int trafficClass, final long sequence, final int feedback, final int flags) {
        assert source != destination && isSendable(source, destination, trafficClass, feedback, flags) : "source="
            + source + " destination=" + destination + " trafficClass=" + trafficClass + " feedback=" + feedback
            + " flags=" + flags;
        final long number = (long) trafficClass << sequenceBits | sequence & (1L << sequenceBits) - 1;
        write(cell, offset, route(destination, source) | number << NUMBER_SHIFT | hop(feedback, flags));
    }

    /**
     * Writes the header of a dummy; the payload is ignored.
     *
     * @param node     the sender.
     * @param feedback rate limit feedback to the receiver, 0 to 2N - 2.
     * @param flags    {@link #LCD} or 0.
     */
    public void encodeDummy(final MemorySegment cell, final long offset, final int node, final int feedback,
        final int flags) {
        writeOwn(cell, offset, node, feedback, flags, 0);
    }

    /**
     * Writes the header of a control cell; the parameters are those of {@link #encodeDummy}. The {@link ShoalControl}
     * message must already be in the payload.
     */
    public void encodeControl(final MemorySegment cell, final long offset, final int node, final int feedback,
        final int flags) {
        writeOwn(cell, offset, node, feedback, flags, SOP);
    }

    /** Rewrites in place the fields that a hop changes: feedback, lcd and the CRC; see {@link #rewritten}. */
    public void rewrite(final MemorySegment cell, final long offset, final int feedback, final int lcd) {
        Objects.checkFromIndexSize(offset, format.cellBytes(), cell.byteSize());
        cell.set(Wire.LONG, offset, rewritten(cell.get(Wire.LONG, offset), feedback, lcd));
    }

    /**
     * Computes the header of the same cell on its next hop. The CRC is updated incrementally from the change of the
     * header, not recomputed from the payload: if the payload is damaged after its check, the CRC stays wrong.
     *
     * @param header   header on the previous hop, with a valid CRC.
     * @param feedback feedback to the next receiver, 0 to 2N - 2.
     * @param lcd      {@link #LCD} or 0.
     * @return the header with its CRC.
     */
    public long rewritten(final long header, final int feedback, final int lcd) {
        assert Wire.isBelow(feedback, 2 * nodes - 1) && (lcd & ~LCD) == 0 : "feedback=" + feedback + " lcd=" + lcd;
        final long changed = header & ~HOP_MASK | hop(feedback, lcd);
        final int change = Crc8.SHOAL.ofFirst56(changed) ^ Crc8.SHOAL.ofFirst56(header);
        return changed ^ (isDummy(header) ? change : afterPayload[change] & CRC_MASK);
    }

    /** Reads the header of a cell; throws {@link IndexOutOfBoundsException} if it does not lie in the segment. */
    public static long read(final MemorySegment cell, final long offset) {
        return cell.get(Wire.LONG, offset);
    }

    /** Destination, a node id. */
    public static int destination(final long header) {
        return (int) (header >>> DESTINATION_SHIFT);
    }

    /** Source, a node id. */
    public static int source(final long header) {
        return (int) (header >>> SOURCE_SHIFT) & ID_MASK;
    }

    /** The flags {@link #SOP}, {@link #EOP} and {@link #LCD} that are set. */
    public static int flags(final long header) {
        return (int) header >>> FLAGS_SHIFT & FLAGS_MASK;
    }

    /** Whether the cell carries a part of a packet. */
    public static boolean isData(final long header) {
        return destination(header) != source(header);
    }

    /** Whether the cell carries only feedback and lcd; a cell that is neither dummy nor data is a control cell. */
    public static boolean isDummy(final long header) {
        return !isData(header) && (flags(header) & SOP) == 0;
    }

    /** Feedback, limited to {@link #maxFeedback}: a damaged value must not set a rate limit that never expires. */
    public int feedback(final long header) {
        return Math.min(rawFeedback(header), maxFeedback());
    }

    static int rawFeedback(final long header) {
        return (int) header >>> FEEDBACK_SHIFT & FEEDBACK_MASK;
    }

    /** Traffic class of a data cell, 0 to 3. */
    public int trafficClass(final long header) {
        return ((int) (header >>> NUMBER_SHIFT) & NUMBER_MASK) >>> sequenceBits;
    }

    /** Low {@link #sequenceBits} bits of a data cell's number; {@link #countOf} restores the high bits. */
    public int sequence(final long header) {
        return (int) (header >>> NUMBER_SHIFT) & (1 << sequenceBits) - 1;
    }

    /** The count closest to the one expected whose low {@link #sequenceBits} bits are this sequence number. */
    public long countOf(final long expected, final int sequence) {
        return Wire.countOf(expected, sequence, sequenceBits);
    }

    /**
     * Validates a received cell, whatever its sender. Feedback above {@link #maxFeedback} is not a fault; it is
     * clamped.
     *
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment cell, final long offset) {
        if (!Wire.isInside(cell, offset, format.cellBytes())) {
            return HeaderFault.WRONG_LENGTH;
        }
        final long header = cell.get(Wire.LONG, offset);
        if (crc(header, cell, offset) != (header & CRC_MASK)) {
            return HeaderFault.CRC;
        }
        if (source(header) >= nodes) {
            return HeaderFault.SOURCE;
        }
        if (destination(header) >= nodes) {
            return HeaderFault.DESTINATION;
        }
        if (!isData(header)) {
            return (header & NOT_IN_DUMMIES) == 0 ? HeaderFault.NONE : HeaderFault.DUMMY_NOT_ZERO;
        }
        return classes == 1 || trafficClass(header) < classes ? HeaderFault.NONE : HeaderFault.TRAFFIC_CLASS;
    }

    /**
     * Validates the hop of a header that passed {@link #check}. A relay receives a cell only from its source, the
     * destination from the source or a relay. A dummy or control cell comes from its source.
     *
     * @param header   header of the cell.
     * @param receiver the node that received it.
     * @param sender   the node that the schedule connects to the receiver in the slot of transmission.
     * @return {@link HeaderFault#NONE}, {@link HeaderFault#OWN_CELL} or {@link HeaderFault#NOT_FROM_SOURCE}.
     */
    public static HeaderFault checkHop(final long header, final int receiver, final int sender) {
        final int source = source(header);
        if (source == receiver) {
            return HeaderFault.OWN_CELL;
        }
        return source == sender || isData(header) && destination(header) == receiver
            ? HeaderFault.NONE : HeaderFault.NOT_FROM_SOURCE;
    }

    /** A header with destination and source, all other fields zero. */
    private static long route(final long destination, final long source) {
        return destination << DESTINATION_SHIFT | source << SOURCE_SHIFT;
    }

    /** A header with feedback and flags, all other fields zero. */
    private static long hop(final long feedback, final long flags) {
        return feedback << FEEDBACK_SHIFT | flags << FLAGS_SHIFT;
    }

    /** Throws IllegalArgumentException if node ids do not fit. */
    static void requireNodes(final int nodes) {
        if (nodes < 2 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("Shoal holds 2 to " + MAX_NODES + " nodes: nodes=" + nodes);
        }
    }

    private boolean isSendable(final int source, final int destination, final int trafficClass, final int feedback,
        final int flags) {
        return Wire.isBelow(source, nodes) && Wire.isBelow(destination, nodes) && Wire.isBelow(feedback, 2 * nodes - 1)
            && (flags & ~FLAGS_MASK) == 0 && Wire.isBelow(trafficClass, classes);
    }

    /** The CRC of a cell with this header. */
    private int crc(final long header, final MemorySegment cell, final long offset) {
        return isDummy(header)
            ? Crc8.SHOAL.ofFirst56(header) : Crc8.SHOAL.ofCell(header, cell, offset, format.cellBytes());
    }

    private void writeOwn(final MemorySegment cell, final long offset, final int node, final int feedback,
        final int flags, final int kind) {
        assert Wire.isBelow(node, nodes) && Wire.isBelow(feedback, 2 * nodes - 1) && (flags & ~LCD) == 0
            : "node=" + node + " feedback=" + feedback + " flags=" + flags;
        write(cell, offset, route(node, node) | hop(feedback, flags | kind));
    }

    /** Writes the header only if the whole cell lies in the segment. */
    private void write(final MemorySegment cell, final long offset, final long header) {
        Objects.checkFromIndexSize(offset, format.cellBytes(), cell.byteSize());
        cell.set(Wire.LONG, offset, header | crc(header, cell, offset));
    }
}
