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
    /** The type is undefined. */
    UNKNOWN_TYPE,
    /** A version other than the one implemented. */
    UNKNOWN_VERSION,
    /** The chunk of the bitmap is beyond the last node. */
    CHUNK_OUT_OF_RANGE,
    /** A node id, or a bit of the bitmap, is not below the number of nodes. */
    NODE_OUT_OF_RANGE,
    /** A reserved bit is set. */
    RESERVED_BITS,
    /** The change counter is the latest one received. */
    REPEATED,
    /** A newer message arrived first. */
    OLDER,
    /** Stardust: the CRC does not match the message. */
    CRC,
    /** Stardust: the port or class is not below its number. */
    QUEUE_OUT_OF_RANGE,
    /** Stardust: a request has an undefined state. */
    UNKNOWN_STATE,
    /** Stardust: a credit has 0 bytes, or 2 GiB or more. */
    CREDIT_OUT_OF_RANGE
}
