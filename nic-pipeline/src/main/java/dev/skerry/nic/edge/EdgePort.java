package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port at a node of the fabric.
 *
 * @param node       endpoint that the port is at; at most one port per node.
 * @param name       name given by the user, for messages.
 * @param port       the port; once the fabric runs, the node's thread owns it.
 * @param forwarding decides where the port's packets go.
 */
public record EdgePort(int node, String name, PacketPort port, PortForwarding forwarding) {
}
