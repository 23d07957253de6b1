/**
 * Packets to cells and back, the same for every fabric whose cells say where a packet starts and ends
 * (docs/spec/shoal.md §3.3), in the order a packet meets it:
 *
 * <p>{@link dev.skerry.nic.packet.PacketSegmenter} cuts a packet into cells of a slab, whatever the payload's size:
 * {@link dev.skerry.nic.packet.PacketFormat} has the arithmetic. The fabric gives the cells sequence numbers, carries
 * them and may lose, double and overtake them. At the destination {@link dev.skerry.nic.packet.ReorderWindow} puts the
 * cells of each stream, one for each source and class, back in order, and never waits for ever;
 * {@link dev.skerry.nic.packet.PacketReassembler} makes packets of them and finds its way back after every kind of
 * damage. Cells travel as handles; a {@link dev.skerry.nic.packet.CellHome} takes them back.
 *
 * <p>Law: cells received = cells delivered + cells held + the sum of the drops that
 * {@link dev.skerry.nic.packet.PacketCounter} names. One thread owns all objects of a receiver.
 */
package dev.skerry.nic.packet;
