package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port at a node of the fabric.
 *
 * @param node       endpoint that the port is at; several ports may be at one.
 * @param number     which of the ports at its node it is, from 0.
 * @param name       name given by the user, for messages.
 * @param port       the port; once the fabric runs, the node's thread owns it.
 * @param forwarding decides where the port's packets go.
 */
public record EdgePort(int node, int number, String name, PacketPort port, PortForwarding forwarding) {
    /** The first port at a node. */
    public EdgePort(final int node, final String name, final PacketPort port, final PortForwarding forwarding) {
        this(node, 0, name, port, forwarding);
    }
}
