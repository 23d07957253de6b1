package dev.skerry.nic.stardust.switched;

import dev.skerry.nic.stardust.switched.SwitchedNetwork.FreeLinks;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.PfcLinks;

/** The links of a network with the queues in front of them, a port each. One thread. */
sealed interface Links permits FreeLinks, PfcLinks {
    /** No port: a packet comes from its host. */
    int NONE = -1;

    /** Takes packets that come to the end of their link. */
    @FunctionalInterface
    interface Arrivals {
        /** A packet has crossed the link of a port. */
        void arrive(int port, long packet);
    }

    /** What happens in a slot; slots come one after the other. */
    void turn(long slot, Arrivals arrivals);

    /**
     * A packet joins the queue of a port.
     *
     * @param from the port that it came by, or {@link #NONE}.
     * @return false if there is no room for it.
     */
    boolean add(long slot, int from, int port, long packet, int bytes);

    /** Bytes in the queue of a port, and of the packet that it sends. */
    long backlog(long slot, int port);

    /** Packets in queues and on links. */
    long held();

    /** How often a switch paused a link into it. */
    long pauses();
}
