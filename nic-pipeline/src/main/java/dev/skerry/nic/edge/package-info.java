/**
 * Where packets enter and leave a running fabric: {@link dev.skerry.nic.edge.PacketEdges} puts ports at nodes and gives
 * an {@link dev.skerry.nic.fabric.Engine} the flows and an {@link dev.skerry.nic.fabric.Edge} for each bank.
 *
 * <p>In the order a packet meets them: {@code BankPorts} holds the ports of a bank. A {@code EdgePort.PortGuard} closes
 * a port that fails. {@code PacketIngress} takes packets, asks the port's
 * {@link dev.skerry.nic.edge.EdgePort.PortForwarding} where they go and cuts them into cells of the {@code EdgeMemory}.
 * It hands the cells to a circuit fabric, {@code BankPacketEdge} whole packets to Stardust. Delivered cells wait in a
 * {@code EdgeMemory.CellQueue} until the edge is polled; then a window puts them in order and {@code PacketEgress}
 * makes packets of them.
 *
 * <p>Nothing is dropped for lack of room. A port has a fixed number of cells; they are freed when the destination port
 * has taken their packet, so a sender to a slow port slows down. An idle fabric stands still: slots pass only while
 * some bank has cells.
 */
package dev.skerry.nic.edge;

