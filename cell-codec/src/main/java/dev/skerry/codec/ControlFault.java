package dev.skerry.codec;

/**
 * Why a control message is not acted on, in the order in which it is looked at. The message is ignored and counted, the
 * cell that brought it is not at fault (spec/shoal §10, "control").
 */
public enum ControlFault {
    /** The message is valid. */
    NONE("valid"),
    /** The bytes end before the message does. */
    TRUNCATED("no room for a control message"),
    /** Neither a reachability message nor a probe. */
    UNKNOWN_TYPE("unknown type of control message"),
    /** A version this build does not know. */
    UNKNOWN_VERSION("unknown version of control message"),
    /** A part of the bitmap that a fabric of this size does not have. */
    CHUNK_OUT_OF_RANGE("chunk index is not below the number of chunks"),
    /** A bit is set for a node that this fabric does not have. */
    NODE_OUT_OF_RANGE("bit set for a node id that is not below the number of nodes"),
    /** A flag is set that has no meaning. */
    RESERVED_BITS("reserved flag set"),
    /** The message says again what is known. */
    REPEATED("change counter is the latest one"),
    /** The message was overtaken by a newer one. */
    OLDER("change counter is older than the latest one"),
    /** Stardust: the check does not match the message. */
    CRC("CRC mismatch"),
    /** Stardust: a port or class that this fabric does not have. */
    QUEUE_OUT_OF_RANGE("port or class is not below their number"),
    /** Stardust: a request for a state that no queue has. */
    UNKNOWN_STATE("unknown state of a queue"),
    /** Stardust: a credit worth nothing, or 2 GiB and more. */
    CREDIT_OUT_OF_RANGE("credit is not worth 1 to 2^31 - 1 bytes");

    private final String sentence;

    ControlFault(final String sentence) {
        this.sentence = sentence;
    }

    /** The fault in words, for a counter's label or an error line. */
    public String sentence() {
        return sentence;
    }
}
