package dev.skerry.codec;

/**
 * Why a control message is ignored, in the order of the checks. The message is counted; its cell is valid
 * (docs/spec/shoal.md §10, "control").
 */
public enum ControlFault {
    /** The message is valid. */
    NONE("valid"),
    /** The bytes end before the message does. */
    TRUNCATED("no room for a control message"),
    /** A type that no message has. */
    UNKNOWN_TYPE("unknown type of control message"),
    /** A version other than the one implemented. */
    UNKNOWN_VERSION("unknown version of control message"),
    /** A part of the bitmap beyond the last node. */
    CHUNK_OUT_OF_RANGE("chunk index is not below the number of chunks"),
    /** A node id, or the bit of one, that is not below the number of nodes. */
    NODE_OUT_OF_RANGE("bit set for a node id that is not below the number of nodes"),
    /** A reserved bit is set. */
    RESERVED_BITS("reserved flag set"),
    /** The change counter is the latest one received. */
    REPEATED("change counter is the latest one"),
    /** A newer message arrived first. */
    OLDER("change counter is older than the latest one"),
    /** Stardust: the CRC does not match the message. */
    CRC("CRC mismatch"),
    /** Stardust: a port or class that is not below their number. */
    QUEUE_OUT_OF_RANGE("port or class is not below their number"),
    /** Stardust: a request for an undefined state. */
    UNKNOWN_STATE("unknown state of a queue"),
    /** Stardust: a credit of 0 bytes, or of 2 GiB and more. */
    CREDIT_OUT_OF_RANGE("credit is not worth 1 to 2^31 - 1 bytes");

    private final String sentence;

    ControlFault(final String sentence) {
        this.sentence = sentence;
    }

    /** Description of the fault, for the label of a counter or an error message. */
    public String sentence() {
        return sentence;
    }
}
