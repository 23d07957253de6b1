package dev.skerry.nic.stardust.switched;

/** The ports of a network, and the way of each connection through them. Immutable. */
public interface Routes {
    /** Directed links, each with a queue. */
    int ports();

    /** What a port sends in a slot, more than 0. */
    double bytesPerSlot(int port);

    /** Whether a port is a host's own, which has room for all that its windows allow and marks nothing. */
    boolean isHost(int port);

    /**
     * The ports on the way of a connection's segments or acknowledgements, the host's own first. No port is on it
     * twice.
     */
    int[] path(int connection, boolean ack);
}
