/**
 * Packets to cells and back, for every fabric whose cells say where a packet starts and ends (docs/spec/shoal.md §3.3),
 * in the order in which a packet meets the classes:
 *
 * <p>{@link dev.skerry.nic.packet.PacketSegmenter} cuts a packet into cells of a slab.
 * {@link dev.skerry.nic.packet.PacketFormat} has the arithmetic for any payload size. The fabric numbers the cells and
 * carries them; it may lose, double and reorder them. At the destination {@link dev.skerry.nic.packet.ReorderWindow}
 * puts the cells of each stream, one per source and class, back in order, and no cell is waited for beyond its
 * time-out. {@link dev.skerry.nic.packet.PacketReassembler} makes packets of them and recovers after every kind of
 * damage. Cells travel as handles.
 *
 * <p>Law: cells received = cells delivered + cells held + the sum of the drops that
 * {@link dev.skerry.nic.packet.PacketCounter} names. One thread owns all objects of a receiver.
 */
package dev.skerry.nic.packet;

