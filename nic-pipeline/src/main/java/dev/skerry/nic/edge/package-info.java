/**
 * Where packets enter and leave a running fabric: {@link dev.skerry.nic.edge.PacketEdges} puts ports at nodes and hands
 * an {@link dev.skerry.nic.fabric.Engine} what it needs, the flows and an {@link dev.skerry.nic.fabric.Edge} for each
 * bank.
 *
 * <p>Within: a {@code BankEdge} has an {@code PacketIngress} and an {@code PacketEgress} for each port of its nodes;
 * cells of all
 * ports lie in one {@code EdgeMemory}; a {@code PortGuard} keeps the failure of a port its own. Where a packet goes is
 * up to
 * a {@link dev.skerry.nic.edge.PortForwarding} for each port. The engine's stages know nothing of all this: they ask
 * for
 * the next cell of a flow and give back the one that arrived.
 *
 * <p>Nothing is dropped for want of room: cells are handed out to ports in fixed numbers, and come home when their
 * packet has found room in the port it goes to, so who sends to a slow port is slowed down himself. An idle fabric
 * stands still: slots go by only while some bank has cells.
 */
package dev.skerry.nic.edge;
