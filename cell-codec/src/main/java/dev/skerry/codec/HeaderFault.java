package dev.skerry.codec;

/**
 * Reason for refusing a header, in the order of the checks: if there are several faults, the first is reported. A cell
 * with a fault is discarded and counted (docs/spec/shale.md §12, docs/spec/shoal.md §10, docs/spec/stardust.md §11).
 *
 * <p>Only faults that can be seen from the header and the two ends of its hop are listed. The fabric detects others,
 * such as a failed node.
 */
public enum HeaderFault {
    /** The header is valid. */
    NONE,
    /** The bytes end before the header does. */
    WRONG_LENGTH,
    /** The CRC does not match the bits it covers. */
    CRC,
    /** A reserved bit is set. */
    RESERVED_BIT,
    /** The source is not below the number of nodes. */
    SOURCE,
    /** The destination is not below the number of nodes. */
    DESTINATION,
    /** The remaining sprays are not below the number of phases. */
    SPRAYS,
    /** A token has a kind that this fabric does not use. */
    UNKNOWN_KIND,
    /** An empty token slot is not all zero. */
    NONE_TOKEN_NOT_ZERO,
    /** Shoal: a dummy or control cell has an end of packet, class or sequence number. */
    DUMMY_NOT_ZERO,
    /** Shoal, Stardust: the traffic class is not below the number of classes. */
    TRAFFIC_CLASS,
    /** Shoal: the receiver is the source of the cell. */
    OWN_CELL,
    /** Shoal: the sender is not the source although the receiver is not the destination. */
    NOT_FROM_SOURCE,
    /** Stardust: a version other than the one implemented. */
    VERSION,
    /** Stardust: the type is neither data nor low-latency data. */
    CELL_TYPE,
    /** Stardust: the length field does not match the frame. */
    PAYLOAD_LENGTH,
    /** Stardust: the first packet starts beyond the payload. */
    FIRST_START,
    /** Stardust: the destination is not the receiving adapter. */
    NOT_HERE,
    /** Stardust: the host port is not below the number of ports. */
    PORT
}
