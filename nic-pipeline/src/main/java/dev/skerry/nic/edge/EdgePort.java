package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port at a node of the fabric.
 *
 * @param node       the endpoint it is at; one port a node.
 * @param name       what the user calls it, for messages.
 * @param port       the port; once the fabric runs, the node's thread owns it.
 * @param forwarding where its packets go.
 */
public record EdgePort(int node, String name, PacketPort port, PortForwarding forwarding) {
}
