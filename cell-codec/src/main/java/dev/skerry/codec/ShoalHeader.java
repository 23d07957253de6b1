package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Writes, reads and validates the headers of one Shoal fabric (spec/shoal §3.1). Bit 63 is the most significant bit of
 * the first byte:
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
 *   dummy     both are the sender, sop = 0              CRC: bits 63..8; the payload means nothing
 *   control   both are the sender, sop = 1              CRC: bits 63..8, then the payload, a {@link ShoalControl}
 *             in both, sequence and eop are 0
 * </pre>
 *
 * <p>A header is one {@code long}. {@link #read} fetches it, static accessors take it apart, and a relay that keeps it
 * in a register gets the header for the next hop from {@link #rewritten} without touching the payload.
 *
 * <p>Methods over a segment work on the cell that starts at {@code offset}, at any alignment, and touch no byte outside
 * it. Readers take whatever bits they find; what they return means something only for a cell that passed
 * {@link #check}, except feedback and lcd, which are used even if the CRC is wrong (spec/shoal §6.2). Writers throw
 * {@link IndexOutOfBoundsException} and write nothing when the cell does not lie in the segment; they assert their
 * arguments and mask nothing but the sequence number. Nothing allocates. Immutable; any thread may call, one at a time
 * for the same cell.
 *
 * <p>What the check sees: every flipped bit that leaves the kind of the cell as it was, and every two of them unless
 * they lie a multiple of 127 bits apart. Of other damage, a flip that makes one kind look like another included, as
 * the CRC then runs over another length, 1 in 256 passes (spec/shoal §3.2); who cannot bear that checks packets end to
 * end.
 */
public final class ShoalHeader {
    /** Bytes of a header. */
    public static final int BYTES = Long.BYTES;

    /** The most nodes whose ids fit. */
    public static final int MAX_NODES = 1 << 10;

    /** The most traffic classes. */
    public static final int MAX_CLASSES = 4;

    /** Flag: the cell is the first one of its packet. */
    public static final int SOP = 4;

    /** Flag: the cell is the last one of its packet. */
    public static final int EOP = 2;

    /** Flag: the last cell that the receiver sent to this sender was lost. */
    public static final int LCD = 1;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int DESTINATION_SHIFT = 54;
    private static final int SOURCE_SHIFT = 44;
    private static final int SEQUENCE_SHIFT = 22;
    private static final int FEEDBACK_SHIFT = 11;
    private static final int FLAGS_SHIFT = 8;
    private static final int ID_MASK = MAX_NODES - 1;
    private static final int NUMBER_BITS = SOURCE_SHIFT - SEQUENCE_SHIFT;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final int CLASS_BITS = 2;
    private static final int FEEDBACK_MASK = (1 << SEQUENCE_SHIFT - FEEDBACK_SHIFT) - 1;
    private static final int FLAGS_MASK = SOP | EOP | LCD;
    private static final long CRC_MASK = 0xFF;
    /** Bits that are zero in a dummy and in a control cell. */
    static final long NOT_IN_DUMMIES = (long) NUMBER_MASK << SEQUENCE_SHIFT | EOP << FLAGS_SHIFT;
    private static final long HOP_MASK = (long) FEEDBACK_MASK << FEEDBACK_SHIFT | LCD << FLAGS_SHIFT;

    private final int nodes;
    private final int classes;
    private final int sequenceBits;
    private final CellFormat format;
    /** Entry b: how a change of b in the check of the header alone changes the check of the whole cell. */
    private final byte[] afterPayload = new byte[256];

    /**
     * The headers of a fabric.
     *
     * @param nodes   number of node ids N, 2 to 1,024.
     * @param classes number of traffic classes, 1 to 4; more than one takes two bits of the sequence number.
     * @param format  of its cells: 8 bytes of header, a multiple of 64 in all.
     * @throws IllegalArgumentException if the header does not hold the fabric.
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
        this.sequenceBits = classes == 1 ? NUMBER_BITS : NUMBER_BITS - CLASS_BITS;
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

    /** The format of the cells. */
    public CellFormat format() {
        return format;
    }

    /** Width of the sequence number, 22 or, with traffic classes, 20. */
    public int sequenceBits() {
        return sequenceBits;
    }

    /** The largest feedback there is, 2N - 2. */
    public int maxFeedback() {
        return 2 * nodes - 2;
    }

    /**
     * Writes the header of a data cell, its CRC included. The payload stands in its place already.
     *
     * @param cell         where the cell lies.
     * @param offset       first byte of the cell.
     * @param source       originator of the cell, below N.
     * @param destination  where it goes, below N, not the source.
     * @param trafficClass below the number of classes.
     * @param sequence     number of the cell among those of its source, destination and class; its low bits are kept.
     * @param feedback     rate limit feedback to the receiver of this hop, 0 to 2N - 2.
     * @param flags        any of {@link #SOP}, {@link #EOP} and {@link #LCD}.
     */
    public void encode(final MemorySegment cell, final long offset, final int source, final int destination,
        final int trafficClass, final long sequence, final int feedback, final int flags) {
        assert isNode(source) : "source=" + source;
        assert isNode(destination) && destination != source : "destination=" + destination + " source=" + source;
        assert trafficClass >= 0 && trafficClass < classes : "trafficClass=" + trafficClass;
        write(cell, offset, route(destination, source) | number(trafficClass, sequence, sequenceBits)
            | checkedHop(feedback, flags));
    }

    /**
     * Writes the header of a dummy; nothing behind the header is looked at.
     *
     * @param node     the sender.
     * @param feedback rate limit feedback to the receiver, 0 to 2N - 2.
     * @param flags    {@link #LCD} or 0.
     */
    public void encodeDummy(final MemorySegment cell, final long offset, final int node, final int feedback,
        final int flags) {
        assert isNode(node) : "node=" + node;
        assert (flags & ~LCD) == 0 : "flags=" + flags;
        write(cell, offset, route(node, node) | checkedHop(feedback, flags));
    }

    /**
     * Writes the header of a control cell. Its message stands in the payload already, see {@link ShoalControl}.
     *
     * @param node     the sender.
     * @param feedback rate limit feedback to the receiver, 0 to 2N - 2.
     * @param flags    {@link #LCD} or 0.
     */
    public void encodeControl(final MemorySegment cell, final long offset, final int node, final int feedback,
        final int flags) {
        assert isNode(node) : "node=" + node;
        assert (flags & ~LCD) == 0 : "flags=" + flags;
        write(cell, offset, route(node, node) | checkedHop(feedback, flags | SOP));
    }

    /** Rewrites in place what a hop changes, feedback and lcd, and the CRC with them; see {@link #rewritten}. */
    public void rewrite(final MemorySegment cell, final long offset, final int feedback, final int lcd) {
        Objects.checkFromIndexSize(offset, format.cellBytes(), cell.byteSize());
        cell.set(LONG, offset, rewritten(cell.get(LONG, offset), feedback, lcd));
    }

    /**
     * The header of the same cell on its next hop. The CRC is not taken anew from the payload but changed by what the
     * header's change amounts to: a payload that was damaged since it was checked stays visibly damaged.
     *
     * @param header   on the last hop, with a valid CRC.
     * @param feedback to the next receiver, 0 to 2N - 2.
     * @param lcd      {@link #LCD} or 0.
     * @return the header with the CRC that goes with it.
     */
    public long rewritten(final long header, final int feedback, final int lcd) {
        assert (lcd & ~LCD) == 0 : "lcd=" + lcd;
        final long changed = header & ~HOP_MASK | checkedHop(feedback, lcd);
        final int change = Crc8.SHOAL.ofFirst56(changed) ^ Crc8.SHOAL.ofFirst56(header);
        return changed ^ (isDummy(header) ? change : afterPayload[change] & CRC_MASK);
    }

    /** The header of a cell; throws {@link IndexOutOfBoundsException} if it does not lie in the segment. */
    public static long read(final MemorySegment cell, final long offset) {
        return cell.get(LONG, offset);
    }

    /** Where the cell goes. */
    public static int destination(final long header) {
        return (int) (header >>> DESTINATION_SHIFT);
    }

    /** The originator of the cell. */
    public static int source(final long header) {
        return (int) (header >>> SOURCE_SHIFT) & ID_MASK;
    }

    /** The feedback as it stands there, up to 2047; {@link #feedback} is what to go by. */
    public static int rawFeedback(final long header) {
        return (int) header >>> FEEDBACK_SHIFT & FEEDBACK_MASK;
    }

    /** The flags {@link #SOP}, {@link #EOP} and {@link #LCD} that are set. */
    public static int flags(final long header) {
        return (int) header >>> FLAGS_SHIFT & FLAGS_MASK;
    }

    /** Whether the cell carries a part of a packet. */
    public static boolean isData(final long header) {
        return destination(header) != source(header);
    }

    /** Whether the cell carries nothing but feedback and lcd. */
    public static boolean isDummy(final long header) {
        return !isData(header) && (flags(header) & SOP) == 0;
    }

    /** Whether the payload is a control message. */
    public static boolean isControl(final long header) {
        return !isData(header) && (flags(header) & SOP) != 0;
    }

    /** The feedback, clamped to the largest there is: damage must not set a rate limit that never runs out. */
    public int feedback(final long header) {
        return Math.min(rawFeedback(header), maxFeedback());
    }

    /** The traffic class of a data cell, 0 to 3. */
    public int trafficClass(final long header) {
        return trafficClass(header, sequenceBits);
    }

    /** Low bits of a data cell's number; {@link #countOf} gives the others. */
    public int sequence(final long header) {
        return sequence(header, sequenceBits);
    }

    /**
     * The count a sequence number stands for, by serial-number arithmetic: the one next to an expected count that has
     * these low bits.
     *
     * @param expected the count the receiver waits for.
     * @param sequence the number in the header.
     * @return the count, from {@code expected} - 2^({@link #sequenceBits()} - 1) up to, but not including,
     *     {@code expected} + 2^({@link #sequenceBits()} - 1).
     */
    public long countOf(final long expected, final int sequence) {
        final int unused = Long.SIZE - sequenceBits;
        return expected + (sequence - expected << unused >> unused);
    }

    /**
     * Validates a cell as it came from the wire, whoever sent it. A feedback above {@link #maxFeedback()} is no fault,
     * it is clamped.
     *
     * @return the first fault, or {@link HeaderFault#NONE}.
     */
    public HeaderFault check(final MemorySegment cell, final long offset) {
        if (offset < 0 || offset > cell.byteSize() - format.cellBytes()) {
            return HeaderFault.WRONG_LENGTH;
        }
        final long header = cell.get(LONG, offset);
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
     * Validates a header that passed {@link #check} against the hop it came over: a cell reaches a relay from its
     * source only, and its destination from its source or a relay; a dummy and a control cell are their sender's.
     *
     * @param header   of the cell.
     * @param receiver the node that received it.
     * @param sender   the node that the schedule connects to the receiver in the slot the cell was sent in.
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

    /** Refuses a number of nodes that the ids do not hold. */
    static void requireNodes(final int nodes) {
        if (nodes < 2 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("Shoal holds 2 to " + MAX_NODES + " nodes: nodes=" + nodes);
        }
    }

    private boolean isNode(final int id) {
        return id >= 0 && id < nodes;
    }

    /** Whether a cell with these fields, be it data, dummy or control, is one of this fabric. */
    boolean isSendable(final int source, final int destination, final int trafficClass, final int sequence,
        final int feedback, final int flags) {
        return isNode(source) && isNode(destination) && isHop(feedback, flags) && (source != destination
            ? trafficClass >= 0 && trafficClass < classes
            : (trafficClass | sequence & (1 << sequenceBits) - 1 | flags & EOP) == 0);
    }

    /** A header with destination and source, the rest of it zero. */
    static long route(final long destination, final long source) {
        return destination << DESTINATION_SHIFT | source << SOURCE_SHIFT;
    }

    /** A header with class and sequence number, the rest of it zero. */
    static long number(final long trafficClass, final long sequence, final int sequenceBits) {
        return (trafficClass << sequenceBits | sequence & (1L << sequenceBits) - 1) << SEQUENCE_SHIFT;
    }

    /** A header with feedback and flags, the rest of it zero. */
    static long hop(final long feedback, final long flags) {
        return feedback << FEEDBACK_SHIFT | flags << FLAGS_SHIFT;
    }

    static int trafficClass(final long header, final int sequenceBits) {
        return ((int) (header >>> SEQUENCE_SHIFT) & NUMBER_MASK) >>> sequenceBits;
    }

    static int sequence(final long header, final int sequenceBits) {
        return (int) (header >>> SEQUENCE_SHIFT) & (1 << sequenceBits) - 1;
    }

    /** All ones if source and destination differ, else 0; a mask where a branch would keep a loop from vectors. */
    static long onesIfData(final long header) {
        return -((header >>> DESTINATION_SHIFT ^ header >>> SOURCE_SHIFT) & ID_MASK) >> 63;
    }

    /** All ones for a dummy, else 0. */
    static long onesIfDummy(final long header) {
        return ((header >>> DESTINATION_SHIFT ^ header >>> SOURCE_SHIFT) & ID_MASK | header >>> FLAGS_SHIFT & SOP) - 1
            >> 63;
    }

    private long checkedHop(final int feedback, final int flags) {
        assert isHop(feedback, flags) : "feedback=" + feedback + " flags=" + flags;
        return hop(feedback, flags);
    }

    private boolean isHop(final int feedback, final int flags) {
        return feedback >= 0 && feedback <= maxFeedback() && (flags & ~FLAGS_MASK) == 0;
    }

    private void write(final MemorySegment cell, final long offset, final long header) {
        // The whole cell or nothing: a header without its payload is no cell.
        Objects.checkFromIndexSize(offset, format.cellBytes(), cell.byteSize());
        cell.set(LONG, offset, header | crc(header, cell, offset));
    }

    /** The check that a cell with this header asks for. */
    int crc(final long header, final MemorySegment cell, final long offset) {
        return isDummy(header)
            ? Crc8.SHOAL.ofFirst56(header)
            : Crc8.SHOAL.ofCell(header, cell, offset, format.cellBytes());
    }
}
