/**
 * The pipeline over a bank of NICs, in the order a cell meets it: {@code Segmenter} (flows to cells), {@code
 * SlotTransmitter} (which cell leaves in a slot), the link and its circuits, {@code SlotReceiver} (deliver or queue
 * for the next hop), {@code Reassembler} (cells to completed flows).
 *
 * <p>A {@code Bank} puts the stages over the state of a range of nodes: {@code NicBank} those of Shale, {@code
 * ShoalBank} those of Shoal, whose transmitter, receiver and segmenter bear its name, and {@code GuardedBank} those of
 * Shoal where something fails or flows have traffic classes: what it sends goes through a {@code Medium}, {@code
 * GuardedReports} decide what is sent once more, a {@code PairKeeper} who is down. An {@link
 * dev.skerry.nic.Engine} runs the banks of any fabric and yields an {@link dev.skerry.nic.Outcome}: {@link
 * dev.skerry.nic.LockStep} slot by slot, asking {@code Circuits} who is connected; {@link
 * dev.skerry.nic.FreeRunning} on threads, with a {@code NicAgent} a bank, its {@code NicPorts}, and {@code Fibres}
 * to and from circuit switches.
 *
 * <p>Cache lines of a node-slot of Shale under full load with hop-by-hop, counting 64 bytes and the usual short
 * queue. Streamed, as all nodes use the same link in a slot: queue sent from 1, its ledger 1/2, its owed tokens 1/4,
 * the ledger of the link back 1/2, the cell on the link written and read 3/8 each, maxima 1/4, round-robin pointer
 * 1/16. Scattered: queue joined 3/4, owed tokens of the previous hop 3/4, active buckets 3/4 when a cell joins, 3/4
 * when tokens return and 1/4 for a local cell, flow 1/4 at the source and 1/4 at the destination. Together some 7.
 */
package dev.skerry.nic;
