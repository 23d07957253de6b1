/**
 * The pipeline over a bank of NICs, in the order a cell meets it:
 * {@code Segmenter} (flows to cells), {@code SlotTransmitter} (which cell leaves in a slot), the link and its circuits,
 * {@code SlotReceiver} (deliver or queue for the next hop), {@code Reassembler} (cells to completed flows).
 *
 * <p>{@code NicBank} puts the stages over the state of a range of nodes; {@link dev.skerry.nic.LockStep} runs banks
 * slot by slot on one or more threads and yields an {@link dev.skerry.nic.Outcome}.
 *
 * <p>Cache lines of a node-slot under full load with hop-by-hop, counting 64 bytes and the usual short queue. Streamed,
 * as all nodes use the same link in a slot: queue sent from 1, its ledger 1, its owed tokens 1/2, the ledger of the
 * link back 1, three words on the link written and read 3/8 each, round-robin pointer 1/16. Scattered: queue joined
 * 3/4, owed tokens of the previous hop 3/4, active buckets 3/4 when a cell joins, 1 when tokens return and 1/4 for a
 * local cell, flow 1/4 at the source and 1/4 at the destination. Together some 8.5.
 */
package dev.skerry.nic;
