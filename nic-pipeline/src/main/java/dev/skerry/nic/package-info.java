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
 * <p>Stages take many nodes through each step together, blocks of up to 512 of Shale, whole banks of Shoal: one loop
 * for each structure that a step touches, with nothing in it that calls and no branch on a coin toss. What happens at a
 * node is such a toss, so nodes are sorted by it first, without a branch ({@code KindOrder}), and each kind of work is
 * a loop over a list of nodes; exceptions are listed and done after it. What is arithmetic alone takes all nodes as
 * columns, which a compiler makes vectors of; Shale's cells that change place are a {@code CellBatch}. What nobody asks
 * for between two slots, Shale's active buckets, is noted in a slot and counted later, node after node.
 *
 * <p>To stand beside RTL there are a {@link dev.skerry.nic.NodeModel}, a bank of one node stepped by hand, and a {@link
 * dev.skerry.nic.FabricModel}, a whole fabric; both show their {@link dev.skerry.nic.NodeProbes}.
 *
 * <p>Cache lines of Shale that a node-slot touches under full load with hop-by-hop, counting 64 bytes and the usual
 * short queue. Streamed, as all nodes use the same link in a slot: queue sent from 16/16, its ledger 8/16, its owed
 * tokens 4/16, the ledger of the link back 8/16, the three columns of the link written 6/16 and read 6/16, the
 * log of active buckets written 4/16 and read 4/16, their entries 1/16, the columns of the maxima 3/16, round-robin
 * pointer 1/16. Scattered: queue joined 12/16, owed tokens of the previous hop 12/16, flow 4/16 at the source and 4/16
 * at the destination. Not counted is what never changes, a number here and there of a flow or a node. Together some
 * 5 3/4; {@link dev.skerry.nic.CacheLines} has the sums, and what they cost on a machine is what speed is measured by.
 *
 * <p>Cache lines of Shoal, the same for each of its channels, with a flow a node. Streamed: loads 1/16, searches 1/16,
 * first cells of the queues sent from 4/16, what cells joined 2/16 to send and 2/16 to receive, cells sent written
 * 1/16 and, of four epochs, read 4/16, throttles of the link 1/16 and of the link back 1/16, the three columns
 * of the link written 6/16 and read 6/16, what is reported 2/16, the only flow of the segmenter's node 1/16 and its
 * message at hand 1/16, the columns of the maxima 3/16. Scattered: the load reported on 15/16, of the queue joined the
 * load 8/16 and the first cell 8/16, flow 4/16 at the source and 4/16 at the destination. Together some 4 2/3.
 */
package dev.skerry.nic;
