package dev.skerry.codec;

/**
 * Why a control message is ignored, in the order of the checks. The message is counted; its cell is valid
 * (docs/spec/shoal.md §10, "control").
 */
public enum ControlFault {
    /** The message is valid. */
    NONE,
    /** The bytes end before the message does. */
    TRUNCATED,
    /** A type that no message has. */
    UNKNOWN_TYPE,
    /** A version other than the one implemented. */
    UNKNOWN_VERSION,
    /** A part of the bitmap beyond the last node. */
    CHUNK_OUT_OF_RANGE,
    /** A node id, or the bit of one, that is not below the number of nodes. */
    NODE_OUT_OF_RANGE,
    /** A reserved bit is set. */
    RESERVED_BITS,
    /** The change counter is the latest one received. */
    REPEATED,
    /** A newer message arrived first. */
    OLDER,
    /** Stardust: the CRC does not match the message. */
    CRC,
    /** Stardust: a port or class that is not below their number. */
    QUEUE_OUT_OF_RANGE,
    /** Stardust: a request for an undefined state. */
    UNKNOWN_STATE,
    /** Stardust: a credit of 0 bytes, or of 2 GiB and more. */
    CREDIT_OUT_OF_RANGE
}
