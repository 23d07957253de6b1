/**
 * Entry and exit of packets at a running fabric. {@link dev.skerry.nic.edge.PacketEdges} places ports at nodes and
 * provides an {@link dev.skerry.nic.fabric.Engine} with flows and with an {@link dev.skerry.nic.fabric.Edge} for each
 * bank. Packets are never dropped for lack of room: a port has a fixed number of cells, which are freed when the
 * destination port has taken their packet, so a sender to a slow port slows down. In an idle fabric no slots pass: they
 * pass only while a bank has cells.
 */
package dev.skerry.nic.edge;

