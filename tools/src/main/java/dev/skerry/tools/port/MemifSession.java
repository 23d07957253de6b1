package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifLink;

/** What a connection does with the peer's messages: the state machine of one role. Faults go to the connection. */
sealed interface MemifSession permits MemifServerSession, MemifClientSession {
    /** Speaks first, if that is the role's. */
    void start();

    /** Takes a message in; descriptors that belong to it are taken from the connection. */
    void on(MemifMessage message);

    /** The rings, once both sides have said that they are connected; null before. */
    MemifLink link();
}
