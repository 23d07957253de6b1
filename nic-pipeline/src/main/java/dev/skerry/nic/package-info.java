/**
 * The pipeline over a bank of NICs, in the order a cell meets it: a segmenter (flows to cells), a transmitter (which
 * cell leaves in a slot), the link and its circuits, a receiver (deliver or queue for the next hop), the {@code
 * Reassembler} (cells to completed flows).
 *
 * <p>A {@code Bank} puts the stages over the state of a range of nodes. {@code ShaleBank} has {@code ShaleSegmenter},
 * {@code ShaleTransmitter} and {@code ShaleReceiver}, with {@code ShaleFaults} around them where something fails;
 * {@code ShoalBank} those called after Shoal; {@code GuardedBank} those of Shoal where something fails or flows have
 * traffic classes: what it sends goes through a {@code Medium}, {@code GuardedReports} decide what is sent once more, a
 * {@code PairKeeper} who is down. Where payloads are checked they lie in a {@code CellStore}. An {@link
 * dev.skerry.nic.Engine} runs the banks of any fabric and yields an {@link dev.skerry.nic.Outcome}: {@link
 * dev.skerry.nic.LockStep} slot by slot, asking {@code Circuits} who is connected; {@link
 * dev.skerry.nic.FreeRunning} on threads, with a {@code NicAgent} a bank, its {@code NicPorts}, and {@code Fibres}
 * to and from circuit switches.
 *
 * <p>To stand beside RTL there are a {@link dev.skerry.nic.NodeModel}, a bank of one node stepped by hand, and a {@link
 * dev.skerry.nic.FabricModel}, a whole fabric; both show their {@link dev.skerry.nic.NodeProbes}.
 *
 * <p>Cache lines of a node-slot of Shale under full load with hop-by-hop, counting 64 bytes and the usual short
 * queue. Streamed, as all nodes use the same link in a slot: queue sent from 1, its ledger 1/2, its owed tokens 1/4,
 * the ledger of the link back 1/2, the cell on the link written and read 3/8 each, maxima 1/4, round-robin pointer
 * 1/16. Scattered: queue joined 3/4, owed tokens of the previous hop 3/4, active buckets 3/4 when a cell joins, 3/4
 * when tokens return and 1/4 for a local cell, flow 1/4 at the source and 1/4 at the destination. Together some 7.
 *
 * <p>The same of Shoal, for each of its channels, with a flow a node. Streamed: queue sent from 1, line of the link
 * back 1, cells sent, written once and read twice, 3/16, the cell on the link written and read 3/8 each, what is
 * reported 1/8, the segmenter's node 1/8, maxima 1/4. Scattered: the queue reported on 1, unless it was just joined;
 * queue joined 1/2, throttles written 1/4 (a line serves sixteen slots), flow 1/4 at the source and 1/4 at the
 * destination. Together some 5 1/2.
 */
package dev.skerry.nic;
