package dev.skerry.dataplane.port;

/** Reasons for which a link to a memif peer ends or is not established (docs/spec/memif.md §9, §10). */
public enum MemifFault {
    /** Ring: the peer's counter has an impossible value. */
    INDEX_JUMP("the peer's ring counter went back or past the ring's end"),
    /** Ring: the region does not exist. */
    DESCRIPTOR_REGION("a descriptor names a region that does not exist"),
    /** Ring: the bytes are not in the region. */
    DESCRIPTOR_RANGE("a descriptor points outside its region"),
    /** Ring: more bytes than our buffer holds. */
    DESCRIPTOR_LENGTH("a descriptor claims more bytes than its buffer has"),
    /** Ring: a packet has no end. */
    CHAIN_OPEN("a packet's last buffer was not published with the others"),
    /** Ring: a packet spans too many slots. */
    CHAIN_TOO_LONG("a packet spans too many buffers"),
    /** Ring: an empty buffer was posted. */
    NO_CAPACITY("the peer posted a buffer without room"),
    /** Ring: a buffer changed between two reads. */
    CAPACITY_CHANGED("a posted buffer shrank while it was used"),
    /** Shared memory disappeared. */
    MEMORY_LOST("the shared memory could not be read or written"),

    /** Message: not 128 bytes. */
    MESSAGE_SIZE("a control message has the wrong size"),
    /** Message: unknown type. */
    MESSAGE_UNKNOWN("a control message has an unknown type"),
    /** Message: out of order. */
    MESSAGE_ORDER("a control message came out of order"),
    /** Message: its file descriptor is missing. */
    FD_MISSING("a control message lacked its file descriptor"),
    /** Message: unexpected file descriptor. */
    FD_SUPERFLUOUS("a control message carried one file descriptor too many"),

    /** Handshake: not memif 2.0. */
    VERSION("the peer does not speak memif 2.0"),
    /** Handshake: not Ethernet. */
    MODE("only Ethernet mode is supported"),
    /** Handshake: no port has this id. */
    ID_UNKNOWN("ID not found"),
    /** Handshake: the port already has a peer. */
    ID_TAKEN("Already connected"),
    /** Handshake: wrong or missing secret. */
    SECRET("Incorrect secret"),
    /** Handshake: limits that allow no ring. */
    LIMITS("the limits of the server permit no ring"),
    /** Region: not the next index, or above the maximum. */
    REGION_INDEX("Invalid region index"),
    /** Region: empty or too large. */
    REGION_SIZE("a region is empty or too large"),
    /** Region: the file is shorter than announced. */
    REGION_SHORT("a region's file is shorter than the region"),
    /** Region: the peer could truncate it. */
    REGION_UNSEALED("a region's file cannot be sealed against shrinking: start the peer with zero-copy=no"),
    /** Region: the kernel refuses to map it. */
    REGION_UNMAPPABLE("a region could not be mapped"),
    /** Ring: not the next index, or above the maximum. */
    RING_INDEX("Invalid ring index"),
    /** Ring: not 2 to 2^14 slots. */
    RING_SIZE("a ring has a wrong number of slots"),
    /** Ring: not in its region, or not aligned. */
    RING_PLACE("a ring does not lie in its region"),
    /** Ring: descriptors with private data. */
    RING_PRIVATE("a ring has private headers"),
    /** Ring: there is none in one direction. */
    RING_NONE("the peer has no ring to send on, or none to receive on"),
    /** Ring: no cookie. */
    COOKIE("a ring does not start with the cookie"),

    /** Peer: the handshake takes too long. */
    TIMEOUT("the peer was silent in the handshake"),
    /** Peer: does not read its messages. */
    PEER_DEAF("the peer does not read its control messages"),
    /** Peer: another user's process. */
    PEER_USER("the peer belongs to another user"),
    /** Peer: too many peers are in the handshake. */
    PEER_CROWD("too many peers in the handshake"),
    /** Peer: sent DISCONNECT. */
    PEER_DISCONNECT("the peer disconnected"),
    /** Peer: closed its socket, or died. */
    PEER_GONE("the peer is gone"),
    /** The socket failed. */
    SOCKET("the control socket failed"),
    /** Our side closed the port. */
    CLOSED("the port was closed");

    private final String sentence;

    MemifFault(final String sentence) {
        this.sentence = sentence;
    }

    /** The fault as a sentence that fits a DISCONNECT message. */
    public String sentence() {
        return sentence;
    }

    /** The first fault of a link, with the two numbers that explain it. One thread. */
    public static final class MemifVerdict {
        private MemifFault fault;
        private long found;
        private long bound;

        /** Creates a verdict without a fault. */
        public MemifVerdict() {
        }

        /** The first fault, or null. */
        public MemifFault fault() {
            return fault;
        }

        /**
         * Records the first fault. Lost memory replaces an earlier fault: the JVM reports it some time after the
         * access, and values that were read in between and found wrong were not the peer's.
         *
         * @param what  the fault.
         * @param value the wrong value.
         * @param limit the bound that it violates.
         */
        public void raise(final MemifFault what, final long value, final long limit) {
            if (fault == null || what == MemifFault.MEMORY_LOST) {
                fault = what;
                found = value;
                bound = limit;
            }
        }

        /** The fault as a sentence, with its numbers. */
        @Override
        public String toString() {
            return fault == null ? "sound" : fault.sentence() + ": found=" + found + " bound=" + bound;
        }
    }
}
