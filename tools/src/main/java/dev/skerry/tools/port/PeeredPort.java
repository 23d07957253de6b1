package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/** A port whose other end comes and goes. */
public interface PeeredPort extends PacketPort {
    /** Last change at the other end, in one line; empty before the first. Any thread. */
    String news();

    /** MTU of the network interface at the other end when the port was opened; 0 if there is none. */
    default int interfaceMtu() {
        return 0;
    }
}
