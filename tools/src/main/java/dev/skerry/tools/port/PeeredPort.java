package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/** A port whose other end comes and goes. */
public interface PeeredPort extends PacketPort {
    /** Last change at the other end, in one line; empty before the first. Any thread. */
    String news();
}
