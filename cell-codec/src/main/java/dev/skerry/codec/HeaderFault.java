package dev.skerry.codec;

/**
 * Why a header is refused, in the order of the checks: of several faults the first is reported. A cell with a fault is
 * discarded and counted (docs/spec/shale.md §12, docs/spec/shoal.md §10, docs/spec/stardust.md §11).
 *
 * <p>Only faults visible in the header and the two ends of its hop are listed. The fabric detects others, such as a
 * failed node.
 */
public enum HeaderFault {
    /** The header is valid. */
    NONE("valid"),
    /** The bytes end before the header does. */
    WRONG_LENGTH("no room for a header at this offset"),
    /** The CRC does not match the bits it covers. */
    CRC("CRC mismatch"),
    /** A reserved bit is set. */
    RESERVED_BIT("reserved bit set"),
    /** The source is not below the number of nodes. */
    SOURCE("source id is not below the number of nodes"),
    /** The destination is not below the number of nodes. */
    DESTINATION("destination id is not below the number of nodes"),
    /** The remaining sprays are not below the number of phases. */
    SPRAYS("remaining sprays are not below the number of phases"),
    /** A kind of token that this fabric does not use. */
    UNKNOWN_KIND("unknown kind of token"),
    /** An empty token slot that is not all zero. */
    NONE_TOKEN_NOT_ZERO("empty token slot is not all zero"),
    /** Shoal: a dummy or control cell with an end of packet, class or sequence number. */
    DUMMY_NOT_ZERO("dummy or control cell with bits set that must be zero"),
    /** Shoal, Stardust: the traffic class is not below the number of classes. */
    TRAFFIC_CLASS("traffic class is not below the number of classes"),
    /** Shoal: the receiver is the source of the cell. */
    OWN_CELL("source is the receiver itself"),
    /** Shoal: the sender is not the source although the receiver is not the destination. */
    NOT_FROM_SOURCE("source is not the sender although the cell is not on its last hop"),
    /** Stardust: a version other than the one implemented. */
    VERSION("unknown version of the cell format"),
    /** Stardust: neither data nor low-latency data. */
    CELL_TYPE("no type of a data cell"),
    /** Stardust: the length field does not match the frame. */
    PAYLOAD_LENGTH("payload length is not that of the frame"),
    /** Stardust: the first packet starts beyond the payload. */
    FIRST_START("first packet start lies behind the payload"),
    /** Stardust: the destination is not the receiving adapter. */
    NOT_HERE("destination is not the receiver"),
    /** Stardust: the host port is not below the number of ports. */
    PORT("port is not below the number of ports");

    private static final HeaderFault[] VALUES = values();
    private final String sentence;

    HeaderFault(final String sentence) {
        this.sentence = sentence;
    }

    /** The fault of the lowest bit set, numbered by ordinal; {@link #NONE} for 0. */
    static HeaderFault first(final long faults) {
        return faults == 0 ? NONE : VALUES[Long.numberOfTrailingZeros(faults)];
    }

    /** Description of the fault, for the label of a counter or an error message. */
    public String sentence() {
        return sentence;
    }
}
