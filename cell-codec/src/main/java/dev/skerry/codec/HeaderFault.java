package dev.skerry.codec;

/**
 * Why a header is refused, in the order in which it is looked at: a header with several faults is named by the first. A
 * cell with a fault is discarded and counted (spec/shale §12, spec/shoal §10, spec/stardust §11).
 *
 * <p>What needs more than the header and the two ends of the hop, such as a node that is down, is the fabric's to find.
 */
public enum HeaderFault {
    /** The header is valid. */
    NONE("valid"),
    /** The bytes end before the header does. */
    WRONG_LENGTH("no room for a header at this offset"),
    /** The check does not match the bits before it. */
    CRC("CRC mismatch"),
    /** A bit that must be zero is set. */
    RESERVED_BIT("reserved bit set"),
    /** The source is not a node of this fabric. */
    SOURCE("source id is not below the number of nodes"),
    /** The destination is not a node of this fabric. */
    DESTINATION("destination id is not below the number of nodes"),
    /** More sprays remain than the first hop of a cell can leave. */
    SPRAYS("remaining sprays are not below the number of phases"),
    /** A token of a kind this fabric does not know. */
    UNKNOWN_KIND("unknown kind of token"),
    /** An empty token slot with bits set in it. */
    NONE_TOKEN_NOT_ZERO("empty token slot is not all zero"),
    /** Shoal: a dummy or control cell with an end of packet or a sequence number. */
    DUMMY_NOT_ZERO("dummy or control cell with bits set that must be zero"),
    /** Shoal: a traffic class this fabric does not have. */
    TRAFFIC_CLASS("traffic class is not below the number of classes"),
    /** Shoal: the cell comes from the node that receives it. */
    OWN_CELL("source is the receiver itself"),
    /** Shoal: only the last hop of a cell has another sender than its source, and no hop of a dummy. */
    NOT_FROM_SOURCE("source is not the sender although the cell is not on its last hop"),
    /** Stardust: a version this build does not know. */
    VERSION("unknown version of the cell format"),
    /** Stardust: neither data nor low-latency data. */
    CELL_TYPE("no type of a data cell"),
    /** Stardust: the length field and the frame differ. */
    PAYLOAD_LENGTH("payload length is not that of the frame"),
    /** Stardust: a packet is said to start behind the payload. */
    FIRST_START("first packet start lies behind the payload"),
    /** Stardust: the cell is for another adapter than the one it came to. */
    NOT_HERE("destination is not the receiver"),
    /** Stardust: a host port that this adapter does not have. */
    PORT("port is not below the number of ports");

    private static final HeaderFault[] VALUES = values();
    private final String sentence;

    HeaderFault(final String sentence) {
        this.sentence = sentence;
    }

    /** The first of the faults whose bits are set, the bit of each numbered by its place above. */
    static HeaderFault first(final long faults) {
        return faults == 0 ? NONE : VALUES[Long.numberOfTrailingZeros(faults)];
    }

    /** The fault in words, for a counter's label or an error line. */
    public String sentence() {
        return sentence;
    }
}
