package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifLink;

/** The state machine of one role, driven by the peer's messages. Reports faults to its connection. */
sealed interface MemifSession permits MemifServerSession, MemifClientSession {
    /** Sends the first message if the role speaks first. */
    void start();

    /** Handles a message; takes its descriptors from the connection. */
    void on(MemifMessage message);

    /** The rings once both sides are connected, else null. */
    MemifLink link();
}
