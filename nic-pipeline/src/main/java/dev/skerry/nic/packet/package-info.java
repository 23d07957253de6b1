/**
 * Packets to cells and back, for every fabric whose cells mark the start and end of a packet (docs/spec/shoal.md §3.3).
 * {@link dev.skerry.nic.packet.PacketSegmenter} cuts a packet into cells of a slab. The fabric carries the cells and
 * may lose, duplicate and reorder them. {@link dev.skerry.nic.packet.ReorderWindow} restores the order of each stream,
 * with time-outs, and {@link dev.skerry.nic.packet.PacketReassembler} reassembles packets and recovers from every kind
 * of damage. One thread owns all objects of a receiver.
 */
package dev.skerry.nic.packet;

